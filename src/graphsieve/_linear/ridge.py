"""Prediction of the dropped columns from the kept ones: ridge regression in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from .._utils.threads import blas_for

# Ridge penalty relative to the mean squared length of the kept columns, so that units do not
# matter. A few columns need next to none; with as many columns as rows the error on new rows
# explodes without it.
RIDGE = 0.3
# Without a penalty, this fraction of the squared length of every kept column keeps least squares
# solvable.
_LEAST_SQUARES = 1e-10
# Keeps the system solvable if every kept column is constant.
_TINY = np.finfo(float).tiny ** 0.5


def ridge_penalty(energy: float, k: int, n: int, ridge: float = RIDGE) -> float:
    """``ridge * min(1, k / n)`` times the mean squared length of k centred columns of n rows.

    ``energy`` is the sum of these squared lengths.
    """
    return ridge * min(1, k / n) * energy / k + _TINY


@dataclass(frozen=True)
class Reconstruction:
    """Linear map from the kept to the dropped columns.

    Attributes
    ----------
    coef : ndarray of shape (n_kept, n_dropped)
    mean_kept, scale_kept : ndarray of shape (n_kept,)
        Mean and standard deviation of the kept columns.
    mean_dropped : ndarray of shape (n_dropped,)
    r2 : ndarray of shape (n_dropped,)
        Fraction of the variance of every dropped column that is predicted on the training rows;
        1 for a constant column.
    """

    coef: np.ndarray
    mean_kept: np.ndarray
    mean_dropped: np.ndarray
    scale_kept: np.ndarray
    r2: np.ndarray

    def predict(self, X_kept: np.ndarray) -> np.ndarray:
        """The dropped columns, from rows of the kept ones; NaN counts as the mean of a column."""
        deviation = X_kept - self.mean_kept
        deviation[np.isnan(deviation)] = 0
        return deviation @ self.coef + self.mean_dropped


@dataclass(frozen=True)
class Products:
    """Sums over rows from which the regression follows, of columns shifted by ``shift``.

    Attributes
    ----------
    n : int
        Number of rows.
    cross : ndarray of shape (n_kept, n_features)
        Kept columns times all columns.
    sums, squares : ndarray of shape (n_features,)
        Sums of the columns and of their squares.
    shift : ndarray of shape (n_features,)
        About the means, so that differences lose no digits; 0 for sparse data.
    """

    n: int
    cross: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    shift: np.ndarray

    def __add__(self, other):
        return Products(
            self.n + other.n,
            self.cross + other.cross,
            self.sums + other.sums,
            self.squares + other.squares,
            self.shift,
        )

    def about(self, kept, centre):
        """Cross products and squares of the columns after ``centre`` is subtracted."""
        t, t_kept = centre - self.shift, (centre - self.shift)[kept]
        cross = self.cross - np.outer(self.sums[kept], t)
        cross -= np.outer(t_kept, self.sums - self.n * t)
        return cross, self.squares - 2 * t * self.sums + self.n * t**2

    @property
    def mean(self):
        return self.shift + self.sums / self.n


def fit_reconstruction(data, kept: np.ndarray, ridge: float = RIDGE) -> Reconstruction:
    """Ridge regression of the dropped columns on the ``kept`` ones, given by a mask.

    See ``ridge_penalty`` for ``ridge``; 0 means least squares.
    """
    with blas_for(float(data.n_samples) * data.n_features * kept.sum()):
        return solve_products(_collect(data, kept), kept, ridge)


def fit_heldout(data, kept, held_out, ridge=RIDGE):
    """A regression on all rows, and how well one without the held-out rows predicts these.

    Returns the Reconstruction from all rows, and the R^2 of the dropped columns on the held-out
    rows, 1 for columns that are constant there.
    """
    train = _collect(data, kept, (~held_out).astype(float))
    test = _collect(data, kept, held_out.astype(float))
    found = solve_products(train, kept, ridge)
    cross, squares = test.about(kept, train.mean)
    G, C = cross[:, kept], cross[:, ~kept]
    error = squares[~kept] - 2 * np.einsum("ij,ij->j", found.coef, C)
    error += np.einsum("ij,ij->j", found.coef, G @ found.coef)
    total = test.about(kept, test.mean)[1]
    r2 = _r2(total[~kept] - error, total[~kept], test.squares[~kept])
    return solve_products(train + test, kept, ridge), r2


def solve_products(products, kept, ridge):
    """The regression that follows from the sums over rows."""
    n, k = products.n, int(kept.sum())
    mean = products.mean
    cross, squares = products.about(kept, mean)
    # Differences of large sums over n rows retain rounding errors, each column in proportion to
    # its squares, which must not outweigh the penalty.
    rounding = 4 * k * n * np.finfo(float).eps * products.squares[kept]
    rounding *= not products.shift.any()
    G, C = cross[:, kept], cross[:, ~kept]
    penalty = ridge_penalty(max(np.trace(G), 0.0), k, n, ridge) + rounding
    if ridge == 0:  # columns of every unit stay clear of rounding
        penalty += _LEAST_SQUARES * np.diag(G)
    coef = cho_solve(cho_factor(G + np.diag(penalty), overwrite_a=True), C)
    # |x|^2 - |x - X_S b|^2, by the normal equations.
    explained = np.einsum("ij,ij->j", coef, C) + penalty @ coef**2
    scale = np.sqrt(np.maximum(squares[kept], 0) / n)
    r2 = _r2(explained, squares[~kept], products.squares[~kept])
    return Reconstruction(coef, mean[kept], mean[~kept], scale, r2)


def _r2(explained, total, raw):
    """Explained fraction of the squares; 1 where there is nothing to explain but rounding.

    ``raw`` are the squares before centring.
    """
    varies = total > 1e-13 * raw
    return np.divide(explained, total, out=np.ones(len(total)), where=varies)


def _collect(data, kept, weight=None):
    """Products of the rows, each counted ``weight`` (0 or 1) times."""
    low, high = data.column_range()
    d = data.n_features
    # Zeros of sparse data must stay.
    shift = np.zeros(d) if data.is_sparse else low / 2 + high / 2
    aligned = () if weight is None else (weight,)
    return data.reduce(partial(_products, shift.astype(np.float64), kept), *aligned)


def _products(shift, kept, block, weight=None):
    """Products of a block of rows."""
    if weight is not None:
        block = block[weight > 0]
    if sp.issparse(block):
        block = block.astype(np.float64, copy=False)
        cross = (block[:, kept].T @ block).toarray()
        squares = block.power(2).sum(axis=0)
        return Products(block.shape[0], cross, block.sum(axis=0), squares, shift)
    block = block - shift
    squares = np.einsum("ij,ij->j", block, block)
    return Products(len(block), block[:, kept].T @ block, block.sum(axis=0), squares, shift)
