"""Products with centred columns, for every storage and without a square matrix."""

from functools import partial

import numpy as np
import scipy.sparse as sp

from .._rows import BLOCK_BYTES

# With more vectors than this, one matrix product is faster than one product per vector.
_FEW_VECTORS = 4


class ColumnOperator:
    """The centred and scaled columns Z = (X - mean) * factor as a linear operator.

    A product costs one pass over the rows, wherever they are stored. Sparse data stay sparse:
    they are centred in the results.

    Parameters
    ----------
    data : Rows
    factor : ndarray of shape (n_features,), optional
        What each column is multiplied with; ones by default.

    Attributes
    ----------
    n_samples, n_features : int
    squares : ndarray of shape (n_features,)
        Squared norm of every column; 0 for columns that are constant up to rounding.
    """

    def __init__(self, data, factor=None):
        self.n_samples, self.n_features = data.n_samples, data.n_features
        mean, variance = data.column_moments()
        factor = np.ones(len(mean)) if factor is None else factor
        constant = variance <= (1e-12 * mean) ** 2
        factor = np.where(constant, 0.0, factor)
        self.squares = data.n_samples * variance * factor**2
        self._mean, self._factor = mean, factor
        self.is_sparse = data.is_sparse
        self._data = data if data.is_sparse else data.scaled(mean, factor, np.float64)

    def column(self, j):
        """Column j of Z."""
        column = self._data.stack(partial(_column, j))
        return (column - self._mean[j]) * self._factor[j] if self.is_sparse else column

    def products(self, V):
        """V Z, one row for every row of V."""
        V = np.asarray(V, dtype=np.float64)
        out = self._data.reduce(_products, np.ascontiguousarray(V.T), block_bytes=BLOCK_BYTES)
        if self.is_sparse:
            out -= np.outer(V.sum(axis=1), self._mean)
            out *= self._factor
        return out

    def quadratic_forms(self, M):
        """z_j' M z_j for every column, for few samples."""
        if self.is_sparse:
            M = M - M.mean(axis=0)  # centring M on both sides replaces centring the columns
            M = M - M.mean(axis=1, keepdims=True)
        products = self._data.whole()
        forms = (
            products.multiply(M @ products).sum(axis=0)
            if self.is_sparse
            else np.einsum("ij,ij->j", products, M @ products)
        )
        return np.asarray(forms).ravel() * (self._factor**2 if self.is_sparse else 1)

    def combine(self, W):
        """Z W for weights W of shape (n_features, k)."""
        if not self.is_sparse:
            return self._data.stack(partial(_combine, W))
        W = self._factor[:, None] * W
        return self._data.stack(partial(_combine, W)) - self._mean @ W


def _products(block, V):
    """V' X for a block X and one row of V per row of it."""
    if sp.issparse(block):
        return (block.T @ V).T
    if V.shape[1] > _FEW_VECTORS:
        return V.T @ block
    return np.array([v @ block for v in V.T])


def _column(j, block):
    if not sp.issparse(block):
        return block[:, j].astype(np.float64)
    unit = np.zeros(block.shape[1])
    unit[j] = 1
    return block @ unit  # many times faster than slicing a column out of CSR rows


def _combine(W, block):
    return block @ W
