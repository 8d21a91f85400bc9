"""graphsieve: unsupervised feature selection for wide, unlabelled tables."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .encoding import encode
    from .inspection.grouped import GroupedRanker
    from .inspection.stability import StabilitySelection
    from .methods import *
    from .methods.drop_redundant import DropRedundant
    from .selection import Selection

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
    "GraphSieve",
    "GreedyCSS",
    "GroupedRanker",
    "LaplacianScore",
    "NonconvexRSR",
    "RandomRanker",
    "Selection",
    "StabilitySelection",
    "Variance",
    "encode",
]

# Where the names are that are not methods.
_ELSEWHERE = {
    "DropRedundant": ".methods.drop_redundant",
    "GroupedRanker": ".inspection.grouped",
    "Selection": ".selection",
    "encode": ".encoding",
    "StabilitySelection": ".inspection.stability",
}

# Public modules, which `import graphsieve` makes available without loading them.
_MODULES = ("anndata", "base", "evaluation", "inspection", "methods", "plots", "report")


def __getattr__(name: str) -> Any:
    # Loaded on first use: importing scikit-learn takes a second, and `graphsieve --help` does not
    # need it. The version lives in the package metadata, which pyproject.toml defines.
    if name == "__version__":
        from importlib.metadata import version

        return version("graphsieve")
    from importlib import import_module

    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ELSEWHERE.get(name, ".methods"), __name__), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
