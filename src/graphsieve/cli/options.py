"""The options of ``graphsieve select``: names, types and help, one alias each."""

import inspect
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Literal

import typer


def _panel(title):
    """A function that makes the options of one panel of the help."""
    return partial(typer.Option, show_default=False, rich_help_panel=title)


_input, _columns, _output = map(_panel, ("Reading the input", "Columns and rows", "Output"))
_method = _panel("Method")

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Table with one sample per row: CSV, TSV (also .gz), Excel, Parquet, Feather, JSON "
        "lines, NPY, NPZ, MAT, HDF5, Zarr or h5ad; - for standard input.",
        show_default=False,
    ),
]
Number = Annotated[
    str | None,
    typer.Option(
        "-k",
        "--n-features",
        metavar="N|P%|auto",
        help="Features to select: a number, a percentage, or auto for those that add more than "
        "chance. Not needed with --budget.",
        show_default=False,
    ),
]
Method = Annotated[
    str,
    _method(
        "-m",
        "--method",
        metavar="NAME",
        help="Selection method; see graphsieve methods.",
        show_default=True,
    ),
]
Parameters = Annotated[
    list[str] | None,
    _method("--set", metavar="NAME=VALUE", help="Parameter of the method. May be repeated."),
]
Seed = Annotated[int, _method("--seed", metavar="N", min=0, help="Random seed.", show_default=True)]
Jobs = Annotated[
    int | None,
    _method(
        "--jobs", metavar="N", min=1, help="Number of threads; by default, the method decides."
    ),
]
Drop = Annotated[
    list[str] | None,
    _columns(
        "--drop",
        metavar="COLUMN,...",
        help="Leave columns out of selection and output, by name, position from 0, or pattern "
        "('tmp_*'). May be repeated.",
    ),
]
Keep = Annotated[
    list[str] | None,
    _columns(
        "--keep",
        "--pass",
        metavar="COLUMN,...",
        help="Carry columns to the output without selecting from them ('Metadata_*').",
    ),
]
NoIds = Annotated[
    bool,
    _columns(
        "--no-ids",
        help="Also select from columns that look like an ID; by default they are only carried.",
    ),
]
Impute = Annotated[
    Literal["median", "mean"] | None,
    _columns(
        "--impute",
        help="Fill missing values of a column for the selection; the output keeps the gaps. "
        "Without it, methods that accept missing values leave them out.",
    ),
]
DropRows = Annotated[bool, _columns("--drop-rows", help="Leave out rows with missing values.")]
Encode = Annotated[
    Literal["onehot"] | None,
    _columns(
        "--encode",
        help="Turn text columns into indicators of their values; whole columns are selected.",
    ),
]
Key = Annotated[
    str | None,
    _input(
        "--key",
        metavar="NAME",
        help="Array, sheet or layer of a file that holds several; by default X, or the only "
        "matrix, or the first sheet.",
    ),
]
NoHeader = Annotated[bool, _input("--no-header", help="The first line is data.")]
Separator = Annotated[
    str | None,
    _input(
        "--sep",
        metavar="CHAR",
        help="Separator of a text file: a character, or tab, comma, semicolon, pipe, space.",
    ),
]
Decimal = Annotated[
    Literal[".", ","] | None, _input("--decimal", help="Decimal point of a text file.")
]
Encoding = Annotated[
    str | None,
    _input("--encoding", metavar="NAME", help="Encoding of a text file, such as cp1252 or utf-16."),
]
Index = Annotated[bool, _input("--index", help="The first column holds the row names.")]
Transpose = Annotated[bool, _input("--transpose", help="The file has one feature per row.")]
MaxSize = Annotated[
    float | None,
    _input(
        "--max-size",
        metavar="GB",
        min=0,
        help="Refuse a file that is larger than this unpacked; by default, the memory of the "
        "machine, or 1,100 GB if it is read in pieces.",
    ),
]
Include = Annotated[
    list[str] | None,
    _columns(
        "--include",
        metavar="COLUMN,...",
        help="Columns that are always kept: names, patterns, or a text file with one name "
        "per line. They count as selected and come first, in the order given. May be repeated.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    _columns(
        "--exclude",
        metavar="COLUMN,...",
        help="Columns that are never selected, in the same form as --include.",
    ),
]
Cost = Annotated[
    Path | None,
    _columns(
        "--cost",
        metavar="FILE",
        help="Table of two columns, name and cost: columns are selected by gain per cost. Other "
        "columns cost 1.",
    ),
]
Budget = Annotated[
    float | None,
    _columns(
        "--budget",
        metavar="NUMBER",
        min=0,
        help="The most that the selected columns may cost together.",
    ),
]
Batch = Annotated[
    str | None,
    _columns(
        "--batch",
        "--group-by",
        metavar="COLUMN",
        help="Batch of every row (donor, plate), in h5ad files a column of obs: differences "
        "between batches do not count. The column is carried to the output.",
    ),
]
Explain = Annotated[
    bool,
    _output(
        "--explain",
        help="Show which kept columns predict the dropped ones, and how well; also in the file of "
        "--scores.",
    ),
]
Save = Annotated[
    Path | None,
    _output(
        "--save",
        metavar="FILE",
        help="Write the selection as JSON, for graphsieve apply and graphsieve report.",
    ),
]
Report = Annotated[
    Path | None,
    _output(
        "--report",
        metavar="FILE",
        help="Write a page about the selection (HTML, opens in a browser without a network).",
    ),
]
ImageShape = Annotated[
    str | None,
    _output(
        "--image-shape",
        metavar="HxW",
        help="Height and width if every row is an image, for the report: 32x32.",
    ),
]
Color = Annotated[
    str | None,
    _output(
        "--color",
        metavar="COLUMN",
        help="Column that colours the samples in the report. It is carried to the output.",
    ),
]
Output = Annotated[
    Path | None,
    _output(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the selected and carried columns, in the format of the extension. From h5ad "
        "to h5ad, all genes are written and the selection is marked in var.",
    ),
]
Subset = Annotated[bool, _output("--subset", help="Write only the selected genes to an h5ad file.")]
Scores = Annotated[
    Path | None,
    _output(
        "--scores",
        metavar="FILE",
        help="Write every feature with score, rank and whether it was kept.",
    ),
]
RawNames = Annotated[
    bool,
    _output(
        "--raw-names",
        help="Write names that begin with = + - @ as they are; by default they get an apostrophe, "
        "so that a spreadsheet does not run them.",
    ),
]
Force = Annotated[bool, _output("--force", help="Overwrite existing files.")]

# The options that concern the input, with their defaults.
_READING = {
    "key": (Key, None),
    "no_header": (NoHeader, False),
    "sep": (Separator, None),
    "decimal": (Decimal, None),
    "encoding": (Encoding, None),
    "index": (Index, False),
    "transpose": (Transpose, False),
    "max_size": (MaxSize, None),
}


def reads_table(command):
    """Give a command the options that concern the input, which it gets as a dict ``reading``."""
    own = inspect.signature(command).parameters
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _READING.items()
    ]
    parameters = [*(p for name, p in own.items() if name != "reading"), *shared]

    @wraps(command)
    def call(**given):
        return command(reading={name: given.pop(name) for name in _READING}, **given)

    # What Typer reads the options from.
    call.__signature__ = inspect.Signature(parameters)
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    return call
