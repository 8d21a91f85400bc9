"""UDFS: unsupervised discriminative feature selection."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from .._graph.neighbors import limit_neighbors, nearest_neighbors
from .._linear.columns import Columns, square_rows
from .._linear.reweighted import SMOOTHING, inverse_weights, reweighted_l21
from .._rows import BLOCK_BYTES, RowBlocks, split_rows
from .._rows.scaling import divide_columns
from .._utils.linalg import some_eigenpairs
from .._utils.messages import warn
from .._utils.monitor import Monitor
from .._utils.shared import with_shared_parameters
from .._utils.threads import single_threaded_blas
from ..base import POSITIVE, FeatureRanker

# Default alpha, relative to the mean of the diagonal of M.
_ALPHA_FRACTION = 0.01
# Row norms below this fraction of the largest one are residues of the smoothing.
_ZERO = 10 * SMOOTHING
# Number of features up to which a dense eigenproblem is faster than Lanczos, also if n < d.
_SMALL = 500
# Iterations from every start before the best one is continued.
_TRIAL_ITERATIONS = 5


@with_shared_parameters
class UDFS(FeatureRanker):
    """Unsupervised discriminative feature selection (UDFS).

    Keeps the features on which neighbouring samples agree. For each sample, P_i picks it and its k
    nearest neighbours (Euclidean), C = I - 11'/(k + 1) centres them, and G_i = C P_i X. UDFS
    minimises over W (d x m)::

        Tr(W' M W) + alpha sum_j |W_j|   subject to W'W = I,
        M = X' [ sum_i P_i' C (G_i G_i' + ridge I)^-1 C P_i ] X

    and the score of feature j is |W_j|. The trace is small if neighbours agree on XW, up to what a
    local ridge regression explains. If n < d it is zero on directions along which the data do not
    vary at all, and a small alpha rewards those: UDFS is most meaningful if n > d.

    Parameters
    ----------
    n_components : int, default=10
        Number of directions m, at most half the number of features that vary: with as many
        directions as features all scores would be 1.
    alpha : float or None, default=None
        Weight of the row norms. If None, 0.01 times the mean of the diagonal of M. The larger
        alpha, the fewer features have a non-zero score, but never fewer than m.
    ridge : float, default=1000.0
        Added to the local Gram matrices, in squared units of the data.
    n_neighbors : int, default=5
        Number of neighbours of a sample.

    References
    ----------
    Y. Yang, H. T. Shen, Z. Ma, Z. Huang, X. Zhou: l2,1-norm regularized discriminative feature
    selection for unsupervised learning. IJCAI 2011, 1589-1594.

    Examples
    --------
    Neighbours agree on the first feature:

    >>> from graphsieve import UDFS
    >>> X = [[0, 3, 1], [0, 1, 4], [0, 4, 2], [9, 3, 0], [9, 1, 1], [9, 4, 3]]
    >>> UDFS(1, n_neighbors=2).fit(X).get_support().tolist()
    [True, False, False]
    """

    _parameter_constraints = {"ridge": [POSITIVE]}

    n_components: int = 10
    alpha: float | None = None
    ridge: float = 1e3
    n_neighbors: int = 5
    scale: str | None = "auto"
    max_iter: int = 50
    tol: float = 1e-4
    n_jobs: int | None = None
    verbose: int = 0
    callback: Any = None

    def _own_memory(self, n_samples, n_features):
        return 8.0 * (4 * min(n_samples, n_features) ** 2 + 4 * n_samples * n_features)

    def _rank(self, data):
        data = divide_columns(data, self.scale)
        # A constant column has a zero row in M: a spurious perfect direction.
        columns = Columns.varying(data)
        X = columns.dense()
        n, d = X.shape
        m = min(self.n_components, max(1, d // 2))
        n_neighbors = limit_neighbors(self.n_neighbors, n)
        B = local_scatter(X, n_neighbors=n_neighbors, ridge=self.ridge, n_jobs=self.n_jobs)
        # One thread: eigensolvers make many small BLAS calls.
        with single_threaded_blas(), self._monitor() as monitor:
            eigenproblem = dense_problem if d <= max(n, _SMALL, 8 * m) else lanczos_problem
            diagonal, eigen_step = eigenproblem(X, B, m)
            self.alpha_ = self.alpha or _ALPHA_FRACTION * diagonal.mean() or 1.0

            def run(norms, monitor):
                return reweighted_l21(
                    lambda inverse: eigen_step(inverse / self.alpha_),
                    inverse_weights(norms**2, SMOOTHING),
                    monitor,
                    weight=self.alpha_,
                    eps=SMOOTHING,
                )

            trials = [
                run(norms, Monitor(tol=self.tol, max_iter=_TRIAL_ITERATIONS))
                for norms in starts(X.std(axis=0), diagonal, m, n)
            ]
            result = run(min(trials, key=lambda trial: trial.trace[-1]).x, monitor)
        self._report(result)
        self._warn_zeros(result.x, data.n_features)
        return columns.expand(result.x)

    def _warn_zeros(self, norms, n_features):
        if self.n_features_to_select is None:
            return  # the default, half of the features, is no request
        n_nonzero = np.count_nonzero(norms > _ZERO * norms.max())
        n_wanted = self._wanted_count(n_features) or 0
        if 0 < n_nonzero < min(n_wanted, len(norms)):
            warn(
                f"UDFS gives only {n_nonzero} features a non-zero weight, and {n_wanted} are to "
                "be selected: the order of the others means little. Use a smaller alpha (now "
                f"{self.alpha_:.3g}), or a larger n_components"
            )


def local_scatter(X, *, n_neighbors, ridge, n_jobs=None):
    """sum_i P_i' C (G_i G_i' + ridge I)^-1 C P_i, a sparse positive semidefinite n x n matrix."""
    n, size = len(X), n_neighbors + 1
    _, j, _ = nearest_neighbors(RowBlocks(X), n_neighbors, metric="euclidean", n_jobs=n_jobs)
    groups = np.column_stack([np.arange(n), j.reshape(n, n_neighbors)])
    local = np.empty((n, size, size))
    centring = np.eye(size) - 1 / size
    with single_threaded_blas():  # the matrices are small
        for rows in split_rows(n, max(1, BLOCK_BYTES // (8 * size * X.shape[1]))):
            G = X[groups[rows]]
            G -= G.mean(axis=1, keepdims=True)
            # Not by an inverse: a Gram matrix of centred rows is singular, and next to large data
            # the ridge is lost in rounding. The null vector 1 drops out by centring.
            value, vector = np.linalg.eigh(G @ G.transpose(0, 2, 1))
            vector /= np.sqrt(np.maximum(value, 0) + ridge)[:, None, :]
            vector = centring @ vector
            local[rows] = vector @ vector.transpose(0, 2, 1)
    i, j = np.repeat(groups, size, axis=1), np.tile(groups, size)
    return sp.csr_array((local.ravel(), (i.ravel(), j.ravel())), shape=(n, n))


def starts(spread, diagonal, m, n_samples):
    """Row norms of W to start from.

    In proportion to the spread of the features, the m features with the smallest M_jj, and, if
    d <= n, the authors' equal weights.
    """
    d = len(spread)
    unit = np.zeros(d)
    unit[np.argsort(diagonal, kind="stable")[:m]] = 1
    norms = [np.sqrt(m) * spread / (np.linalg.norm(spread) or 1.0), unit]
    # With n < d and equal norms, the first eigenvectors would be an arbitrary basis of the null
    # space of M, and the result would depend on the order of the columns.
    return [*norms, np.full(d, np.sqrt(m / d))] if d <= n_samples else norms


def dense_problem(X, B, m):
    """The diagonal of M = X'BX, and ``step(a)``: Tr(W' M W) and the squared row norms of W.

    W are the m smallest eigenvectors of M + diag(1 / a).
    """
    M = X.T @ (B @ X)

    def step(a):
        W = some_eigenpairs(M + np.diag(1 / a), 0, m - 1)[1]
        return np.vdot(W, M @ W), square_rows(W)

    return M.diagonal(), step


def lanczos_problem(X, B, m):
    """The same from the inverse of M + diag(1 / a), M = QQ': diag(a) minus a matrix of rank n."""
    value, vector = eigh(B.toarray())
    kept = value > 1e-14 * value[-1]
    Q = X.T @ (vector[:, kept] * np.sqrt(value[kept]))
    d = len(Q)
    first = np.random.default_rng(0).standard_normal(d)

    def step(a):
        scaled = np.sqrt(a)[:, None] * Q
        core = scaled.T @ scaled
        core[np.diag_indices_from(core)] += 1
        factor = cho_factor(core, overwrite_a=True)

        def multiply(v):
            v = a * v.ravel()
            return v - a * (Q @ cho_solve(factor, Q.T @ v))

        operator = LinearOperator((d, d), matvec=multiply, dtype=np.float64)
        W = eigsh(operator, m, which="LA", ncv=max(4 * m, 40), v0=first, tol=1e-12)[1]
        return np.square(Q.T @ W).sum(), square_rows(W)

    return square_rows(Q), step
