"""Limited-memory BFGS: the two-loop recursion and a line search for the strong Wolfe conditions.

SciPy's L-BFGS-B spends more time between two evaluations than the evaluations take when there
are many parameters and few samples; this one reads each stored vector twice per iteration and
does nothing else of that size.
"""

import numpy as np
from scipy.linalg import get_blas_funcs

from .result import Monitor, Result

# Nocedal and Wright, "Numerical Optimization", 2nd edition, algorithms 3.5, 3.6 and 7.4.
_SUFFICIENT_DECREASE = 1e-4
_CURVATURE = 0.9
_MOST_EVALUATIONS = 20


def lbfgs(value_and_grad, x0, *, max_iter, tol, memory=10, dtype="float64", callback=None):
    """Minimise a smooth function.

    Stops when the relative change of the objective falls below ``tol``, after ``max_iter``
    iterations, or when ``callback(iteration, objective)`` returns true. ``dtype`` is the precision
    of the ``memory`` pairs of vectors that are kept: single is enough where gradients have no more.
    """
    x, (value, grad) = x0, value_and_grad(x0)
    pairs = _Pairs(memory, x0.size, dtype)
    monitor = Monitor(value, tol, callback)
    for _ in range(max_iter):
        if not grad.any():
            monitor.status = "converged"
            break
        direction = pairs.direction(grad)
        slope = float(direction @ grad)
        step = 1.0 if pairs.count else min(1.0, 1.0 / np.sqrt(-slope))
        found = _line_search(value_and_grad, x, direction, value, slope, step)
        if found is None and pairs.count:
            pairs.forget()  # once more, along the gradient
            continue
        if found is None:
            monitor.status = "stalled"
            break
        step, value, new_grad = found
        direction *= step
        pairs.add(direction, new_grad - grad)
        x, grad = x + direction, new_grad
        if monitor.finished(value):
            break
    return Result(x, np.array(monitor.trace), monitor.status)


class _Pairs:
    """The last steps and changes of the gradient, and what they say about the curvature."""

    def __init__(self, memory, size, dtype):
        self.S = np.empty((memory, size), dtype)
        self.Y = np.empty((memory, size), dtype)
        self.rho = np.empty(memory)
        self.forget()

    def forget(self):
        self.count = 0
        self.newest = -1

    def add(self, s, y):
        curvature = float(s @ y)
        if curvature <= np.finfo(float).eps * float(y @ y):
            return
        self.newest = (self.newest + 1) % len(self.rho)
        self.count = min(self.count + 1, len(self.rho))
        self.S[self.newest], self.Y[self.newest] = s, y
        self.rho[self.newest] = 1 / curvature
        self.gamma = curvature / float(y @ y)

    def direction(self, grad):
        """Minus the approximate inverse Hessian times the gradient."""
        q = (-grad).astype(self.S.dtype, copy=False)
        axpy = get_blas_funcs("axpy", (q,))  # in place, and nothing else of that size is written
        ages = [(self.newest - age) % len(self.rho) for age in range(self.count)]
        weight = {}
        for i in ages:
            weight[i] = self.rho[i] * float(self.S[i] @ q)
            axpy(self.Y[i], q, a=-weight[i])
        if self.count:
            q *= float(self.gamma)
        for i in reversed(ages):
            axpy(self.S[i], q, a=weight[i] - self.rho[i] * float(self.Y[i] @ q))
        return q.astype(grad.dtype, copy=False)


def _line_search(value_and_grad, x, direction, value, slope, step):
    """(step, value, gradient) under the strong Wolfe conditions, or None where there is none."""
    if slope >= 0:
        return None
    # Differences below the rounding of single-precision sums decide nothing.
    noise = 1e-7 * abs(value)
    low = (0.0, value, slope, None)
    high = None
    for _ in range(_MOST_EVALUATIONS):
        new_value, grad = value_and_grad(x + step * direction)
        new_slope = float(grad @ direction)
        if not np.isfinite(new_value) or (
            new_value > value + _SUFFICIENT_DECREASE * step * slope + noise
            or new_value > low[1] + noise
        ):
            high = (step, new_value, new_slope, grad)
        elif abs(new_slope) <= -_CURVATURE * slope:
            return step, new_value, grad
        else:
            if new_slope * ((high[0] if high else np.inf) - low[0]) >= 0:
                high = low
            low = (step, new_value, new_slope, grad)
        step = 2 * step if high is None else _between(low, high)
    return None if low[3] is None else (low[0], low[1], low[3])


def _between(low, high):
    """Minimum of the cubic through two points and slopes, kept away from both ends."""
    (a, fa, ga, _), (b, fb, gb, _) = low, high
    width = b - a
    guess = a + 0.5 * width
    if np.isfinite(fb) and np.isfinite(gb):
        theta = ga + gb - 3 * (fa - fb) / (a - b)
        root = theta**2 - ga * gb
        if root >= 0:
            root = np.copysign(np.sqrt(root), width)
            if gb - ga + 2 * root != 0:
                guess = b - width * (gb + root - theta) / (gb - ga + 2 * root)
    edges = sorted((a + 0.1 * width, b - 0.1 * width))
    return float(np.clip(guess, *edges))
