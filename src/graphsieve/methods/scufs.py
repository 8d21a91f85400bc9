"""SCUFS: feature selection guided by subspace clustering."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from .._linear.self_representation import (
    ALPHA_SHARE,
    dense_columns,
    ridge_regression,
    square_rows,
    varying_columns,
)
from .._linear.subspace import first_representation, sweep_representation
from .._solvers import default_eps, inverse_weights, smoothed_norms
from .._utils.sklearn_private import Interval
from .._utils.threads import single_threaded_blas
from ..base import ITERATION_CONSTRAINTS, FeatureRanker


class SCUFS(FeatureRanker):
    """Keep the columns that tell the clusters of samples that lie in common subspaces.

    With the rows of X at unit length, SCUFS learns how samples represent each other, Z (n x n,
    zero diagonal), what clusters this makes, F (n x c, not negative), and which columns tell the
    clusters, W (d x c), together. It minimises::

        |X' - X'Z|_F^2 + graph_weight Tr(F' L_Z F) + |F'F - I|_F^2
            + fit_weight |XW - F|_F^2 + alpha sum_j |W_j|

    with L_Z the Laplacian of (|Z| + |Z|') / 2; the score of column j is |W_j|. The regression
    loss is squared throughout. (The authors' program mixes a squared and a row-wise loss, which
    is not the descent of one objective.) Each iteration makes one sweep of coordinate descent
    over Z, one multiplicative step in F and one reweighted least squares step in W; none of them
    raises the objective. The problem is not convex: the start is random.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default None
        A number, a share in (0, 1], the knee of the sorted scores, or half of the features.
    include, exclude : list of str or int, mask or None, default=None
        Columns that are kept in any case, and columns that are never kept: names, positions or a
        mask. Included columns count as selected features.
    n_clusters : int, default 10
        Number of clusters c.
    alpha : float or None, default None
        Weight of the row norms. None takes a tenth of a weight from which on W = 0.
    graph_weight, fit_weight : float, default 1.0
    max_iter : int, default 100
    tol : float, default 1e-4
        Stop when the relative change of the objective is smaller.
    verbose : int, default 0
        If positive, show progress.
    callback : callable(iteration, objective) or None, default None
        Called after every iteration; returning True stops the fit and keeps the result.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    alpha_ : float
        The weight that was used.
    objective_trace_ : ndarray of shape (n_iter_ + 1,)
    n_iter_ : int
    converged_ : bool

    References
    ----------
    P. Zhu, W. Zhu, Q. Hu, C. Zhang, W. Zuo: Subspace clustering guided unsupervised feature
    selection. Pattern Recognition 66 (2017), 364-374.

    Examples
    --------
    >>> from graphsieve import SCUFS
    >>> X = [[3, 0, 1], [4, 0, 2], [5, 0, 1], [0, 3, 2], [0, 5, 1], [0, 4, 2]]
    >>> SCUFS(2, n_clusters=2, tol=1e-3, random_state=0).fit(X).get_support().tolist()
    [True, True, False]
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        **ITERATION_CONSTRAINTS,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="neither"), None],
        "graph_weight": [Interval(Real, 0, None, closed="left")],
        "fit_weight": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features_to_select=None,
        *,
        include=None,
        exclude=None,
        n_clusters=10,
        alpha=None,
        graph_weight=1.0,
        fit_weight=1.0,
        max_iter=100,
        tol=1e-4,
        verbose=0,
        callback=None,
        random_state=None,
    ):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.graph_weight = graph_weight
        self.fit_weight = fit_weight
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.callback = callback
        self.random_state = random_state

    def _estimate_memory(self, n_samples, n_features):
        return 8.0 * (7 * n_samples**2 + 3 * n_samples * n_features)

    def _rank(self, data):
        varying = varying_columns(data)
        X = dense_columns(data, varying)
        length = row_norms(X)
        X /= np.where(length > 0, length, 1)[:, None]
        self.alpha_ = self.alpha
        if self.alpha is None:
            # W = 0 from 2 fit_weight |x_j'F| on, and |x_j'F| <= |x_j| for orthonormal F.
            longest = np.sqrt(square_rows(X.T).max())
            self.alpha_ = ALPHA_SHARE * (2 * self.fit_weight * longest or 1.0)
        # One thread: the rows of Z follow one another in many small products.
        with single_threaded_blas(), self._monitor() as monitor:
            result = self._alternate(X, monitor)
        self._report(result)
        scores = np.zeros(data.n_features)
        scores[varying] = result.x
        return scores

    def _alternate(self, X, monitor):
        n, d = X.shape
        ridge_W = ridge_regression(X, self.alpha_ / self.fit_weight)
        F = np.abs(check_random_state(self.random_state).standard_normal((n, self.n_clusters)))
        F /= row_norms(F.T)
        W = ridge_W(np.ones(d), F)
        eps = default_eps(square_rows(W))
        K = X @ X.T
        Z = first_representation(K)
        residual = K - K @ Z
        affinity = np.abs(Z)

        def objective():
            represent = np.trace(K) - np.vdot(Z, K) - np.vdot(Z, residual)
            return represent + self._cluster_objective(F, affinity, fit, W, eps)

        fit = X @ W
        monitor.start(objective())
        for _ in range(self.max_iter):
            sweep_representation(Z, residual, K, self.graph_weight / 4 * _squared_distances(F))
            np.abs(Z, out=affinity)
            F = self._step_F(F, affinity, fit)
            W = ridge_W(inverse_weights(square_rows(W), eps), F)
            fit = X @ W
            if monitor.finished(objective()):
                break
        return monitor.result(row_norms(W))

    def _cluster_objective(self, F, affinity, fit, W, eps):
        """All terms but the first."""
        square = square_rows(F)
        smooth = 0.5 * (affinity.sum(axis=0) + affinity.sum(axis=1)) @ square
        smooth -= np.vdot(F, affinity @ F)
        orthogonal = np.square(F.T @ F - np.eye(F.shape[1])).sum()
        regress = np.square(fit - F).sum()
        penalty = smoothed_norms(square_rows(W), eps).sum()
        return (
            self.graph_weight * smooth
            + orthogonal
            + self.fit_weight * regress
            + self.alpha_ * penalty
        )

    def _step_F(self, F, affinity, fit):
        """Multiplicative step: F stays non-negative, and the fourth root keeps it a descent."""
        # With the symmetric affinity (|Z| + |Z|') / 2, without forming it.
        half = self.graph_weight / 2
        degree = half * (affinity.sum(axis=0) + affinity.sum(axis=1))
        near = half * (affinity @ F + affinity.T @ F)
        down = near + self.fit_weight * np.maximum(fit, 0) + 2 * F
        up = degree[:, None] * F + self.fit_weight * (F + np.maximum(-fit, 0)) + 2 * F @ (F.T @ F)
        return F * (down / np.maximum(up, np.finfo(float).tiny)) ** 0.25


def _squared_distances(F):
    square = square_rows(F)
    return np.maximum(square[:, None] + square - 2 * F @ F.T, 0)
