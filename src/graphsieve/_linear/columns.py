"""Centred columns of a matrix, dense or sparse, through the products that solvers need."""

from functools import cached_property

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms

from .._rows import BLOCK_BYTES, RowBlocks, is_constant, split_rows
from .._rows.scaling import MOSTLY_ZERO

# Products are cut into the same parts for every number of threads, so that sums round the same.
_N_PARTS = 4

# Dense data of at most this size stay in cache: batches of columns gain nothing.
_SMALL_BYTES = 4 * BLOCK_BYTES


def is_mostly_zero(X):
    """Whether a dense or sparse matrix has so few entries that it is better kept as CSR."""
    n_entries = X.nnz if sp.issparse(X) else np.count_nonzero(X)
    return n_entries < (1 - MOSTLY_ZERO) * np.prod(X.shape)


def compact(X):
    """A dense or sparse matrix as CSR where most entries are zero, else as it is."""
    return sp.csr_array(X) if is_mostly_zero(X) else X


def compact_rows(data):
    """Rows in memory as CSR where most entries are zero, else as they are."""
    X = data.resident()
    if X is None or data.is_sparse or not is_mostly_zero(X):
        return data
    return RowBlocks(sp.csr_array(X))


def square_rows(V):
    """Squared Euclidean norm of every row."""
    return np.einsum("ij,ij->i", V, V)


def varying_columns(data):
    """Indices of the columns that are not constant; of all columns when none varies."""
    varying = ~is_constant(*data.column_range())
    return np.flatnonzero(varying) if varying.any() else np.arange(data.n_features)


class Columns:
    """Centred columns, through the products that the solvers need.

    Dense data are centred once, in a copy. Sparse data stay as they are, and centring acts on the
    smaller side of each product. Products that cost more than reading the data are shared among
    threads.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
    workers : Workers, optional
        By default everything runs in this thread.

    Attributes
    ----------
    n_samples, n_features : int
    is_sparse : bool
    is_small : bool
        Whether the data stay in cache.
    is_wide : bool
        n_samples <= n_features: matrices of n x n are the smaller ones.
    index : ndarray of shape (n_features,)
        Positions of the columns in the data they were taken from.
    """

    def __init__(self, X, workers=None):
        self.n_samples, self.n_features = X.shape
        self.is_wide = self.n_samples <= self.n_features
        self.is_sparse = sp.issparse(X)
        self._map = map if workers is None else workers.map
        self._mean = np.zeros(self.n_features)
        if not self.is_sparse:
            self._X = X - X.mean(axis=0, dtype=np.float64)
        else:
            self._X, self._mean = _with_small_means(sp.csr_array(X, dtype=np.float64))
        self.is_small = not self.is_sparse and self._X.nbytes <= _SMALL_BYTES
        longer = max(self.n_samples, self.n_features)
        self._parts = split_rows(longer, -(-longer // _N_PARTS))
        self.index, self._n_all = np.arange(self.n_features), self.n_features

    @classmethod
    def varying(cls, data, workers=None, *, may_fill=False):
        """The columns of ``data``, Rows, that are not constant.

        Parameters
        ----------
        data : Rows
        workers : Workers, optional
        may_fill : bool, default=False
            Make sparse data dense where that is faster: unless most entries are zero and n <= d.
        """
        index = varying_columns(data)
        X = data.whole()
        if is_constant(*data.column_range()).all():
            X = np.zeros(X.shape)  # exactly: what centring leaves would be rounding errors
        X = compact(X if len(index) == data.n_features else X[:, index])
        if may_fill and sp.issparse(X) and (X.shape[0] > X.shape[1] or not is_mostly_zero(X)):
            X = X.toarray()
        columns = cls(X, workers)
        columns.index, columns._n_all = index, data.n_features
        return columns

    def expand(self, values):
        """``values``, one per column, for all columns of the data: zero for constant ones."""
        expanded = np.zeros((self._n_all, *values.shape[1:]))
        expanded[self.index] = values
        return expanded

    @cached_property
    def _by_column(self):
        """Sparse data with one row per column: products with dense matrices run along rows."""
        return sp.csr_array(self._X.T)

    @cached_property
    def root(self):
        """R with R R' = X X', of shape (n_samples, min(n_samples, n_features))."""
        if not self.is_wide:
            return self.dense()
        if not self.is_sparse:
            return np.linalg.qr(self._X.T, mode="r").T
        value, vector = np.linalg.eigh(self.gram())
        return vector * np.sqrt(np.maximum(value, 0))

    def dense(self):
        """X itself."""
        return self._X.toarray() - self._mean if self.is_sparse else self._X

    def take(self, columns):
        """Some columns as a dense array; ``columns`` is an index array or a slice."""
        if self.is_sparse:
            return self._by_column[columns].toarray().T - self._mean[columns]
        return self._X[:, columns]

    def norms(self):
        """Euclidean norm of every column."""
        if not self.is_sparse:
            return row_norms(self._X.T)
        X = self._X
        stored = np.bincount(X.indices, minlength=self.n_features)
        deviation = (X.data - self._mean[X.indices]) ** 2
        square = np.bincount(X.indices, deviation, minlength=self.n_features)
        return np.sqrt(square + (self.n_samples - stored) * self._mean**2)

    def products(self, V):
        """X'V."""
        if self.is_sparse:
            return self._by_column @ V - np.outer(self._mean, V.sum(axis=0))
        return (V.T @ self._X).T

    def times(self, W):
        """X W, for n <= d."""
        if not self.is_sparse:
            return self._sum(lambda part: self._X[:, part] @ W[part])
        return self._X @ W - self._mean @ W

    def squares(self, V):
        """|V'x_j|^2 for every column x_j."""
        X = self._X.T
        if self.is_sparse:
            X, V = self._by_column, V - V.mean(axis=0)
        parts = self._parts if self.is_wide else [slice(None)]
        return np.concatenate([*self._map(lambda part: square_rows(X[part] @ V), parts)])

    def gram(self, scale=None):
        """X diag(scale) X', n x n; without ``scale``, X X'."""
        if not self.is_sparse:
            X = self._X if scale is None else self._X * np.sqrt(scale)
            return self._sum(lambda part: X[:, part] @ X[:, part].T)
        scaled = self._X if scale is None else self._X * scale
        product = (scaled @ self._by_column).toarray()
        product -= product.mean(axis=0)
        product -= product.mean(axis=1, keepdims=True)
        return product

    def feature_gram(self, weight):
        """X' diag(weight) X, d x d, for dense data with n > d."""
        scaled = np.sqrt(weight)[:, None] * self._X
        return self._sum(lambda part: scaled[part].T @ scaled[part])

    def residual_squares(self, W):
        """|X_i - X_i W|^2 for every sample, for dense data with n > d."""
        return self.join(lambda part: square_rows(self._X[part] - self._X[part] @ W))

    def correlation(self, weight=1.0):
        """|X' diag(weight) x_j| for every column x_j: how well it represents all columns."""
        return np.sqrt(self.squares(np.reshape(weight, (-1, 1)) * self.root))

    def join(self, function):
        """The results of ``function`` for slices of the longer side, concatenated."""
        return np.concatenate([*self._map(function, self._parts)])

    def _sum(self, function):
        return sum(self._map(function, self._parts))


def _with_small_means(X):
    """CSR columns and their means, with the mean taken out of columns that store every entry.

    There it costs no memory, and a large offset would cancel in products.
    """
    n_samples, n_features = X.shape
    mean = np.bincount(X.indices, X.data, minlength=n_features) / n_samples
    full = np.bincount(X.indices, minlength=n_features) == n_samples
    if full.any():
        X = X.copy()
        X.data -= np.where(full, mean, 0.0)[X.indices]
        mean = np.where(full, 0.0, mean)
    return X, mean
