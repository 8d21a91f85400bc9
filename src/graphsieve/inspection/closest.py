"""Which kept feature is closest to a dropped one, for every number of kept features."""

from dataclasses import dataclass

import numpy as np

from .._rows.scaling import standardised
from .._utils.threads import blas_for_table

_BLOCK = 256


@dataclass(frozen=True)
class Representatives:
    """The most correlated feature among the first k of a ranking, for all k at once.

    As k grows, the closest feature of a column changes only a few times. Record r says: from
    ``position[r]`` (0 is the best feature) on, the feature at this position of the ranking is the
    closest to the column, with correlation ``correlation[r]``. The records of column j are
    ``start[j]`` to ``start[j + 1]``.

    Attributes
    ----------
    start : ndarray of shape (n_features + 1,)
    position : ndarray of shape (n_records,)
    correlation : ndarray of shape (n_records,)
        Signed; its absolute value increases within a column.
    """

    start: np.ndarray
    position: np.ndarray
    correlation: np.ndarray

    def at(self, n_kept):
        """Closest of the first ``n_kept`` features of the ranking for every column.

        Parameters
        ----------
        n_kept : int

        Returns
        -------
        position : ndarray of shape (n_features,)
            Position in the ranking; -1 for a constant column.
        correlation : ndarray of shape (n_features,)
        """
        count = len(self.start) - 1
        position, correlation = np.full(count, -1), np.zeros(count)
        column = np.repeat(np.arange(count), np.diff(self.start))
        # Later records of a column overwrite earlier ones.
        known = self.position < n_kept
        position[column[known]] = self.position[known]
        correlation[column[known]] = self.correlation[known]
        return position, correlation


@blas_for_table
def representatives(X, order, n_kept):
    """Find the most correlated of the first k features for every column and all k <= n_kept.

    A feature does not represent itself: its records stop where it is kept.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Dense, without missing values.
    order : array of int
        Columns, best first.
    n_kept : int
        Number of features of the ranking that are considered.

    Returns
    -------
    Representatives

    Examples
    --------
    >>> import numpy as np
    >>> from graphsieve.inspection import representatives
    >>> a, b = np.random.default_rng(0).normal(size=(2, 100))
    >>> closest = representatives(np.column_stack([a, b, -a]), order=[1, 0, 2], n_kept=2)
    >>> closest.at(2)[0].tolist(), closest.at(2)[1].round(2).tolist()[2]
    ([0, -1, 1], -1.0)
    """
    X = np.asarray(X, dtype=np.float64)
    order = np.asarray(order)[:n_kept]
    Z = standardised(X)[0] / np.sqrt(len(X))
    n_features = X.shape[1]
    # From its own position on, a feature is kept and needs no representative.
    own = np.full(n_features, n_kept)
    own[order] = np.arange(len(order))
    best = np.zeros(n_features)
    found = []
    for first in range(0, len(order), _BLOCK):
        positions = np.arange(first, min(first + _BLOCK, len(order)))
        correlation = Z[:, order[positions]].T @ Z
        size = np.abs(correlation)
        size[positions[:, None] >= own] = 0
        before = np.maximum.accumulate(np.vstack([best, size]))
        # Rounding does not make an equally correlated feature a closer one.
        row, column = np.nonzero(size > before[:-1] + 1e-9)
        found.append((column, positions[row], correlation[row, column]))
        best = before[-1]
    column, position, value = map(np.concatenate, zip(*found, strict=True))
    by_column = np.lexsort((position, column))
    start = np.searchsorted(column[by_column], np.arange(n_features + 1))
    return Representatives(start, position[by_column], np.clip(value[by_column], -1, 1))
