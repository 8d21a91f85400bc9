"""Iteratively reweighted least squares for sums of group norms."""

import numpy as np

from .result import Monitor, Result

# Group norms below this share of the largest one are smoothed away.
SMOOTHING = 1e-6


def smoothed_norms(squares, eps, power=1.0):
    """(|w|^2 + eps^2)^(power / 2) for every group: smooth also where a group is zero."""
    return (squares + eps**2) ** (power / 2)


def inverse_weights(squares, eps, power=1.0):
    """c such that |v|^2 / c, up to a constant, touches the smoothed norm at w and lies above it.

    The inverse of the usual weight, because it stays finite where a group vanishes.
    """
    return 2 / power * (squares + eps**2) ** (1 - power / 2)


def reweighted_l21(solve, start, *, weight, max_iter, tol, power=1.0, eps=None, callback=None):
    """Minimise f(W) + sum_k weight_k |W_k|^power_k over groups of entries (rows) W_k of W.

    Every iteration replaces the norms by quadratics that lie above them and touch them at the
    current W, so the smoothed objective, with |W_k|^2 + eps^2 for |W_k|^2, never rises.

    Parameters
    ----------
    solve : callable
        ``solve(inverse)`` minimises f(W) + sum_k weight_k |W_k|^2 / inverse_k and returns f there
        and the squared norms |W_k|^2. W itself may stay implicit.
    start : ndarray of shape (n_groups,)
        Inverse weights of the first problem, whose solution is where the trace begins.
    weight, power : float or ndarray of shape (n_groups,)
        Powers in (0, 1] give sparse solutions; below 1 a local minimum is found.
    eps : float or ndarray of shape (n_groups,), optional
        By default 1e-6 of the largest norm in the first solution.

    Returns
    -------
    Result
        Its ``x`` holds the norms of the groups.
    """
    smooth, squares = solve(start)
    if eps is None:
        eps = default_eps(squares)
    monitor = Monitor(smooth + np.sum(weight * smoothed_norms(squares, eps, power)), tol, callback)
    for _ in range(max_iter):
        smooth, squares = solve(inverse_weights(squares, eps, power))
        penalty = np.sum(weight * smoothed_norms(squares, eps, power))
        if monitor.finished(smooth + penalty):
            break
    return Result(np.sqrt(squares), np.array(monitor.trace), monitor.status)


def default_eps(squares):
    """A smoothing that is small beside the largest of the groups."""
    return SMOOTHING * np.sqrt(squares.max())
