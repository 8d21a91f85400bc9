# ruff: noqa: RUF009 (the functions return fields of dataclasses)
"""``graphsieve apply`` and ``graphsieve report``: a saved selection on another table."""

from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from .._utils.text import listed
from .console import errors_shown, note, progress, tell, warnings_shown
from .options import Looks, Reading, command, option

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


@command("graphsieve apply kept.json new.csv -o selected.csv")
def apply(kept: Kept, file: Other, given: _Applying):
    """Keep the columns of a saved selection in another table."""
    from .columns import Roles, carry_verbatim
    from .io.files import check_outputs, write_outputs

    check_outputs(file, given.output, force=given.force)
    with errors_shown(), warnings_shown(), _loaded(kept, file, given) as (selection, table, name):
        n_columns, place = len(table.names), selection.find(table.names, table.X.shape)
        extra = "pass" if given.extra else "carry"
        columns = selection.find(table.names, table.X.shape, extra=extra)
        carried = [j for j in columns if j not in set(place)]
        if place == sorted(place):  # as in the selection: then so are the others
            columns = sorted(columns)
        _note_differences(selection, table, name, columns)
        table = carry_verbatim(table, Roles([], carried, [], {})).take(columns)
        if table.labels is not None and not given.extra:
            labels = [label for label in table.labels if str(label) in selection.carried]
            table = replace(table, labels=table.labels[labels])
        for line in write_outputs([(given.output, table)]):
            note(line)
    tell(f"Written: {given.output} ({len(columns)} of {n_columns} columns)")


def _note_differences(selection, table, name, columns):
    """Say which columns the selection does not know, and which that it carries are missing."""
    known = {*(selection.names_like(table.names) or table.names), *selection.dropped}
    left_out = set(table.names) - known - {table.names[j] for j in columns}
    if left_out:
        names = listed(sorted(left_out, key=table.names.index))
        note(f"unknown to the selection, and left out: {names} (--extra adds them)")
    missing = [n for n in selection.carried if n not in {*table.names, *table.label_names}]
    if missing:
        note(f"{name} lacks columns that the selection carries: {listed(missing)}")


@command(
    "graphsieve report kept.json data.csv -o report.html",
    "graphsieve report kept.json faces.npy --image-shape 32x32",
    "graphsieve report kept.json genes.csv --color cell_type",
)
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

    known = {column: j for j, column in enumerate(table.names)}
    if missing := [column for column in names if column not in known]:
        raise ValueError(
            f"{name} lacks {len(missing)} of the {len(names)} columns ranked: "
            f"{listed(missing)}{suggestion(missing[0], table.names)}"
        )
    return [known[column] for column in names]
