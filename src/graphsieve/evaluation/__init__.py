"""How good are the kept columns: metrics as plain functions, and the paper's protocol."""

from .metrics import (
    classification_accuracy,
    clustering_accuracy,
    clustering_scores,
    nmi,
    reconstruction_error,
    reconstruction_path,
    redundancy,
    redundancy_path,
    stability,
)
from .protocol import (
    ALL_FEATURES,
    METRICS,
    SHARES,
    Split,
    balanced_split,
    evaluate,
    fit_on,
    make_split,
    score_order,
    selection_stability,
)

__all__ = [
    "ALL_FEATURES",
    "METRICS",
    "SHARES",
    "Split",
    "balanced_split",
    "classification_accuracy",
    "clustering_accuracy",
    "clustering_scores",
    "evaluate",
    "fit_on",
    "make_split",
    "nmi",
    "reconstruction_error",
    "reconstruction_path",
    "redundancy",
    "redundancy_path",
    "score_order",
    "selection_stability",
    "stability",
]
