"""Solvers: they see only functions and arrays, and the iterative ones return one ``Result``."""

from .lbfgs import lbfgs
from .monitor import Monitor, Result, relative_change
