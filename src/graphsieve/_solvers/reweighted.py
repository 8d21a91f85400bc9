"""Iteratively reweighted least squares for sums of group norms."""

import numpy as np

# Group norms below this share of the largest one are smoothed away.
SMOOTHING = 1e-6

# After k steps with it, the momentum is k / (k + _DELAY) of the last change of the weights.
_DELAY = 3

# Momentum may shrink an inverse weight to this share of what it would be without, never to zero.
_FLOOR = 0.1


def smoothed_norms(squares, eps, power=1.0):
    """(|w|^2 + eps^2)^(power / 2) for every group: smooth also where a group is zero."""
    return (squares + eps**2) ** (power / 2)


def inverse_weights(squares, eps, power=1.0):
    """c such that |v|^2 / c, up to a constant, touches the smoothed norm at w and lies above it.

    The inverse of the usual weight, because it stays finite where a group vanishes.
    """
    return 2 / power * (squares + eps**2) ** (1 - power / 2)


def reweighted_l21(solve, start, monitor, *, weight, power=1.0, eps=None):
    """Minimise f(W) + sum_k weight_k |W_k|^power_k over groups of entries (rows) W_k of W.

    Every iteration replaces the norms by quadratics that lie above them and touch them at the
    current W, so the smoothed objective, with |W_k|^2 + eps^2 for |W_k|^2, never rises. Alone this
    converges slowly. For norms (power 1) the weights therefore run ahead with Nesterov's momentum,
    which is given up, and built up anew, when the objective falls by less than ``tol``: a fall that
    small ends the iteration only after a step without momentum.

    Parameters
    ----------
    solve : callable
        ``solve(inverse)`` minimises f(W) + sum_k weight_k |W_k|^2 / inverse_k and returns f there
        and the squared norms |W_k|^2. W itself may stay implicit.
    start : ndarray of shape (n_groups,)
        Inverse weights of the first problem, whose solution is where the trace begins.
    monitor : Monitor
        Holds the stopping rule.
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

    def objective(smooth, squares):
        return smooth + np.sum(weight * smoothed_norms(squares, eps, power))

    # Below power 1 momentum might carry the weights on to another, worse, local minimum.
    allows_momentum = np.min(power) >= 1
    monitor.start(objective(smooth, squares))
    inverse = previous = inverse_weights(squares, eps, power)
    run = 0
    for _ in range(monitor.max_iter):
        momentum = run / (run + _DELAY) * (inverse - previous)
        smooth, squares = solve(np.maximum(inverse + momentum, _FLOOR * inverse))
        value = objective(smooth, squares)
        if run > 0 and monitor.trace[-1] - value <= monitor.tol * abs(value):
            # Too far, or the end: only a step without momentum, which cannot rise, tells which.
            smooth, squares = solve(inverse)
            value = objective(smooth, squares)
            run = 0
        run += allows_momentum
        previous, inverse = inverse, inverse_weights(squares, eps, power)
        if monitor.finished(value):
            break
    return monitor.result(np.sqrt(squares))


def default_eps(squares):
    """A smoothing that is small beside the largest of the groups."""
    return SMOOTHING * np.sqrt(squares.max())
