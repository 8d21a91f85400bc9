"""What a selection means, how sure it is, and how methods compare without labels."""

from .._linear.regression import CoverageCurve, explained_fraction
from .compare import Comparison, compare
from .coverage import Representatives, coverage_curve, overview, representatives
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
    "explained_fraction",
    "overview",
    "representatives",
    "selection_stability",
]
