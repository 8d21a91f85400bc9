"""The methods that skfeature-chappers has too, side by side on the same data.

Its neighbour graph joins by cosine with five neighbours, as ours does by default; where it says
"graph given", both sides get the same affinity matrix. Its ranking functions lose their settings
on the way, so that its raw scores are sorted here.
"""

import numpy as np
from measure import unit_range
from scipy.sparse import csr_matrix
from skfeature.function.similarity_based import SPEC as peer_spec
from skfeature.function.similarity_based import lap_score as peer_lap_score
from skfeature.function.sparse_learning_based import MCFS as peer_mcfs
from skfeature.function.sparse_learning_based import UDFS as peer_udfs
from skfeature.function.statistical_based import low_variance
from skfeature.utility.construct_W import construct_W

from graphsieve import MCFS, SPEC, UDFS, LaplacianScore, Variance
from graphsieve._graph.affinity import build_graph
from graphsieve._rows import RowBlocks

PEER = "skfeature-chappers"
N_NONZERO = 50
# Fraction of the features that is selected: a fit also learns to predict the others from them.
SELECTED = 0.05
RIDGE = 0.1


def peer_graph(X):
    """The copy because X is overwritten."""
    return construct_W(X.copy(), metric="cosine", weight_mode="cosine", k=5)


def falling(scores):
    return np.argsort(-np.asarray(scores), kind="stable")


def spec(criterion, style, sign):
    settings = {"criterion": criterion, "random_state": 0}
    if criterion == "phi3":
        settings["n_components"] = style - 1
    return (
        lambda X: SPEC(SELECTED, **settings).fit(X).order_,
        lambda X: falling(sign * peer_spec.spec(X, mode="raw", style=style, W=peer_graph(X))),
    )


def mcfs(X, W):
    weights = peer_mcfs.mcfs(X, n_selected_features=N_NONZERO, mode="raw", W=W, n_clusters=5)
    return falling(weights.max(axis=1))


def udfs(X):
    """Both parameters of ours are its gamma."""
    weights = peer_udfs.udfs(X, mode="raw", gamma=RIDGE, k=5, n_clusters=10)
    return falling(np.linalg.norm(weights, axis=1))


def threshold_variance(X):
    """A threshold, no ranking."""
    low_variance.low_variance_feature_selection(X, mode="raw")


PAIRS = {
    "Variance": (lambda X: Variance(SELECTED).fit(X).order_, threshold_variance),
    "LaplacianScore": (
        lambda X: LaplacianScore(SELECTED).fit(X).order_,
        lambda X: peer_lap_score.lap_score(X, mode="index", W=peer_graph(X)),
    ),
    "SPEC, phi1": spec("phi1", -1, -1),
    "SPEC, phi2": spec("phi2", 0, -1),
    "SPEC, phi3": spec("phi3", 11, 1),
    "MCFS": (
        lambda X: MCFS(SELECTED, n_components=5, n_nonzero=N_NONZERO, random_state=0).fit(X).order_,
        lambda X: mcfs(X, peer_graph(X)),
    ),
    "UDFS": (
        lambda X: UDFS(SELECTED, n_components=10, alpha=RIDGE, ridge=RIDGE).fit(X).order_,
        udfs,
    ),
}


def pairs_with_graph(A):
    """The methods alone: both sides get the same affinity matrix."""
    return {
        "LaplacianScore, graph given": (
            lambda X: LaplacianScore(SELECTED, affinity=A).fit(X).order_,
            lambda X: peer_lap_score.lap_score(X, mode="index", W=A),
        ),
        "MCFS, graph given": (
            lambda X: MCFS(SELECTED, affinity=A, n_nonzero=N_NONZERO, random_state=0).fit(X).order_,
            lambda X: mcfs(X, A),
        ),
    }


def pairs(dataset):
    """(data, {method: (ours, the peer's)}); each gives an order of the features or None."""
    X = unit_range(dataset)
    return X, {**PAIRS, **pairs_with_graph(csr_matrix(build_graph(RowBlocks(X))))}
