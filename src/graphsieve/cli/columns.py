"""Columns: those that users name, what each is for, what it costs, and which values it has."""

import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from .._utils.names import matching_columns, suggestion
from .._utils.text import listed
from .console import TableError
from .io.cells import DATE
from .io.files import extension, read_table
from .io.tables import is_number, numbers
from .options import Reading

# In fewer rows, different whole numbers are no sign of an ID.
_ROWS_FOR_ID = 10
_ID_NAME = re.compile(r"(^|.*[\W_])(?i:id|idx|index|key|uuid|guid|nr|row|rownames?)|.*[a-z]I[Dd]")


def find_columns(items, names, option, features=None):
    """Return the positions of columns that a user asked for, in the order given.

    Each item is a name, a position from 0 (-1 is the last one), a pattern with ``*`` or ``?``,
    several of these with commas between, or a regular expression that starts with ``^``. With
    ``features``, the positions of some columns, patterns match these, and others are refused.
    """
    features = range(len(names)) if features is None else features
    position = {name: j for j, name in enumerate(names)}
    found = []
    for item in items:
        is_one = item in position or item.startswith("^")
        for part in [item] if is_one else filter(None, map(str.strip, item.split(","))):
            found += _find(part, names, position, option, features)
    if unused := sorted(set(found).difference(features)):
        raise TableError(
            f"{option}: these columns are not selected from: {listed([names[j] for j in unused])}. "
            "Another option names them, or they are IDs (which --no-ids selects from), or text or "
            "dates (--encode)"
        )
    return list(dict.fromkeys(found))


def _find(part, names, position, option, features):
    if part in position:
        return [position[part]]
    matches = matching_columns(part, [names[j] for j in features])
    if matches:
        return [features[k] for k in matches]
    if matches is not None:
        columns = listed([names[j] for j in features])
        raise TableError(f"{option}: no column matches {part!r}; the columns are {columns}")
    try:
        return [range(len(names))[int(part)]]
    except (ValueError, IndexError):
        kind = "file or column" if _is_list(part) else "column"
        raise TableError(
            f"{option}: there is no {kind} {part!r}{suggestion(part, names)}; the columns are "
            f"{listed(names)} (0 to {len(names) - 1} by position)"
        ) from None


def _is_list(text):
    """Whether a text is the name of a file with one name per line."""
    return Path(text).suffix.lower() in (".txt", ".lst")


def as_arguments(option, positions, names):
    """Return the arguments that pass these columns to an option, as one would type them."""
    plain, alone = [], []
    for name, j in ((names[j], j) for j in positions):
        if not name.isprintable():
            alone.append(str(j))
        elif "," in name or name != name.strip() or not name:
            alone.append(name)
        else:
            plain.append(name)
    values = [",".join(plain)] * bool(plain) + alone
    return [word for value in values for word in as_option(option, value)]


def as_option(option, value):
    """Return the arguments that give a value to an option."""
    return [f"{option}={value}"] if value.startswith("-") else [option, value]


def command_line(arguments):
    """Return a command, its subcommand first, as one would type it in a shell."""
    return shlex.join(["graphsieve", *arguments])


def names_in(items):
    """Names as given, and those in text files, one per line."""
    names = []
    for item in items:
        if _is_list(item) and Path(item).is_file():
            names += filter(None, map(str.strip, Path(item).read_text("utf-8-sig").splitlines()))
        else:
            names.append(item)
    return names


def find_column(table, column, option, *, in_obs=False):
    """Return the name of the one column that an option refers to.

    With ``in_obs``, that of an AnnData file is a column of obs, and never a gene.
    """
    names = table.label_names
    if not in_obs or table.labels is None:
        names = [*table.names, *names]
    elif not names:
        raise TableError(f"{option}: there is no column {column!r}, because obs is empty")
    found = find_columns([column], names, option)
    if len(found) > 1:
        raise TableError(f"{option}: {column!r} matches {len(found)} columns; name one")
    return names[found[0]]


def column_values(table, column, option, *, in_obs=False):
    """Return the values of a column of the table, or of its labels; None without one."""
    if column is None:
        return None
    name = find_column(table, column, option, in_obs=in_obs)
    if name in table.label_names and (in_obs or name not in table.names):
        return table.labels.iloc[:, table.label_names.index(name)]
    values = table.take([table.names.index(name)])
    return values.X.iloc[:, 0] if values.is_frame else np.ravel(values.array())


def read_costs(path):
    """Return a dict of name to cost from a table with a column of names and one of numbers."""
    table = read_table(path, Reading(), path.name, extension(path))
    frame = table.whole().frame()
    expected = f"{path.name} should have two columns with a header, such as column,cost"
    if frame.shape[1] != 2:
        raise TableError(f"--cost: {expected}; it has {frame.shape[1]}")
    if frame.iloc[:, 1].dtype.kind not in "iuf" or is_number(frame.columns[1]):
        raise TableError(f"--cost: {expected}; the second column is {frame.columns[1]!r}")
    names = frame.iloc[:, 0].astype(str)
    if names.duplicated().any():
        raise TableError(
            f"--cost: {path.name} has two costs for {names[names.duplicated()].iloc[0]}"
        )
    return dict(zip(names, frame.iloc[:, 1].astype(float), strict=True))


@dataclass(frozen=True)
class Roles:
    """Positions of the features and of the carried columns, and the carried labels.

    ``ids`` are the columns that are carried because they look like an ID, with the reason.
    """

    features: list
    carried: list
    labels: list
    ids: dict


def assign_roles(table, drop, keep, *, find_ids):
    """Decide what every column is for: ``drop`` is left out of the output, ``keep`` carried.

    With ``find_ids``, columns that look like an ID are carried as well.
    """
    names = [*table.names, *table.label_names]
    dropped = sorted(find_columns(drop, names, "--drop"))
    kept = sorted(find_columns(keep, names, "--keep"))
    if both := sorted({*dropped} & {*kept}):
        named = listed([names[j] for j in both])
        raise TableError(f"--drop and --keep both name {named}; use one of the two")
    n_columns, given, ids = len(table.names), {*dropped, *kept}, {}
    if table.row_names is not None and (j := names.index(table.row_names)) not in given:
        ids[j] = "row names"
    if find_ids:
        ids |= _find_ids(table, [j for j in range(n_columns) if j not in given and j not in ids])
    carried = sorted({*(j for j in kept if j < n_columns), *ids})
    features = sorted(set(range(n_columns)).difference(dropped, carried))
    return Roles(features, carried, [names[j] for j in kept if j >= n_columns], ids)


def id_note(table, roles):
    """Return a line about the columns that were taken for IDs."""
    reasons = {}
    for j, reason in sorted(roles.ids.items()):
        reasons.setdefault(reason, []).append(table.names[j])
    text = "; ".join(f"{listed(names)} ({reason})" for reason, names in reasons.items())
    drop = shlex.join(as_arguments("--drop", sorted(roles.ids), table.names))
    return (
        f"{text}: not selected from, but carried to the output. Leave out with {drop}, or select "
        "from such columns with --no-ids"
    )


def _find_ids(table, candidates):
    """Return the positions of columns that identify rows, with the reason."""
    names = table.names
    ids = {j: "no name" for j in candidates if names[j] == "Unnamed: 0"}
    others = [j for j in candidates if j not in ids and names[j] not in table.odd]
    # Of a file that is read in pieces, the first.
    head = table.take(others).head() if others else table
    columns = [column for _, column in head.X.items()] if others and head.is_frame else []
    different_integers = []
    for j, column in zip(others, columns, strict=False):
        kind = column.dtype.kind
        if kind == "b" or (kind in "iuf" and len(column) < _ROWS_FOR_ID):
            continue
        if kind == "f":
            values = numbers(column)
            if values[1] - values[0] == 1 and (np.diff(values) == 1).all():
                ids[j] = "a counter"
        elif column.isna().any() or not column.is_unique:
            continue
        elif kind not in "iu":
            is_date = kind in "Mm" or column.head(100).astype(str).str.match(DATE).all()
            ids[j] = "dates that all differ" if is_date else "all values differ"
        elif float(column.max()) - float(column.min()) == len(column) - 1:
            ids[j] = "a counter"
        elif _ID_NAME.fullmatch(names[j]):
            ids[j] = "called an ID, all values differ"
        else:
            different_integers.append(j)
    # One column of different integers among measurements is an ID; in a table of counts, every
    # column may be like that.
    if len(different_integers) == 1 and any(column.dtype.kind == "f" for column in columns):
        ids[different_integers[0]] = "integers that all differ"
    return ids


def carry_verbatim(table, roles):
    """Return the table of a text file with its carried columns as written: 007 is not 7."""
    if table.verbatim is None or not roles.carried:
        return table
    names = [table.names[j] for j in roles.carried]
    frame, text = table.X.copy(deep=False), table.verbatim(names)
    for name in names:
        frame[name] = _as_written(frame[name], text[name])
    return replace(table, X=frame)


def _as_written(column, text):
    import pandas as pd

    kind = column.dtype.kind
    if kind == "b":
        return column
    if kind == "f":
        if text.str.fullmatch(r"\s*[+-]?\d+\s*").equals(column.notna()):
            # Whole numbers with gaps are read as decimal numbers.
            return column.astype("Int64")
        plain = pd.to_numeric(text.str.replace(",", ".", regex=False), errors="coerce")
        # Some may be written with currencies, percent signs or separators.
        return text.to_numpy() if (plain.isna() & column.notna()).any() else column
    is_same = kind in "iu" and (column.astype(str).array == text.array).all()
    return column if is_same else text.to_numpy()
