"""UDFS: unsupervised discriminative feature selection."""

from numbers import Integral

import numpy as np

from .._graph.local_scatter import local_scatter
from .._graph.neighbors import limit_neighbors
from .._linear.columns import Columns
from .._linear.sparse_trace import minimise, open_problem
from .._rows.scaling import divide_columns
from .._solvers import SMOOTHING
from .._utils.sklearn_private import Interval
from .._utils.threads import single_threaded_blas
from .._utils.warn import warn
from ..base import (
    ITERATION_CONSTRAINTS,
    POSITIVE,
    SCALE_CONSTRAINTS,
    THREAD_CONSTRAINTS,
    FeatureRanker,
)

# Default alpha, relative to the mean of the diagonal of M.
_ALPHA_FRACTION = 0.01

# Row norms below this fraction of the largest one are residues of the smoothing.
_ZERO = 10 * SMOOTHING


class UDFS(FeatureRanker):
    """Unsupervised discriminative feature selection (UDFS).

    Keeps the features on which neighbouring samples agree. For each sample, P_i picks it and its k
    nearest neighbours (Euclidean), C = I - 11'/(k + 1) centres them, and G_i = C P_i X. UDFS
    minimises over W (d x m)::

        Tr(W' M W) + alpha sum_j |W_j|   subject to W'W = I,
        M = X' [ sum_i P_i' C (G_i G_i' + ridge I)^-1 C P_i ] X

    and the score of feature j is |W_j|. Up to the factor ridge, the trace is the scatter of XW
    within the neighbourhoods that a local ridge regression does not explain; it is small if
    neighbours agree. Features of small spread agree too, so they are brought to one scale first. If
    n < d the trace is zero on directions along which the data do not vary at all, and a small
    alpha rewards those: UDFS is most meaningful if n > d.

    Each iteration computes the m smallest eigenpairs of M + alpha diag(1 / (2 |W_j|)); if n < d,
    by Lanczos iteration on the inverse, without a d x d matrix. The problem is not convex. The
    solver makes a few iterations from each of several starts and continues with the best: row
    norms in proportion to the spread of the features, the m features with the smallest M_jj, and,
    if d <= n, the authors' start with equal weights.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or a fraction in (0, 1] of them. If None, half of the features;
        if "auto", as many as add more than they would to shuffled columns.
    include, exclude : list of str or int, mask or None, default=None
        Features that are always kept, and features that are never kept: names, positions or a
        mask. Included features count as selected.
    n_components : int, default=10
        Number of directions m. At most half as many as there are features that vary are used:
        with as many directions as features all scores would be 1.
    alpha : float or None, default=None
        Weight of the row norms. If None, 0.01 times the mean of the diagonal of M. The larger
        alpha, the fewer features have a non-zero score, but never fewer than m.
    ridge : float, default=1000.0
        Added to the local Gram matrices, in squared units of the data.
    n_neighbors : int, default=5
        Number of neighbours of a sample.
    scale : {"auto", "standard", "minmax", "global"} or None, default="auto"
        Units in which the columns count: their standard deviations ("standard"), their ranges
        ("minmax"), the range of the whole table ("global"), or their own (None, as published).
        "auto" subtracts the median and divides by the range, with outliers moved to five standard
        deviations; of square roots if more than 90 % of the entries are zero and none is negative
        (words, events).
        Neighbours are those in the scaled data.
    max_iter : int, default=50
        Largest number of iterations after the trial of the starts.
    tol : float, default=1e-4
        Stop when the relative change of the objective is smaller.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores that OMP_NUM_THREADS and joblib allow.
    verbose : int, default=0
        If positive, show progress.
    callback : callable(iteration, objective) or None, default=None
        Called after every iteration; returning True stops the fit and keeps the result.

    Attributes
    ----------
    alpha_ : float
        The weight of the row norms that was used.
    objective_trace_ : ndarray of shape (n_iter_ + 1,)
        Objective at the best start and after every iteration.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether the stopping rule was met.

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

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        **SCALE_CONSTRAINTS,
        **ITERATION_CONSTRAINTS,
        **THREAD_CONSTRAINTS,
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "alpha": [POSITIVE, None],
        "ridge": [POSITIVE],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select=None,
        *,
        include=None,
        exclude=None,
        n_components=10,
        alpha=None,
        ridge=1e3,
        n_neighbors=5,
        scale="auto",
        max_iter=50,
        tol=1e-4,
        n_jobs=None,
        verbose=0,
        callback=None,
    ):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.n_components = n_components
        self.alpha = alpha
        self.ridge = ridge
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _own_memory(self, n_samples, n_features):
        return 8.0 * (4 * min(n_samples, n_features) ** 2 + 4 * n_samples * n_features)

    def _rank(self, data):
        data = divide_columns(data, self.scale)
        # A constant column has a zero row in M: a spurious perfect direction.
        columns = Columns.varying(data)
        X = columns.dense()
        m = min(self.n_components, max(1, X.shape[1] // 2))
        B = local_scatter(
            X,
            n_neighbors=limit_neighbors(self.n_neighbors, len(X)),
            ridge=self.ridge,
            n_jobs=self.n_jobs,
        )
        # One thread: eigensolvers make many small BLAS calls.
        with single_threaded_blas(), self._monitor() as monitor:
            problem = open_problem(X, B, m)
            self.alpha_ = self.alpha or _ALPHA_FRACTION * problem.diagonal.mean() or 1.0
            result = minimise(problem, X.std(axis=0), self.alpha_, monitor)
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
