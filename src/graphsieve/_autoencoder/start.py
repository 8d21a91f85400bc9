"""Where the autoencoder starts, and penalties that mean the same for all data."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import logit
from sklearn.utils.extmath import row_norms

from .passes import Weights, encode

# Each penalty is this fraction of the loss of a constant code, at the start.
_FRACTION = 0.01
# Means of columns are kept this far from 0 and 1, where the sigmoid is flat.
_MARGIN = 0.05
# Along an axis with less spread, scaled data are constant.
_NO_SPREAD = 1e-12


class Penalties(NamedTuple):
    """Weights of the three penalties of the objective."""

    alpha: float
    graph_weight: float
    decay: float


def principal_start(X, axes, output):
    """Weights with which the network, linear around the mean, is the projection on ``axes``.

    The axes (d, m) are orthonormal. Hidden units get inputs of variance 1, where the sigmoid has
    the slope 1/4; an output of mean p has the slope p (1 - p). No random numbers are involved, so
    neither are they in the result.
    """
    mean, variance = X.column_moments()
    # The axes have rounding errors at constant columns. The penalty on rows, which has a kink at
    # zero, would make them visible in the result.
    axes = np.where(np.sqrt(variance)[:, None] > _NO_SPREAD, axes, 0.0)
    spread = X.stack(partial(_project, axes)).std(axis=0)
    spread = np.where(spread > _NO_SPREAD, spread, 1.0)
    W_in = axes / spread
    W_out = 4 * spread[:, None] * axes.T
    b_out = mean
    if output == "sigmoid":
        centre = np.clip(mean, _MARGIN, 1 - _MARGIN)
        W_out = W_out / (centre * (1 - centre))
        b_out = logit(centre)
    return Weights(W_in, -mean @ W_in, W_out, b_out - 0.5 * W_out.sum(axis=0))


def relative_penalties(X, L, weights):
    """Penalties relative to the data: each is a hundredth of the loss of a constant code.

    ``weights`` are those at which the solver starts.
    """
    budget = _FRACTION * X.column_moments()[1].sum() / 2
    squares = np.vdot(weights.W_in, weights.W_in) + np.vdot(weights.W_out, weights.W_out)
    smoothness = 0.0
    if L is not None:
        H = X.stack(partial(encode, W_in=weights.W_in, b_in=weights.b_in))
        smoothness = float(np.vdot(H, L @ H))
    return Penalties(
        alpha=_over(budget, row_norms(weights.W_in).sum()),
        graph_weight=_over(budget, smoothness),
        decay=_over(2 * budget, squares),
    )


def _over(budget, penalty):
    return float(budget / penalty) if penalty > 0 else 0.0


def _project(axes, block):
    return block @ axes
