"""Inner products of columns, for solvers that touch few of them."""

import numpy as np
import scipy.sparse as sp

from .._rows import BLOCK_BYTES, column_moments

# From this share of zeros on, sparse products are the faster ones.
_MOSTLY_ZERO = 0.9

# Columns whose inner products are computed in one pass over X where that is the faster way.
_AHEAD = 16


def is_mostly_zero(X):
    """Whether a dense or sparse matrix has so few entries that it is better kept as CSR."""
    n_entries = X.nnz if sp.issparse(X) else np.count_nonzero(X)
    return n_entries < (1 - _MOSTLY_ZERO) * np.prod(X.shape)


class Columns:
    """Inner products of the centred columns of a dense or CSR matrix, kept once computed."""

    def __init__(self, X):
        X = sp.csr_array(X) if is_mostly_zero(X) else X
        self.n_samples, self.n_features = X.shape
        self._mean, self._variance = column_moments(X)
        # Sparse data stay as they are: products with centred vectors need no centred matrix.
        self._X = X.astype(np.float64) if sp.issparse(X) else X - self._mean
        self._is_small = not sp.issparse(X) and self._X.nbytes <= 2 * BLOCK_BYTES  # stays in cache
        self._position = np.full(self.n_features, -1)
        self._n_kept = 0
        self._kept = np.empty((min(64, self.n_features), self.n_features))  # a row per column kept

    def products(self, V):
        """X'V for ``V`` whose columns have mean zero."""
        return self._X.T @ V

    def norms(self):
        """Length of every centred column."""
        return np.sqrt(self.n_samples * self._variance)

    def residual_products(self, XtY, W):
        """X'(Y - X W), from X'Y and weights most of whose rows are zero."""
        rows = np.flatnonzero(W.any(axis=1))
        return XtY - self.combine(rows, W[rows])

    def keep(self, columns):
        """Compute the products with these columns ahead of their use."""
        absent = self._position[columns] < 0
        if absent.any():
            self._keep_new(np.unique(columns[absent]))

    def _keep_new(self, new):
        needed = self._n_kept + len(new)
        if needed > len(self._kept):
            grown = np.empty((min(2 * needed, self.n_features), self.n_features))
            grown[: self._n_kept] = self._kept[: self._n_kept]
            self._kept = grown
        self._kept[self._n_kept : needed] = self._centred(new).T @ self._X
        self._position[new] = np.arange(self._n_kept, needed)
        self._n_kept = needed

    def combine(self, columns, W):
        """X'X W for weights ``W`` of the given columns, all others zero."""
        self.keep(columns)
        position = self._position[columns]
        if 2 * len(columns) < self._n_kept:
            return self._kept[position].T @ W
        # With most of them in use, zeros for the rest cost less than a copy.
        weights = np.zeros((self._n_kept, *W.shape[1:]))
        weights[position] = W
        return self._kept[: self._n_kept].T @ weights

    def with_column(self, j, promise):
        """Inner products of all columns with column j.

        Where a pass over X for one column takes as long as for several, those of the largest
        ``abs(promise)`` are kept as well.
        """
        if self._position[j] < 0:
            self._keep_new(np.array([j]) if self._is_small else self._with_likely(j, abs(promise)))
        return self._kept[self._position[j]]

    def _with_likely(self, j, promise):
        promise = np.where(self._position < 0, promise, -1)
        n_columns = min(_AHEAD, self.n_features - self._n_kept)
        likely = np.argpartition(-promise, n_columns - 1)[:n_columns]
        return np.union1d(likely, j)

    def gram(self, columns):
        """Inner products among the given columns."""
        self.keep(columns)
        return self._kept[np.ix_(self._position[columns], columns)]

    def _centred(self, columns):
        if sp.issparse(self._X):
            return self._X[:, columns].toarray() - self._mean[columns]
        return self._X[:, columns]
