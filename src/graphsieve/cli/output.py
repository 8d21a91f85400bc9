"""Writing the kept columns and the scores: both files, or neither."""

from contextlib import ExitStack
from dataclasses import replace

from .._utils.files import replacing
from .._utils.text import listed
from .columns import kinds
from .io.files import FORMATS, extension, write_table
from .io.tables import Table
from .problems import is_number
from .progress import progress

# A spreadsheet takes cells that begin like this for formulas.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_outputs(kept, output, ranking, scores, *, raw_names=False):
    """Write the files that were asked for, and return notes about what is not as it was.

    ``kept`` is a Table, or a function that writes to a path, and ``ranking`` a frame with a row per
    feature, for the scores. With ``raw_names``, names are written as they are even if a spreadsheet
    would run them.
    """
    notes = []
    outputs = [] if output is None else [(output, kept)]
    if scores is not None:
        outputs.append((scores, Table(ranking, list(ranking))))
    with ExitStack() as stack:
        for path, table in outputs:
            temporary = stack.enter_context(replacing(path))
            with progress(f"Writing {path.name}"):
                if isinstance(table, Table):
                    _write_table(temporary, table, path, notes, raw_names)
                else:
                    table(temporary)
    return list(dict.fromkeys(notes))


def _write_table(temporary, table, path, notes, raw_names):
    form = FORMATS[extension(path)]
    if form.numbers_only:
        table = _numbers_only(path, table, notes)
    if form.spreadsheet and not raw_names:
        table = _without_formulas(table, notes)
    write_table(temporary, table, path)


def _numbers_only(path, table, notes):
    """Return the columns of numbers; other columns have no place in an array."""
    numbers = [j for j, kind in enumerate(kinds(table)) if kind == "number"]
    left_out = [name for j, name in enumerate(table.names) if j not in set(numbers)]
    if table.labels is not None:
        left_out = [*map(str, table.labels.columns), "the names of the rows", *left_out]
    if left_out:
        notes.append(
            f"{path.name} holds numbers only, without {listed(left_out)}; write .csv or .parquet "
            "to have them"
        )
    return table.take(numbers) if len(numbers) < len(table.names) else table


def _without_formulas(table, notes):
    """Return the table with names, of its columns and in a column of features, that are text."""
    harmless = table.renamed([_harmless(name) for name in table.names])
    changed = harmless.names != table.names
    if "feature" in table.names and table.is_frame:
        features = table.X["feature"]
        harmless = replace(harmless, X=harmless.X.assign(feature=features.map(_harmless)))
        changed = changed or not features.equals(harmless.X["feature"])
    if changed:
        notes.append(
            "names that a spreadsheet would run as formulas are written with an apostrophe in "
            "front; .parquet files have them as they are, as has graphsieve select --raw-names"
        )
    return harmless


def _harmless(name):
    return f"'{name}" if name.startswith(_FORMULA) and not is_number(name) else name
