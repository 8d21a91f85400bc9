"""What a selection means: how stable it is, what it covers, how many features it needs."""

from .grouped import GroupedRanker
from .stability import StabilitySelection, selection_stability

__all__ = ["GroupedRanker", "StabilitySelection", "selection_stability"]
