"""Rows: what all kinds of storage have in common, as sums over blocks of rows."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import min_max_axis

from .moments import Moments

if TYPE_CHECKING:
    from .._utils.threads import Workers
    from .gaps import Gaps
    from .parts import Parts
    from .scaling import Scaling

# Size of one block of dense floats: it should stay in a core's second-level cache.
BLOCK_BYTES = 2**20
# Size of a block in a pass that does little with each row: small enough not to matter for the
# memory in use, large enough that the overhead per block does not count.
PASS_BYTES = 8 * BLOCK_BYTES


def split_rows(n_samples: int, block_rows: int) -> list[slice]:
    """Slices of nearly equal length, at most ``block_rows`` each, that cover all rows."""
    n_blocks = -(-n_samples // block_rows) if n_samples else 0
    edges = [n_samples * block // n_blocks for block in range(n_blocks + 1)] if n_blocks else []
    return [slice(a, b) for a, b in pairwise(edges)]


def to_dense(X: Any) -> np.ndarray:
    """A dense array of a dense or sparse one; dense arrays are not copied."""
    return X.toarray() if sp.issparse(X) else X


def chosen_rows(block: Any, chosen: np.ndarray) -> np.ndarray:
    """Dense rows of a block, given by a mask, for ``Rows.stack``."""
    return to_dense(block[chosen])


class Rows(ABC):
    """The rows of a table of floats, wherever they are stored.

    Code outside this package works with the methods below and does not ask how the rows are
    stored.

    Attributes
    ----------
    n_samples, n_features : int
    dtype : numpy.dtype
        Float type of the blocks.
    is_sparse : bool
        Whether blocks are CSR arrays.
    gaps : Gaps or None
        What the rows were like before ``fill_gaps`` filled their missing values, if it did.
    """

    n_samples: int
    n_features: int
    dtype: np.dtype
    is_sparse: bool = False
    gaps: Gaps | None = None

    @abstractmethod
    def reduce(
        self,
        function: Callable,
        *aligned: Any,
        combine: Callable = operator.add,
        block_bytes: int = PASS_BYTES,
        workers: Workers | None = None,
    ) -> Any:
        """Combine the results of ``function(block, *rows of aligned)`` over all blocks.

        Parameters
        ----------
        function : callable
            Pickled with everything it refers to if the rows are in other processes.
        *aligned : arrays with one row per sample
        combine : callable
            Combines two partial results, left to right in row order.
        block_bytes : int
            Approximate size of a block as a dense array.
        workers : Workers, optional
            Threads for rows in memory; the result does not depend on their number.
        """

    @abstractmethod
    def reduce_pairs(
        self,
        function: Callable,
        i: np.ndarray,
        j: np.ndarray,
        *aligned: Any,
        combine: Callable = operator.add,
    ) -> Any:
        """Combine the results of ``function(rows i, rows j, *aligned)`` over blocks of pairs.

        ``i``, ``j`` and ``aligned`` have one entry per pair. The blocks come in any order.
        """

    @abstractmethod
    def map_pairs(
        self, function: Callable, i: np.ndarray, j: np.ndarray, workers: Workers
    ) -> np.ndarray:
        """``function(rows i, rows j)``, one value per pair, in the order of the pairs."""

    @abstractmethod
    def scaled(self, scaling: Scaling, dtype: Any) -> Rows:
        """The rows after a Scaling, as Rows of type ``dtype``."""

    @abstractmethod
    def filled(self, value: np.ndarray) -> Rows:
        """The rows with ``value[j]`` in place of NaN in column j."""

    @abstractmethod
    def parts(self, make: Callable, *aligned: Any, workers: Workers) -> Parts:
        """``make(rows, *aligned)`` for every part of the rows, kept where the rows are."""

    @abstractmethod
    def whole(self) -> Any:
        """All rows at once, in the memory of this process, as a float ndarray or CSR array."""

    @abstractmethod
    def take(self, rows: Any) -> Rows:
        """Some of the rows, given by a slice or an array of row numbers."""

    def resident(self) -> Any | None:
        """What ``whole`` returns if the rows are in the memory of this process, else None."""
        return None

    def stored(self) -> Rows:
        """The same rows in a place where any of them can be read at any time."""
        return self

    def observed(self) -> Rows:
        """The same rows with NaN for the gaps that ``fill_gaps`` has filled."""
        return self if self.gaps is None else self.gaps.observed

    def check_random_access(self) -> None:
        """Raise an error if ``take`` does not work, before any other work is done."""
        return

    def fold_parts(self, function: Callable, *shared: Any) -> list | None:
        """Compare every part of the rows with every other part.

        Parameters
        ----------
        function : callable
            ``function(state, part, rows, other, rows of other, *shared)`` returns the next state
            of a part, given the state after the preceding other parts, at first None.
        *shared : arguments for all calls

        Returns
        -------
        states : list or None
            The final state of every part; None if all rows are in one place, where they can be
            compared directly.
        """
        return None

    def size(self) -> int:
        """Bytes that the rows take as they are stored, or as dense floats if they are elsewhere."""
        return self.n_samples * self.n_features * self.dtype.itemsize

    def bytes_to_load(self) -> int:
        """Memory that ``whole`` needs in addition to what is in use already."""
        return self.size()

    def stack(
        self, function: Callable, *aligned: Any, workers: Workers | None = None
    ) -> np.ndarray:
        """Concatenate the arrays that ``function`` returns for the blocks."""
        return _joined(self.reduce(partial(_listed, function), *aligned, workers=workers))

    def column_range(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest entry of every column; NaN and infinity show up in them."""
        return self._range

    def column_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and population variance of every column, in double precision."""
        return self._moments.mean, self._moments.spread / self.n_samples

    @cached_property
    def _range(self):
        return self.reduce(_range_of, combine=_wider)

    @cached_property
    def _moments(self):
        return self.reduce(Moments.of)


class IndirectRows(Rows):
    """Rows that are read in order: pairs come from a stored copy."""

    @abstractmethod
    def stored(self) -> Rows:
        """The same rows in a place where any of them can be read at any time."""

    def reduce_pairs(self, function, i, j, *aligned, combine=operator.add):
        return self.stored().reduce_pairs(function, i, j, *aligned, combine=combine)

    def map_pairs(self, function, i, j, workers):
        return self.stored().map_pairs(function, i, j, workers)


def _listed(function, *args):
    """The result of a function in a list, so that results are concatenated by ``+``."""
    return [function(*args)]


def _joined(parts):
    """The parts one after another; each is released once it is copied."""
    if len(parts) == 1 and parts[0].flags.owndata:
        return parts[0]
    n_rows = sum(map(len, parts))
    joined = np.empty((n_rows, *parts[0].shape[1:]), dtype=np.result_type(*parts))
    while parts:
        part = parts.pop()
        n_rows -= len(part)
        joined[n_rows : n_rows + len(part)] = part
    return joined


def _range_of(block):
    if sp.issparse(block):
        return min_max_axis(block.tocsc(), axis=0)  # it would convert CSR rows twice
    return block.min(0), block.max(0)


def _wider(one, other):
    return np.minimum(one[0], other[0]), np.maximum(one[1], other[1])


def is_constant(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Whether columns with these extremes vary by no more than rounding.

    Neither the squares nor the inverse of a subnormal range are numbers: it counts as rounding.
    """
    tiny = np.finfo(np.float64).tiny
    return high - low <= np.maximum(1e-12 * np.maximum(abs(low), abs(high)), tiny)
