"""One file per method. REGISTRY maps the command-line name to the class."""

from .random import RandomRanker
from .variance import Variance

REGISTRY = {
    "random": RandomRanker,
    "variance": Variance,
}

__all__ = ["REGISTRY", *sorted(cls.__name__ for cls in REGISTRY.values())]
