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
_ID_NAME = re.compile(r"(^|.*[\W_])(id|idx|index|key|uuid|guid|nr|row|rownames?)", re.IGNORECASE)
_CAMEL_ID = re.compile(r".*[a-z]I[Dd]")


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
        parts = [item] if is_one else [part.strip() for part in item.split(",")]
        for part in filter(None, parts):
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
    alone = [j for j in positions if not _is_plain(names[j])]
    plain = [names[j] for j in positions if _is_plain(names[j])]
    # What cannot be typed has a position.
    typed = [names[j] if names[j].isprintable() else str(j) for j in alone]
    joined = [",".join(plain)] if plain else []
    return [word for value in joined + typed for word in as_option(option, value)]


def as_option(option, value):
    """Return the arguments that give a value to an option."""
    return [f"{option}={value}"] if value.startswith("-") else [option, value]


def _is_plain(name):
    return name.isprintable() and "," not in name and name == name.strip() and name != ""


def command_line(arguments):
    """Return a command, its subcommand first, as one would type it in a shell."""
    return shlex.join(["graphsieve", *arguments])


def names_in(items):
    """Names as given, and those in text files, one per line."""
    names = []
    for item in items:
        path = Path(item)
        if _is_list(item) and path.is_file():
            lines = path.read_text("utf-8-sig").splitlines()
            names += [line.strip() for line in lines if line.strip()]
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
    both = [names[j] for j in dropped if j in set(kept)]
    if both:
        raise TableError(f"--drop and --keep both name {listed(both)}; use one of the two")
    n_columns = len(table.names)
    given = {*dropped, *kept}
    ids = {}
    if table.row_names is not None and (j := names.index(table.row_names)) not in given:
        ids[j] = "row names"
    if find_ids:
        ids |= _find_ids(table, [j for j in range(n_columns) if j not in given and j not in ids])
    carried = sorted({*(j for j in kept if j < n_columns), *ids})
    unused = {*dropped, *carried}
    features = [j for j in range(n_columns) if j not in unused]
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
    ids = {j: "no name" for j in candidates if re.fullmatch(r"Unnamed: 0", table.names[j])}
    different_integers, measured = [], False
    others = [j for j in candidates if j not in ids and table.names[j] not in table.odd]
    for j, column in _columns(table, others):
        measured = measured or column.dtype.kind == "f"
        if not _may_be_id(column):
            continue
        if column.dtype.kind not in "iuf":
            ids[j] = "dates that all differ" if _are_dates(column) else "all values differ"
        elif reason := _integer_id(column, table.names[j]):
            ids[j] = reason
        else:
            different_integers.append(j)
    # One column of different integers among measurements is an ID; in a table of counts, every
    # column may be like that.
    if len(different_integers) == 1 and measured:
        ids[different_integers[0]] = "integers that all differ"
    return ids


def _columns(table, positions):
    """Yield (position, column) of a frame; of a file that is read in pieces, from the first."""
    if positions and (head := table.take(positions).head()).is_frame:
        yield from zip(positions, (column for _, column in head.X.items()), strict=True)


def _may_be_id(column):
    kind = column.dtype.kind
    if kind == "b" or (kind in "iuf" and len(column) < _ROWS_FOR_ID):
        return False
    if kind == "f":
        values = numbers(column)
        return values[1] - values[0] == 1 and (np.diff(values) == 1).all()
    return not column.isna().any() and column.is_unique


def _are_dates(column):
    if column.dtype.kind in "Mm":
        return True
    return column.head(100).astype(str).str.match(DATE).all()


def _integer_id(column, name):
    values = column.to_numpy(dtype=float)
    if values.max() - values.min() == len(values) - 1:
        return "a counter"
    if _ID_NAME.fullmatch(name) or _CAMEL_ID.fullmatch(name):
        return "called an ID, all values differ"
    return ""


def carry_verbatim(table, roles):
    """Return the table with its carried columns as the file has them.

    Text files only: a number such as 007 would otherwise be written as 7.
    """
    if table.verbatim is None or not roles.carried:
        return table
    names = [table.names[j] for j in roles.carried]
    frame, text = table.X.copy(deep=False), table.verbatim(names)
    for name in names:
        frame[name] = _as_written(frame[name], text[name])
    return replace(table, X=frame)


def _as_written(column, text):
    kind = column.dtype.kind
    if kind == "f" and text.str.fullmatch(r"\s*[+-]?\d+\s*").equals(column.notna()):
        # Whole numbers with gaps are read as decimal numbers.
        return column.astype("Int64")
    if kind == "f" and _is_rewritten(column, text):
        return text.to_numpy()
    if kind in "bf" or (kind in "iu" and (column.astype(str).array == text.array).all()):
        return column
    return text.to_numpy()


def _is_rewritten(column, text):
    """Whether some numbers are written with currencies, percent signs or separators."""
    import pandas as pd

    plain = pd.to_numeric(text.str.replace(",", ".", regex=False), errors="coerce")
    return bool((plain.isna() & column.notna()).any())
