"""Penalties on weight matrices, each as (value, gradient)."""

import numpy as np


def l21(W, eps=1e-8):
    """Smoothed l2,1 norm: sum over rows of sqrt(|W_j|^2 + eps^2) - eps, and its gradient.

    Value and gradient belong to the same function, also at rows of zeros: the gradient of the
    smoothed norm with the value of the exact one would break the line search there.
    """
    norm = np.sqrt(np.einsum("ij,ij->i", W, W) + eps**2)
    return float((norm - eps).sum()), W / norm[:, None]


def squared_l2(W):
    """|W|_F^2 / 2 and its gradient."""
    return 0.5 * float(np.vdot(W, W)), W
