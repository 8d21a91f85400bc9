"""What a selection means: which features are represented by the kept ones, and how well."""

from .coverage import CoverageCurve, coverage_curve, explained_fraction
from .closest import Representatives, representatives

__all__ = [
    "CoverageCurve",
    "Representatives",
    "coverage_curve",
    "explained_fraction",
    "representatives",
]
