"""The dropped columns from the kept ones: ridge regression in one pass over row blocks."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve

# Ridge penalty relative to the mean squared length of the kept columns, so that units do not
# matter. A few columns need next to none; as many columns as rows, and the error on unseen rows
# explodes without it.
_RIDGE = 0.3
# Keeps the system solvable when every kept column is constant.
_TINY = np.finfo(float).tiny ** 0.5


def ridge_penalty(energy, k, n):
    """0.3 min(1, k / n) times the mean squared length of k centred columns of n rows.

    ``energy`` is the sum of these squared lengths.
    """
    return _RIDGE * min(1, k / n) * energy / k + _TINY


@dataclass(frozen=True)
class Rebuild:
    """``predict`` gives the dropped columns for rows of the kept ones."""

    coef: np.ndarray
    mean_kept: np.ndarray
    mean_dropped: np.ndarray

    def predict(self, X_kept):
        return (X_kept - self.mean_kept) @ self.coef + self.mean_dropped


def fit_rebuild(data, kept):
    """Least squares with a ridge penalty, from inner products of centred columns.

    Parameters
    ----------
    data : Rows
    kept : ndarray of bool of shape (n_features,)
    """
    mean = data.column_moments()[0]
    k = int(kept.sum())
    products = data.reduce(partial(_products, mean, kept))
    if data.is_sparse:
        products -= data.n_samples * np.outer(mean[kept], mean)
    G, C = products[:, kept], products[:, ~kept]
    penalty = ridge_penalty(np.trace(G), k, data.n_samples)
    coef = solve(G + penalty * np.eye(k), C, assume_a="pos")
    return Rebuild(coef, mean[kept], mean[~kept])


def _products(mean, kept, block):
    """Kept columns by all columns, summed over a block of rows: centred, unless that is sparse."""
    if sp.issparse(block):
        return (block[:, kept].T @ block).toarray()
    block = block - mean
    return block[:, kept].T @ block
