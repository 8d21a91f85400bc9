"""Rows: what all kinds of storage have in common, as sums over blocks of rows."""

import operator
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import min_max_axis

# What one block of dense floats may take: it should stay in a core's second-level cache.
BLOCK_BYTES = 2**20
# A block of a pass that does little to each row: small enough to add nothing to the memory in
# use, large enough that the time between blocks does not count.
PASS_BYTES = 8 * BLOCK_BYTES


def split_rows(n_samples, block_rows):
    """Slices of nearly equal length, at most ``block_rows`` each, that cover all rows."""
    n_blocks = -(-n_samples // block_rows)
    edges = [n_samples * block // n_blocks for block in range(n_blocks + 1)] if n_blocks else []
    return [slice(a, b) for a, b in pairwise(edges)]


class Rows:
    """Rows of a table of floats that may be anywhere.

    A subclass sets the attributes and the methods ``reduce``, ``reduce_pairs``, ``scaled``,
    ``parts``, ``stored`` and ``whole``.

    Attributes
    ----------
    n_samples, n_features : int
    dtype : float type
        Of the blocks.
    is_sparse : bool
        Whether blocks are CSR arrays.
    in_memory : bool
        Whether all rows are in the memory of this process, so that they may be used at once.
    is_distributed : bool
        Whether the rows are in other processes.
    is_on_device : bool
        Whether the rows are in an array of another library, perhaps on another device.
    """

    is_sparse = False
    in_memory = False
    is_distributed = False
    is_on_device = False

    def reduce(self, function, *aligned, combine=operator.add, block_bytes=PASS_BYTES):
        """``function(block, *rows of aligned)`` over all blocks, put together by ``combine``.

        Parameters
        ----------
        function : callable
            Where rows are in other processes it goes there, with what it refers to.
        aligned : arrays with one row per sample
        combine : callable
            Of two results, in the order of the rows.
        block_bytes : int
            A block as a dense array takes about as much.
        """
        raise NotImplementedError

    def reduce_pairs(self, function, i, j, *aligned, combine=operator.add):
        """``function(rows i, rows j, *aligned)`` over blocks of pairs, in any order, combined.

        ``i``, ``j`` and ``aligned`` have one entry per pair.
        """
        raise NotImplementedError

    def scaled(self, offset, factor, dtype):
        """``(X - offset) * factor`` column by column, as Rows of that dtype.

        For sparse data a non-zero offset is allowed only in columns that store every entry:
        elsewhere it would turn the zeros into something else.
        """
        raise NotImplementedError

    def parts(self, make, *aligned, workers):
        """``make(rows, *aligned)`` for every part of the rows, kept where the rows are.

        Returns LocalParts, or what works like them.
        """
        raise NotImplementedError

    def take(self, rows):
        """Rows with these numbers, an array, as Rows in memory."""
        raise ValueError(
            'this kind of data does not allow rows to be drawn at random: use solver="lbfgs", '
            "or load the data into memory"
        )

    def stored(self):
        """The same rows where any of them can be read at any time."""
        return self

    def whole(self):
        """All rows at once, in the memory of this process, as a float ndarray or CSR array."""
        raise NotImplementedError

    def to_device(self, array):
        """A NumPy array as one of the kind that the rows are in."""
        return array

    def stack(self, function, *aligned):
        """The arrays that ``function`` returns for every block, one below the other."""
        return np.concatenate(self.reduce(_Listed(function), *aligned))

    def column_range(self):
        """Smallest and largest entry of every column; NaN and infinity show in them."""
        return self._range

    def column_moments(self):
        """Mean and population variance of every column, in two passes."""
        return self._moments

    @cached_property
    def _range(self):
        return self.reduce(_range_of, combine=_wider)

    @cached_property
    def _moments(self):
        mean = self.reduce(_column_sums) / self.n_samples
        return mean, self.reduce(partial(_squared_deviations, mean)) / self.n_samples


class _Listed:
    """A function whose result comes in a list, so that lists of results can be added."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        return [self.function(*args)]


def _range_of(block):
    return min_max_axis(block, axis=0) if sp.issparse(block) else (block.min(0), block.max(0))


def _wider(one, other):
    return np.minimum(one[0], other[0]), np.maximum(one[1], other[1])


def _column_sums(block):
    return block.sum(axis=0, dtype=np.float64)


def _squared_deviations(mean, block):
    if not sp.issparse(block):
        return ((block - mean) ** 2).sum(axis=0)
    stored = np.bincount(block.indices, minlength=len(mean))
    deviation = (block.data - mean[block.indices]) ** 2
    square = np.bincount(block.indices, deviation, minlength=len(mean))
    return square + (block.shape[0] - stored) * mean**2


def is_constant(low, high):
    """Whether columns with these extremes vary by no more than rounding."""
    return high - low <= 1e-12 * np.maximum(abs(low), abs(high))


def find_non_finite(data):
    """(row, column) of the first NaN or infinity in ``data``, Rows."""
    return data.reduce(_first_non_finite, np.arange(data.n_samples), combine=_first_found)


def _first_non_finite(block, number):
    if sp.issparse(block):
        block = block.tocoo()
        bad = np.flatnonzero(~np.isfinite(block.data))
        return (int(number[block.row[bad[0]]]), int(block.col[bad[0]])) if bad.size else None
    bad = np.argwhere(~np.isfinite(block))
    return (int(number[bad[0, 0]]), int(bad[0, 1])) if bad.size else None


def _first_found(one, other):
    return other if one is None else one
