"""Means and variances of columns: one routine for dense and sparse, plain and weighted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis


def column_moments(X, weight: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Mean and population variance of every column of a dense, CSR or CSC matrix.

    Sums are accumulated in double precision whatever the type of ``X``. The ``weight`` of a row is
    not negative, and not all are zero.
    """
    if sp.issparse(X):
        # For single precision scikit-learn would round the result to it.
        X = X.astype(np.float64, copy=False)
        return mean_variance_axis(X, axis=0, weights=weight)
    if weight is None:
        mean = X.mean(axis=0, dtype=np.float64)
        return mean, np.square(X - mean).mean(axis=0)
    weight = np.asarray(weight, dtype=np.float64)
    mean = weight @ X / weight.sum()
    return mean, weight @ np.square(X - mean) / weight.sum()


@dataclass(frozen=True)
class Moments:
    """Moments of the columns of some rows; ``+`` gives those of two groups of rows together.

    Attributes
    ----------
    weight : float
        Number of rows, or the sum of their weights.
    mean, spread : ndarray of shape (n_features,)
        Mean, and sum of squared deviations from it.
    """

    weight: float
    mean: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, X, weight: np.ndarray | None = None) -> Moments:
        """Moments of a dense, CSR or CSC matrix, see ``column_moments``."""
        total = float(X.shape[0] if weight is None else weight.sum())
        if total == 0:
            return cls(0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1]))
        mean, variance = column_moments(X, weight)
        return cls(total, mean, variance * total)

    def __add__(self, other: Moments) -> Moments:
        """Chan, Golub and LeVeque (1983), "Algorithms for computing the sample variance"."""
        total = self.weight + other.weight
        if total == 0:
            return self
        fraction = other.weight / total
        step = other.mean - self.mean
        spread = self.spread + other.spread + self.weight * fraction * step**2
        return Moments(total, self.mean + fraction * step, spread)
