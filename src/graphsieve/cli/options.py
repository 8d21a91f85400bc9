# ruff: noqa: RUF009 (the functions return fields of dataclasses)
"""The options of the commands: names, types and help, in one class for each set of them."""

import codecs
import inspect
import re
from dataclasses import dataclass, field, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand

from .console import TableError, examples, usage_error

ENCODINGS = ("onehot", "ordinal", "dates")
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
# A pass over this much takes hours, and the temporary copy of many methods fills most disks.
_STREAM_LIMIT = 2**40
_SHAPE = re.compile(r"(\d+)\s*[xX,]\s*(\d+)")


class Command(TyperCommand):
    """A command that remembers its arguments, to suggest the same command with one more."""

    def parse_args(self, ctx, args):
        """Parse the arguments, after taking note of them."""
        ctx.meta["arguments"] = [ctx.info_name, *args]
        return super().parse_args(ctx, args)


def command(*lines, note=""):
    """Make a command of a function, with examples and a note at the end of its help.

    A parameter whose class is a dataclass stands for options: the fields of the class.
    """

    def make(function):
        call = _with_options(function)
        call.epilog = examples(*lines, note=note)
        return call

    return make


def _with_options(function):
    shown, classes = [], {}
    for parameter in inspect.signature(function).parameters.values():
        cls = parameter.annotation
        if not is_dataclass(cls):
            shown.append(parameter)
            continue
        classes[parameter.name] = cls
        known = {own.name: own for own in fields(cls)}
        shown += [
            inspect.Parameter(
                own.name,
                parameter.KEYWORD_ONLY,
                default=own.default,
                annotation=Annotated[own.type, own.metadata["option"]],
            )
            # Those of the command itself first, those that many commands have last.
            for base in cls.__mro__
            for own in map(known.get, inspect.get_annotations(base))
            if own is not None
        ]

    @wraps(function)
    def call(**given):
        for name, cls in classes.items():
            given[name] = cls(**{own.name: given.pop(own.name) for own in fields(cls)})
        return function(**given)

    # What Typer reads the options from.
    call.__signature__ = inspect.Signature(shown)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return call


def parse_number(text):
    """Return how many features to select: 50 -> 50; 10% and 0.1 -> 0.1; auto -> auto."""
    if text == "auto":
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    try:
        fraction = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        fraction = 0.0
    if text.isdecimal() or not 0 < fraction <= 1:
        raise usage_error(
            f"{text!r} is neither a number of columns (50), nor a fraction of them (10% or 0.1), "
            "nor auto",
            "-k",
        )
    return fraction


def _parse_separator(text, option="--sep"):
    # A shell passes \\t as two characters.
    separator = SEPARATORS.get(text.lower(), text).replace("\\t", "\t")
    if len(separator) != 1 or separator in '"\r\n':
        raise usage_error(
            f"{separator!r} is not one character; use a character or one of "
            f"{', '.join(SEPARATORS)}",
            option,
        )
    return separator


def _parse_encode(text):
    """The kinds in a list such as onehot,dates."""
    kinds = tuple(kind.strip() for kind in text.split(","))
    if unknown := [kind for kind in kinds if kind not in ENCODINGS]:
        raise usage_error(f"{unknown[0]!r} is not one of {', '.join(ENCODINGS)}", "--encode")
    return kinds


def _parse_encoding(text):
    try:
        return codecs.lookup(text).name
    except (LookupError, ValueError):
        raise usage_error(
            f"there is no encoding {text!r}; common ones are utf-8, cp1252, latin-1 and utf-16",
            "--encoding",
        ) from None


def _parse_shape(text):
    """Height and width from text such as 32x32."""
    match = _SHAPE.fullmatch(text.strip())
    if match is None:
        raise usage_error(
            f"{text!r} is not an image shape; use height x width, such as 32x32", "--image-shape"
        )
    return int(match[1]), int(match[2])


def _panel(title):
    """A function that makes the options of one panel of the help."""

    def option(words, help, default=None, *, min=None, max=None, parser=None) -> Any:
        names = [word for word in words.split() if word.startswith("-")]
        info = typer.Option(
            *names,
            metavar=" ".join(words.split()[len(names) :]) or None,
            help=help,
            min=min,
            max=max,
            parser=parser,
            show_default=default is not None and default is not False,
            rich_help_panel=title,
        )
        return field(default=default, metadata={"option": info})

    return option


option = _panel(None)
_input, _columns, _output = map(_panel, ("Reading the input", "Columns and rows", "Output"))
_method = _panel("Method")

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Table with one sample per row: CSV, TSV (also .gz), Excel, Parquet, Feather, JSON "
        "lines, NPY, NPZ, MAT, Zarr or h5ad; - for standard input.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Reading:
    """How a file is read; None means to find out.

    A file of a kilobyte can declare an array of a petabyte. What has to fit in memory may be as
    large as the memory of the machine; what is read in pieces may be larger.
    """

    key: str | None = _input(
        "--key --sheet NAME",
        "Array, sheet or layer of a file that holds several; by default X, or the only matrix, or "
        "the first sheet with numbers.",
    )
    skip_rows: int | None = _input(
        "--skip-rows N",
        "Lines of a text file, or rows of a sheet, above the header; by default, titles are "
        "recognised.",
        min=0,
    )
    no_header: bool = _input("--no-header", "The first line is data.", False)
    sep: str | None = _input(
        "--sep CHAR",
        "Separator of a text file: a character, or tab, comma, semicolon, pipe, space.",
        parser=_parse_separator,
    )
    decimal: Literal[".", ","] | None = _input("--decimal", "Decimal point of a text file.")
    thousands: str | None = _input(
        "--thousands CHAR",
        "Separator of thousands in a text file or sheet, where it is not recognised.",
        parser=lambda text: _parse_separator(text, "--thousands"),
    )
    percent: bool = _input(
        "--percent", "Percent signs may be missing from some cells of a column.", False
    )
    na: list[str] | None = _input(
        "--na TEXT,...",
        "Cells that stand for missing values (-999, 'not measured'). May be repeated.",
    )
    encoding: str | None = _input(
        "--encoding NAME",
        "Encoding of a text file, such as cp1252 or utf-16.",
        parser=_parse_encoding,
    )
    index: bool = _input("--index", "The first column holds the row names.", False)
    transpose: bool = _input("--transpose", "The file has one feature per row.", False)
    max_size: float | None = _input(
        "--max-size GB",
        "Refuse a file that is larger than this unpacked; by default, the memory of the machine, "
        "or 1,100 GB if it is read in pieces.",
        min=0,
    )
    force: bool = _output("--force", "Overwrite existing files.", False)

    @property
    def whole(self):
        """Whether the table is needed in memory."""
        return bool(self.na)

    @property
    def marks(self):
        """Cells that stand for missing values."""
        return [mark.strip() for item in self.na or () for mark in item.split(",")]

    def check_size(self, name, n_bytes, *, streamed=False, what="it"):
        """Raise an error if a file needs more memory, or more reading, than is allowed."""
        from .._utils.threads import physical_memory

        limit = _STREAM_LIMIT if streamed else physical_memory()
        if self.max_size:
            limit = self.max_size * 1e9
        if n_bytes > limit:
            why = "limit" if self.max_size or streamed else "memory of this machine"
            raise TableError(
                f"{name}: {what} takes {_in_gigabytes(n_bytes)} unpacked, more than the {why} "
                f"({_in_gigabytes(limit)}). If that is right, raise the limit with --max-size GB"
            )


def _in_gigabytes(n_bytes):
    """1.5 GB, 2,000 GB."""
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes < 1e12 else f"{n_bytes / 1e9:,.0f} GB"


@dataclass(frozen=True)
class Preparing(Reading):
    """How a file is read, and its columns made into features."""

    drop: list[str] | None = _columns(
        "--drop COLUMN,...",
        "Leave columns out of selection and output, by name, position from 0, or pattern "
        "('tmp_*'). May be repeated.",
    )
    keep: list[str] | None = _columns(
        "--keep --pass COLUMN,...",
        "Carry columns to the output without selecting from them ('Metadata_*').",
    )
    no_ids: bool = _columns(
        "--no-ids",
        "Also select from columns that look like an ID; by default they are only carried.",
        False,
    )
    impute: Literal["median", "mean"] | None = _columns(
        "--impute",
        "Fill missing values of a column for the selection; the output keeps the gaps. Without "
        "it, methods that accept missing values leave them out.",
    )
    drop_rows: bool = _columns("--drop-rows", "Leave out rows with missing values.", False)
    encode: Any = _columns(
        "--encode KIND,...",
        "Select from text and dates as well: onehot makes an indicator of every word, ordinal "
        "ranks ordered answers, dates makes days, months, weekdays and hours. Whole columns are "
        "selected. By default they are only carried.",
        parser=_parse_encode,
    )
    seed: int = _method("--seed N", "Random seed.", 0, min=0)
    jobs: int | None = _method(
        "--jobs N", "Number of threads; by default, the method decides.", min=1
    )

    @property
    def whole(self):
        """Whether the table is needed in memory."""
        return bool(super().whole or self.impute or self.drop_rows or self.encode)


@dataclass(frozen=True)
class Looks:
    """How a page shows the rows."""

    image_shape: str | None = _output(
        "--image-shape HxW",
        "Height and width if every row is an image, for the report: 32x32.",
        parser=_parse_shape,
    )
    color: str | None = _output(
        "--color COLUMN",
        "Column that colours the samples in the report. It is carried to the output.",
    )


@dataclass(frozen=True)
class Choosing(Looks, Preparing):
    """Columns that are kept or not by request, and what is written about a selection."""

    output: Path | None = _output(
        "-o --output FILE",
        "Write the selected and carried columns, in the format of the extension. From h5ad to "
        "h5ad, all genes are written and the selection is marked in var.",
    )
    scores: Path | None = _output(
        "--scores FILE", "Write every feature with score, rank and whether it was kept."
    )
    save: Path | None = _output(
        "--save FILE",
        "Write the selection as JSON, for graphsieve apply and graphsieve report.",
    )
    report: Path | None = _output(
        "--report FILE",
        "Write a page about the selection (HTML, opens in a browser without a network).",
    )
    subset: bool = _output("--subset", "Write only the selected genes to an h5ad file.", False)
    names: bool = _output("--names", "Print the names of the kept columns and nothing else.", False)
    explain: bool = _output(
        "--explain",
        "Show which kept columns predict the dropped ones, and how well; also in the file of "
        "--scores.",
        False,
    )
    raw_names: bool = _output(
        "--raw-names",
        "Write names that begin with = + - @ as they are; by default they get an apostrophe, so "
        "that a spreadsheet does not run them.",
        False,
    )
    include: list[str] | None = _columns(
        "--include COLUMN,...",
        "Columns that are always kept: names, patterns, or a text file with one name per line. "
        "They count as selected and come first, in the order given. May be repeated.",
    )
    exclude: list[str] | None = _columns(
        "--exclude COLUMN,...",
        "Columns that are never selected, in the same form as --include.",
    )
    batch: str | None = _columns(
        "--batch --group-by COLUMN",
        "Batch of every row (donor, plate), in h5ad files a column of obs: differences between "
        "batches do not count. The column is carried to the output.",
    )

    @property
    def whole(self):
        """Whether the table is needed in memory."""
        return super().whole or self.batch is not None


@dataclass(frozen=True)
class Selecting(Choosing):
    """How columns are selected."""

    number: Any = option(
        "-k --n-features N|P%|auto",
        "Features to select: a number, a percentage, or auto for those that add more than chance. "
        "Not needed with --budget.",
        parser=parse_number,
    )
    method: str = _method("-m --method NAME", "Selection method; see graphsieve methods.", "sieve")
    parameters: list[str] | None = _method(
        "--set NAME=VALUE", "Parameter of the method. May be repeated."
    )
    cost: Path | None = _columns(
        "--cost FILE",
        "Table of two columns, name and cost: columns are selected by gain per cost. Other "
        "columns cost 1.",
    )
    budget: float | None = _columns(
        "--budget NUMBER", "The most that the selected columns may cost together.", min=0
    )


@dataclass(frozen=True)
class Dropping(Choosing):
    """Which columns are dropped; for the rest, a selection whose method and number are fixed."""

    explained: float = option(
        "--explained R2",
        "A column is dropped if the kept ones predict at least this fraction of its variance.",
        0.9,
        min=0,
        max=1,
    )
    method, number, parameters, cost, budget = "drop", None, None, None, None
