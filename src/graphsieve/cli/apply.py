"""``graphsieve apply`` and ``graphsieve report``: a saved selection on another table."""

from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from .._utils.text import listed
from .console import messages_shown, note, tell
from .options import Reading, command, option


@dataclass(frozen=True)
class _Loading(Reading):
    kept: Path = option("KEPT", "Selection that graphsieve select --save wrote.", ...)
    file: Path = option("FILE", "Table, as for select.", ...)
    whole = True


@dataclass(frozen=True)
class _Applying(_Loading):
    output: Path = option("-o --output FILE", "File to write.", ...)
    extra: bool = option("--extra", "Also write columns that the selection has never seen.", False)


@dataclass(frozen=True)
class _Reporting(_Loading):
    output: Path = option("-o --output FILE", "Page to write.", Path("report.html"))
    batch: str | None = option("--batch COLUMN", "Batch of every row, as for select.")
    color: str | None = option("--color COLUMN", "Column that colours the samples.")


@command("graphsieve apply kept.json new.csv -o selected.csv")
def apply(given: _Applying):
    """Keep the columns of a saved selection in another table."""
    from .columns import carry_verbatim
    from .io.files import WRITABLE, check_outputs, write_outputs

    check_outputs(given, (given.output, WRITABLE, "-o"))
    with messages_shown(), _loaded(given) as (selection, table, name):
        names, shape = table.names, table.X.shape
        place = selection._find(names, shape)
        columns = selection._find(names, shape, extra="pass" if given.extra else "carry")
        carried = sorted(set(columns).difference(place))
        if place == sorted(place):  # as in the selection: then so are the others
            columns = sorted(columns)
        written = [names[j] for j in columns]
        known = {*(selection._names_like(names) or names), *selection.dropped, *written}
        if unknown := [column for column in names if column not in known]:
            note(f"unknown to the selection, and left out: {listed(unknown)} (--extra adds them)")
        if missing := [n for n in selection.carried if n not in {*names, *table.label_names}]:
            note(f"{name} lacks columns that the selection carries: {listed(missing)}")
        table = carry_verbatim(table, carried).take(columns)
        if table.labels is not None and not given.extra:
            labels = [label for label in table.labels if str(label) in selection.carried]
            table = replace(table, labels=table.labels[labels])
        for line in write_outputs([(given.output, table)]):
            note(line)
    tell(f"Written: {given.output} ({len(columns)} of {len(names)} columns)")


@command(
    "graphsieve report kept.json data.csv -o report.html",
    "graphsieve report kept.json genes.csv --color cell_type",
)
def report(given: _Reporting):
    """Write a page about a saved selection and the table it was made from."""
    from .._utils.names import suggestion
    from ..report import make_report
    from .columns import column_values
    from .io.files import check_outputs, write_outputs

    check_outputs(given, (given.output, (".html",), "-o"))
    with messages_shown(), _loaded(given) as (selection, table, name):
        place = {column: j for j, column in enumerate(table.names)}
        names = selection._names_like(table.names) or table.names
        if missing := [column for column in names if column not in place]:
            lacks = f"{name} lacks {len(missing)} of the {len(names)} columns ranked"
            raise ValueError(f"{lacks}: {listed(missing)}{suggestion(missing[0], table.names)}")
        features = table.take([place[column] for column in names])
        kinds = zip(features.names, features.kinds(), strict=True)
        if text := [column for column, kind in kinds if kind != "number"]:
            how = "Write it during the selection: graphsieve select --encode onehot --report"
            raise ValueError(f"{name}: a page shows numbers, not numeric: {listed(text)}. {how}")
        groups = column_values(table, given.batch, "--batch", in_obs=True)
        color = column_values(table, given.color, "--color")
        page = make_report(selection, features.X, groups=groups, color=color, title=name)
        write_outputs([(given.output, page.save)])
    tell(f"Written: {given.output}")


@contextmanager
def _loaded(given):
    from ..selection import Selection
    from .io.files import check_input, opened
    from .prepare import read

    if not given.kept.is_file():
        raise ValueError(f"there is no file {given.kept}: write one with graphsieve select --save")
    check_input(given.file, given)
    selection = Selection.load(given.kept)
    with opened(given.file) as source:
        yield selection, read(source, given), source[1]
