"""Row blocks over dense, CSR and memory-mapped data: the only file that knows storage.

Everything above asks for a block of rows and gets it as floats, whatever the data lie in. Dense
arrays in memory and CSR matrices are scaled once; memory-mapped ones block by block, every time,
so that no copy of the whole is ever made.
"""

import mmap
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import min_max_axis

# What one block of dense floats may take: it should stay in a core's second-level cache.
BLOCK_BYTES = 2**20


def is_mapped(X):
    """Whether an array's memory belongs to a file."""
    while X is not None:
        if isinstance(X, np.memmap | mmap.mmap):
            return True
        X = getattr(X, "base", None)
    return False


def split_rows(n_samples, block_rows):
    """Slices of nearly equal length, at most ``block_rows`` each, that cover all rows."""
    n_blocks = -(-n_samples // block_rows)
    edges = np.linspace(0, n_samples, n_blocks + 1).astype(int)
    return [slice(a, b) for a, b in pairwise(edges.tolist())]


class RowBlocks:
    """Rows of ``(X - offset) * factor`` in floats of type ``dtype``, a block at a time.

    Parameters
    ----------
    X : ndarray, memory map or CSR matrix of shape (n_samples, n_features)
    offset, factor : ndarray of shape (n_features,), optional
        For CSR data a non-zero offset is allowed only in columns that store every entry:
        elsewhere it would turn the zeros into something else.
    dtype : float type, default float64, or float32 for float32 data
    """

    def __init__(self, X, *, offset=None, factor=None, dtype=None):
        self.n_samples, self.n_features = X.shape
        self.is_sparse = sp.issparse(X)
        self.is_mapped = not self.is_sparse and is_mapped(X)
        if dtype is None:
            dtype = np.float32 if X.dtype == np.float32 else np.float64
        self.dtype = np.dtype(dtype)
        # csr_array sums to plain arrays where csr_matrix gives matrices.
        self._X = sp.csr_array(X) if self.is_sparse else X
        self._offset, self._factor = offset, factor
        if offset is not None and self.is_sparse:
            self._X = _scale_csr(self._X, offset, factor, self.dtype)
        elif offset is not None and not self.is_mapped:
            self._X = _scale_into(np.empty(X.shape, self.dtype), X, offset, factor)
        self._scale_on_read = offset is not None and self.is_mapped

    def scaled(self, offset, factor, dtype):
        """The same rows shifted and multiplied column by column, instead of any earlier scaling."""
        return RowBlocks(self._X, offset=offset, factor=factor, dtype=dtype)

    def whole(self):
        """All rows at once, as a float ndarray or CSR matrix, for methods that need them."""
        if self.is_sparse:
            return self._X.astype(self.dtype, copy=False)
        return self.dense(slice(0, self.n_samples))

    def rows(self, rows):
        """Rows as they are stored: an ndarray or a CSR matrix, in floats."""
        if self.is_sparse:
            return self._X[rows].astype(self.dtype, copy=False)
        return self.dense(rows)

    def dense(self, rows, out=None):
        """Rows as a dense array: a view where no work is needed, else written into ``out``.

        ``rows`` is a slice or an array of row numbers, as in ``rows()``.
        """
        picked = self._X[rows]
        if not (self.is_sparse or self._scale_on_read) and self._X.dtype == self.dtype:
            return np.asarray(picked)
        if out is None:
            out = np.empty(picked.shape, self.dtype)
        if self.is_sparse:
            out[:] = 0
            return picked.astype(self.dtype, copy=False).toarray(out=out)
        if self._scale_on_read:
            return _scale_into(out, picked, self._offset, self._factor)
        out[:] = picked
        return out

    def slices(self, block_bytes=BLOCK_BYTES, n_parts=1):
        """Row slices of at most about ``block_bytes`` each, in ``n_parts`` lists of equal work."""
        bytes_per_row = self.n_features * self.dtype.itemsize
        block_rows = max(1, int(block_bytes // bytes_per_row))
        parts = split_rows(self.n_samples, -(-self.n_samples // n_parts))
        return [
            [
                slice(part.start + s.start, part.start + s.stop)
                for s in split_rows(part.stop - part.start, block_rows)
            ]
            for part in parts
        ]

    def __iter__(self):
        """(slice, rows) for each block: CSR for sparse data, else dense."""
        for rows in self.slices(16 * BLOCK_BYTES)[0]:
            yield rows, self.rows(rows)

    def column_range(self):
        """Smallest and largest entry of every column; NaN and infinity show in them."""
        if self.is_sparse:
            return min_max_axis(self._X, axis=0)
        low = np.full(self.n_features, np.inf)
        high = np.full(self.n_features, -np.inf)
        for _, block in self:
            np.minimum(low, block.min(axis=0), out=low)
            np.maximum(high, block.max(axis=0), out=high)
        return low, high

    def column_moments(self):
        """Mean and population variance of every column, in two passes."""
        mean, square = np.zeros(self.n_features), np.zeros(self.n_features)
        for _, block in self:
            mean += block.sum(axis=0, dtype=np.float64)
        mean /= self.n_samples
        if self.is_sparse:
            stored = np.bincount(self._X.indices, minlength=self.n_features)
            deviation = (self._X.data - mean[self._X.indices]) ** 2
            square = np.bincount(self._X.indices, deviation, minlength=self.n_features)
            square += (self.n_samples - stored) * mean**2
        else:
            for _, block in self:
                square += ((block - mean) ** 2).sum(axis=0)
        return mean, square / self.n_samples


def is_constant(low, high):
    """Whether columns with these extremes vary by no more than rounding."""
    return high - low <= 1e-12 * np.maximum(abs(low), abs(high))


def find_non_finite(data):
    """(row, column) of the first NaN or infinity in ``data``, a RowBlocks."""
    for rows, block in data:
        if data.is_sparse:
            block = block.tocoo()
            bad = np.flatnonzero(~np.isfinite(block.data))
            if bad.size:
                return rows.start + int(block.row[bad[0]]), int(block.col[bad[0]])
        else:
            bad = np.argwhere(~np.isfinite(block))
            if bad.size:
                return rows.start + int(bad[0, 0]), int(bad[0, 1])
    return None


def _scale_into(out, X, offset, factor):
    np.subtract(X, offset, out=out, casting="unsafe")
    out *= factor.astype(out.dtype)
    return out


def _scale_csr(X, offset, factor, dtype):
    data = ((X.data - offset[X.indices]) * factor[X.indices]).astype(dtype)
    return sp.csr_array((data, X.indices, X.indptr), shape=X.shape)
