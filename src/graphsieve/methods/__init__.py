"""One file per method. REGISTRY maps the command-line name to the class."""

from .aefs import AEFS
from .css import GreedyCSS
from .gafs import GAFS
from .random import RandomRanker
from .variance import Variance

REGISTRY = {
    "gafs": GAFS,
    "aefs": AEFS,
    "css": GreedyCSS,
    "random": RandomRanker,
    "variance": Variance,
}

__all__ = ["REGISTRY", *sorted(cls.__name__ for cls in REGISTRY.values())]
