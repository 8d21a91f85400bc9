"""From a file to the numbers that a method sees, or to what keeps a table from being used."""

from dataclasses import dataclass, replace

import numpy as np

from .._rows import non_numeric
from .._utils.names import count_features
from .._utils.text import counted, listed
from .columns import (
    Roles,
    as_arguments,
    as_option,
    assign_roles,
    carry_verbatim,
    command_line,
    id_note,
)
from .console import TableError, note, progress
from .encode import MOST_LEVELS, encode, encoding_of
from .io.files import read_table
from .io.tables import Table, numbers
from .options import ENCODINGS

# More names than this make no command that one would want to run.
_TYPED_NAMES = 100


@dataclass(frozen=True)
class Features:
    """What a method is fitted on: ``X``, and the ``names`` of the columns to choose from.

    Where columns were encoded, ``owner`` has the position in ``names`` of the column behind each
    column of ``X``.
    """

    X: object
    names: list
    owner: np.ndarray | None = None

    def columns(self, positions):
        """Positions in ``X`` of the columns to choose from at ``positions``, in their order."""
        if self.owner is None:
            return list(positions)
        return [j for place in positions for j in np.flatnonzero(self.owner == place).tolist()]

    def costs(self, costs):
        """Cost of every column of ``X``: what a column costs is divided among its values."""
        if self.owner is None:
            return costs
        return costs[self.owner] / np.bincount(self.owner)[self.owner]

    def count(self, wanted, exclude):
        """Columns of ``X`` to select, so that ``wanted`` columns are whole."""
        if self.owner is None or wanted in ("auto", None):
            return wanted
        sizes = np.bincount(np.delete(self.owner, exclude or []))
        n_largest = count_features(wanted, len(self.names))
        return int(np.sort(sizes)[::-1][:n_largest].sum())

    def ranking(self, estimator, wanted):
        """Return a frame of the columns, best first, and the selector that keeps whole columns.

        A column that was encoded has the place and the score of its best value.
        """
        import pandas as pd

        order, n_kept = estimator.order_, estimator.n_features_
        scores = estimator.scores_[order]
        if self.owner is None:
            selector = estimator.with_selection(order, n_kept, names=self.names)
        else:
            _, first = np.unique(self.owner[order], return_index=True)
            places = np.sort(first)
            n_kept = int((places < n_kept).sum())
            if wanted not in ("auto", None):
                n_kept = min(n_kept, count_features(wanted, len(self.names)))
            order, scores = self.owner[order[places]], scores[places]
            place = np.argsort(order)[self.owner]
            values = np.lexsort((estimator.ranking_, place))
            selector = estimator.with_selection(values, (place < n_kept).sum())
        names, rank = [self.names[j] for j in order], np.arange(1, len(order) + 1)
        frame = {"feature": names, "score": scores, "rank": rank, "kept": rank <= n_kept}
        return pd.DataFrame(frame), selector


@dataclass(frozen=True)
class Data:
    """A table without the rows that are left out, the roles of its columns, and its features."""

    table: Table
    roles: Roles
    features: Features


def read(source, reading, in_memory_for=None):
    """Read the table that ``opened`` yields, for a method, and say in one line what was assumed."""
    path, name, suffix = source
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


def prepare(name, table, given, arguments, *, carried=(), verbatim=False, accepts_gaps=False):
    """Return the Data of a table, and say what becomes of its columns.

    ``carried`` are columns that are no features in addition to those of the options. With
    ``verbatim``, columns that are written without being selected from are as in the file.
    """
    roles = assign_roles(
        table, given.drop or [], [*(given.keep or []), *carried], find_ids=not given.no_ids
    )
    if not roles.features:
        found = f" ({id_note(table, roles)})" if roles.ids else ""
        hints = [f"no column is left to select from{found}"]
        if given.drop or given.keep or carried:
            hints.append("Give fewer columns to --drop and --keep")
        if len(table.names) == 1 and table.verbatim is not None:
            hints.append("If the file has several columns, give their separator with --sep")
        raise ValueError(". ".join(hints))
    if roles.ids:
        note(id_note(table, roles))
    if len(table) < 2:
        raise ValueError(f"{name} has a single row; at least two are needed to compare columns")
    words, ways = _find_words(table, roles.features, given.encode or ())
    fills = bool(given.impute or given.drop_rows)
    features = [j for j in roles.features if j not in words]
    roles = replace(roles, features=features, carried=sorted([*roles.carried, *words]))
    found, n_gaps = _find_problems(table, features, ways, fills or accepts_gaps, fills)
    if words and found["usable"]:
        note(_words_note(table, words))
    elif words:
        types = {} if table.is_frame else non_numeric(table.X)
        found["text"] = {
            j: types.get(table.names[j]) or repr(str(table.X.iloc[:, j].dropna().iloc[0]))
            for j in words
        }
    if not found["usable"] or any(map(found.get, ("odd", "empty", "gaps", "infinite"))):
        raise _problems_error(name, table, found, n_gaps, given, arguments, accepts_gaps)
    if verbatim:
        table = carry_verbatim(table, roles)
    if given.drop_rows:
        table = _drop_incomplete_rows(table, features)
    ways = [ways.get(j) for j in features]
    made = _make_features(table.take(features), given.impute, ways)
    if n_gaps and not fills:
        note(
            f"{counted(n_gaps, 'missing value')}, which the method accepts; --impute "
            "median fills missing values, --drop-rows leaves out incomplete rows"
        )
    if found["constant"]:
        note(f"constant, and therefore ranked last: {_listed(found['constant'], table.names)}")
    return Data(table, roles, made)


def _find_words(table, features, encode):
    """Return by position the --encode of text and dates that are carried, and of the others."""
    words, ways = {}, {}
    for j, kind in zip(features, table.take(features).kinds(), strict=True):
        if kind not in ("text", "date") or table.names[j] in table.odd:
            continue
        way = encoding_of(table.X.iloc[:, j], kind) if table.is_frame else None
        if way == "ordinal" and way not in encode and "onehot" in encode:
            way = "onehot"
        if way in encode:
            ways[j] = way
        else:
            words[j] = way or kind
    return words, ways


def _words_note(table, words):
    """Return a line about columns of text and dates, which are only carried."""
    many = f"text with more than {MOST_LEVELS} different values" if table.is_frame else "text"
    terms = {"onehot": "text", "ordinal": "ordered answers", "text": many}
    found = []
    for kind in dict.fromkeys(words.values()):
        columns = [j for j, other in words.items() if other == kind]
        found.append(f"{terms.get(kind, 'dates')}: {_listed(columns, table.names)}")
    kinds = ",".join(kind for kind in ENCODINGS if kind in words.values())
    how = f". Select from such columns with --encode {kinds}" if kinds else ""
    return f"{'; '.join(found)}: not selected from, but carried to the output{how}"


_MADE = [("onehot", "text", "indicator"), ("ordinal", "ordered", None), ("dates", "date", "part")]


def _make_features(table, impute, ways):
    """Turn text and dates into numbers, and fill the gaps of a table of candidate columns."""
    X, owner, n_gaps = table.X, None, _gaps(table, ways)[0] if impute else 0
    if any(ways):
        X, owner = encode(X, ways)
        for way, what, part in _MADE:
            if places := [j for j, other in enumerate(ways) if other == way]:
                columns = counted(len(places), f"{what} column")
                made = counted(int(np.isin(owner, places).sum()), part) if part else "ranks"
                note(f"{columns} encoded as {made} for the selection")
    if n_gaps:
        X = _impute(X, impute)
        note(
            f"{counted(n_gaps, 'missing value')} filled with the {impute} of the column for the "
            "selection; the output has the gaps as they were"
        )
    return Features(X, table.names, owner)


def _drop_incomplete_rows(table, features):
    """Return the table of the rows without gaps in the features."""
    incomplete = _gaps(table.take(features))[1]
    if incomplete.all():
        raise TableError(
            "--drop-rows leaves no rows: every row has a missing value. Use --impute median, or "
            "--drop the columns with the most gaps"
        )
    if not incomplete.any():
        return table
    note(f"{counted(int(incomplete.sum()), 'incomplete row')} of {len(incomplete):,} left out")
    labels = None if table.labels is None else table.labels[~incomplete]
    return replace(table, X=table.X[~incomplete], labels=labels)


def _gaps(table, ways=None):
    """Return the number of missing or infinite values, and a mask of the rows with any.

    A missing word counts only for the mask if its column is to be encoded as onehot.
    """
    X = table.X
    if table.is_frame:
        missing = np.column_stack([_is_gap(column) for _, column in X.items()])
        is_counted = [way != "onehot" for way in ways or [None] * X.shape[1]]
        return int(missing[:, is_counted].sum()), missing.any(axis=1)
    if not hasattr(X, "indptr"):
        missing = ~np.isfinite(X)
        return int(missing.sum()), missing.any(axis=1)
    missing = ~np.isfinite(X.data)
    return int(missing.sum()), np.isin(np.arange(len(table)), X.tocoo().row[missing])


def _is_gap(column):
    return ~np.isfinite(numbers(column)) if column.dtype.kind == "f" else column.isna().to_numpy()


def _impute(X, strategy):
    from sklearn.impute import SimpleImputer

    imputer = SimpleImputer(strategy=strategy)
    if hasattr(X, "columns"):
        gaps = [name for name, column in X.items() if _is_gap(column).any()]
        found = np.column_stack([numbers(X[name]).astype(float) for name in gaps])
        filled = imputer.fit_transform(np.where(np.isfinite(found), found, np.nan))
        return X.assign(**dict(zip(gaps, filled.T, strict=True)))
    X = X.copy()
    values = X.data if hasattr(X, "indptr") else X
    values[~np.isfinite(values)] = np.nan
    return imputer.fit_transform(X)


def has_gaps(features):
    """Whether a value is missing or infinite; reads the features once."""
    return any(_gaps(piece)[0] for piece in Table(features.X, features.names).pieces())


def _find_problems(table, features, ways, gaps_are_fine, infinities_are_fine):
    """Return the columns of every kind, by position with an example, and the number of gaps.

    Gaps of arrays that are not read yet are found by the method, which reads every entry anyway.
    """
    kinds = ("text", "odd", "empty", "gaps", "constant", "infinite", "usable")
    found, n_gaps = {kind: {} for kind in kinds}, 0
    for j, kind in zip(features, table.take(features).kinds(), strict=True):
        if table.names[j] in table.odd:
            found["odd"][j] = repr(table.odd[table.names[j]].cell)
            continue
        column = table.X.iloc[:, j] if table.is_frame and ways.get(j) != "onehot" else ()
        missing = _is_gap(column) if len(column) else np.zeros(1, dtype=bool)
        if kind == "empty" or missing.all():
            found["empty"][j] = None
            continue
        found["usable"][j] = None
        if missing.any():
            empty = column.isna().to_numpy()
            n_gaps += int(empty.sum())
            if empty.any() and not gaps_are_fine:
                found["gaps"][j] = int(np.argmax(empty))
            if (missing & ~empty).any() and not infinities_are_fine:
                found["infinite"][j] = int(np.argmax(missing & ~empty))
        if kind == "number" and len(column):
            present = numbers(column)[~missing]
            if present.min() == present.max():
                found["constant"][j] = None
    return found, n_gaps


def _problems_error(name, table, found, n_gaps, given, arguments, accepts_gaps):
    """Return one error for all problems, with one command that fixes them."""
    names, said = table.names, []
    of_all = f"in {len(found['gaps'])} of {counted(len(names), 'column')}"
    terms = {
        "text": "text",
        "odd": "text among numbers",
        "empty": "no values",
        "gaps": f"{counted(n_gaps, 'missing value')} {of_all}",
        "constant": "constant",
        "infinite": "infinite values",
    }
    for kind, term in terms.items():
        if columns := found[kind]:
            example = ""
            if kind in ("text", "odd"):
                j, cell = next(iter(columns.items()))
                example = f" ({names[j]!r} holds {cell})"
            elif kind in ("gaps", "infinite"):
                j = min(columns, key=columns.get)
                example = f" (the first in row {columns[j]}, counted from 0, of {names[j]!r})"
            said.append(f"{term}: {_listed(columns, names)}{example}")
    what = f"{name} cannot be used as it is. {'; '.join(said)}"
    odd = {j: table.odd[names[j]] for j in found["odd"]}
    unclear = [j for j, column in odd.items() if column.marks is None]
    if not found["usable"] and len(odd) == len(unclear):
        return TableError(
            f"{what}. Check --sep, --decimal, --skip-rows and the first lines of the file, or add "
            "--encode onehot to select from text"
        )
    marks = list(dict.fromkeys(mark for column in odd.values() for mark in column.marks or ()))
    # Constant columns do no harm; a few are easily left out.
    is_free = not (getattr(given, "include", None) or getattr(given, "cost", None))
    constant = list(found["constant"])[:_TYPED_NAMES] if is_free else []
    useless = sorted([*found["empty"], *constant])
    fixes = as_arguments("--keep", unclear, names) + as_arguments("--drop", useless, names)
    if any(column.percent for column in odd.values()):
        fixes.append("--percent")
    if marks:
        fixes += as_option("--na", ",".join(marks))
    fills, others = given.impute or given.drop_rows, ""
    if found["gaps"] or found["infinite"] or (marks and not accepts_gaps and not fills):
        fixes += ["--impute", "median"]
        others = " (or use --drop-rows to leave out incomplete rows)"
    left = len({*found["usable"], *odd}.difference(unclear, useless))
    number = getattr(given, "number", None)
    if isinstance(number, int) and number > left:
        fixes += ["-k", str(left)]
    return TableError(f"{what}. Run: {command_line([*arguments, *fixes])}{others}")


def _listed(positions, names):
    return listed([names[j] for j in positions])
