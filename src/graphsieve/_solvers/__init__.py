"""Solvers: they see only functions and arrays, and the iterative ones return one ``Result``."""

from .._utils.monitor import Monitor, Result, relative_change
from .reweighted import SMOOTHING, default_eps, inverse_weights, reweighted_l21, smoothed_norms
