"""Tables: named columns, whichever file they come from."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp

from ..._rows import is_lazy, row_pieces, view_columns
from ..._utils.names import unique_names
from ...encoding import kind_of

# Files that need more memory than this are read in pieces where the format has pieces.
STREAM_BYTES = 2**28


@dataclass(frozen=True)
class Table:
    """Named columns of a file: a data frame, array, memory map, CSR array or Stream."""

    X: Any
    names: list
    key: str = "X"  # the name of the array in formats that hold several
    notes: tuple = ()  # what was assumed when the file was read
    # A frame of columns that are never features, such as obs of AnnData; its index names the rows.
    labels: Any = None
    row_names: str | None = None  # the column that holds the names of the rows
    odd: dict = field(default_factory=dict)  # columns of numbers with unclear cells, as cells.Odd
    # verbatim(names) returns columns as the text that the file holds.
    verbatim: Callable | None = None

    @property
    def is_frame(self):
        return hasattr(self.X, "columns")

    @property
    def label_names(self):
        return [] if self.labels is None else [str(name) for name in self.labels.columns]

    def __len__(self):
        return self.X.shape[0]

    @property
    def in_memory(self):
        return not is_lazy(self.X) and not isinstance(self.X, np.memmap)

    def kinds(self):
        """Return "number", "text", "date" or "empty" for every column."""
        if self.is_frame:
            return [kind_of(column) for _, column in self.X.items()]
        dates = ("date", "time", "duration")  # what Arrow's types are called
        kinds = {name: str(kind) for name, kind in getattr(self.X, "non_numeric", dict)().items()}
        kinds = {name: "date" if kind.startswith(dates) else "text" for name, kind in kinds.items()}
        return [kinds.get(name, "number") for name in self.names]

    def take(self, columns):
        """Return the table of these columns, a list of positions."""
        if list(columns) == list(range(len(self.names))):
            return self  # without a copy
        names, is_frame = [self.names[j] for j in columns], self.is_frame
        X = self.X.iloc[:, columns] if is_frame else view_columns(self.X, columns, self.names)
        return replace(self, X=X, names=names)

    def whole(self):
        """Return the same table, in memory."""
        if self.in_memory:
            return self
        pieces = [piece.X for piece in self.pieces()]
        join = pd.concat if hasattr(pieces[0], "columns") else np.concatenate
        return replace(self, X=join(pieces))

    def pieces(self):
        """Yield tables of some rows each, in order and in memory; one if the table is in memory."""
        for piece in row_pieces(self.X):
            if hasattr(piece, "columns") and piece is not self.X:
                piece = piece.set_axis(self.names, axis=1)
            yield replace(self, X=piece)

    def head(self):
        """Return the first piece; all pieces have its types."""
        return next(self.pieces())

    def frame(self):
        """Return a dense data frame, with the labels of the rows in front."""
        if self.is_frame:
            return self.X
        frame = pd.DataFrame(self.array(), columns=self.names)
        if self.labels is None:
            return frame
        return pd.concat([self.labels, frame.set_axis(self.labels.index, axis=0)], axis=1)

    def frames(self):
        """Yield data frames of some rows each, with the names of the rows in columns."""
        for piece in self.pieces():
            frame = piece.frame()
            if not isinstance(frame.index, pd.RangeIndex):
                labels = ["row" if name is None else name for name in frame.index.names]
                frame = frame.rename_axis(index=labels).reset_index(allow_duplicates=True)
                frame = frame.set_axis(unique_names(frame.columns)[0], axis=1)
            yield frame

    def array(self):
        """Return a dense array."""
        if sp.issparse(self.X):
            return self.X.toarray()
        if not self.is_frame:
            return np.asarray(self.X)
        values = self.X.to_numpy()
        # Boolean columns and numbers have no common type but object.
        return values.astype(float) if values.dtype == object else values


def numbers(column):
    """Return a column of numbers as an array, with NaN for what is missing."""
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy()
    return column.to_numpy(dtype=float, na_value=np.nan)


def is_number(text):
    """Whether a text is that of a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def arrow_frame(table):
    """Return the data frame of an Arrow table, giving its memory back on the way."""
    is_truth = [pa.types.is_boolean(kind) for kind in table.schema.types]
    frame = table.to_pandas(split_blocks=True, self_destruct=True)
    for j in np.flatnonzero(is_truth):
        if frame.iloc[:, j].dtype == object:  # with gaps
            frame.isetitem(j, frame.iloc[:, j].astype(pd.BooleanDtype()))
    return frame


def array_bytes(array):
    """Return the size of an array, in integers that cannot overflow."""
    return math.prod(map(int, array.shape)) * array.dtype.itemsize


def default_names(n_columns):
    """Return x0, x1, ..., as scikit-learn names columns without names."""
    return [f"x{j}" for j in range(n_columns)]
