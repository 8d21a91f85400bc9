"""The options of ``graphsieve select``: names, types and help, one alias each."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def _option(*names, metavar=None, help, **settings):
    return typer.Option(*names, metavar=metavar, help=help, show_default=False, **settings)


_INPUT = "Reading the input"
_COLUMNS = "Columns and rows"
_METHOD = "Method"
_OUTPUT = "Output"

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
    _option(
        "-k",
        "--n-features",
        metavar="N|P%|auto",
        help="Features to select: a number, a percentage, or auto for those that add more than "
        "chance. Not needed with --budget.",
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "-m",
        "--method",
        metavar="NAME",
        help="Selection method; see graphsieve methods.",
        rich_help_panel=_METHOD,
    ),
]
Parameters = Annotated[
    list[str] | None,
    _option(
        "--set",
        metavar="NAME=VALUE",
        help="Parameter of the method. May be repeated.",
        rich_help_panel=_METHOD,
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", metavar="N", min=0, help="Random seed.", rich_help_panel=_METHOD),
]
Jobs = Annotated[
    int | None,
    _option(
        "--jobs",
        metavar="N",
        min=1,
        help="Number of threads; by default, the method decides.",
        rich_help_panel=_METHOD,
    ),
]
Drop = Annotated[
    list[str] | None,
    _option(
        "--drop",
        metavar="COLUMN,...",
        help="Leave columns out of selection and output, by name, position from 0, or pattern "
        "('tmp_*'). May be repeated.",
        rich_help_panel=_COLUMNS,
    ),
]
Keep = Annotated[
    list[str] | None,
    _option(
        "--keep",
        "--pass",
        metavar="COLUMN,...",
        help="Carry columns to the output without selecting from them ('Metadata_*').",
        rich_help_panel=_COLUMNS,
    ),
]
NoIds = Annotated[
    bool,
    _option(
        "--no-ids",
        help="Select from columns that look like an ID, too; by default they are carried.",
        rich_help_panel=_COLUMNS,
    ),
]
Impute = Annotated[
    Literal["median", "mean"] | None,
    _option(
        "--impute",
        help="Fill missing values of a column for the selection; the output keeps the gaps. "
        "Without it, methods that accept missing values leave them out.",
        rich_help_panel=_COLUMNS,
    ),
]
DropRows = Annotated[
    bool,
    _option(
        "--drop-rows",
        help="Leave out rows with missing values.",
        rich_help_panel=_COLUMNS,
    ),
]
Encode = Annotated[
    Literal["onehot"] | None,
    _option(
        "--encode",
        help="Turn text columns into indicators of their values; whole columns are selected.",
        rich_help_panel=_COLUMNS,
    ),
]
Key = Annotated[
    str | None,
    _option(
        "--key",
        metavar="NAME",
        help="Array, sheet or layer of a file that holds several; by default X, or the only "
        "matrix, or the first sheet.",
        rich_help_panel=_INPUT,
    ),
]
NoHeader = Annotated[
    bool,
    _option("--no-header", help="The first line is data.", rich_help_panel=_INPUT),
]
Separator = Annotated[
    str | None,
    _option(
        "--sep",
        metavar="CHAR",
        help="Separator of a text file: a character, or tab, comma, semicolon, pipe, space.",
        rich_help_panel=_INPUT,
    ),
]
Decimal = Annotated[
    Literal[".", ","] | None,
    _option("--decimal", help="Decimal point of a text file.", rich_help_panel=_INPUT),
]
Encoding = Annotated[
    str | None,
    _option(
        "--encoding",
        metavar="NAME",
        help="Encoding of a text file, such as cp1252 or utf-16.",
        rich_help_panel=_INPUT,
    ),
]
Index = Annotated[
    bool,
    _option("--index", help="The first column holds the names of rows.", rich_help_panel=_INPUT),
]
Transpose = Annotated[
    bool,
    _option("--transpose", help="The file has one feature per row.", rich_help_panel=_INPUT),
]
MaxSize = Annotated[
    float | None,
    _option(
        "--max-size",
        metavar="GB",
        min=0,
        help="Refuse a file that is larger than this unpacked; by default, the memory of the "
        "machine, or 1,100 GB if it is read in pieces.",
        rich_help_panel=_INPUT,
    ),
]
Include = Annotated[
    list[str] | None,
    _option(
        "--include",
        metavar="COLUMN,...",
        help="Columns that are kept in any case: names, patterns, or a text file with one name "
        "per line. They count as selected. May be repeated.",
        rich_help_panel=_COLUMNS,
    ),
]
Exclude = Annotated[
    list[str] | None,
    _option(
        "--exclude",
        metavar="COLUMN,...",
        help="Columns that are never selected, given like those of --include.",
        rich_help_panel=_COLUMNS,
    ),
]
Cost = Annotated[
    Path | None,
    _option(
        "--cost",
        metavar="FILE",
        help="Table of two columns, name and cost: columns are selected by gain per cost. Columns "
        "that it does not name cost 1.",
        rich_help_panel=_COLUMNS,
    ),
]
Budget = Annotated[
    float | None,
    _option(
        "--budget",
        metavar="NUMBER",
        min=0,
        help="The most that the selected columns may cost together.",
        rich_help_panel=_COLUMNS,
    ),
]
Batch = Annotated[
    str | None,
    _option(
        "--batch",
        "--group-by",
        metavar="COLUMN",
        help="Batch of every row (donor, plate), in h5ad files a column of obs: differences "
        "between batches do not count. The column is carried to the output.",
        rich_help_panel=_COLUMNS,
    ),
]
Explain = Annotated[
    bool,
    _option(
        "--explain",
        help="Show from which kept columns the dropped ones are predicted, and how well; also in "
        "the file of --scores.",
        rich_help_panel=_OUTPUT,
    ),
]
Save = Annotated[
    Path | None,
    _option(
        "--save",
        metavar="FILE",
        help="Write the selection as JSON, for graphsieve apply and graphsieve report.",
        rich_help_panel=_OUTPUT,
    ),
]
Report = Annotated[
    Path | None,
    _option(
        "--report",
        metavar="FILE",
        help="Write a page about the selection (HTML, opens in a browser without a network).",
        rich_help_panel=_OUTPUT,
    ),
]
ImageShape = Annotated[
    str | None,
    _option(
        "--image-shape",
        metavar="HxW",
        help="Height and width if every row is an image, for the report: 32x32.",
        rich_help_panel=_OUTPUT,
    ),
]
Color = Annotated[
    str | None,
    _option(
        "--color",
        metavar="COLUMN",
        help="Column by whose values the samples in the report are coloured. It is carried to the "
        "output.",
        rich_help_panel=_OUTPUT,
    ),
]
Output = Annotated[
    Path | None,
    _option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the selected and carried columns, in the format of the extension. From h5ad "
        "to h5ad, all genes are written and the selection is marked in var.",
        rich_help_panel=_OUTPUT,
    ),
]
Subset = Annotated[
    bool,
    _option(
        "--subset",
        help="Write only the selected genes to an h5ad file.",
        rich_help_panel=_OUTPUT,
    ),
]
Scores = Annotated[
    Path | None,
    _option(
        "--scores",
        metavar="FILE",
        help="Write every feature with score, rank and whether it was kept.",
        rich_help_panel=_OUTPUT,
    ),
]
RawNames = Annotated[
    bool,
    _option(
        "--raw-names",
        help="Write names that begin with = + - @ as they are; by default they get an apostrophe, "
        "so that a spreadsheet does not run them.",
        rich_help_panel=_OUTPUT,
    ),
]
Force = Annotated[
    bool, _option("--force", help="Overwrite existing files.", rich_help_panel=_OUTPUT)
]
