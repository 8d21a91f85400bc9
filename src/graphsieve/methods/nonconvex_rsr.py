"""NonconvexRSR: self-representation with a penalty that is sparser than RSR's."""

from numbers import Real

from .._linear.columns import Columns
from .._linear.self_representation import (
    choose_alpha,
    robust_self_representation,
    square_memory,
)
from .._rows.scaling import divide_columns
from .._solvers import Monitor
from .._utils.sklearn_private import Interval
from .._utils.threads import Workers
from ..base import (
    ITERATION_CONSTRAINTS,
    POSITIVE,
    SCALE_CONSTRAINTS,
    THREAD_CONSTRAINTS,
    FeatureRanker,
)

# Of the start. Chosen among 1e-5 to 1e-2 on COIL20, Isolet and BASEHOCK: which of them leads to
# the lowest minimum differs, but on all three this one led to a lower minimum than 1e-5.
_START_TOL = 1e-3


class NonconvexRSR(FeatureRanker):
    """Non-convex regularised self-representation.

    RSR with row norms to a power below one, which leaves fewer features with weights. With X
    centred, it minimises over W (d x d), for 0 < p < 1::

        sum_i |X_i - X_i W| + alpha sum_j |W_j|^p

    and the score of feature j is |W_j|. The smaller p, the fewer non-zero rows. The problem is not
    convex: reweighted least squares starts from a rough solution for p = 1 and ends in a local
    minimum.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or a fraction in (0, 1] of them. If None, half of the features;
        if "auto", as many as add more than they would to shuffled columns.
    include, exclude : list of str or int, mask or None, default=None
        Features that are always kept, and features that are never kept: names, positions or a
        mask. Included features count as selected.
    p : float in (0, 1], default=0.5
        Power of the row norms; 1 is RSR.
    alpha : float or None, default=None
        Weight of the row norms. If None, `0.1 * alpha_max`, where `alpha_max` is the smallest
        value for which W = 0 when p = 1, or more if the residuals vanish there, as in RSR.
    scale : {"auto", "standard", "minmax", "global"} or None, default="auto"
        Units in which the columns count: their standard deviations ("standard"), their ranges
        ("minmax"), the range of the whole table ("global"), or their own (None, as published).
        "auto" subtracts the median and divides by the range, with outliers moved to five standard
        deviations; of square roots if more than 90 % of the entries are zero and none is negative
        (words, events).
    n_jobs : int or None, default=None
        Number of threads; None uses all cores that OMP_NUM_THREADS and joblib allow.
    max_iter : int, default=100
        Maximum number of iterations for p = 1, and again for p.
    tol : float, default=1e-5
        Stop when the relative change of the objective is smaller.
    verbose : int, default=0
        If positive, show progress.
    callback : callable(iteration, objective) or None, default=None
        Called after every iteration; returning True stops the fit and keeps the result.

    Attributes
    ----------
    alpha_ : float
        The weight that was used.
    objective_trace_ : ndarray of shape (n_iter_ + 1,)
        Of the problem with p; its start, with p = 1, is not in it.
    n_iter_ : int
    converged_ : bool

    References
    ----------
    P. Zhu, W. Zhu, W. Wang, W. Zuo, Q. Hu: Non-convex regularized self-representation for
    unsupervised feature selection. Image and Vision Computing 60 (2017), 22-29.

    Examples
    --------
    The second column is twice the first and represents both:

    >>> from graphsieve import NonconvexRSR
    >>> X = [[0, 0, 1], [1, 2, 0], [2, 4, 1], [3, 6, 0], [4, 8, 1], [5, 10, 0]]
    >>> NonconvexRSR(1, alpha=5.0, scale=None).fit(X).get_support().tolist()
    [False, True, False]
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        **SCALE_CONSTRAINTS,
        **THREAD_CONSTRAINTS,
        **ITERATION_CONSTRAINTS,
        "p": [Interval(Real, 0, 1, closed="right")],
        "alpha": [POSITIVE, None],
    }
    _accepts_sparse = True
    _n_copies = 3
    _own_memory = staticmethod(square_memory)

    def __init__(
        self,
        n_features_to_select=None,
        *,
        include=None,
        exclude=None,
        p=0.5,
        alpha=None,
        scale="auto",
        n_jobs=None,
        max_iter=100,
        tol=1e-5,
        verbose=0,
        callback=None,
    ):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.p = p
        self.alpha = alpha
        self.scale = scale
        self.n_jobs = n_jobs
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.callback = callback

    def _rank(self, data):
        data = divide_columns(data, self.scale)
        with Workers(self.n_jobs) as workers, self._monitor() as monitor:
            columns = Columns.varying(data, workers, may_fill=True)

            def solve(alpha):
                rough = Monitor(tol=max(self.tol, _START_TOL), max_iter=self.max_iter)
                start = robust_self_representation(columns, rough, alpha=alpha)
                return robust_self_representation(
                    columns, monitor, alpha=alpha, power=self.p, norms=start.x
                )

            result, self.alpha_ = choose_alpha(columns, solve, self.alpha)
        self._report(result)
        return columns.expand(result.x[data.n_samples :])
