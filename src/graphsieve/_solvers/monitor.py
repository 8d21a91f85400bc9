"""What every iterative solver returns, and the rule by which it stops."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Result:
    """What an iterative solver reached.

    ``trace`` holds the objective at the start and after every iteration. ``status`` is
    "converged", "max_iter", "stopped" (by the callback) or "stalled" (no further decrease
    could be found in the precision at hand).
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

    @property
    def last_change(self):
        """Relative change of the objective in the last iteration."""
        return relative_change(*self.trace[-2:]) if self.n_iter else np.inf


def relative_change(before, after):
    """|before - after| / |after|: the stopping rule compares this with ``tol``."""
    return abs(before - after) / max(abs(after), np.finfo(float).tiny)


class Monitor:
    """Keeps the trace, asks the callback, and says when to stop."""

    def __init__(self, objective, tol, callback):
        self.trace = [float(objective)]
        self.tol = tol
        self.callback = callback
        self.status = "max_iter"

    def finished(self, objective):
        self.trace.append(float(objective))
        if relative_change(*self.trace[-2:]) < self.tol:
            self.status = "converged"
        if self.callback is not None and self.callback(len(self.trace) - 1, self.trace[-1]):
            self.status = "stopped"
        return self.status != "max_iter"
