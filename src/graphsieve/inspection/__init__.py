"""What a selection means: which features are represented by the kept ones, and how well."""

from .closest import Representatives, representatives
from .coverage import CoverageCurve, coverage_curve, explained_fraction
from .curves import column_weights, explained_curves, make_grid
from .sample import Sample, draw_sample

__all__ = [
    "CoverageCurve",
    "Representatives",
    "Sample",
    "column_weights",
    "coverage_curve",
    "draw_sample",
    "explained_curves",
    "explained_fraction",
    "make_grid",
    "representatives",
]
