"""The options of the commands: names, types and help, in one class for each set of them."""

import codecs
import inspect
import re
import shlex
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from .._utils.text import ENCODINGS
from .console import TableError, examples, usage_error

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
# A pass over this much takes hours, and the temporary copy of many methods fills most disks.
_STREAM_LIMIT = 2**40


def command(*lines, note=""):
    """Make a command of ``f(given)``, whose options are the fields of the class of ``given``."""

    def make(function):
        cls = inspect.signature(function).parameters["given"].annotation
        known = {own.name: own for own in fields(cls) if own.metadata}
        parameter = partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)
        parameters = [parameter("ctx", annotation=typer.Context)]
        # Those of the class itself come first, those of many commands last.
        for name in (name for base in cls.__mro__ for name in inspect.get_annotations(base)):
            if own := known.pop(name, None):
                kind = Annotated[own.type, own.metadata["option"]]
                parameters.append(parameter(name, default=own.default, annotation=kind))

        @wraps(function)
        def call(ctx, **values):
            return function(cls(**values, arguments=ctx.meta["arguments"]))

        # What Typer reads the options from.
        call.__signature__, call.__annotations__ = inspect.Signature(parameters), {}
        call.epilog = examples(*lines, note=note)
        return call

    return make


def option(words, help, default=None, *, panel=None, parse=None, **more) -> Any:
    """A field for the option of these names and placeholder, in a panel of the help.

    Without a name that begins with ``-`` it is an argument. ``parse`` may raise a ValueError.
    """
    names = [word for word in words.split() if word.startswith("-")]

    def parser(text):
        try:
            return parse(text)
        except ValueError as error:
            raise usage_error(str(error), names[0]) from None

    info = (typer.Option if names else typer.Argument)(
        *names,
        metavar=" ".join(words.split()[len(names) :]) or None,
        help=help,
        show_default=default is not None and default is not False,
        rich_help_panel=panel,
        parser=parser if parse else None,
        **more,
    )
    return field(default=default, metadata={"option": info})


def parse_number(text):
    """Return how many features to select: 50 -> 50; 10% and 0.1 -> 0.1; auto -> auto."""
    if text == "auto":
        return text
    if text.isdecimal() and int(text):
        return int(text)
    with suppress(ValueError):
        number = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        if 0 < number <= 1:
            return number
    known = "a number of columns (50), nor a fraction of them (10% or 0.1), nor auto"
    raise ValueError(f"{text!r} is neither {known}")


def _separator(text):
    # A shell passes \\t as two characters.
    separator = SEPARATORS.get(text.lower(), text).replace("\\t", "\t")
    if len(separator) != 1 or separator in '"\r\n':
        raise ValueError(f"{separator!r} is not one character, nor one of {', '.join(SEPARATORS)}")
    return separator


def _kinds(text):
    kinds = tuple(kind.strip() for kind in text.split(","))
    if unknown := [kind for kind in kinds if kind not in ENCODINGS]:
        raise ValueError(f"{unknown[0]!r} is not one of {', '.join(ENCODINGS)}")
    return kinds


def _encoding(text):
    try:
        return codecs.lookup(text).name
    except (LookupError, ValueError):
        raise ValueError(f"there is no encoding {text!r}; common is utf-8 or cp1252") from None


_Text = str | None
_Names = list[str] | None
_File = Path | None
_input = partial(option, panel="Reading the input")
_columns = partial(option, panel="Columns and rows")
_output = partial(option, panel="Output")
_method = partial(option, panel="Method")


@dataclass(frozen=True)
class Given:
    """What was typed; the options of a command are the fields of a subclass."""

    arguments: list = field(default_factory=list)

    def again(self, *more, number=None):
        """The same command with more arguments, and maybe another -k, as one would type it."""
        line = shlex.join(["graphsieve", *self.arguments, *more])
        if number is None:
            return line
        return re.sub(r" (-k ?|--n-features[ =])\d+(?= |$)", f" -k {number}", line)


@dataclass(frozen=True)
class Reading(Given):
    """How a file is read; None means to find out."""

    file: Path = option(
        "FILE",
        "Table with one sample per row: CSV, TSV (also .gz), Excel, Parquet, Feather, JSON lines, "
        "NPY, NPZ, MAT, Zarr or h5ad; - for standard input.",
        ...,
    )
    key: _Text = _input("--key --sheet NAME", "Array, sheet or layer of a file that holds several.")
    skip_rows: int | None = _input("--skip-rows N", "Lines or rows above the header.", min=0)
    no_header: bool = _input("--no-header", "The first line is data.", False)
    sep: _Text = _input("--sep CHAR", "A character, or tab, semicolon, space.", parse=_separator)
    decimal: Literal[".", ","] | None = _input("--decimal", "Decimal point of a text file.")
    thousands: _Text = _input("--thousands CHAR", "Separator of thousands.", parse=_separator)
    percent: bool = _input("--percent", "Percent signs may be missing from some cells.", False)
    na: _Names = _input("--na TEXT,...", "Cells that stand for missing values (-999); repeatable.")
    encoding: _Text = _input("--encoding NAME", "Such as cp1252 or utf-16.", parse=_encoding)
    index: bool = _input("--index", "The first column holds the row names.", False)
    transpose: bool = _input("--transpose", "The file has one feature per row.", False)
    max_size: float | None = _input("--max-size GB", "Refuse files larger than this.", min=0)
    force: bool = _output("--force", "Overwrite existing files.", False)

    @property
    def whole(self):
        """Whether an option needs the table in memory."""
        needing = ("na", "impute", "drop_rows", "encode", "batch")
        return any(getattr(self, name, None) for name in needing)

    @property
    def marks(self):
        """Cells that stand for missing values."""
        return [mark.strip() for item in self.na or () for mark in item.split(",")]

    def check_size(self, name, n_bytes, *, streamed=False, what="it"):
        """Raise an error if a file needs more memory, or more reading, than is allowed.

        A file of a kilobyte can declare an array of a petabyte.
        """
        from .._utils.threads import physical_memory

        limit = self.max_size and self.max_size * 1e9
        why = "limit" if limit or streamed else "memory of this machine"
        limit = limit or (_STREAM_LIMIT if streamed else physical_memory())
        if n_bytes > limit:
            takes = f"{n_bytes / 1e9:,.1f} GB unpacked, more than the {why} ({limit / 1e9:,.1f} GB)"
            advice = "If that is right, raise the limit with --max-size GB"
            raise TableError(f"{name}: {what} takes {takes}. {advice}")


@dataclass(frozen=True)
class Preparing(Reading):
    drop: _Names = _columns("--drop COLUMN,...", "Leave out columns: names, positions, 'a_*'.")
    keep: _Names = _columns("--keep --pass COLUMN,...", "Only carry columns to the output.")
    no_ids: bool = _columns("--no-ids", "Also select from columns that look like an ID.", False)
    impute: Literal["median", "mean"] | None = _columns("--impute", "Fill gaps, not in the output.")
    drop_rows: bool = _columns("--drop-rows", "Leave out rows with missing values.", False)
    encode: Any = _columns("--encode KIND,...", "Text as onehot, ordinal, dates.", parse=_kinds)
    seed: int = _method("--seed N", "Random seed.", 0, min=0)
    jobs: int | None = _method("--jobs N", "Number of threads.", min=1)


@dataclass(frozen=True)
class Choosing(Preparing):
    output: _File = _output("-o --output FILE", "Write kept and carried columns; mark genes.")
    scores: _File = _output("--scores FILE", "Write every feature with score and rank.")
    save: _File = _output("--save FILE", "Write the selection as JSON, for apply and report.")
    report: _File = _output("--report FILE", "Write a page about the selection (HTML).")
    color: _Text = _output("--color COLUMN", "Column that colours the samples in the report.")
    subset: bool = _output("--subset", "Write only the selected genes to an h5ad file.", False)
    names: bool = _output("--names", "Print the names of the kept columns and no more.", False)
    explain: bool = _output("--explain", "Show which kept columns predict the dropped ones.", False)
    raw_names: bool = _output("--raw-names", "Write names that begin with = + - @ as such.", False)
    include: _Names = _columns("--include COLUMN,...", "Always kept: names, patterns, or a file.")
    exclude: _Names = _columns("--exclude COLUMN,...", "Never selected; as for --include.")
    batch: _Text = _columns("--batch --group-by COLUMN", "Batches, whose differences do not count.")


@dataclass(frozen=True)
class Selecting(Choosing):
    number: Any = option("-k --n-features N|P%|auto", "Features to select.", parse=parse_number)
    method: str = _method("-m --method NAME", "Selection method; see graphsieve methods.", "sieve")
    parameters: _Names = _method("--set NAME=VALUE", "Parameter of the method; repeatable.")
    cost: _File = _columns("--cost FILE", "Names and costs, to select by gain per cost.")
    budget: float | None = _columns("--budget NUMBER", "Limit of the costs, instead of -k.", min=0)


@dataclass(frozen=True)
class Dropping(Choosing):
    """Which columns are dropped; for the rest, a selection whose method and number are fixed."""

    explained: float = option("--explained R2", "Least R^2 of dropped columns.", 0.9, min=0, max=1)
    method, number, parameters, cost, budget = "drop", None, None, None, None
