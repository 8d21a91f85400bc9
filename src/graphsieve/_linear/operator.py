"""Products with centred columns, for every storage and without a square matrix."""

from contextlib import nullcontext
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp

from .._rows import BLOCK_BYTES, RowBlocks
from .._utils.threads import Workers

# Entries, zeros included, from which threads are worth starting for a single product.
_LARGE = 2**24
# With more vectors than this, one matrix product is faster than one product per vector, and the
# precision of the rows is enough for the directions and estimates that such products serve.
_FEW_VECTORS = 4
# Sparse rows that are multiplied at a time. In blocks of 8 MB, the slices and the dense results
# take as long as the products.
_SPARSE_BYTES = 2**26


class ColumnOperator:
    """The centred columns Z = X - mean as a linear operator.

    A product is one pass over the rows, wherever they are stored. The rows are used as they are and
    centred in the results, so sparse data stay sparse. Products with few vectors are in double
    precision for sparse rows, products with many in the precision of the rows.

    Parameters
    ----------
    data : Rows
    squares : ndarray of shape (n_features,), optional
        Squared norms of the columns, for data that are centred columns in other coordinates.
    n_jobs : int or None, default=None
        Number of threads for large data.

    Attributes
    ----------
    n_samples, n_features : int
    mean : ndarray of shape (n_features,)
        What was subtracted from every column.
    squares : ndarray of shape (n_features,)
        Squared norm of every column; 0 for columns that are constant up to rounding.
    """

    def __init__(self, data, *, squares=None, n_jobs=None):
        self._data, self._n_jobs = data, n_jobs
        self.n_samples, self.n_features = data.n_samples, data.n_features
        if squares is None:
            self.mean, self.squares = data.column_moments()[0], centred_squares(data)
        else:
            self.mean, self.squares = np.zeros(data.n_features), squares

    @cached_property
    def _double(self):
        """The rows in double precision if they are sparse and in memory.

        SciPy would convert them in every product, which takes as long as the product itself.
        """
        X = self._data.resident()
        if not self._data.is_sparse or X is None or X.dtype == np.float64:
            return self._data
        return RowBlocks(X.astype(np.float64))

    def column(self, j):
        """Column j of Z."""
        with self._workers() as workers:
            return self._data.stack(partial(_column, j), workers=workers) - self.mean[j]

    def products(self, V):
        """V Z, one row for every row of V."""
        V = np.asarray(V, dtype=np.float64)
        # Dense blocks stay in cache for all vectors. The result for a sparse block is dense.
        block_bytes = _SPARSE_BYTES if self._data.is_sparse else BLOCK_BYTES
        data = self._double if len(V) <= _FEW_VECTORS else self._data
        columns = np.ascontiguousarray(V.T)
        with self._workers() as workers:
            out = data.reduce(_products, columns, block_bytes=block_bytes, workers=workers)
        # In place: with many vectors, each such array is large. Sums of a cluster are read-only.
        shift = np.outer(V.sum(axis=1), self.mean)
        return np.subtract(out, shift, out=shift)

    def combine(self, W):
        """Z W for weights W of shape (n_features, k)."""
        data = self._double if W.shape[1] <= _FEW_VECTORS else self._data
        with self._workers() as workers:
            return data.stack(partial(_combine, W), workers=workers) - self.mean @ W

    def _workers(self):
        large = self.n_samples * self.n_features > _LARGE
        return Workers(self._n_jobs) if large else nullcontext()

    def quadratic_forms(self, M):
        """z_j' M z_j for every column, for few samples."""
        X = self._data.whole()
        if self.mean.any():
            # Centring M on both sides replaces centring the columns.
            M = M - M.mean(axis=0)
            M -= M.mean(axis=1, keepdims=True)
        if sp.issparse(X):
            return np.asarray(X.multiply(M @ X).sum(axis=0)).ravel()
        return np.einsum("ij,ij->j", X, M @ X, dtype=np.float64)


def centred_squares(data):
    """Squared norms of the centred columns of Rows; 0 for columns that vary by rounding only."""
    mean, variance = data.column_moments()
    return np.where(variance <= (1e-12 * mean) ** 2, 0.0, data.n_samples * variance)


def _column(j, block):
    if not sp.issparse(block):
        return block[:, j].astype(np.float64)
    # Several times faster than a product with a unit vector, or than slicing CSR rows.
    found = np.flatnonzero(block.indices == j)
    column = np.zeros(block.shape[0])
    column[np.searchsorted(block.indptr, found, side="right") - 1] = block.data[found]
    return column


def _products(block, V):
    """V' X in double precision for a block X and one row of V per row of it."""
    many = V.shape[1] > _FEW_VECTORS
    if many or not sp.issparse(block):
        V = V.astype(block.dtype, copy=False)
    if sp.issparse(block):
        return (_transposed(block) @ V).T.astype(np.float64, copy=False)
    if many:
        return (V.T @ block).astype(np.float64, copy=False)
    return np.array([v @ block for v in V.T], dtype=np.float64)


def _transposed(block):
    """The transpose of CSR rows without a copy, which SciPy makes of a small part of an array."""
    transposed = sp.csc_array(block.shape[::-1], dtype=block.dtype)
    transposed.data, transposed.indices = block.data, block.indices
    transposed.indptr = block.indptr
    return transposed


def _combine(W, block):
    if W.shape[1] > _FEW_VECTORS:
        W = W.astype(block.dtype, copy=False)
    return block @ W
