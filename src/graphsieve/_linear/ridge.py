"""Prediction of the dropped columns from the kept ones: ridge regression in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

# Ridge penalty relative to the mean squared length of the kept columns, so that units do not
# matter. A few columns need next to none; with as many columns as rows the error on new rows
# explodes without it.
_RIDGE = 0.3
# Keeps the system solvable if every kept column is constant.
_TINY = np.finfo(float).tiny ** 0.5


def ridge_penalty(energy: float, k: int, n: int) -> float:
    """0.3 min(1, k / n) times the mean squared length of k centred columns of n rows.

    ``energy`` is the sum of these squared lengths.
    """
    return _RIDGE * min(1, k / n) * energy / k + _TINY


@dataclass(frozen=True)
class Reconstruction:
    """Linear map from the kept to the dropped columns.

    Attributes
    ----------
    coef : ndarray of shape (n_kept, n_dropped)
    mean_kept : ndarray of shape (n_kept,)
    mean_dropped : ndarray of shape (n_dropped,)
    """

    coef: np.ndarray
    mean_kept: np.ndarray
    mean_dropped: np.ndarray

    def predict(self, X_kept: np.ndarray) -> np.ndarray:
        """The dropped columns, from rows of the kept ones."""
        return (X_kept - self.mean_kept) @ self.coef + self.mean_dropped


def fit_reconstruction(data, kept: np.ndarray) -> Reconstruction:
    """Ridge regression of the dropped on the kept columns.

    Parameters
    ----------
    data : Rows
    kept : ndarray of bool of shape (n_features,)
    """
    n, k = data.n_samples, int(kept.sum())
    low, high = data.column_range()
    # Shifted by about their mean, the products lose no digits; zeros of sparse data must stay.
    shift = np.zeros(k) if data.is_sparse else low[kept] / 2 + high[kept] / 2
    products, kept_sum, all_sum = data.reduce(partial(_sums, shift, kept), combine=_add)
    # Differences of large sums retain rounding errors, which must not outweigh the penalty.
    rounding = 4 * k * np.finfo(float).eps * np.trace(products[:, kept]) if data.is_sparse else 0.0
    mean = all_sum / n
    products -= np.outer(kept_sum, mean)
    G, C = products[:, kept], products[:, ~kept]
    G[np.diag_indices(k)] += ridge_penalty(max(np.trace(G), 0.0), k, n) + rounding
    coef = cho_solve(cho_factor(G, overwrite_a=True), C, overwrite_b=True)
    return Reconstruction(coef, mean[kept], mean[~kept])


def _sums(shift, kept, block):
    """Shifted kept columns times all columns, and the sums of both, over a block of rows."""
    if sp.issparse(block):
        block = block.astype(np.float64, copy=False)
        some = block[:, kept]
        return (some.T @ block).toarray(), some.sum(axis=0), block.sum(axis=0)
    some = block[:, kept] - shift.astype(np.float64)
    return some.T @ block, some.sum(axis=0), block.sum(axis=0, dtype=np.float64)


def _add(one, other):
    return tuple(map(np.add, one, other))
