"""What a selection means, how sure it is, and how methods compare without labels."""

from .._linear.regression import CoverageCurve, coverage_curve, explained_fraction
from .closest import Representatives, representatives
from .compare import Comparison, compare
from .curves import explained_curves, make_grid
from .grouped import GroupedRanker
from .stability import StabilitySelection, selection_stability

__all__ = [
    "Comparison",
    "CoverageCurve",
    "GroupedRanker",
    "Representatives",
    "StabilitySelection",
    "compare",
    "coverage_curve",
    "explained_curves",
    "explained_fraction",
    "make_grid",
    "representatives",
    "selection_stability",
]
