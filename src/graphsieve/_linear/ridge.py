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
    mean = data.column_moments()[0]
    k = int(kept.sum())
    products = data.reduce(partial(_products, mean, kept))
    rounding = 0.0
    if data.is_sparse:
        # Of a column with a large mean the difference retains only rounding errors.
        rounding = 4 * k * np.finfo(float).eps * np.trace(products[:, kept])
        products -= data.n_samples * np.outer(mean[kept], mean)
    G, C = products[:, kept], products[:, ~kept]
    G[np.diag_indices(k)] += ridge_penalty(max(np.trace(G), 0.0), k, data.n_samples) + rounding
    coef = cho_solve(cho_factor(G, overwrite_a=True), C, overwrite_b=True)
    return Reconstruction(coef, mean[kept], mean[~kept])


def _products(mean, kept, block):
    """Kept columns times all columns of a block of rows; dense blocks are centred."""
    if sp.issparse(block):
        block = block.astype(np.float64, copy=False)
        return (block[:, kept].T @ block).toarray()
    block = block - mean
    return block[:, kept].T @ block
