"""What a selection means: what the kept features represent, and how sure the choice is."""

from .closest import Representatives, representatives
from .coverage import CoverageCurve, coverage_curve, explained_fraction
from .curves import column_weights, explained_curves, make_grid
from .grouped import GroupedRanker
from .sample import Sample, draw_sample
from .stability import StabilitySelection, selection_stability

__all__ = [
    "CoverageCurve",
    "GroupedRanker",
    "Representatives",
    "Sample",
    "StabilitySelection",
    "column_weights",
    "coverage_curve",
    "draw_sample",
    "explained_curves",
    "explained_fraction",
    "make_grid",
    "representatives",
    "selection_stability",
]
