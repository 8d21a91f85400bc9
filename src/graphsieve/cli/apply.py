# ruff: noqa: RUF009 (the functions return fields of dataclasses)
"""``graphsieve apply`` and ``graphsieve report``: a saved selection on another table."""

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .._utils.text import listed
from .console import errors_shown, examples, note, progress, tell, warnings_shown
from .options import Looks, Reading, new_app, option, takes_options

app = new_app()
Kept = Annotated[
    Path,
    typer.Argument(
        metavar="KEPT", help="Selection that graphsieve select --save wrote.", show_default=False
    ),
]
Other = Annotated[
    Path, typer.Argument(metavar="FILE", help="Table, as for select.", show_default=False)
]


@dataclass(frozen=True)
class _ReadingWhole(Reading):
    @property
    def whole(self):
        """Whether the table is needed in memory."""
        return True


@dataclass(frozen=True)
class _Applying(_ReadingWhole):
    output: Path = option("-o --output FILE", "File to write.", ...)
    extra: bool = option(
        "--extra", "Also write the columns that the selection has never seen.", False
    )


@dataclass(frozen=True)
class _Reporting(Looks, _ReadingWhole):
    output: Path = option("-o --output FILE", "Page to write.", Path("report.html"))
    batch: str | None = option(
        "--batch COLUMN", "Batch of every row, if the selection was made with --batch.", None
    )


@app.command(epilog=examples("graphsieve apply kept.json new.csv -o selected.csv"))
@takes_options
def apply(kept: Kept, file: Other, given: _Applying):
    """Keep the columns of a saved selection in another table."""
    from .io.files import check_outputs, write_outputs

    check_outputs(file, given.output, force=given.force)
    with errors_shown(), warnings_shown(), _loaded(kept, file, given) as (selection, table, _):
        columns = selection.find(table.names, table.X.shape)
        seen = set(selection.names_like(table.names) or table.names)
        unseen = [j for j, name in enumerate(table.names) if name not in seen]
        if given.extra:
            columns = unseen + columns
        elif unseen:
            names = listed([table.names[j] for j in unseen])
            note(f"unknown to the selection, and left out: {names} (--extra adds them)")
        for line in write_outputs([(given.output, table.take(columns))]):
            note(line)
    tell(f"Written: {given.output} ({len(columns)} of {len(table.names)} columns)")


@app.command(
    epilog=examples(
        "graphsieve report kept.json data.csv -o report.html",
        "graphsieve report kept.json faces.npy --image-shape 32x32",
        "graphsieve report kept.json genes.csv --color cell_type",
    )
)
@takes_options
def report(kept: Kept, file: Other, given: _Reporting):
    """Write a page about a saved selection and the table it was made from."""
    from .columns import column_values
    from .io.files import check_output

    check_output(given.output, (".html",), given.force, "--report")
    with errors_shown(), warnings_shown(), _loaded(kept, file, given) as (selection, table, name):
        from ..report import make_report

        names = selection.names_like(table.names)
        features = table if names is None else table.take(_find(names, table, name))
        text = [
            n for n, kind in zip(features.names, features.kinds(), strict=True) if kind != "number"
        ]
        if text:
            # A selection can hold text that was encoded for it.
            raise ValueError(
                f"{name}: not numeric: {listed(text)}, and a page can only show numbers. "
                "Write it during the selection: graphsieve select --encode onehot --report"
            )
        looks = {
            "groups": column_values(table, given.batch, "--batch", in_obs=True),
            "image_shape": given.image_shape,
            "color": column_values(table, given.color, "--color"),
        }
        with progress(f"Writing {given.output.name}"):
            make_report(selection, features.X, title=name, **looks).save(given.output)
    tell(f"Written: {given.output}")


@contextmanager
def _loaded(kept, file, given):
    """Yield the selection, the table, and the name of the table for messages."""
    from ..selection import Selection
    from .io.files import check_input, opened
    from .prepare import read

    if not kept.is_file():
        raise ValueError(f"there is no file {kept}: write one with graphsieve select --save")
    check_input(file, given)
    selection = Selection.load(kept)
    with opened(file) as source:
        yield selection, read(source, given), source[1]


def _find(names, table, name):
    """Positions of columns in the table, or an error that names the missing ones."""
    from .._utils.names import suggestion

    place = {column: j for j, column in enumerate(table.names)}
    missing = [column for column in names if column not in place]
    if missing:
        raise ValueError(
            f"{name} lacks {len(missing)} of the {len(names)} columns ranked: "
            f"{listed(missing)}{suggestion(missing[0], table.names)}"
        )
    return [place[column] for column in names]
