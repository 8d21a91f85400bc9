"""Limited-memory BFGS."""

import numpy as np

from .result import Monitor, Result


def lbfgs(value_and_grad, x0, *, max_iter, tol, memory=10, callback=None):
    """Minimise a smooth function with limited-memory BFGS.

    Stops when the relative change of the objective falls below ``tol``, after ``max_iter``
    iterations, or when ``callback(iteration, objective)`` returns true.
    """
    from scipy.optimize import minimize

    monitor = Monitor(value_and_grad(x0)[0], tol, callback)

    def after_iteration(intermediate_result):
        if monitor.finished(intermediate_result.fun):
            raise StopIteration

    solution = minimize(
        value_and_grad,
        x0,
        jac=True,
        method="L-BFGS-B",
        callback=after_iteration,
        # SciPy's own rule is absolute once the objective is below one: switched off.
        options={
            "maxiter": max_iter,
            "maxfun": 20 * max_iter,
            "maxcor": memory,
            "ftol": 0.0,
            "gtol": 1e-12,
        },
    )
    status = monitor.status
    if status == "max_iter" and solution.status == 0:
        status = "converged"  # the gradient has vanished
    elif status == "max_iter" and solution.status == 2:
        status = "stalled"
    return Result(solution.x, np.array(monitor.trace), status)
