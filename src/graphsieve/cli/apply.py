"""``graphsieve apply`` and ``graphsieve report``: a saved selection on another table."""

from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from . import options
from .console import errors_shown, examples, note, tell, warnings_shown
from .progress import progress

APPLY_EPILOG = examples("graphsieve apply kept.json new.csv -o selected.csv")
REPORT_EPILOG = examples(
    "graphsieve report kept.json data.csv -o report.html",
    "graphsieve report kept.json faces.npy --image-shape 32x32",
    "graphsieve report kept.json genes.csv --color cell_type",
)

Kept = Annotated[
    Path,
    typer.Argument(
        metavar="KEPT", help="Selection that graphsieve select --save wrote.", show_default=False
    ),
]
Table = Annotated[
    Path, typer.Argument(metavar="FILE", help="Table, as for select.", show_default=False)
]
Extra = Annotated[
    bool,
    typer.Option("--extra", help="Also write the columns that the selection has never seen."),
]


@options.reads_table
def apply(
    kept: Kept,
    file: Table,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="File to write.")],
    extra: Extra = False,
    force: options.Force = False,
    *,
    reading: dict,
):
    """Keep the columns of a saved selection in another table."""
    from .._utils.text import listed
    from .arguments import check_outputs
    from .output import write_outputs

    check_outputs(file, output, None, force)
    with errors_shown(), warnings_shown(), _loaded(kept, file, reading) as (selection, table, _):
        columns = selection.find(table.names, table.X.shape)
        seen = set(selection.names_like(table.names) or table.names)
        unseen = [j for j, name in enumerate(table.names) if name not in seen]
        if extra:
            columns = unseen + columns
        elif unseen:
            names = listed([table.names[j] for j in unseen])
            note(f"unknown to the selection, and left out: {names} (--extra adds them)")
        for line in write_outputs(table.take(columns), output, None, None):
            note(line)
    tell(f"Written: {output} ({len(columns)} of {len(table.names)} columns)")


@options.reads_table
def report(
    kept: Kept,
    file: Table,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Page to write.")
    ] = Path("report.html"),
    image_shape: options.ImageShape = None,
    color: options.Color = None,
    force: options.Force = False,
    *,
    reading: dict,
):
    """Write a page about a saved selection and the table it was made from."""
    from .artifacts import check_artifacts, parse_image_shape
    from .conditions import column_values

    check_artifacts(None, output, force)
    shape = parse_image_shape(image_shape)
    with errors_shown(), warnings_shown(), _loaded(kept, file, reading) as (selection, table, name):
        from ..report import make_report

        names = selection.names_like(table.names)
        features = table if names is None else table.take(_find(names, table, name))
        _check_numbers(features, name)
        looks = {"image_shape": shape, "color": column_values(table, color, "--color")}
        with progress(f"Writing {output.name}"):
            make_report(selection, features.X, title=name, **looks).save(output)
    tell(f"Written: {output}")


def _check_numbers(table, name):
    """Refuse text, which a selection can hold if it was encoded for the selection alone."""
    from .._utils.text import listed

    if hasattr(table.X, "select_dtypes"):
        text = list(table.X.select_dtypes(exclude=["number", "bool"]).columns)
        if text:
            raise ValueError(
                f"{name}: not numeric: {listed(text)}, and a page can only show numbers. "
                "Write it during the selection: graphsieve select --encode onehot --report"
            )


@contextmanager
def _loaded(kept, file, reading):
    """Yield the selection, the table, and the name of the table for messages."""
    from ..selection import Selection
    from .arguments import check_input, make_reading
    from .load import opened, read

    if not kept.is_file():
        raise ValueError(f"there is no file {kept}: write one with graphsieve select --save")
    reading = make_reading(reading, whole=True)
    check_input(file, reading)
    selection = Selection.load(kept)
    with opened(file) as (path, name, suffix):
        yield selection, read(path, name, suffix, reading), name


def _find(names, table, name):
    """Positions of columns in the table, or an error that names the missing ones."""
    from .._utils.names import suggestion
    from .._utils.text import listed

    place = {column: j for j, column in enumerate(table.names)}
    missing = [column for column in names if column not in place]
    if missing:
        raise ValueError(
            f"{name} lacks {len(missing)} of the {len(names)} columns ranked: "
            f"{listed(missing)}{suggestion(missing[0], table.names)}"
        )
    return [place[column] for column in names]
