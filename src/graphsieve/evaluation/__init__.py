"""Measures of the quality of a selection, and the protocol of the GAFS paper."""

from .._graph.neighborhoods import nearest_rows, neighborhood_preservation
from .._linear.redundancy import redundancy, redundancy_path
from .._linear.regression import reconstruction_error, reconstruction_path
from .classification import classification_accuracy, forest_accuracy, neighbor_accuracy
from .clustering import clustering_accuracy, clustering_scores, nmi
from .protocol import ALL_FEATURES, evaluate, fit_on
from .scoring import METRICS, SCORES, SHARES, score_order
from .splits import Split, all_rows, balanced_split, make_split

__all__ = [
    "ALL_FEATURES",
    "METRICS",
    "SCORES",
    "SHARES",
    "Split",
    "all_rows",
    "balanced_split",
    "classification_accuracy",
    "clustering_accuracy",
    "clustering_scores",
    "evaluate",
    "fit_on",
    "forest_accuracy",
    "make_split",
    "nearest_rows",
    "neighbor_accuracy",
    "neighborhood_preservation",
    "nmi",
    "reconstruction_error",
    "reconstruction_path",
    "redundancy",
    "redundancy_path",
    "score_order",
]
