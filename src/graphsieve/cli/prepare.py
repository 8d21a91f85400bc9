"""From a file to the numbers that a method sees, or to what keeps a table from being used."""

import re
from dataclasses import dataclass, field

import numpy as np

from .._rows import non_numeric
from .._utils.names import count_features
from .._utils.text import counted, listed
from .columns import Roles, as_arguments, assign_roles, carry_verbatim, command_line, id_note
from .console import TableError, note, progress
from .io.files import read_table
from .io.tables import Table, is_number, numbers, unique_names

# Text with more different values than this is not worth one column per value.
_MAX_LEVELS = 100
# More names than this make no command that one would want to run.
_TYPED_NAMES = 100


@dataclass(frozen=True)
class Features:
    """What a method is fitted on.

    ``names`` are the columns to choose from. Where text was encoded, ``owner`` has the position in
    ``names`` of the column behind each column of ``X``.
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

        A column that was encoded has the place and the score of its best value. ``wanted`` is the
        number of columns that was asked for, None if a budget decides.
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
    """Read the table, and say in one line what was assumed and how it is read.

    ``source`` is what ``opened`` yields, and ``in_memory_for`` the method that needs all of the
    data in memory.
    """
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

    ``given`` are the options, ``arguments`` the words of the command, and ``carried`` columns that
    are no features in addition to those given. With ``verbatim``, columns that are written without
    being selected from are as in the file.
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
    if verbatim:
        table = carry_verbatim(table, roles)
    if len(table) < 2:
        raise ValueError(f"{name} has a single row; at least two are needed to compare columns")
    fills = bool(given.impute or given.drop_rows)
    problems = _find_problems(table, roles.features, given.encode, fills or accepts_gaps)
    if problems:
        raise _problems_error(name, table, problems, arguments)
    if given.drop_rows:
        table = _drop_incomplete_rows(table, roles.features)
    features = _make_features(table.take(roles.features), given.impute, given.encode)
    if problems.n_gaps and not fills:
        note(
            f"{counted(problems.n_gaps, 'missing value')}, which the method accepts; --impute "
            "median fills missing values, --drop-rows leaves out incomplete rows"
        )
    if problems.constant:
        note(f"constant, and therefore ranked last: {_listed(problems.constant, table.names)}")
    return Data(table, roles, features)


def _make_features(table, impute, encode):
    """Fill the gaps of a table of candidate columns, and turn its text into numbers."""
    X = table.X
    if impute and (n_gaps := _gaps(table)[0]):
        X = _impute(table, impute)
        note(
            f"{counted(n_gaps, 'missing value')} filled with the {impute} of the column for the "
            "selection; the output has the gaps as they were"
        )
    if not encode or "text" not in (kinds := table.kinds()):
        return Features(X, table.names)
    X, owner = _encode(X, kinds)
    n_text = kinds.count("text")
    note(
        f"{counted(n_text, 'text column')} encoded as "
        f"{counted(X.shape[1] - len(kinds) + n_text, 'indicator')} for the selection"
    )
    return Features(X, table.names, owner)


def _drop_incomplete_rows(table, features):
    """Return the table of the rows without gaps in the features."""
    _, incomplete = _gaps(table.take(features))
    if incomplete.all():
        raise TableError(
            "--drop-rows leaves no rows: every row has a missing value. Use --impute median, or "
            "--drop the columns with the most gaps"
        )
    if not incomplete.any():
        return table
    note(f"{counted(int(incomplete.sum()), 'incomplete row')} of {len(incomplete):,} left out")
    return table.take_rows(~incomplete)


def _gaps(table):
    """Return the number of missing numbers, and a mask of the rows with any missing value."""
    X = table.X
    if table.is_frame:
        missing = X.isna().to_numpy()
        is_numeric = [dtype.kind in "biuf" for dtype in X.dtypes]
        return int(missing[:, is_numeric].sum()), missing.any(axis=1)
    values = X.data if hasattr(X, "indptr") else X
    missing = np.isnan(values) if X.dtype.kind == "f" else np.zeros(values.shape, dtype=bool)
    if values is X:
        return int(missing.sum()), missing.any(axis=1)
    incomplete = np.zeros(X.shape[0], dtype=bool)
    incomplete[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[missing]] = True
    return int(missing.sum()), incomplete


def _impute(table, strategy):
    from sklearn.impute import SimpleImputer

    imputer = SimpleImputer(strategy=strategy)
    if not table.is_frame:
        return imputer.fit_transform(table.X)
    gaps = [name for name, c in table.X.items() if c.dtype.kind in "biuf" and c.hasnans]
    filled = imputer.fit_transform(np.column_stack([numbers(table.X[name]) for name in gaps]))
    return table.X.assign(**dict(zip(gaps, filled.T, strict=True)))


def _encode(frame, kinds):
    """Return a frame with one column per value of a text column, and the column behind each."""
    import pandas as pd

    parts, owner = [], []
    for j, name in enumerate(frame):
        column = frame.iloc[:, [j]]
        if kinds[j] == "text":
            # Two values need one indicator only; a missing value counts as one.
            values = column.astype(str)
            binary = values[name].nunique() == 2
            column = pd.get_dummies(values, drop_first=binary, prefix_sep="=", dtype=float)
        parts.append(column)
        owner += [j] * column.shape[1]
    encoded = pd.concat(parts, axis=1)
    return encoded.set_axis(unique_names(encoded.columns)[0], axis=1), np.array(owner)


def has_gaps(features):
    """Whether there is a missing value; reads the features once."""
    return any(_gaps(piece)[0] for piece in Table(features.X, features.names).pieces())


@dataclass
class _Problems:
    """Positions of the columns that need a decision."""

    text: list = field(default_factory=list)
    date: list = field(default_factory=list)
    empty: list = field(default_factory=list)
    infinite: dict = field(default_factory=dict)
    gaps: dict = field(default_factory=dict)  # with the first row that has one
    n_usable: int = 0
    constant: list = field(default_factory=list)
    n_gaps: int = 0

    def __bool__(self):
        return bool(self.text or self.date or self.empty or self.infinite or self.gaps)


def _find_problems(table, features, encode, fill):
    """Look for columns that cannot be used as features.

    Missing values of arrays that are not read yet are found by the method, which looks at every
    entry anyway. With ``encode``, text becomes numbers; with ``fill``, missing values are no
    problem: they are filled, their rows are left out, or the method accepts them.
    """
    problems = _Problems()
    for j, kind in zip(features, table.take(features).kinds(), strict=True):
        if kind == "number" or (kind == "text" and encode and _can_encode(table, j)):
            problems.n_usable += 1
            if table.is_frame and kind == "number":
                _look_at_values(j, numbers(table.X.iloc[:, j]), problems, fill)
        else:
            getattr(problems, kind).append(j)
    return problems


def _can_encode(table, j):
    return table.is_frame and table.X.iloc[:, j].nunique() <= _MAX_LEVELS


def _look_at_values(j, values, problems, fill):
    missing = np.isnan(values)
    if missing.any():
        problems.n_gaps += int(missing.sum())
        if not fill:
            problems.gaps[j] = int(np.argmax(missing))
    if np.isinf(values).any():
        problems.infinite[j] = int(np.argmax(np.isinf(values)))
    present = values[~missing] if missing.any() else values
    if present.min() == present.max():
        problems.constant.append(j)


def _problems_error(name, table, problems, arguments):
    """Return one error for all problems, with one command that fixes them."""
    names, said = table.names, []
    for what, found in (("text", problems.text), ("dates", problems.date)):
        if found:
            said.append(f"{what}: {_listed(found, names)}{_example(table, found[0])}")
    if problems.empty:
        said.append(f"no values: {_listed(problems.empty, names)}")
    if problems.gaps:
        said.append(
            f"{counted(problems.n_gaps, 'missing value')} in {len(problems.gaps)} of "
            f"{counted(len(names), 'column')}: {_listed(problems.gaps, names)} "
            f"({_first(problems.gaps, names)})"
        )
    if problems.constant:
        said.append(f"constant: {_listed(problems.constant, names)}")
    if problems.infinite:
        said.append(
            f"infinite values: {_listed(problems.infinite, names)} "
            f"({_first(problems.infinite, names)}); correct these cells, or empty them"
        )
    what = f"{name} cannot be used as it is. {'; '.join(said)}"
    unusable = sorted([*problems.text, *problems.date])
    if len(unusable) > _TYPED_NAMES or problems.n_usable == 0:
        return TableError(
            f"{what}. Check --sep, --decimal and the first lines of the file; carry such columns "
            "with a pattern (--keep 'NAME*'), or add --encode onehot"
        )
    # Constant columns do no harm; a few are easily left out.
    useless = [*problems.empty, *problems.constant[:_TYPED_NAMES]]
    fixes = [
        *as_arguments("--keep", unusable, names),
        *as_arguments("--drop", sorted(useless), names),
        *(["--impute", "median"] if problems.gaps else []),
    ]
    if not fixes:
        return TableError(what)
    others = []
    if any(_can_encode(table, j) for j in problems.text) and "--encode" not in arguments:
        others.append("--encode onehot to select from text")
    if problems.gaps:
        others.append("--drop-rows to leave out incomplete rows")
    either = f" (or use {', '.join(others)})" if others else ""
    return TableError(f"{what}. Run: {command_line([*arguments, *fixes])}{either}")


def _first(rows, names):
    j, row = min(rows.items(), key=lambda found: found[1])
    return f"the first in row {row}, counted from 0, of {names[j]!r}"


def _listed(positions, names):
    return listed([names[j] for j in positions])


def _example(table, j):
    """Return a value that is not a number, and a hint if it nearly is one."""
    import pandas as pd

    if not table.is_frame:
        return f" ({table.names[j]!r} holds {non_numeric(table.X)[table.names[j]]})"
    values = table.X.iloc[:, j].dropna()
    words = values[pd.to_numeric(values.astype(str), errors="coerce").isna()]
    value = str((words if len(words) else values).iloc[0])
    hint = ""
    if len(words) < len(values) / 2:
        hint = "; if that marks missing values, leave those cells empty"
    if value.replace(",", ".", 1) != value and is_number(value.replace(",", ".", 1)):
        hint = "; if the comma is a decimal comma, add --decimal ,"
    elif re.fullmatch(r"[+-]?\d{1,3}([., ']\d{3})+([.,]\d+)?", value):
        hint = "; write numbers without thousands separators"
    elif is_number(value.removesuffix("%")):
        hint = "; write numbers without a percent sign"
    return f" ({table.names[j]!r} holds {value!r}{hint})"
