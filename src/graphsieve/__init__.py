"""graphsieve: keep the columns that carry the structure of wide, unlabelled data."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .inspection.grouped import GroupedRanker
    from .inspection.stability import StabilitySelection
    from .methods import (
        AEFS,
        DFSC,
        GAFS,
        GSRSFS,
        JFSSL,
        MCFS,
        MRSF,
        REGISTRY,
        RSR,
        SCUFS,
        SPEC,
        UDFS,
        GreedyCSS,
        LaplacianScore,
        NonconvexRSR,
        RandomRanker,
        Variance,
    )
    from .methods.drop_redundant import DropRedundant
    from .selection import Selection

__version__ = "0.1.0"

__all__ = [
    "AEFS",
    "DFSC",
    "GAFS",
    "GSRSFS",
    "JFSSL",
    "MCFS",
    "MRSF",
    "REGISTRY",
    "RSR",
    "SCUFS",
    "SPEC",
    "UDFS",
    "DropRedundant",
    "GreedyCSS",
    "GroupedRanker",
    "LaplacianScore",
    "NonconvexRSR",
    "RandomRanker",
    "Selection",
    "StabilitySelection",
    "Variance",
]

# Where the names are that are not methods.
_ELSEWHERE = {
    "DropRedundant": ".methods.drop_redundant",
    "GroupedRanker": ".inspection.grouped",
    "Selection": ".selection",
    "StabilitySelection": ".inspection.stability",
}


def __getattr__(name):
    # On first use: scikit-learn takes a second to load, and `graphsieve --help` needs none of it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_ELSEWHERE.get(name, ".methods"), __name__), name)


def __dir__():
    return sorted([*globals(), *__all__])
