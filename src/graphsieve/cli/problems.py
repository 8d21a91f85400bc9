"""Everything that keeps a table from being used, in one message with the command that fixes it."""

import re
from dataclasses import dataclass, field

import numpy as np

from .._rows import non_numeric
from .._utils.text import counted, listed
from .columns import kinds, numbers
from .io.tables import Table, TableError
from .names import as_arguments, command_line

# Text with more different values than this is not worth one column per value.
MAX_LEVELS = 100
# More names than this make no command that one would want to run.
_TYPED_NAMES = 100


@dataclass
class Problems:
    """Positions of the columns that need a decision."""

    text: list = field(default_factory=list)
    dates: list = field(default_factory=list)
    empty: list = field(default_factory=list)
    infinite: dict = field(default_factory=dict)
    gaps: list = field(default_factory=list)
    n_usable: int = 0
    constant: list = field(default_factory=list)
    n_gaps: int = 0
    first_gap: int = 0

    def __bool__(self):
        return bool(self.text or self.dates or self.empty or self.infinite or self.gaps)


def find_problems(table, features, *, encode=False, fill=False):
    """Look for columns that cannot be used as features.

    Missing values of arrays that are not read yet are found by the method, which looks at every
    entry anyway. With ``encode``, text becomes numbers; with ``fill``, missing values are no
    problem: they are filled, their rows are left out, or the method accepts them.
    """
    problems = Problems()
    kind = kinds(table.take(features))
    for j, name in zip(features, kind, strict=True):
        if name == "text" and not (encode and _can_encode(table.X.iloc[:, j])):
            problems.text.append(j)
        elif name == "date":
            problems.dates.append(j)
        elif name == "empty":
            problems.empty.append(j)
    bad = {*problems.text, *problems.dates, *problems.empty}
    problems.n_usable = len(features) - len(bad)
    if table.is_frame:
        _look_at_values(table.X, [j for j in features if j not in bad], problems, fill)
    return problems


def _can_encode(column):
    return column.nunique() <= MAX_LEVELS


def _look_at_values(frame, columns, problems, fill):
    first, wanted = [], set(columns)
    for j, (_, column) in enumerate(frame.items()):
        if j not in wanted or column.dtype.kind not in "biuf":
            continue
        values = numbers(column)
        missing = np.isnan(values)
        problems.n_gaps += int(missing.sum())
        if missing.any() and not fill:
            problems.gaps.append(j)
            first.append((int(np.argmax(missing)), j))
        if np.isinf(values).any():
            problems.infinite[j] = int(np.argmax(np.isinf(values)))
        present = values[~missing] if missing.any() else values
        if present.min() == present.max():
            problems.constant.append(j)
    if first:
        row, j = min(first)
        problems.first_gap = row
        problems.gaps.insert(0, problems.gaps.pop(problems.gaps.index(j)))


def problems_error(name, table, problems, arguments):
    """Return one error for all problems, with one command that fixes them."""
    names = table.names
    said = []
    if problems.text:
        said.append(f"text: {_listed(problems.text, names)}{_example(table, problems.text[0])}")
    if problems.dates:
        said.append(f"dates: {_listed(problems.dates, names)}{_example(table, problems.dates[0])}")
    if problems.empty:
        said.append(f"no values: {_listed(problems.empty, names)}")
    if problems.gaps:
        said.append(
            f"{counted(problems.n_gaps, 'missing value')} in {len(problems.gaps)} of "
            f"{counted(len(names), 'column')}: {_listed(sorted(problems.gaps), names)} (the first "
            f"in row {problems.first_gap}, counted from 0, of {names[problems.gaps[0]]!r})"
        )
    if problems.constant:
        said.append(f"constant: {_listed(problems.constant, names)}")
    if problems.infinite:
        j, row = min(problems.infinite.items(), key=lambda found: found[1])
        said.append(
            f"infinite values: {_listed(problems.infinite, names)} (the first in row {row}, "
            f"counted from 0, of {names[j]!r}); correct these cells, or empty them"
        )
    unusable = sorted([*problems.text, *problems.dates])
    if len(unusable) > _TYPED_NAMES or problems.n_usable == 0:
        return TableError(
            f"{name} cannot be used as it is. {'; '.join(said)}. Check --sep, --decimal and the "
            "first lines of the file; carry such columns with a pattern (--keep 'NAME*'), or add "
            "--encode onehot"
        )
    # Constant columns do no harm; a few are easily left out.
    useless = [*problems.empty, *problems.constant[:_TYPED_NAMES]]
    fixed = [
        *arguments,
        *as_arguments("--keep", unusable, names),
        *as_arguments("--drop", sorted(useless), names),
        *(["--impute", "median"] if problems.gaps else []),
    ]
    others = []
    if any(_is_categorical(table, j) for j in problems.text) and "--encode" not in arguments:
        others.append("--encode onehot to select from text")
    if problems.gaps:
        others.append("--drop-rows to leave out incomplete rows")
    either = f" (or use {', '.join(others)})" if others else ""
    if fixed == list(arguments):
        return TableError(f"{name} cannot be used as it is. {'; '.join(said)}")
    return TableError(
        f"{name} cannot be used as it is. {'; '.join(said)}. Run: {command_line(fixed)}{either}"
    )


def gaps_error(name, arguments, error):
    """Return an error for missing values that a method found in an array."""
    return TableError(
        f"{name} has missing values: {error}. Run: "
        f"{command_line([*arguments, '--impute', 'median'])} (or use --drop-rows to leave out "
        "incomplete rows)"
    )


def has_gaps(features):
    """Whether there is a missing value; reads the features once."""
    for piece in Table(features.X, features.names).pieces():
        values = piece.X.data if hasattr(piece.X, "indptr") else piece.array()
        if values.dtype.kind == "f" and np.isnan(values).any():
            return True
    return False


def _listed(positions, names):
    return listed([names[j] for j in positions])


def _is_categorical(table, j):
    return table.is_frame and _can_encode(table.X.iloc[:, j])


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


def is_number(text):
    """Whether a text is that of a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
