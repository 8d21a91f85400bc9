"""RSR: regularised self-representation."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from .._linear.columns import Columns, square_rows
from .._linear.reweighted import SMOOTHING, inverse_weights, reweighted_l21
from .._linear.self_representation import ALPHA_FRACTION, ridge_rows, ridge_samples, square_memory
from .._rows.scaling import divide_columns
from .._utils.messages import warn
from .._utils.monitor import Monitor
from .._utils.shared import with_shared_parameters
from .._utils.sklearn_private import Interval
from .._utils.threads import Workers
from ..base import FeatureRanker

# Sum of the residual norms, relative to that for W = 0, below which a fit is exact, and above which
# a default alpha leaves enough residuals for the order of the columns to mean something.
_EXACT_FIT, _CLEAR_MISFIT = 1e-5, 1e-3
# A default alpha beyond this fraction of the limit is not raised further.
_NEAR_LIMIT = 0.95
# Of the start for p < 1: on COIL20, Isolet and BASEHOCK it led to a lower minimum than 1e-5.
_START_TOL = 1e-3


@with_shared_parameters
class RSR(FeatureRanker):
    """Regularised self-representation (RSR).

    Keeps the features that represent all features. With X centred, RSR minimises over W (d x d)::

        sum_i |X_i - X_i W| + alpha sum_j |W_j|^p

    and the score of feature j is |W_j|: how much the other features use it. The loss is not
    squared, so a few outliers among the samples do not dominate the result.

    Parameters
    ----------
    p : float in (0, 1], default=1.0
        Power of the row norms. Below 1, fewer rows are non-zero, and the problem is not convex.
    alpha : float or None, default=None
        Weight of the row norms. If None, `0.1 * alpha_max`, where `alpha_max` is the smallest
        value for which W = 0, or more if the residuals vanish, so that for n > d the order of the
        features would be arbitrary; a given alpha then leads to a warning.

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

    _parameter_constraints = {"p": [Interval(Real, 0, 1, closed="right")]}
    _accepts_sparse = True
    _n_copies = 3
    _own_memory = staticmethod(square_memory)

    p: float = 1.0
    alpha: float | None = None
    scale: str | None = "auto"
    n_jobs: int | None = None
    max_iter: int = 100
    tol: float = 1e-5
    verbose: int = 0
    callback: Any = None

    def _rank(self, data):
        data = divide_columns(data, self.scale)
        with Workers(self.n_jobs) as workers, self._monitor() as monitor:
            columns = Columns.varying(data, workers, may_fill=True)
            length = row_norms(columns.root)  # the residual norms of W = 0
            limit = columns.correlation(1 / np.where(length > 0, length, np.inf)).max() or 1.0
            self.alpha_ = self.alpha or ALPHA_FRACTION * limit
            while True:
                result = self._solve(columns, monitor)
                residuals = result.x[: data.n_samples]
                misfit = residuals.sum() / length.sum() if length.any() else 1.0
                may_rise = self.alpha is None and not columns.is_wide
                if not may_rise or misfit >= _CLEAR_MISFIT or self.alpha_ >= _NEAR_LIMIT * limit:
                    break
                self.alpha_ = (self.alpha_ + limit) / 2
        self._report(result)
        if self.alpha is not None and misfit < _EXACT_FIT:
            why = (
                "the row norms no longer depend on alpha"
                if columns.is_wide
                else "if they are independent, W is the identity and their order is rounding noise"
            )
            warn(
                f"alpha is so small that the columns represent themselves exactly: {why}. "
                "Use a larger alpha, or alpha=None"
            )
        return columns.expand(result.x[data.n_samples :])

    def _solve(self, columns, monitor):
        alpha, start = self.alpha_, None
        if self.p < 1:
            rough = Monitor(tol=max(self.tol, _START_TOL), max_iter=self.max_iter)
            start = robust_self_representation(columns, rough, alpha=alpha).x
        return robust_self_representation(columns, monitor, alpha=alpha, power=self.p, norms=start)


@with_shared_parameters
class NonconvexRSR(RSR):
    """``RSR`` with another default of ``p``, which leaves fewer features with weights.

    Parameters
    ----------
    p : float in (0, 1], default=0.5
        Power of the row norms.
    alpha : float or None, default=None
        Weight of the row norms, chosen as in RSR if None.

    References
    ----------
    P. Zhu, W. Zhu, W. Wang, W. Zuo, Q. Hu: Non-convex regularized self-representation for
    unsupervised feature selection. Image and Vision Computing 60 (2017), 22-29.

    Examples
    --------
    >>> from graphsieve import NonconvexRSR
    >>> X = [[0, 0, 1], [1, 2, 0], [2, 4, 1], [3, 6, 0], [4, 8, 1], [5, 10, 0]]
    >>> NonconvexRSR(1, alpha=5.0, scale=None).fit(X).get_support().tolist()
    [False, True, False]
    """

    p: float = 0.5


def robust_self_representation(columns, monitor, *, alpha, power=1.0, norms=None):
    """Minimise sum_i |X_i - X_i W| + alpha sum_j |W_j|^power over W, both norms reweighted.

    The ``x`` of the Result holds the n norms |X_i - X_i W|, then the d norms |W_j|; ``norms`` is
    that of an earlier result, to start from.
    """
    n, d = columns.n_samples, columns.n_features
    length = row_norms(columns.root)
    # Residuals have the units of the data, W has none.
    eps = np.repeat([SMOOTHING * (length.max() or 1.0), SMOOTHING], [n, d])
    weight = np.repeat([1.0, alpha], [n, d])
    power = np.repeat([1.0, power], [n, d])
    if norms is None:
        # The residuals of W = 0, and an even chance for every column.
        norms = np.concatenate([length, np.full(d, 0.5)])

    def solve_wide(inverse):
        residual, scale = inverse[:n], inverse[n:] / alpha
        V = ridge_samples(columns.gram(scale), residual, columns.root)
        squares = residual**2 * square_rows(V), scale**2 * columns.squares(V)
        return 0.0, np.concatenate(squares)

    def solve_tall(inverse):
        H = columns.feature_gram(1 / inverse[:n])
        W = ridge_rows(H, H, inverse[n:] / alpha)
        return 0.0, np.concatenate([columns.residual_squares(W), square_rows(W)])

    solve = solve_wide if columns.is_wide else solve_tall
    start = inverse_weights(norms**2, eps, power)
    return reweighted_l21(solve, start, monitor, weight=weight, power=power, eps=eps)
