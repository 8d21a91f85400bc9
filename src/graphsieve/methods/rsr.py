"""RSR: regularised self-representation."""

from .._linear.columns import Columns
from .._linear.self_representation import (
    choose_alpha,
    robust_self_representation,
    square_memory,
)
from .._rows.scaling import divide_columns
from .._utils.threads import Workers
from ..base import (
    ITERATION_CONSTRAINTS,
    POSITIVE,
    SCALE_CONSTRAINTS,
    THREAD_CONSTRAINTS,
    FeatureRanker,
)


class RSR(FeatureRanker):
    """Regularised self-representation (RSR).

    Keeps the features that represent all features. With X centred, RSR minimises over W (d x d)::

        sum_i |X_i - X_i W| + alpha sum_j |W_j|

    and the score of feature j is |W_j|, the norm of row j: how much the other features use it. The
    loss is not squared, so a few outliers among the samples do not dominate the result. The
    problem is convex. It is solved by reweighted least squares, without W when n <= d.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or a fraction in (0, 1] of them. If None, half of the features;
        if "auto", as many as add more than they would to shuffled columns.
    include, exclude : list of str or int, mask or None, default=None
        Features that are always kept, and features that are never kept: names, positions or a
        mask. Included features count as selected.
    alpha : float or None, default=None
        Weight of the row norms. If None, `0.1 * alpha_max`, where `alpha_max` is the smallest
        value for which W = 0. Below some positive alpha the residuals are exactly zero, and when
        n > d the order of the features is then arbitrary: a given alpha leads to a warning, and
        the default moves towards `alpha_max` until the residuals do not vanish.
    scale : {"auto", "standard", "minmax", "global"} or None, default="auto"
        Units in which the columns count: their standard deviations ("standard"), their ranges
        ("minmax"), the range of the whole table ("global"), or their own (None, as published).
        "auto" subtracts the median and divides by the range, with outliers moved to five standard
        deviations; of square roots if more than 90 % of the entries are zero and none is negative
        (words, events).
    n_jobs : int or None, default=None
        Number of threads; None uses all cores that OMP_NUM_THREADS and joblib allow.
    max_iter : int, default=100
        Maximum number of iterations.
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
    objective_trace_, n_iter_, converged_
        The objective at every iteration, their number, and whether ``tol`` was met.

    References
    ----------
    P. Zhu, W. Zuo, L. Zhang, Q. Hu, S. C. K. Shiu: Unsupervised feature selection by regularized
    self-representation. Pattern Recognition 48 (2015), 438-446.

    Examples
    --------
    The second column is twice the first and represents both:

    >>> from graphsieve import RSR
    >>> X = [[0, 0, 1], [1, 2, 0], [2, 4, 1], [3, 6, 0], [4, 8, 1], [5, 10, 0]]
    >>> RSR(1, alpha=5.0, scale=None).fit(X).get_support().tolist()
    [False, True, False]
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        **SCALE_CONSTRAINTS,
        **THREAD_CONSTRAINTS,
        **ITERATION_CONSTRAINTS,
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
        alpha=None,
        scale="auto",
        n_jobs=None,
        max_iter=100,
        tol=1e-5,
        verbose=0,
        callback=None,
    ):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
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
            result, self.alpha_ = choose_alpha(
                columns,
                lambda alpha: robust_self_representation(columns, monitor, alpha=alpha),
                self.alpha,
            )
        self._report(result)
        return columns.expand(result.x[data.n_samples :])
