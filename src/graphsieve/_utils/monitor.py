"""What every iterative solver shares: the stopping rule, the trace, and the way to report."""

from dataclasses import dataclass

import numpy as np

from .messages import Progress


@dataclass(frozen=True)
class Result:
    """Solution of an iterative solver, and the objective at the start and after every iteration.

    ``status`` is "converged", "max_iter", "stopped" by the callback, or "stalled" by rounding.
    """

    x: np.ndarray
    trace: np.ndarray
    status: str

    @property
    def n_iter(self):
        return len(self.trace) - 1

    @property
    def converged(self):
        return self.status == "converged"


def last_change(trace):
    """|before - after| / |after| in the last iteration, which the stopping rule compares."""
    if len(trace) < 2:
        return np.inf
    return abs(trace[-2] - trace[-1]) / max(abs(trace[-1]), np.finfo(float).tiny)


class Monitor(Progress):
    """Trace, stopping rule, progress, callback and interrupt message of one solver run.

    A solver calls ``start`` with the first objective, ``finished`` after every iteration until it
    returns true, and ``result`` at the end. ``callback(iteration, objective)`` stops it by
    returning True. As a context manager, the monitor also explains Ctrl-C.
    """

    def __init__(self, *, tol, max_iter, callback=None, verbose=0, title=""):
        super().__init__(title, max_iter, verbose)
        self.tol, self.max_iter, self.callback = tol, max_iter, callback
        self.trace, self.status = [], "max_iter"

    def __exit__(self, kind, error, traceback):
        super().__exit__(kind, error, traceback)
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            when = "before its first iteration"
            if len(self.trace) > 1:
                when = f"after iteration {len(self.trace) - 1} (objective {self.trace[-1]:.6g})"
            raise KeyboardInterrupt(
                f"{self._title}.fit was interrupted {when}; the estimator is unchanged. "
                "To stop early and keep the result, use a callback that returns True"
            ) from None

    def start(self, objective):
        self.trace, self.status = [float(objective)], "max_iter"

    def finished(self, objective, *, converged=None):
        """Record an iteration; true when it was the last one, by ``converged`` if that is given."""
        self.trace.append(float(objective))
        iteration = len(self.trace) - 1
        if converged is None:
            converged = last_change(self.trace) < self.tol
        if converged:
            self.status = "converged"
        self.update(iteration, f"objective {self.trace[-1]:.6g}")
        if self.callback is not None and self.callback(iteration, self.trace[-1]):
            self.status = "stopped"
        return self.status != "max_iter" or iteration >= self.max_iter

    def result(self, x):
        return Result(x, np.array(self.trace), self.status)
