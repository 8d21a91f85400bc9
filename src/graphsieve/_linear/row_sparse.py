"""Regression with few non-zero rows of weights, through inner products of the columns in use."""

import numpy as np
from scipy.linalg import cho_solve
from sklearn.utils.extmath import row_norms

from .._utils.linalg import factorise
from .._utils.monitor import Monitor
from .._utils.threads import single_threaded_blas

# Curvature given to each row along itself, where the penalty has none, as a fraction of what it has
# across. It keeps Newton's system regular for copies of a column and is too small to slow it.
_DAMPING = 1e-8
# Fraction of the targets below which a product with the residual is rounding.
_ROUNDING = 1e-11
# On the way to a given penalty: the fraction of it that may be violated, and how fast it falls.
_LOOSE, _FALL = 0.1, 0.5
# Columns whose inner products are computed in one pass over X where that is the faster way.
_AHEAD = 16


class InnerProducts:
    """Inner products of all Columns with those that a solver asks for, kept once computed."""

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
        new = np.unique(columns[self._position[columns] < 0])
        if len(new):
            self._add(new)

    def _add(self, new):
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
        return self._kept[self._position[columns]].T @ W

    def with_column(self, j, promise):
        """Inner products with column j, computed with those of largest ``abs(promise)`` at once."""
        if self._position[j] < 0:
            if self._columns.is_small:
                self._add(np.array([j]))
            else:
                n_columns = min(_AHEAD, self.n_features - self._n_kept)
                promise = np.where(self._position < 0, abs(promise), -1)
                promise[j] = np.inf
                self.keep(np.argpartition(-promise, n_columns - 1)[:n_columns])
        return self._kept[self._position[j]]

    def gram(self, columns):
        """Inner products among the given columns."""
        self.keep(columns)
        return self._kept[np.ix_(self._position[columns], columns)]


def penalty_limit(XtY):
    """The smallest alpha of ``row_sparse`` for which W = 0."""
    return 2 * row_norms(XtY).max()


def penalty_path(limit, alpha=None):
    """100 geometric steps from ``limit`` to a thousandth of it, or a few that lead to ``alpha``."""
    if alpha is None:
        return np.geomspace(1, 1e-3, 100) * limit
    n_steps = np.ceil(np.log(limit / alpha) / np.log(1 / _FALL)) if alpha < limit else 0
    return alpha * _FALL ** -np.arange(n_steps, -1, -1)


def row_sparse_path(products, XtY, y_square, alphas, monitor, *, n_nonzero=np.inf):
    """Result of ``row_sparse`` for falling alphas until ``n_nonzero`` rows are active, and alpha.

    With an infinite ``n_nonzero`` only the last alpha is solved to the monitor's tolerance.
    """
    W = np.zeros_like(XtY)
    rough = Monitor(tol=max(_LOOSE, monitor.tol), max_iter=monitor.max_iter)
    # Threads only slow down the many small matrices of Newton's method.
    with single_threaded_blas():
        for alpha in alphas:
            passing = n_nonzero == np.inf and alpha > alphas[-1]
            result = row_sparse(products, XtY, y_square, alpha, W, rough if passing else monitor)
            W = result.x
            if result.status == "stopped" or np.count_nonzero(W.any(axis=1)) >= n_nonzero:
                break
    return result, alpha


def row_sparse(products, XtY, y_square, alpha, W, monitor):
    """min_W |Y - X W|_F^2 + alpha sum_j |W_j|: Newton steps on the rows that are not zero.

    Starts at ``W``, until no row violates its condition of optimality by more than ``tol * alpha``.
    """
    W = W.copy()
    rows, G, C = _select(products, XtY, W)
    rounding = 4 * np.finfo(float).eps * y_square
    monitor.start(y_square + _objective(G, C, W[rows], alpha))
    residual, pull, inside, violation = _conditions(products, XtY, W, rows, alpha)
    if violation <= monitor.tol * alpha:
        monitor.status = "converged"
        return monitor.result(W)
    for _ in range(monitor.max_iter):
        if violation > inside:
            # A few at a time: of columns that resemble each other most will not be needed.
            entering = np.argsort(-pull, kind="stable")[: max(10, len(rows) // 16)]
            entering = entering[pull[entering] > alpha]
            W[entering] = _first_step(products, entering, residual[entering], alpha)
            rows, G, C = _select(products, XtY, W)
        W[rows] = _newton_step(G, C, W[rows], alpha, rounding)
        stay = row_norms(W[rows]) > 0
        if not stay.all():
            W[rows[~stay]] = 0
            rows, G, C = rows[stay], G[np.ix_(stay, stay)], C[stay]
        before, last = monitor.trace[-1], violation
        value = y_square + _objective(G, C, W[rows], alpha)
        residual, pull, inside, violation = _conditions(products, XtY, W, rows, alpha)
        if monitor.finished(value, converged=violation <= monitor.tol * alpha):
            break
        if violation >= last and value >= before - rounding:
            monitor.status = "stalled"
            break
    return monitor.result(W)


def rank_zero_rows(strength, misfit, norms, target_norm):
    """``strength`` of every column; those without are ranked below, by ``misfit / norms``.

    That is how much of the residual the column would match; rounding, compared with
    ``target_norm``, counts as none.
    """
    zero = strength == 0
    pull = np.where(zero & (norms > 0), misfit / np.where(norms > 0, norms, 1), 0)
    pull[pull <= _ROUNDING * target_norm] = 0
    ceiling = 0.5 * strength[~zero].min(initial=1.0)
    return strength + ceiling * pull / (pull.max() or 1.0)


def _select(products, XtY, W):
    rows = np.flatnonzero(row_norms(W))
    return rows, products.gram(rows), XtY[rows]


def _conditions(products, XtY, W, rows, alpha):
    """2 X'(Y - X W), its norms in zero rows, and the largest violation in non-zero and all rows.

    At the optimum it is alpha W_j / |W_j| in non-zero rows, and no longer than alpha in others.
    """
    residual = 2 * (XtY - products.combine(rows, W[rows]))
    inside = row_norms(residual[rows] - alpha * _unit(W[rows])).max(initial=0.0)
    pull = row_norms(residual)
    pull[rows] = 0
    return residual, pull, inside, max(inside, pull.max() - alpha)


def _objective(G, C, W, alpha):
    return np.vdot(W, G @ W - 2 * C) + alpha * row_norms(W).sum()


def _first_step(products, rows, residual, alpha):
    """A proximal step from zero, short enough to lower the objective whatever the rows."""
    curvature = 2 * abs(products.gram(rows)).sum(axis=1).max()
    shrink = 1 - alpha / row_norms(residual)
    return shrink[:, None] * residual / curvature


def _newton_step(G, C, W, alpha, rounding):
    """Weights after one Newton step on rows that are not zero; rows that turn back become zero.

    With r = |W_j| and U_j = W_j / r_j the Hessian is P - V diag(alpha / r) V', where P acts as
    2 G + diag(alpha / r) on each target and column j of V is U_j in row j. Woodbury's formula needs
    only matrices of the size of G; scaled by sqrt(r / alpha) they are well conditioned.
    """
    U = _unit(W)
    scale = np.sqrt(row_norms(W) / alpha)
    gradient = 2 * (G @ W - C) + alpha * U
    P = 2 * scale[:, None] * G * scale
    P.flat[:: len(P) + 1] += 1
    P_inverse = cho_solve(factorise(P), np.eye(len(P)))
    K = -P_inverse * (U @ U.T)
    K.flat[:: len(K) + 1] += 1 + _DAMPING
    step = P_inverse @ (scale[:, None] * gradient)
    along = np.einsum("ij,ij->i", U, step)
    step += P_inverse @ (cho_solve(factorise(K), along)[:, None] * U)
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


def _unit(W):
    return W / row_norms(W)[:, None]
