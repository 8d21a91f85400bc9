"""Products with centred columns, for every storage and without a square matrix."""

from contextlib import nullcontext
from functools import partial

import numpy as np
import scipy.sparse as sp

from .._rows import BLOCK_BYTES, PASS_BYTES
from .._utils.threads import Workers

# Entries, zeros included, from which threads are worth starting for a single product.
_LARGE = 2**27
# With more vectors than this, one matrix product is faster than one product per vector.
_FEW_VECTORS = 4


class ColumnOperator:
    """The centred columns Z = X - mean as a linear operator.

    A product is one pass over the rows, wherever they are stored, in their precision. The rows are
    used as they are and centred in the results, so sparse data stay sparse.

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
    squares : ndarray of shape (n_features,)
        Squared norm of every column; 0 for columns that are constant up to rounding.
    """

    def __init__(self, data, *, squares=None, n_jobs=None):
        self._data, self._n_jobs = data, n_jobs
        self.n_samples, self.n_features = data.n_samples, data.n_features
        if squares is None:
            self._mean, self.squares = data.column_moments()[0], centred_squares(data)
        else:
            self._mean, self.squares = np.zeros(data.n_features), squares

    def column(self, j):
        """Column j of Z."""
        with self._workers() as workers:
            return self._data.stack(partial(_column, j), workers=workers) - self._mean[j]

    def products(self, V):
        """V Z, one row for every row of V."""
        V = np.asarray(V, dtype=np.float64)
        # Dense blocks stay in cache for all vectors. The result for a sparse block is dense.
        block_bytes = PASS_BYTES if self._data.is_sparse else BLOCK_BYTES
        columns = np.ascontiguousarray(V.T)
        with self._workers() as workers:
            out = self._data.reduce(_products, columns, block_bytes=block_bytes, workers=workers)
        return out - np.outer(V.sum(axis=1), self._mean)

    def combine(self, W):
        """Z W for weights W of shape (n_features, k)."""
        with self._workers() as workers:
            return self._data.stack(partial(_combine, W), workers=workers) - self._mean @ W

    def _workers(self):
        large = self.n_samples * self.n_features > _LARGE
        return Workers(self._n_jobs) if large else nullcontext()

    def quadratic_forms(self, M):
        """z_j' M z_j for every column, for few samples."""
        X = self._data.whole()
        if self._mean.any():
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
    unit = np.zeros(block.shape[1])
    unit[j] = 1
    return block @ unit  # many times faster than slicing a column out of CSR rows


def _products(block, V):
    """V' X in double precision for a block X and one row of V per row of it."""
    if sp.issparse(block):
        return (block.T @ V).T
    V = V.astype(block.dtype, copy=False)
    if V.shape[1] > _FEW_VECTORS:
        return (V.T @ block).astype(np.float64, copy=False)
    return np.array([v @ block for v in V.T], dtype=np.float64)


def _combine(W, block):
    if W.shape[1] > _FEW_VECTORS:
        W = W.astype(block.dtype, copy=False)
    return block @ W
