"""The regression of dropped columns on kept ones: everything that is called coverage is in here.

All columns are standardised, so that units do not matter, and the ridge penalty is 0.1 min(n, d)
for n samples and d features.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import cholesky, get_blas_funcs, solve, solve_triangular
from sklearn.linear_model import Ridge

from .._rows import check_container, to_dense
from .._rows.scaling import standardised
from .._utils.threads import blas_for_table, single_threaded_blas

# Ridge penalty of standardised columns, per row or column, whichever are fewer. With 0.1,
# 0.01 and 0.001, 60 columns explain .53, .25 and .09 of the variance of left-out rows of colon, and
# 160 columns .81, .73 and .52 of that of Yale.
_PENALTY = 0.1
# Most columns that enter at a time.
_BLOCK = 64
# Larger tables take half the time in single precision: coverage then has errors of about 1e-6.
_LARGE = 2**20


def ridge_penalty(shape):
    return _PENALTY * min(shape)


@dataclass(frozen=True)
class CoverageCurve:
    """Coverage of every target column, one row for each of ``n_kept`` numbers of kept features.

    A kept column has coverage 1, a constant one NaN. ``predictions`` (n_grid, n_rows, n_targets)
    are those of left-out rows in the units of the data; kept columns have their own values.
    """

    n_kept: np.ndarray
    coverage: np.ndarray
    predictions: np.ndarray | None = None


@single_threaded_blas()  # many small products
def coverage_curve(X, order, n_kept, *, targets=None, predict_rows=()):
    """Coverage of columns by the first k features of a ranking, for every k of a grid.

    It is defined in ``graphsieve.inspection.coverage_curve``. Unlike the R^2 on the training rows,
    it does not approach 1 merely because as many columns are kept as there are rows. No matrix
    larger than (n_samples, n_targets) or (n_samples, max(n_kept)) is stored.

    X is dense, without missing values; ``order`` are columns, best first, ``n_kept`` increasing
    numbers of them, and ``targets`` the columns whose coverage is computed, by default all.
    Predictions are returned for ``predict_rows``.
    """
    X = np.asarray(X, dtype=np.float64)
    order, n_kept = np.asarray(order), np.asarray(n_kept, dtype=int)
    targets = np.arange(X.shape[1]) if targets is None else np.asarray(targets)
    predict_rows = np.asarray(predict_rows, dtype=int)
    Z, scale = standardised(X[:, targets])
    precision = np.float32 if X.size > _LARGE else np.float64
    path = _LeaveOneOut(Z.astype(precision), ridge_penalty(X.shape), n_kept.max(initial=0))
    coverage = np.empty((len(n_kept), len(targets)))
    predictions = np.empty((len(n_kept), len(predict_rows), len(targets)))
    for step, k in enumerate(n_kept):
        for start in range(path.n_added, k, _BLOCK):
            block = order[start : min(start + _BLOCK, k)]
            path.add(standardised(X[:, block])[0].astype(precision))
        is_kept = np.isin(targets, order[:k])
        coverage[step] = np.where(is_kept, 1.0, path.coverage())
        residual = np.where(is_kept, 0.0, path.residuals(predict_rows)) * scale
        predictions[step] = X[np.ix_(predict_rows, targets)] - residual
    coverage[:, scale == 0] = np.nan
    return CoverageCurve(n_kept, coverage, predictions if len(predict_rows) else None)


def explained_fraction(coverage):
    """Mean coverage of the columns that are not constant, along the last axis; NaN without any."""
    with np.errstate(invalid="ignore"):
        return np.nansum(coverage, axis=-1) / np.count_nonzero(~np.isnan(coverage), axis=-1)


def added(coverage):
    """What features add to those before them: steps of the explained fraction, from row to row."""
    return np.diff(np.nan_to_num(explained_fraction(coverage)), prepend=0.0)


class _LeaveOneOut:
    """Leave-one-out residuals of a ridge regression whose predictors arrive in blocks.

    With the centred predictors Z, S = I - 11'/n - Z (Z'Z + a I)^-1 Z' turns targets into residuals,
    and dividing row i by S_ii turns those into leave-one-out residuals. A new block B changes S by
    -U U', with U = S B L^-T and L L' = B' S B + a I: only U is stored, never S.
    """

    def __init__(self, targets, penalty, n_predictors):
        n_samples = len(targets)
        self._penalty = penalty
        self._targets = targets
        self._fit_residual = np.array(targets, order="C")
        self._diagonal = np.full(n_samples, 1 - 1 / n_samples)
        self._factors = np.empty((n_samples, n_predictors), targets.dtype, order="F")
        self.n_added = 0
        self._total = self._press()

    def add(self, block):
        done = self._factors[:, : self.n_added]
        residual = block - done @ (done.T @ block)
        gram = block.T @ residual + self._penalty * np.eye(block.shape[1], dtype=block.dtype)
        L = cholesky((gram + gram.T) / 2, lower=True)
        end = self.n_added + block.shape[1]
        U = self._factors[:, self.n_added : end]
        U[:] = solve_triangular(L, residual.T, lower=True).T
        if self._targets.size:
            # In place: without a second large array, it takes a third to two thirds of the time.
            gemm, residual = get_blas_funcs("gemm", (U,)), self._fit_residual.T
            gemm(-1, (U.T @ self._targets).T, U.T, beta=1, c=residual, overwrite_c=True)
        self._diagonal -= (U**2).sum(axis=1, dtype=np.float64)
        self.n_added = end

    def residuals(self, rows=slice(None)):
        return self._fit_residual[rows] / self._diagonal[rows][..., None]

    def coverage(self):
        press = self._press()
        ratio = np.divide(press, self._total, out=np.ones_like(press), where=self._total > 0)
        return np.clip(1 - ratio, 0, 1)

    def _press(self):
        weights = (self._diagonal**-2).astype(self._fit_residual.dtype)
        return weights @ self._fit_residual**2


class Regression:
    """The regression of the columns ``targets`` of X on the columns ``kept``.

    ``weights`` (n_kept, n_targets) are the coefficients of standardised columns, ``coef`` those in
    the units of the data, and ``r2`` is the coverage of the targets, see ``coverage_curve``.
    """

    def __init__(self, X, kept, targets):
        Z, scale = standardised(X[:, kept])
        Y, scale_out = standardised(X[:, targets])
        self._mean, self._mean_out = X[:, kept].mean(axis=0), X[:, targets].mean(axis=0)
        ridge = Ridge(ridge_penalty(X.shape), fit_intercept=False, solver="cholesky")
        weights = ridge.fit(Z, Y).coef_ if len(targets) else np.zeros(0)
        self.weights = weights.reshape(len(targets), len(kept)).T
        self.coef = self.weights * scale_out / np.where(scale > 0, scale, np.inf)[:, np.newaxis]
        self.r2 = coverage_curve(X, kept, [len(kept)], targets=targets).coverage[0]

    def predict(self, X_kept):
        """The targets, from rows of the kept columns; NaN counts as the mean of a column."""
        deviation = X_kept - self._mean
        return np.where(np.isnan(deviation), 0, deviation) @ self.coef + self._mean_out


def reconstruction_error(X_train, X_test, selected):
    """Relative error when the dropped features are predicted from the selected ones.

    The prediction is a ridge regression of standardised columns, learned on the training rows; the
    selected columns are taken as they are. With z the columns of the test rows, standardised by
    the training rows, the error is ``||z - z_predicted||^2 / ||z||^2`` over all columns: 0 for a
    perfect prediction, about 1 if the selected columns predict nothing. The ridge penalty is
    ``0.1 min(n, d)`` for n training rows and d columns, as in `coverage_curve`.

    Parameters
    ----------
    X_train, X_test : array-like or CSR matrix of shape (n_samples, n_features)
        Training and test rows.
    selected : array-like of int of shape (n_selected,)
        Selected columns.

    Returns
    -------
    float
        At least 0.

    Examples
    --------
    >>> X = [[0.0, 0.0, 3.0], [1.0, 2.0, 3.0], [2.0, 4.0, 3.0]]
    >>> round(reconstruction_error(X, X, [0]), 3)
    0.004
    """
    return float(reconstruction_path(X_train, X_test, selected, [len(selected)])[0])


@blas_for_table
def reconstruction_path(X_train, X_test, order, counts):
    """``reconstruction_error(X_train, X_test, order[:k])`` for every k in `counts`.

    Parameters
    ----------
    X_train, X_test : array-like or CSR matrix of shape (n_samples, n_features)
        Training and test rows.
    order : array-like of int
        Columns, best first; at least ``max(counts)`` of them.
    counts : sequence of int
        Numbers of selected columns.

    Returns
    -------
    ndarray of shape (len(counts),)
        One error per count.

    Examples
    --------
    >>> X = [[0.0, 0.0, 3.0], [1.0, 2.0, 3.0], [2.0, 4.0, 3.0]]
    >>> reconstruction_path(X, X, [0, 1, 2], [1, 3]).round(3).tolist()
    [0.004, 0.0]
    """
    return ReconstructionErrors(X_train, X_test).path(order, counts)


class ReconstructionErrors:
    """Inner products of standardised rows or columns, whichever are fewer, for many rankings.

    A count of columns then costs at most ``O(min(n, d)^2 n_test)``.
    """

    def __init__(self, X_train, X_test):
        X_train, X_test = _dense(X_train), _dense(X_test)
        train, scale = standardised(X_train)
        test = (X_test - X_train.mean(axis=0)) / np.where(scale > 0, scale, np.inf)
        self.penalty = ridge_penalty(train.shape)
        self.energy = np.einsum("ij,ij->j", test, test)
        self.by_columns = train.shape[1] <= train.shape[0]
        if self.by_columns:
            self.products = train.T @ train, test.T @ test
        else:
            self.train, self.test = train, test
            self.products = train @ train.T, test @ train.T

    def path(self, order, counts):
        order = np.asarray(order)
        counts, place = np.unique(counts, return_inverse=True)
        unexplained = self._unexplained_by_columns if self.by_columns else self._unexplained_by_rows
        errors = np.array(list(unexplained(order, counts)))
        total = self.energy.sum()
        return (np.maximum(errors, 0) / total if total > 0 else np.zeros(len(counts)))[place]

    def _unexplained_by_columns(self, order, counts):
        """Squared test error for each k when the first k columns predict the others."""
        G, T = self.products
        for k in counts:
            kept = order[:k]
            rest = np.setdiff1d(np.arange(len(G)), kept)
            A, C = G[np.ix_(kept, kept)], G[np.ix_(kept, rest)]
            B = solve(A + self.penalty * np.eye(k), C, assume_a="pos")
            yield (
                self.energy[rest].sum()
                - 2 * (B * T[np.ix_(kept, rest)]).sum()
                + (B * (T[np.ix_(kept, kept)] @ B)).sum()
            )

    def _unexplained_by_rows(self, order, counts):
        """The same through the dual form, with inner products of rows instead of columns."""
        G, F = self.products
        K, C = np.zeros_like(G), np.zeros_like(F)
        for start, k in pairwise([0, *counts]):
            # Inner products over the first k columns; G - K and F - C are those over the others.
            train = self.train[:, order[start:k]]
            K += train @ train.T
            C += self.test[:, order[start:k]] @ train.T
            # Row i of P: the weights with which the training rows predict test row i.
            P = solve(K + self.penalty * np.eye(len(K)), C.T, assume_a="pos").T
            left = self.energy.sum() - self.energy[order[:k]].sum()
            yield left - 2 * (P * (F - C)).sum() + (P * (P @ (G - K))).sum()


def _dense(X):
    check_container(X)
    return np.asarray(to_dense(X), dtype=float)
