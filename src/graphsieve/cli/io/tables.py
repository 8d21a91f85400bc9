"""Tables: columns of numbers with names, whatever file they come from."""

import shlex
import warnings
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from ..._rows import non_numeric, row_pieces, view_columns

# What takes more in memory is read in pieces where the format has pieces.
STREAM_BYTES = 2**28
# How many columns an error names before it says how many more there are.
_NAMED = 10


class TableError(ValueError):
    """A table that is not what is needed, with a message for the user."""


@dataclass(frozen=True)
class Table:
    """Columns with names: ``X`` is a data frame, an array, a memory map, a CSR array or a Stream.

    ``key`` is the name of the array in formats that hold several; ``how`` says in what pieces a
    file is read that is not read whole.
    """

    X: object
    names: list
    key: str = "X"
    how: str = ""

    @property
    def is_frame(self):
        return hasattr(self.X, "columns")

    def take(self, columns):
        """The table with only these columns, a list of positions."""
        names = [self.names[j] for j in columns]
        if self.is_frame:
            return replace(self, X=self.X.iloc[:, columns], names=names)
        return replace(self, X=view_columns(self.X, columns, self.names), names=names)

    def drop(self, unwanted):
        """The table without these columns: names, positions, or several with commas between."""
        dropped = {j for item in unwanted for j in self._positions(item)}
        if not dropped:
            return self
        return self.take([j for j in range(len(self.names)) if j not in dropped])

    def _positions(self, item):
        parts = [item] if item in self.names else [part.strip() for part in item.split(",")]
        return [self._position(part) for part in parts if part]

    def _position(self, column):
        if column in self.names:
            return self.names.index(column)
        try:
            return range(len(self.names))[int(column)]
        except (ValueError, IndexError):
            raise TableError(
                f"there is no column {column!r} to drop; the columns are {listed(self.names)} "
                f"(0 to {len(self.names) - 1} by position)"
            ) from None

    def check(self):
        """An error that names the columns unless every column of a frame holds numbers.

        Arrays and infinities are left to the methods, and so are missing values of a stream: they
        look at every entry anyway.
        """
        n_rows, n_columns = self.X.shape
        if n_rows == 0 or n_columns == 0:
            raise TableError(f"the table is empty: {n_rows} rows, {n_columns} columns")
        if self.is_frame:
            missing = self.X.isna().to_numpy()
            _check_columns(self.X, empty=missing.all(axis=0))
            _check_missing(self.names, missing)
        else:
            _check_types(non_numeric(self.X))

    def pieces(self):
        """Tables of some of the rows each, in order and in memory; only one if this one is."""
        for piece in row_pieces(self.X):
            yield replace(self, X=piece)

    def head(self):
        """The first piece: its types are those of all."""
        return next(self.pieces())

    def frame(self):
        """The table as a data frame, dense."""
        import pandas as pd

        return self.X if self.is_frame else pd.DataFrame(self.array(), columns=self.names)

    def array(self):
        """The table as a dense array."""
        if sp.issparse(self.X):
            return self.X.toarray()
        if not self.is_frame:
            return np.asarray(self.X)
        values = self.X.to_numpy()
        # Columns of truth values beside numbers have no common type but object.
        return values.astype(float) if values.dtype == object else values


def default_names(n_columns):
    """x0, x1, ...: scikit-learn's names for columns that have none."""
    return [f"x{j}" for j in range(n_columns)]


def warn(message):
    """Warn the user, not the programmer: where this was called does not matter."""
    warnings.warn(message, UserWarning, stacklevel=1)


def counted(number, noun):
    """1 chunk, 2,000 chunks."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names):
    """The first few names in quotes, and how many more there are."""
    text = ", ".join(repr(name) for name in list(names)[:_NAMED])
    rest = len(names) - _NAMED
    return text if rest <= 0 else f"{text} and {rest} more"


def _check_columns(frame, empty):
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    text = np.array([not is_numeric_dtype(dtype) for dtype in frame.dtypes]) & ~empty
    complaints = []
    if text.any():
        first = int(np.argmax(text))
        values = frame.iloc[:, first].dropna()
        words = values[pd.to_numeric(values, errors="coerce").isna()]
        value = (words if len(words) else values).iloc[0]
        complaints.append(
            f"not numeric: {listed(frame.columns[text])} "
            f"({frame.columns[first]!r} holds {str(value)!r})"
        )
    if empty.any():
        complaints.append(f"without any value: {listed(frame.columns[empty])}")
    if complaints:
        raise _unusable(complaints, frame.columns[text | empty])


def _check_types(text):
    if text:
        name, kind = next(iter(text.items()))
        raise _unusable([f"not numeric: {listed(list(text))} ({name!r} holds {kind})"], list(text))


def _unusable(complaints, names):
    return TableError(
        f"some columns cannot be used; {'; '.join(complaints)}. Leave them out with "
        f"--drop {_argument(names)}"
    )


def _check_missing(names, missing):
    if not missing.any():
        return
    row, column = np.argwhere(missing)[0]
    affected = [names[j] for j in np.flatnonzero(missing.any(axis=0))]
    raise TableError(
        f"missing values: {missing.sum()} in {len(affected)} of {len(names)} columns "
        f"({listed(affected)}), the first in row {row} (counted from 0), column "
        f"{names[column]!r}. Fill them in, or leave the columns out with --drop "
        f"{_argument(affected)}"
    )


def _argument(names):
    """Names as one would type them behind --drop."""
    return shlex.quote(",".join(names)) if len(names) <= _NAMED else "NAME,NAME,..."
