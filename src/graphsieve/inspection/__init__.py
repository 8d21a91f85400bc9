"""What a selection means, how sure it is, and how methods compare without labels."""

from .closest import Representatives, representatives
from .compare import Comparison, compare
from .coverage import CoverageCurve, coverage_curve, explained_fraction
from .curves import column_weights, explained_curves, has_unequal_variances, make_grid
from .grouped import GroupedRanker
from .sample import Sample, draw_sample
from .stability import StabilitySelection, selection_stability

__all__ = [
    "Comparison",
    "CoverageCurve",
    "GroupedRanker",
    "Representatives",
    "Sample",
    "StabilitySelection",
    "column_weights",
    "compare",
    "coverage_curve",
    "draw_sample",
    "explained_curves",
    "explained_fraction",
    "has_unequal_variances",
    "make_grid",
    "representatives",
    "selection_stability",
]
