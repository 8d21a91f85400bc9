"""SCUFS: feature selection guided by subspace clustering."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.linalg import cho_solve
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from .._linear.columns import square_rows, varying_columns
from .._linear.reweighted import default_eps, inverse_weights, smoothed_norms
from .._linear.self_representation import ALPHA_FRACTION
from .._rows import split_rows
from .._rows.scaling import divide_columns
from .._utils.linalg import factorise
from .._utils.messages import warn
from .._utils.monitor import Monitor
from .._utils.shared import with_shared_parameters
from .._utils.sklearn_private import Interval
from .._utils.threads import single_threaded_blas
from ..base import FeatureRanker

# Weight of |F'F - I|^2.
_ORTHOGONALITY = 10.0
# |F'F - I| / |I| that is worth a warning: 1 if all clusters are the same.
_LARGEST_OVERLAP = 0.5
# Iterations from every start before the best one is continued.
_TRIAL_ITERATIONS = 5
# Runs of k-means for the start, and the weight of samples outside of a cluster in it.
_KMEANS_RUNS, _OUTSIDE = 10, 0.01
# Rows of Z per matrix product in a sweep.
_BLOCK_ROWS = 64


@with_shared_parameters
class SCUFS(FeatureRanker):
    """Subspace clustering guided unsupervised feature selection (SCUFS).

    Keeps the features that predict clusters of samples, where the samples of a cluster represent
    each other. With the rows of X at unit length, SCUFS learns the representation Z (n x n, zero
    diagonal), the clusters F (n x c, non-negative) and the weights W (d x c) of the features
    together. It minimises::

        |X' - X'Z|_F^2 + graph_weight Tr(F' L_Z F) + 10 |F'F - I|_F^2
            + fit_weight |XW - F|_F^2 + alpha sum_j |W_j|

    where L_Z is the Laplacian of (|Z| + |Z|') / 2. The score of feature j is |W_j|.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters c, at most the number of samples.
    alpha : float or None, default=None
        Weight of the row norms. If None, a tenth of a value for which W = 0.
    graph_weight : float, default=1.0
        Weight of the smoothness of the clusters on the graph.
    fit_weight : float, default=1.0
        Weight of the regression of the clusters on the features.

    Attributes
    ----------
    clusters_ : ndarray of shape (n_samples, n_clusters)
        The cluster matrix F.

    References
    ----------
    P. Zhu, W. Zhu, Q. Hu, C. Zhang, W. Zuo: Subspace clustering guided unsupervised feature
    selection. Pattern Recognition 66 (2017), 364-374.

    Examples
    --------
    >>> from graphsieve import SCUFS
    >>> X = [[3, 0, 1], [4, 0, 2], [5, 0, 1], [0, 3, 2], [0, 5, 1], [0, 4, 2]]
    >>> SCUFS(2, n_clusters=2, random_state=0).fit(X).get_support().tolist()
    [True, True, False]
    """

    _parameter_constraints = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        # The rows have unit length: weights have no units, and larger ones overflow.
        "alpha": [Interval(Real, 0, 1e30, closed="right"), None],
        "graph_weight": [Interval(Real, 0, 1e30, closed="both")],
        "fit_weight": [Interval(Real, 0, 1e30, closed="right")],
    }

    n_clusters: int = 10
    alpha: float | None = None
    graph_weight: float = 1.0
    fit_weight: float = 1.0
    scale: str | None = "auto"
    max_iter: int = 200
    tol: float = 1e-4
    verbose: int = 0
    callback: Any = None
    random_state: Any = None

    def _own_memory(self, n_samples, n_features):
        return 8.0 * (9 * n_samples**2 + 3 * n_samples * n_features)

    def _check_rows(self, data):
        super()._check_rows(data)
        if self.n_clusters > data.n_samples:
            raise ValueError(
                f"n_clusters={self.n_clusters} is larger than the number of samples, "
                f"{data.n_samples}"
            )

    def _rank(self, data):
        data = divide_columns(data, self.scale)
        varying = varying_columns(data)
        X = np.take(data.whole(), varying, axis=1).astype(np.float64, copy=False)
        # Ties of k-means go by rounding errors, and these by the order of the columns.
        order = np.lexsort(X[::-1])
        X, varying = np.ascontiguousarray(X[:, order]), varying[order]
        length = row_norms(X)
        X /= np.where(length > 0, length, 1)[:, None]
        # W = 0 from 2 fit_weight |x_j'F| on, and |x_j'F| <= |x_j| for orthonormal F.
        limit = 2 * self.fit_weight * np.sqrt(square_rows(X.T).max())
        self.alpha_ = self.alpha or ALPHA_FRACTION * (limit or 1.0)
        # One thread: the rows of Z follow one another in many small products.
        with single_threaded_blas(), self._monitor() as monitor:
            K = X @ X.T
            first = first_representation(K)
            trials = {}
            for F in first_clusters(X, self.n_clusters, self.random_state):
                trial = Monitor(tol=self.tol, max_iter=_TRIAL_ITERATIONS)
                trials[self._alternate(X, K, first.copy(), F, trial)[0].trace[-1]] = F
            result, F = self._alternate(X, K, first, trials[min(trials)], monitor)
        self._report(result)
        self.clusters_ = F
        overlap = np.linalg.norm(F.T @ F - np.eye(self.n_clusters)) / np.sqrt(self.n_clusters)
        if overlap > _LARGEST_OVERLAP:
            warn(
                f"the clusters of SCUFS overlap: F'F differs from the identity by {overlap:.0%}. "
                f"The scores describe fewer than {self.n_clusters} clusters. Use a smaller "
                "n_clusters, graph_weight or fit_weight"
            )
        scores = np.zeros(data.n_features)
        scores[varying] = result.x
        return scores

    def _alternate(self, X, K, Z, F, monitor):
        """Result with the row norms of W, and F, from the start (Z, F); changes Z.

        An iteration is a sweep over Z, a multiplicative step in F and a least squares step in W.
        """
        n, d = X.shape

        def regress(inverse, F):
            """W that minimises fit_weight |XW - F|^2 + alpha sum_j |W_j|^2 / inverse_j."""
            root = np.sqrt(inverse * (self.fit_weight / self.alpha_))
            scaled = X * root
            if d <= n:
                solution = cho_solve(factorise(scaled.T @ scaled + np.eye(d)), scaled.T @ F)
            else:
                solution = scaled.T @ cho_solve(factorise(scaled @ scaled.T + np.eye(n)), F)
            return root[:, None] * solution

        W = regress(np.ones(d), F)
        eps = default_eps(square_rows(W))
        residual, affinity, fit = K - K @ Z, _symmetric(Z), X @ W

        def objective():
            represent = np.trace(K) - np.vdot(Z, K) - np.vdot(Z, residual)
            smooth = affinity.sum(axis=0) @ square_rows(F) - np.vdot(F, affinity @ F)
            return (
                represent
                + self.graph_weight * smooth
                + _ORTHOGONALITY * np.square(F.T @ F - np.eye(F.shape[1])).sum()
                + self.fit_weight * np.square(fit - F).sum()
                + self.alpha_ * smoothed_norms(square_rows(W), eps).sum()
            )

        monitor.start(objective())
        for _ in range(monitor.max_iter):
            threshold = self.graph_weight / 4 * euclidean_distances(F, squared=True)
            sweep_representation(Z, residual, K, threshold)
            affinity = _symmetric(Z)
            F = self._step_F(F, affinity, fit)
            W = regress(inverse_weights(square_rows(W), eps), F)
            fit = X @ W
            if monitor.finished(objective()):
                break
        return monitor.result(row_norms(W)), F

    def _step_F(self, F, affinity, fit):
        """Multiplicative step: F stays non-negative, and the fourth root makes it a descent."""
        near, far = affinity @ F, affinity.sum(axis=0)[:, None] * F
        down = self.graph_weight * near + self.fit_weight * np.maximum(fit, 0)
        up = self.graph_weight * far + self.fit_weight * (F + np.maximum(-fit, 0))
        down += 2 * _ORTHOGONALITY * F
        up += 2 * _ORTHOGONALITY * F @ (F.T @ F)
        return F * (down / np.maximum(up, np.finfo(float).tiny)) ** 0.25


def _symmetric(Z):
    return (np.abs(Z) + np.abs(Z.T)) / 2


def first_clusters(X, n_clusters, random_state):
    """Cluster matrices with unit columns: from k-means, and the authors' absolute normals."""
    random_state = check_random_state(random_state)
    n_distinct = min(n_clusters, len(np.unique(X, axis=0)))
    with config_context(array_api_dispatch=False):
        label = KMeans(n_distinct, n_init=_KMEANS_RUNS, random_state=random_state).fit_predict(X)
    # Multiplicative steps cannot change a zero.
    clusters = np.eye(n_clusters)[label] + _OUTSIDE
    normals = np.abs(random_state.standard_normal((len(X), n_clusters)))
    return [F / row_norms(F.T) for F in (clusters, normals)]


def first_representation(K):
    """Minimiser of |X' - X'Z|_F^2 + 1e-3 |Z|_F^2 with zero diagonal, in closed form."""
    Z = np.linalg.inv(K + 1e-3 * np.eye(len(K)))
    Z /= -np.diag(Z).copy()
    np.fill_diagonal(Z, 0)
    return Z


def sweep_representation(Z, residual, K, threshold):
    """One sweep of coordinate descent over the rows of Z, in place; ``residual`` is K - KZ.

    Row j minimises |X' - X'Z|_F^2 + 2 sum_i threshold_ji |Z_ji| with the other rows fixed.
    """
    blocks = split_rows(len(Z), _BLOCK_ROWS)
    change = -Z
    for rows in blocks:
        start = rows.start
        residual[rows] -= K[rows, :start] @ change[:start]
        for j in range(start, rows.stop):
            square = K[j, j]
            row = np.zeros(len(Z))
            if square > 0:
                free = residual[j] + square * Z[j]
                free -= K[j, start:j] @ change[start:j]
                row = np.copysign(np.maximum(np.abs(free) - threshold[j], 0) / square, free)
                row[j] = 0
            change[j] += row
            Z[j] = row
    for rows in blocks:
        residual[rows] -= K[rows, rows.start :] @ change[rows.start :]
