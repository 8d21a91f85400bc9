"""Solvers: they see only functions and arrays, and the iterative ones return one ``Result``."""

from .lbfgs import lbfgs
from .result import Monitor, Result, relative_change

__all__ = ["Monitor", "Result", "lbfgs", "relative_change"]
