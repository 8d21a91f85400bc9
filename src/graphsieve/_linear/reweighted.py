"""Iteratively reweighted least squares for sums of group norms."""

import numpy as np

# Group norms below this fraction of the largest one are smoothed away.
SMOOTHING = 1e-6
# After k steps with it, the momentum is k / (k + _DELAY) of the last change of the weights.
_DELAY = 3
# At the minimum no group grows. Convergence needs the ratio of every norm to the one before below
# 1 + _GROWTH * tol (1.03 for the usual 1e-5), or below 1 + _LEAST_GROWTH if that is less strict.
_GROWTH, _LEAST_GROWTH = 3e3, 1e-3
# Momentum may shrink an inverse weight to this fraction of what it would be without, never to zero.
_FLOOR = 0.1


def smoothed_norms(squares, eps, power=1.0):
    """(|w|^2 + eps^2)^(power / 2) for every group: smooth also where a group is zero."""
    return (squares + eps**2) ** (power / 2)


def inverse_weights(squares, eps, power=1.0):
    """c such that |v|^2 / c, up to a constant, touches the smoothed norm at w and lies above it."""
    return 2 / power * (squares + eps**2) ** (1 - power / 2)


def reweighted_l21(solve, start, monitor, *, weight, power=1.0, eps=None):
    """Minimise f(W) + sum_k weight_k |W_k|^power_k over groups of entries (rows) W_k of W.

    Every iteration replaces the norms by quadratics that lie above them and touch them at the
    current W, so the smoothed objective, with |W_k|^2 + eps^2 for |W_k|^2, never rises. For norms
    (power 1) the weights run ahead with Nesterov's momentum, which is built up anew when the
    objective rises. A fall by less than ``tol`` ends the iteration only after a step without
    momentum, and only if no group is still growing: one near zero adds little at first.

    ``solve(inverse)`` minimises f(W) + sum_k weight_k |W_k|^2 / inverse_k and returns f there and
    the squared norms |W_k|^2. ``start`` are the inverse weights of the first problem. ``eps`` is by
    default 1e-6 of the largest norm in its solution. The ``x`` of the Result holds the norms.
    """
    smooth, squares = solve(start)
    if eps is None:
        eps = default_eps(squares)

    def objective(smooth, squares):
        return smooth + np.sum(weight * smoothed_norms(squares, eps, power))

    def grows(squares, used):
        return is_convex and (inverse_weights(squares, eps, power) > most * used).any()

    # Below power 1 momentum might carry the weights on to another, worse, local minimum.
    is_convex = np.min(power) >= 1
    most = 1 + max(_GROWTH * monitor.tol, _LEAST_GROWTH)
    monitor.start(objective(smooth, squares))
    inverse = previous = inverse_weights(squares, eps, power)
    run = 0
    for _ in range(monitor.max_iter):
        momentum = run / (run + _DELAY) * (inverse - previous)
        used = np.maximum(inverse + momentum, _FLOOR * inverse)
        smooth, squares = solve(used)
        value = objective(smooth, squares)
        change = monitor.trace[-1] - value
        ends = change <= monitor.tol * abs(value) and not grows(squares, used)
        if run > 0 and (change < 0 or ends):
            # Too far, or the end: only a step without momentum, which cannot rise, decides which.
            used, run = inverse, 0
            smooth, squares = solve(used)
            value = objective(smooth, squares)
        run += is_convex
        previous, inverse = inverse, inverse_weights(squares, eps, power)
        if monitor.finished(value, converged=False if grows(squares, used) else None):
            break
    return monitor.result(np.sqrt(squares))


def default_eps(squares):
    """A smoothing that is small compared with the largest group; positive if all are zero."""
    return SMOOTHING * (np.sqrt(squares.max()) or 1.0)
