"""Which columns of a table are features, which are carried to the output, which are left out."""

import re
import shlex
from dataclasses import dataclass, replace
from datetime import date, time

import numpy as np

from .._rows import non_numeric
from .._utils.text import listed
from .io.tables import TableError
from .names import as_arguments, find_columns

# In fewer rows, different whole numbers are no sign of an ID.
_ROWS_FOR_ID = 10
_ID_NAME = re.compile(r"(^|.*[\W_])(id|idx|index|key|uuid|guid|nr|row|rownames?)", re.IGNORECASE)
_DATE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})\b")
_CAMEL_ID = re.compile(r".*[a-z]I[Dd]")


@dataclass(frozen=True)
class Roles:
    """Positions of the features and of the columns that are carried, and the carried labels.

    ``ids`` are the columns that are carried because they look like an ID, with the reason.
    """

    features: list
    carried: list
    labels: list
    ids: dict


def assign_roles(table, drop, keep, *, find_ids=True):
    """Decide what every column of a table is for.

    The columns ``drop`` are left out of the output, the columns ``keep`` written without selecting
    from them. With ``find_ids``, columns that look like an ID are carried as well.
    """
    label_names = [] if table.labels is None else [str(name) for name in table.labels.columns]
    names = [*table.names, *label_names]
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
    left = [j for j in range(n_columns) if j not in given and j not in ids]
    if find_ids:
        ids |= _find_ids(table, left)
    carried = sorted({*(j for j in kept if j < n_columns), *ids})
    unused = {*dropped, *carried}
    return Roles(
        features=[j for j in range(n_columns) if j not in unused],
        carried=carried,
        labels=[names[j] for j in kept if j >= n_columns],
        ids=ids,
    )


def id_note(table, roles):
    """Return a line about the columns that were taken for IDs, or nothing."""
    if not roles.ids:
        return ""
    reasons = {}
    for j, reason in sorted(roles.ids.items()):
        reasons.setdefault(reason, []).append(table.names[j])
    text = "; ".join(f"{listed(names)} ({reason})" for reason, names in reasons.items())
    drop = shlex.join(as_arguments("--drop", sorted(roles.ids), table.names))
    return (
        f"{text}: not selected from, but carried to the output. Leave out with {drop}, or select "
        "from such columns with --no-ids"
    )


def kinds(table):
    """Return "number", "text", "date" or "empty" for every column."""
    if table.is_frame:
        return [_kind(column) for _, column in table.X.items()]
    others = non_numeric(table.X)
    return [_arrow_kind(others[name]) if name in others else "number" for name in table.names]


def _kind(column):
    kind = column.dtype.kind
    if kind in "biuf":
        # The first value alone is much quicker to look at, and nearly always there.
        values = numbers(column.head(1))
        return "empty" if len(values) and np.isnan(values[0]) and column.isna().all() else "number"
    if kind in "Mm":
        return "date"
    present = column.dropna()
    if not len(present):
        return "empty"
    return "date" if isinstance(present.iloc[0], (date, time)) else "text"


def numbers(column):
    """Return a column of numbers as an array, with NaN for what is missing."""
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy()
    return column.to_numpy(dtype=float, na_value=np.nan)


def _arrow_kind(dtype):
    import pyarrow.types as types

    return "date" if types.is_temporal(dtype) else "text"


def _find_ids(table, candidates):
    """Return the positions of columns that identify rows, with the reason."""
    ids = {j: "no name" for j in candidates if re.fullmatch(r"Unnamed: 0", table.names[j])}
    different_integers, measured = [], False
    for j, column in _columns(table, [j for j in candidates if j not in ids]):
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
    if column.isna().any() or not column.is_unique:
        return False
    return kind in "iuMm" or not _is_mostly_numbers(column)


def _is_mostly_numbers(column):
    """Whether text looks like numbers, with a unit or a few words: a mistake, not an ID."""
    import pandas as pd

    text = column.head(1000).astype(str).str.replace(r"[.,' ](?=\d{3}\b)", "", regex=True)
    text = text.str.replace(",", ".").str.rstrip("% ")
    return pd.to_numeric(text, errors="coerce").notna().mean() > 0.5


def _are_dates(column):
    if column.dtype.kind in "Mm":
        return True
    return column.head(100).astype(str).str.match(_DATE).all()


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
    if kind in "bf" or (kind in "iu" and (column.astype(str).array == text.array).all()):
        return column
    return text.to_numpy()
