"""MCFS: columns with which a few-column regression finds the clusters."""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv

from .._graph.spectral import embedding
from .._linear.columns import Columns
from .._linear.row_sparse import InnerProducts, rank_zero_rows
from .._rows.scaling import divide_columns
from .._utils.messages import Stages
from .._utils.shared import with_shared_parameters
from .._utils.threads import Workers
from ..base import FeatureRanker

# A column counts as dependent on the active ones when it differs from them by less than this.
_DEPENDENT = 1e-9


@with_shared_parameters
class MCFS(FeatureRanker):
    """Multi-cluster feature selection (MCFS).

    Keeps the features that explain the spectral embedding of the samples, one direction at a time.
    Let Y (n, m) solve L y = l D y for the m smallest l after the constant solution, with A the
    affinity of the samples, D = diag(A 1) and L = D - A; m is about the number of clusters. For
    each direction y_q ::

        min_w  |y_q - X w|^2 + beta |w|_1,    X and y_q centred,

    where beta is the smallest penalty that leaves ``n_nonzero`` weights, found exactly by least
    angle regression. The score of feature j is max_q |W_jq|. Features without weights come after
    all others, ordered by how well they match a residual: max_q |x_j'(y_q - X w_q)| / |x_j|.

    Parameters
    ----------
    n_nonzero : int, default=50
        Number of non-zero weights of each direction, at most the number of features and the
        number of samples minus 2.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_components)
        The weights W of the scaled features.

    References
    ----------
    D. Cai, C. Zhang, X. He: Unsupervised feature selection for multi-cluster data. KDD 2010.

    Examples
    --------
    >>> from graphsieve import MCFS
    >>> X = [[1, 0, 5], [2, 0, 5], [1, 0, 4], [2, 9, 5], [1, 9, 4], [2, 9, 5]]
    >>> mcfs = MCFS(1, n_components=1, n_neighbors=2, affinity="heat", scale=None)
    >>> mcfs.fit(X).get_support().tolist()
    [False, True, False]
    """

    _accepts_sparse = True
    _n_copies = 3

    n_components: int = 5
    n_nonzero: int = 50
    n_neighbors: int = 5
    affinity: Any = "cosine"
    scale: str | None = "auto"
    n_jobs: int | None = None
    verbose: int = 0

    def _own_memory(self, n_samples, n_features):
        # Inner products of the columns in use with all columns.
        n_used = min(n_features, self.n_components * min(self.n_nonzero, n_samples))
        return 8.0 * 7 * n_used * n_features

    def _rank(self, data):
        stages = Stages(type(self).__name__, self.verbose)
        data = divide_columns(data, self.scale, "deviation")
        with stages("neighbour graph"):
            A = self._graph(data)
        with stages("embedding"):
            Y = embedding(A, self.n_components)
        Y -= Y.mean(axis=0)
        with stages("regression"), Workers(self.n_jobs) as workers:
            columns = Columns.varying(data, workers)
            products, XtY = InnerProducts(columns), columns.products(Y)
            n_nonzero = max(1, min(self.n_nonzero, columns.n_features, data.n_samples - 2))
            W = np.column_stack([lasso(products, Xty, n_nonzero) for Xty in XtY.T])
            misfit = abs(products.residual_products(XtY, W)).max(axis=1)
        self.coef_ = columns.expand(W)
        return columns.expand(
            rank_zero_rows(abs(W).max(axis=1), misfit, columns.norms(), np.linalg.norm(Y))
        )


def lasso(products, Xty, n_nonzero):
    """min_w |y - X w|^2 / 2 + alpha |w|_1, for the smallest alpha with ``n_nonzero`` weights.

    Follows the solution down from alpha = max |X'y|, where w = 0. Between two events (a weight
    enters, or falls back to zero) it is linear in alpha. It stops just before one weight too many
    would enter, or when nothing is left to explain.
    """
    n_features = len(Xty)
    correlation = Xty.copy()
    alpha = start = abs(Xty).max()
    entering = int(_first_smallest(-abs(Xty), start))
    k = 0  # active columns; everything about them is in the first k places of these:
    active, w, sign = np.empty(n_nonzero, dtype=int), np.empty(n_nonzero), np.empty(n_nonzero)
    P = np.empty((n_nonzero, n_features))  # inner products of the active columns with all
    G = np.empty((n_nonzero, n_nonzero))  # and among themselves
    may_enter = np.full(n_features, True)
    barred = []  # columns that depend on the active ones
    # Without ties an event does not repeat; the limit ends the walk where they make it go round.
    for _ in range(10 * n_nonzero + n_features):
        if alpha <= 1e-10 * start or (entering is not None and k == n_nonzero):
            break
        if entering is not None:
            P[k] = products.with_column(entering, correlation)
            active[k], w[k], sign[k] = entering, 0, np.sign(correlation[entering])
            may_enter[entering] = False
            k += 1
            G[k - 1, :k] = G[:k, k - 1] = P[k - 1, active[:k]]
        direction, outside = _solve(G[:k, :k], sign[:k])
        if entering is not None and outside <= _DEPENDENT * G[k - 1, k - 1]:
            # Its correlation goes down with alpha from here on: rounding alone made them meet.
            barred.append(entering)
            k, entering = k - 1, None
            continue
        slope = direction @ P[:k]
        step, entering = _next_entry(correlation, slope, alpha, may_enter)
        end, leaving = _next_exit(w[:k], direction, sign[:k])
        leaves = end < step
        if leaves:
            step, entering = end, None
        w[:k] += step * direction
        slope *= step
        correlation -= slope
        alpha -= step
        if leaves:
            may_enter[active[leaving]] = may_enter[barred] = True
            barred.clear()
            k -= 1  # the last one takes its place
            active[leaving], w[leaving], sign[leaving] = active[k], w[k], sign[k]
            P[leaving] = P[k]
            G[leaving], G[:, leaving], G[leaving, leaving] = G[k], G[:, k], G[k, k]
    result = np.zeros(n_features)
    if k:
        # The steps have added up rounding: solve once more for the alpha that was reached.
        result[active[:k]] = _solve(G[:k, :k], Xty[active[:k]] - alpha * sign[:k])[0]
    return result


def _next_entry(correlation, slope, alpha, may_enter):
    """How far alpha can fall until the correlation of a column meets it, and of which."""
    # With alpha at 0 the correlation would be at c - alpha s, and meets alpha on that side only.
    end = correlation - alpha * slope
    gap = np.maximum(alpha - np.sign(end) * correlation, 0)
    # What falls with alpha never meets it; copies of an active column are among these.
    fall = gap + abs(end)  # alpha times the speed at which the gap closes
    slowest = _DEPENDENT * alpha
    steps = gap / np.maximum(fall, slowest)
    steps = np.where(may_enter & (fall > slowest), steps, 1.0)
    entering = _first_smallest(steps, 1)
    if steps[entering] >= 1 - _DEPENDENT:
        return alpha, None
    return alpha * steps[entering], int(entering)


def _next_exit(w, direction, sign):
    """How far alpha can fall until a weight is back at zero, and which."""
    falls = direction * sign < 0
    steps = np.divide(-w, direction, out=np.full(len(w), np.inf), where=falls)
    leaving = steps.argmin()
    return steps[leaving], leaving


def _first_smallest(values, scale):
    return (values <= values.min() + 1e-12 * scale).argmax()


def _solve(G, right):
    """G^-1 right, and the squared length of the last column outside of the others."""
    # LAPACK itself: the checks around it take longer than a system of this size.
    factor, solution, info = dposv(G, right)
    if info:
        return np.linalg.lstsq(G, right, rcond=None)[0], 0.0
    return solution, factor[-1, -1] ** 2
