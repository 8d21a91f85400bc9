"""From a file to features: what ``graphsieve select`` and ``graphsieve compare`` do first."""

from contextlib import contextmanager

from typer.core import TyperCommand

from .._utils.text import counted, listed
from .console import note
from .progress import progress


class Command(TyperCommand):
    """A command that remembers its arguments, to suggest the same command with one more."""

    def parse_args(self, ctx, args):
        ctx.meta["arguments"] = [ctx.info_name, *args]
        return super().parse_args(ctx, args)


@contextmanager
def opened(file):
    """Yield the path of the input, its name for messages, and its extension."""
    from .io.files import extension, standard_input

    if str(file) != "-":
        yield file, file.name, extension(file)
        return
    with standard_input() as (path, suffix):
        yield path, "standard input", suffix


def read(path, name, suffix, reading, in_memory_for=None):
    """Read the table, and say in one line what was assumed and how it is read.

    ``in_memory_for`` names the method that needs all of the data in memory.
    """
    from .io.files import read_table

    with progress(f"Reading {name}"):
        table = read_table(path, reading, name, suffix)
    if 0 in table.X.shape:
        raise ValueError(f"{name} is empty: {len(table)} rows, {len(table.names)} columns")
    if table.notes:
        notes = list(table.notes)
        if not table.in_memory and in_memory_for is not None:
            notes.append(f"all of it in memory for {in_memory_for}")
        size = f"{counted(len(table), 'row')} x {counted(len(table.names), 'column')}"
        note(f"Reading {name}: {size}, {'; '.join(notes)}")
    return table


def assign(table, drop, keep, find_ids):
    """Return which columns are features, which are carried, and say which look like IDs."""
    from .columns import assign_roles, id_note

    roles = assign_roles(table, drop or [], keep or [], find_ids=find_ids)
    if not roles.features:
        found = f" ({id_note(table, roles)})" if roles.ids else ""
        hints = [f"no column is left to select from{found}"]
        if drop or keep:
            hints.append("Give fewer columns to --drop and --keep")
        if len(table.names) == 1 and table.verbatim is not None:
            hints.append("If the file has several columns, give their separator with --sep")
        raise ValueError(". ".join(hints))
    if roles.ids:
        note(id_note(table, roles))
    return roles


def prepare_features(
    name, table, roles, arguments, *, impute, drop_rows, encode, accepts_gaps=False
):
    """Return the table without the rows that are left out, and its features as numbers."""
    from .prepare import drop_incomplete_rows, prepare
    from .problems import find_problems, problems_error

    if len(table) < 2:
        raise ValueError(f"{name} has a single row; at least two are needed to compare columns")
    fill = bool(impute or drop_rows or accepts_gaps)
    problems = find_problems(table, roles.features, encode=bool(encode), fill=fill)
    if problems:
        raise problems_error(name, table, problems, arguments)
    rows_note = ""
    if drop_rows:
        table, rows_note = drop_incomplete_rows(table, roles.features)
    features, values_note = prepare(table.take(roles.features), impute=impute, encode=encode)
    gaps_note = ""
    if problems.n_gaps and not (impute or drop_rows):
        gaps_note = (
            f"{counted(problems.n_gaps, 'missing value')}, which the method accepts; --impute "
            "median fills missing values, --drop-rows leaves out incomplete rows"
        )
    for line in filter(None, (rows_note, values_note, gaps_note)):
        note(line)
    if problems.constant:
        constant = [table.names[j] for j in problems.constant]
        note(f"constant, and therefore ranked last: {listed(constant)}")
    return table, features
