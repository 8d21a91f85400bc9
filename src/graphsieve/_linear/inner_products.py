"""Inner products of columns, for solvers that touch few of them."""

import numpy as np

# Columns whose inner products are computed in one pass over X where that is the faster way.
_AHEAD = 16


class InnerProducts:
    """Inner products of all Columns with those that a solver asks for, kept once computed.

    Neither X'X nor XX' is formed.
    """

    def __init__(self, columns):
        self._columns = columns
        self.n_features = columns.n_features
        self._position = np.full(self.n_features, -1)
        self._n_kept = 0
        self._kept = np.empty((min(64, self.n_features), self.n_features))  # a row per column kept

    def residual_products(self, XtY, W):
        """X'(Y - X W), from X'Y and weights most of whose rows are zero."""
        rows = np.flatnonzero(W.any(axis=1))
        return XtY - self.combine(rows, W[rows])

    def keep(self, columns):
        """Compute the products with these columns before they are needed."""
        absent = self._position[columns] < 0
        if absent.any():
            self._keep_new(np.unique(columns[absent]))

    def _keep_new(self, new):
        needed = self._n_kept + len(new)
        if needed > len(self._kept):
            grown = np.empty((min(2 * needed, self.n_features), self.n_features))
            grown[: self._n_kept] = self._kept[: self._n_kept]
            self._kept = grown
        self._kept[self._n_kept : needed] = self._columns.products(self._columns.take(new)).T
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

        Where a pass over X takes as long for several columns as for one, those of the columns
        with the largest ``abs(promise)`` are computed as well.
        """
        if self._position[j] < 0:
            alone = self._columns.is_small
            self._keep_new(np.array([j]) if alone else self._with_likely(j, abs(promise)))
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
