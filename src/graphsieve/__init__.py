"""graphsieve: keep the columns that carry the structure of wide, unlabelled data."""

from .methods import AEFS, GAFS, REGISTRY, RandomRanker, Variance

__version__ = "0.1.0"

__all__ = ["AEFS", "GAFS", "REGISTRY", "RandomRanker", "Variance"]
