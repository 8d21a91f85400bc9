"""Columns: those that users name, what each is for, what it costs, and which values it has."""

import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np

from .._utils import names as lookup
from .._utils.text import listed
from ..encoding import DATE
from .console import note
from .io.files import read_table
from .io.tables import is_number, numbers
from .options import Reading

# In fewer rows, different whole numbers are no sign of an ID, unless they are called one.
_ROWS_FOR_ID = 10
_ID_NAME = re.compile(
    r"((^|.*[\W_])(?i:id|idx|index|key|uuid|guid|no|nr|num|number|code|row|rownames?)"
    r"|.*[a-z](I[Dd]|N[or]|Number|Key|Code|Index)|(?i:.*nummer))[\W_]*"
)
# Integers with more holes between them are amounts, unless they increase from row to row.
_MOST_HOLES = 2
# Files with one name per line.
_LISTS = (".txt", ".lst")
_INTEGERS = "integers that all differ"


def find_columns(items, names, option, features=None):
    """Return the positions of columns that a user asked for, in the order given.

    Each item is a name, a position from 0 (-1 is the last one), a pattern with ``*`` or ``?``,
    several of these with commas between, or a regular expression that starts with ``^``. With
    ``features``, the positions of some columns, patterns match these, and others are refused.
    """
    eligible, found = set(range(len(names)) if features is None else features), []
    for item in items:
        is_one = item in names or item.startswith("^")
        for part in [item] if is_one else filter(None, map(str.strip, item.split(","))):
            is_position = part not in names and re.fullmatch(r"-?\d+", part)
            column = int(part) if is_position else part
            matches = lookup.find_columns([column], len(names), names, parameter=option)
            if not eligible.intersection(matches):
                named = listed([names[j] for j in matches])
                why = "IDs (--no-ids), text or dates (--encode), or named by another option"
                raise ValueError(f"{option}: not selected from, as they are {why}: {named}")
            found += [j for j in matches if j in eligible]
    return list(dict.fromkeys(found))


def names_in(items, columns):
    """Names as given, and those in text files, one per line."""
    names = []
    for item in items:
        is_file = item.lower().endswith(_LISTS) and item not in columns
        if is_file and not Path(item).is_file():
            raise ValueError(f"there is neither a column nor a file {item!r}")
        lines = Path(item).read_text("utf-8-sig").splitlines() if is_file else [item]
        names += filter(None, map(str.strip, lines) if is_file else lines)
    return names


def as_arguments(option, positions, names):
    """Return the arguments that pass these columns to an option, as one would type them."""
    named = [names[j] if names[j].isprintable() else str(j) for j in positions]
    alone = [name for name in named if "," in name or name != name.strip() or not name]
    plain = ",".join(name for name in named if name not in alone)
    values = [plain, *alone] if plain else alone
    return [word for value in values for word in as_option(option, value)]


def as_option(option, value):
    """Return the arguments that give a value to an option."""
    return [f"{option}={value}"] if value.startswith("-") else [option, value]


def find_column(table, column, option, *, in_obs=False):
    """Return the name of the one column that an option refers to, in a list; empty without one.

    With ``in_obs``, that of an AnnData file is a column of obs, and never a gene.
    """
    is_label = in_obs and table.labels is not None
    names = table.label_names if is_label else [*table.names, *table.label_names]
    if column and not names:
        raise ValueError(f"{option}: there is no column {column!r}, because obs is empty")
    found = find_columns([column] if column else [], names, option)
    if len(found) > 1:
        raise ValueError(f"{option}: {column!r} matches {len(found)} columns; name one")
    return [names[j] for j in found]


def column_values(table, column, option, *, in_obs=False):
    """Return the values of a column of the table, or of its labels; None without one."""
    if column is None:
        return None
    [name] = find_column(table, column, option, in_obs=in_obs)
    if name in table.label_names and (in_obs or name not in table.names):
        return table.labels.iloc[:, table.label_names.index(name)]
    return table.take([table.names.index(name)]).whole().frame().iloc[:, -1]


def read_costs(path, columns):
    """Return the cost of every column, from a table with a column of names and one of numbers."""
    frame, given = read_table(path, Reading(), path.name).whole().frame(), f"--cost: {path.name}"
    fault = f"it has {frame.shape[1]}" if frame.shape[1] != 2 else ""
    if not fault and (frame.iloc[:, 1].dtype.kind not in "iuf" or is_number(frame.columns[1])):
        fault = f"the second column is {frame.columns[1]!r}"
    if fault:
        expected = "should have two columns with a header, such as column,cost"
        raise ValueError(f"{given} {expected}; {fault}")
    costs = frame.iloc[:, 1].astype(float).set_axis(frame.iloc[:, 0].astype(str))
    if (twice := costs.index.duplicated()).any():
        raise ValueError(f"{given} has two costs for {costs.index[twice][0]}")
    unknown = costs.index.difference(columns, sort=False).tolist()
    if len(unknown) == len(costs):
        hint = f"{lookup.suggestion(unknown[0], columns)}; it names {listed(unknown)}"
        raise ValueError(f"{given} has no cost for any column to select from{hint}")
    if missing := len(set(columns).difference(costs.index)):
        note(f"{path.name}: {missing} of {len(columns)} columns have no cost and count as 1")
    if unknown:
        note(f"{path.name}: not selected from, and therefore ignored: {listed(unknown)}")
    return costs.reindex(columns, fill_value=1.0).to_numpy()


def assign_roles(table, given, carried):
    """Return the positions of the features and of the carried columns, and the carried labels.

    ``carried`` are columns that are carried in addition to those of the options.
    """
    names, n_columns = [*table.names, *table.label_names], len(table.names)
    dropped = find_columns(given.drop or [], names, "--drop")
    kept = sorted(find_columns([*(given.keep or []), *carried], names, "--keep"))
    if both := sorted(set(dropped) & set(kept)):
        named = listed([names[j] for j in both])
        raise ValueError(f"--drop and --keep both name {named}; use one of the two")
    others, ids = set(range(n_columns)).difference(dropped, kept), {}
    if table.row_names is not None and (j := names.index(table.row_names)) in others:
        ids[j] = "row names"
    if not given.no_ids:
        ids |= _find_ids(table, sorted(others.difference(ids)))
    features, labels = sorted(others.difference(ids)), [names[j] for j in kept if j >= n_columns]
    said = "; ".join(f"{named} ({reason})" for reason, named in by_reason(ids, names).items())
    drop = shlex.join(as_arguments("--drop", sorted(ids), names))
    said += f": not selected from, but carried to the output. Leave out with {drop}"
    said += ", or select from such columns with --no-ids"
    if not features:
        hints = ["no column is left to select from" + (f" ({said})" if ids else "")]
        if dropped or kept:
            hints.append("Give fewer columns to --drop and --keep")
        if n_columns == 1 and table.verbatim is not None:
            hints.append("If the file has several columns, give their separator with --sep")
        raise ValueError(". ".join(hints))
    if ids:
        note(said)
    return features, sorted({*(j for j in kept if j < n_columns), *ids}), labels


def by_reason(reasons, names):
    """Return the names of columns, by the reason that every position has."""
    groups = {}
    for j, reason in sorted(reasons.items()):
        groups.setdefault(reason, []).append(names[j])
    return {reason: listed(group) for reason, group in groups.items()}


def _find_ids(table, candidates):
    names = table.names
    ids = {j: "no name" for j in candidates if names[j] == "Unnamed: 0"}
    others = [j for j in candidates if j not in ids and names[j] not in table.odd]
    if not others or not (head := table.take(others).head()).is_frame:
        return ids  # of a file that is read in pieces, the first one decides
    columns = dict(zip(others, (column for _, column in head.X.items()), strict=True))
    reasons = {j: _id_reason(names[j], column) for j, column in columns.items()}
    known = {j: reason for j, reason in reasons.items() if reason}
    # One column of such integers among measurements is an ID; in a table of counts, every column
    # may be like that, and beside another ID they grow with it.
    is_one = list(known.values()) == [_INTEGERS]
    is_one = is_one and any(column.dtype.kind == "f" for column in columns.values())
    return ids | {j: reason for j, reason in known.items() if reason != _INTEGERS or is_one}


def _id_reason(name, column):
    kind = column.dtype.kind
    is_few = len(column) < _ROWS_FOR_ID and not _ID_NAME.fullmatch(name)
    if kind == "b" or (kind in "iuf" and is_few):
        return None
    if kind == "f":
        return "a counter" if (np.diff(numbers(column)) == 1).all() else None
    if column.isna().any() or not column.is_unique:
        return None
    if kind not in "iu":
        is_date = kind in "Mm" or column.head(100).astype(str).str.match(DATE).all()
        return "dates that all differ" if is_date else "all values differ"
    holes = float(column.max()) - float(column.min()) + 1 - len(column)
    if holes == 0:
        return "a counter"
    if _ID_NAME.fullmatch(name):
        return "called an ID, all values differ"
    is_count = column.is_monotonic_increasing or holes <= _MOST_HOLES * len(column)
    return _INTEGERS if is_count else None


def carry_verbatim(table, carried):
    """Return the table of a text file with its carried columns as written: 007 is not 7."""
    if table.verbatim is None or not carried:
        return table
    names = [table.names[j] for j in carried]
    frame, text = table.X.copy(deep=False), table.verbatim(names)
    for name in names:
        frame[name] = _as_written(frame[name], text[name])
    return replace(table, X=frame)


def _as_written(column, text):
    kind = column.dtype.kind
    if kind == "b":
        return column
    if kind == "f":
        if text.str.fullmatch(r"\s*-?(0|[1-9]\d*)\s*").equals(column.notna()):
            return column.astype("Int64")  # whole numbers with gaps, read as decimal numbers
        # Currencies, separators, exponents, leading zeros and plus signs stay, as in 71E8 or +49.
        is_plain = text.str.fullmatch(r"\s*-?(0|[1-9]\d*)?([.,]\d*)?\s*")
        return column if is_plain[column.notna()].all() else text.to_numpy()
    is_same = kind in "iu" and (column.astype(str).array == text.array).all()
    return column if is_same else text.to_numpy()
