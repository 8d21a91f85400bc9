"""Regression on the columns of X with few non-zero rows of weights.

``row_sparse_path`` sees X only through inner products of the columns that enter; neither X'X nor
XX' is formed. ``interpolate`` solves the limit of no penalty, where X W = Y holds exactly.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotri
from sklearn.utils.extmath import row_norms

from .._solvers.monitor import Result
from .._solvers.reweighted import reweighted_l21
from .._utils.threads import single_threaded_blas

# Curvature given to each row along itself, where the penalty has none, as a share of what it has
# across. It keeps Newton's system regular for copies of a column and is too small to slow it.
_DAMPING = 1e-8

# On the way to a given penalty: the share of it that may be violated, and how fast it falls.
_LOOSE = 0.1
_FALL = 0.5


def penalty_limit(XtY):
    """The smallest alpha of ``row_sparse`` for which W = 0."""
    return 2 * row_norms(XtY).max()


def penalty_path(limit, alpha=None):
    """100 geometric steps from ``limit`` to a thousandth of it, or a few that lead to ``alpha``."""
    if alpha is None:
        return np.geomspace(1, 1e-3, 100) * limit
    n_steps = np.ceil(np.log(limit / alpha) / np.log(1 / _FALL)) if alpha < limit else 0
    return alpha * _FALL ** -np.arange(n_steps, -1, -1)


def row_sparse_path(columns, XtY, y_square, alphas, *, n_nonzero, max_iter, tol):
    """``row_sparse`` for falling alphas, each from the last, until ``n_nonzero`` rows are active.

    With an infinite ``n_nonzero`` only the last alpha matters, and only it is solved to ``tol``.

    Returns
    -------
    result : Result
        Of the last alpha.
    alpha : float
    """
    W = np.zeros_like(XtY)
    with (
        single_threaded_blas()
    ):  # threads only slow down the many small matrices of Newton's method
        for alpha in alphas:
            passing = n_nonzero == np.inf and alpha > alphas[-1]
            goal = max(_LOOSE, tol) if passing else tol
            result = row_sparse(columns, XtY, y_square, alpha, W, max_iter=max_iter, tol=goal)
            W = result.x
            if np.count_nonzero(W.any(axis=1)) >= n_nonzero:
                break
    return result, alpha


def row_sparse(columns, XtY, y_square, alpha, W, *, max_iter, tol):
    """min_W |Y - X W|_F^2 + alpha sum_j |W_j|: Newton steps on the rows that are not zero.

    Parameters
    ----------
    columns : Columns
        Of X.
    XtY : ndarray of shape (n_features, n_targets)
    y_square : float
        |Y|_F^2.
    alpha : float
    W : ndarray of shape (n_features, n_targets)
        Where to start.
    max_iter : int
    tol : float
        Stop when no row violates its condition of optimality by more than ``tol * alpha``.
    """
    W = W.copy()
    rows, G, C = _select(columns, XtY, W)
    trace = [y_square + _objective(G, C, W[rows], alpha)]
    rounding = 4 * np.finfo(float).eps * y_square
    status, last = "max_iter", np.inf
    while True:
        residual = 2 * (XtY - columns.combine(rows, W[rows]))
        inside = row_norms(residual[rows] - alpha * _unit(W[rows])).max(initial=0.0)
        pull = row_norms(residual)
        pull[rows] = 0
        violation = max(inside, pull.max() - alpha)
        if violation <= tol * alpha:
            status = "converged"
        elif violation >= last and trace[-1] >= trace[-2] - rounding:
            status = "stalled"
        if status != "max_iter" or len(trace) > max_iter:
            return Result(W, np.array(trace), status)
        last = violation
        if violation > inside:
            # A few at a time: of columns that resemble each other most will not be needed.
            entering = np.argsort(-pull, kind="stable")[: max(10, len(rows) // 16)]
            entering = entering[pull[entering] > alpha]
            W[entering] = _first_step(columns, entering, residual[entering], alpha)
            rows, G, C = _select(columns, XtY, W)
        W[rows] = _newton_step(G, C, W[rows], alpha, rounding)
        stay = W[rows].any(axis=1)
        if not stay.all():
            rows, G, C = rows[stay], G[np.ix_(stay, stay)], C[stay]
        trace.append(y_square + _objective(G, C, W[rows], alpha))


def interpolate(V, T, monitor):
    """min_W sum_j |W_j| subject to V'W = T: the limit of ``row_sparse`` for alpha to zero.

    Parameters
    ----------
    V : ndarray of shape (n_features, r)
        With orthonormal columns.
    T : ndarray of shape (r, n_targets)
    monitor : Monitor
        Holds the stopping rule.

    Returns
    -------
    Result
        Its ``x`` holds the norms of the rows of W.
    """

    def solve(inverse):
        scaled = np.sqrt(inverse)[:, None] * V
        factor = cho_factor(scaled.T @ scaled, overwrite_a=True)
        W = np.sqrt(inverse)[:, None] * (scaled @ cho_solve(factor, T))
        return 0.0, np.einsum("ij,ij->i", W, W)

    with (
        single_threaded_blas()
    ):  # on a busy machine threads wait for each other in every factorisation
        return reweighted_l21(solve, np.ones(len(V)), monitor, weight=1.0)


def rank_zero_rows(strength, misfit, norms):
    """``strength`` of every column, with zeros replaced by what ranks them below all others.

    Their order is that of ``misfit / norms``: how much of the residual the column would match.
    """
    zero = strength == 0
    pull = np.where(zero & (norms > 0), misfit / np.where(norms > 0, norms, 1), 0)
    ceiling = 0.5 * strength[~zero].min(initial=1.0)
    return strength + ceiling * pull / (pull.max() or 1.0)


def _select(columns, XtY, W):
    rows = np.flatnonzero(W.any(axis=1))
    return rows, columns.gram(rows), XtY[rows]


def _objective(G, C, W, alpha):
    return np.vdot(W, G @ W - 2 * C) + alpha * row_norms(W).sum()


def _first_step(columns, rows, residual, alpha):
    """A proximal step from zero, short enough to lower the objective whatever the rows."""
    curvature = 2 * abs(columns.gram(rows)).sum(axis=1).max()
    shrink = 1 - alpha / row_norms(residual)
    return shrink[:, None] * residual / curvature


def _newton_step(G, C, W, alpha, rounding):
    """Weights after one Newton step on rows that are not zero; rows that turn back become zero.

    With r = |W_j| and U_j = W_j / r_j the Hessian is P - V diag(alpha / r) V', where P acts as
    2 G + diag(alpha / r) on each target and column j of V is U_j in row j. Its inverse by
    Woodbury's formula needs only matrices of the size of G; scaled by sqrt(r / alpha) they are
    well conditioned however small a row is.
    """
    U = _unit(W)
    scale = np.sqrt(row_norms(W) / alpha)
    gradient = 2 * (G @ W - C) + alpha * U
    P = 2 * scale[:, None] * G * scale
    P.flat[:: len(P) + 1] += 1
    P_inverse = _inverse(P)
    K = -P_inverse * (U @ U.T)
    K.flat[:: len(K) + 1] += 1 + _DAMPING
    step = P_inverse @ (scale[:, None] * gradient)
    along = np.einsum("ij,ij->i", U, step)
    step += P_inverse @ (cho_solve(cho_factor(K), along)[:, None] * U)
    step *= -scale[:, None]

    before = _objective(G, C, W, alpha)
    slope = np.vdot(gradient, step)
    length = 1.0
    while length > 1e-12:
        trial = W + length * step
        trial[np.einsum("ij,ij->i", trial, U) <= 0] = 0
        if _objective(G, C, trial, alpha) <= before + 1e-4 * length * slope + rounding:
            return trial
        length /= 2
    return W


def _inverse(P):
    """Of a positive definite matrix, which is overwritten: half the work of solving for it."""
    # The transpose is the same matrix, in the order in which LAPACK needs no copy.
    inverse, _ = dpotri(cho_factor(P.T, lower=True, overwrite_a=True)[0], lower=1, overwrite_c=1)
    lower = np.tril(inverse)
    return lower + np.tril(lower, -1).T


def _unit(W):
    return W / row_norms(W)[:, None]
