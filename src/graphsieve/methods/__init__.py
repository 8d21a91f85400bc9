"""One file per method. REGISTRY maps the command-line name to the class."""

from ..base import FeatureRanker
from .aefs import AEFS
from .css import GreedyCSS
from .dfsc import DFSC
from .gafs import GAFS
from .graph_sieve import GraphSieve
from .gsr_sfs import GSRSFS
from .jfssl import JFSSL
from .laplacian_score import LaplacianScore
from .mcfs import MCFS
from .mrsf import MRSF
from .random import RandomRanker
from .rsr import RSR, NonconvexRSR
from .scufs import SCUFS
from .spec import SPEC
from .udfs import UDFS
from .variance import Variance

REGISTRY: dict[str, type[FeatureRanker]] = {
    "sieve": GraphSieve,
    "gafs": GAFS,
    "aefs": AEFS,
    "css": GreedyCSS,
    "lap_score": LaplacianScore,
    "spec": SPEC,
    "mcfs": MCFS,
    "mrsf": MRSF,
    "jfssl": JFSSL,
    "udfs": UDFS,
    "rsr": RSR,
    "nonconvex_rsr": NonconvexRSR,
    "gsr_sfs": GSRSFS,
    "dfsc": DFSC,
    "scufs": SCUFS,
    "random": RandomRanker,
    "variance": Variance,
}

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
    "GraphSieve",
    "GreedyCSS",
    "LaplacianScore",
    "NonconvexRSR",
    "RandomRanker",
    "Variance",
]
