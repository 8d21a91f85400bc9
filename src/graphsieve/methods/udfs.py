"""UDFS: unsupervised discriminative feature selection."""

from numbers import Integral, Real

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from .._graph.neighbors import limit_neighbors, nearest_neighbors
from .._linear.self_representation import dense_columns, square_rows, varying_columns
from .._rows import BLOCK_BYTES, RowBlocks, split_rows
from .._solvers import reweighted_l21
from .._utils.sklearn_private import Interval
from .._utils.threads import single_threaded_blas
from ..base import ITERATION_CONSTRAINTS, FeatureRanker

# Up to here a dense d x d eigenproblem is faster than Lanczos, also when n < d.
_SMALL = 500


class UDFS(FeatureRanker):
    """Keep the columns on which neighbouring samples agree.

    Around each sample, take it and its nearest neighbours (Euclidean), k + 1 rows of X in all,
    picked by P_i and centred by C = I - 11'/(k + 1), as G_i. UDFS minimises over W (d x m)::

        Tr(W' M W) + alpha sum_j |W_j|   subject to W'W = I,
        M = X' [ sum_i P_i' C (G_i G_i' + ridge I)^-1 C P_i ] X

    and the score of column j is |W_j|. The trace is the scatter of XW inside the neighbourhoods
    minus what a ridge regression within each explains, up to the factor ridge; it is small where
    neighbours agree. Columns of small spread agree too: bring columns to one scale first. When
    n < d the trace is zero on directions along which the data do not vary at all, and a small
    alpha rewards those: UDFS means most when n > d.

    Each step takes the m smallest eigenpairs of M + alpha diag(1 / (2 |W_j|)). When n < d it does
    so by Lanczos iteration on the inverse, without a d x d matrix.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default None
        A number, a share in (0, 1], the knee of the sorted scores, or half of the features.
    include, exclude : list of str or int, mask or None, default=None
        Columns that are kept in any case, and columns that are never kept: names, positions or a
        mask. Included columns count as selected features.
    n_components : int, default 10
        Directions m. At most half as many as columns that vary are used: with as many directions
        as columns all scores would be 1.
    alpha : float, default 1.0
        Weight of the row norms.
    ridge : float, default 1000.0
        Added to the local Gram matrices, in squared units of the data.
    n_neighbors : int, default 5
    max_iter : int, default 50
    tol : float, default 1e-5
        Stop when the relative change of the objective is smaller.
    verbose : int, default 0
        If positive, show progress.
    callback : callable(iteration, objective) or None, default None
        Called after every iteration; returning True stops the fit and keeps the result.

    Attributes
    ----------
    objective_trace_ : ndarray of shape (n_iter_ + 1,)
    n_iter_ : int
    converged_ : bool

    References
    ----------
    Y. Yang, H. T. Shen, Z. Ma, Z. Huang, X. Zhou: l2,1-norm regularized discriminative feature
    selection for unsupervised learning. IJCAI 2011, 1589-1594.

    Examples
    --------
    The first column is the same among neighbours:

    >>> from graphsieve import UDFS
    >>> X = [[0, 3, 1], [0, 1, 4], [0, 4, 2], [9, 3, 0], [9, 1, 1], [9, 4, 3]]
    >>> UDFS(1, n_neighbors=2).fit(X).get_support().tolist()
    [True, False, False]
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        **ITERATION_CONSTRAINTS,
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select=None,
        *,
        include=None,
        exclude=None,
        n_components=10,
        alpha=1.0,
        ridge=1e3,
        n_neighbors=5,
        max_iter=50,
        tol=1e-5,
        verbose=0,
        callback=None,
    ):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.n_components = n_components
        self.alpha = alpha
        self.ridge = ridge
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.callback = callback

    def _estimate_memory(self, n_samples, n_features):
        return 8.0 * (4 * min(n_samples, n_features) ** 2 + 4 * n_samples * n_features)

    def _rank(self, data):
        # A constant column has a zero row in M: a spurious perfect direction.
        varying = varying_columns(data)
        X = dense_columns(data, varying)
        X -= X.mean(axis=0)
        n, d = X.shape
        m = min(self.n_components, max(1, d // 2))
        B = local_scatter(X, limit_neighbors(self.n_neighbors, n), self.ridge)
        step = _dense_step if d <= max(n, _SMALL, 8 * m) else _lanczos_step
        # One thread: eigensolvers make many small BLAS calls.
        with single_threaded_blas(), self._monitor() as monitor:
            result = reweighted_l21(
                step(X, B, self.alpha, m), 2 * _first_norms(X, m), monitor, weight=self.alpha
            )
        self._report(result)
        scores = np.zeros(data.n_features)
        scores[varying] = result.x
        return scores


def local_scatter(X, n_neighbors, ridge):
    """sum_i P_i' C (G_i G_i' + ridge I)^-1 C P_i, a sparse n x n matrix with rows of zero sum."""
    n, d = X.shape
    size = n_neighbors + 1
    neighbors = nearest_neighbors(RowBlocks(X), n_neighbors, metric="euclidean")[1]
    groups = np.column_stack([np.arange(n), neighbors.reshape(n, n_neighbors)])
    centring = np.eye(size) - 1 / size
    local = np.empty((n, size, size))
    for rows in split_rows(n, max(1, BLOCK_BYTES // (8 * size * d))):
        G = X[groups[rows]]
        G -= G.mean(axis=1, keepdims=True)
        gram = G @ G.transpose(0, 2, 1)
        local[rows] = centring @ np.linalg.inv(gram + ridge * np.eye(size)) @ centring
    i, j = np.repeat(groups, size, axis=1), np.tile(groups, size)
    return sp.csr_array((local.ravel(), (i.ravel(), j.ravel())), shape=(n, n))


def _first_norms(X, m):
    """Row norms of an orthonormal W in proportion to the spread of the columns.

    With equal ones the first eigenvectors are an arbitrary basis of the null space of M when
    n < d, and the result depends on the order of the columns.
    """
    spread = X.std(axis=0)
    return np.maximum(np.sqrt(m) * spread / (np.linalg.norm(spread) or 1.0), 1e-6)


def _dense_step(X, B, alpha, m):
    M = X.T @ (B @ X)

    def solve(inverse):
        A = M + np.diag(alpha / inverse)
        W = eigh(A, subset_by_index=[0, m - 1], overwrite_a=True)[1]
        return np.vdot(W, M @ W), square_rows(W)

    return solve


def _lanczos_step(X, B, alpha, m):
    """The same from the inverse of M + diag(1 / a), M = QQ': diag(a) minus a matrix of rank n."""
    d = X.shape[1]
    value, vector = eigh(B.toarray())
    kept = value > 1e-14 * value[-1]
    Q = X.T @ (vector[:, kept] * np.sqrt(value[kept]))
    first = np.random.default_rng(0).standard_normal(d)

    def solve(inverse):
        a = inverse / alpha
        scaled = np.sqrt(a)[:, None] * Q
        core = scaled.T @ scaled
        core[np.diag_indices_from(core)] += 1
        factor = cho_factor(core, overwrite_a=True)

        def multiply(v):
            v = a * v.ravel()
            return v - a * (Q @ cho_solve(factor, Q.T @ v))

        operator = LinearOperator((d, d), matvec=multiply, dtype=np.float64)
        size = max(4 * m, 40)
        W = eigsh(operator, m, which="LA", ncv=size, v0=first, tol=1e-12)[1]
        return np.square(Q.T @ W).sum(), square_rows(W)

    return solve
