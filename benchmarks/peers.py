"""Every method that another package has too, side by side with it on the same data.

    python benchmarks/run.py peers

All values divided by the largest (for lassonet every column brought to [0, 1]), seed 0, best of 3
rounds in turns, or of as many as fit in two seconds; no further one starts once those of a pair are
past 30 seconds.

The selections are compared as well: the fraction of the first k columns that both choose, and the
error of a ridge regression of all columns on the first k, relative to the variance
(``graphsieve.evaluation.reconstruction_error``, on the data that were chosen on), with the first k
by variance and k random ones for comparison; k is 50, or a quarter of the columns if that is less.

skfeature-chappers: its neighbour graph joins by cosine with five neighbours, as ours does by
default; where it says "graph given", both sides get the same affinity matrix. Its ranking functions
lose their settings on the way, so that its raw scores are sorted here.

fastcan: its guide uses principal components as targets without labels. It adds up squared canonical
correlations with the first k components, whatever their variance; GreedyCSS minimises the squared
error of all columns. GraphSieve, whose targets are the data and the embedding of their graph, is
next to FastCan with the first ten vectors of scikit-learn's spectral embedding as targets.

lassonet: trained to reconstruct its input through ten hidden units, as in the MNIST example of its
project. It follows a path of penalties until no column is left and ranks columns by when they went.
Its defaults, but steps of 5 % on the path, not 2 %.
"""

from functools import partial

import numpy as np
from measure import best_times, quiet, unit_range
from scipy.sparse import csr_matrix
from sklearn.decomposition import PCA
from sklearn.manifold import SpectralEmbedding
from sklearn.preprocessing import minmax_scale

from experiments.data import load
from graphsieve import (
    GAFS,
    MCFS,
    SPEC,
    UDFS,
    GraphSieve,
    GreedyCSS,
    LaplacianScore,
    RandomRanker,
    Variance,
)
from graphsieve._graph.affinity import build_graph
from graphsieve._rows import RowBlocks
from graphsieve.evaluation import reconstruction_error

# LassoNet takes minutes to hours on the larger data sets.
PEERS = {
    "skfeature": ("yale", "isolet", "coil20"),
    "fastcan": ("digits", "yale", "isolet", "coil20"),
    "lassonet": ("breast_cancer", "digits"),
}
TITLES = {"skfeature": "skfeature-chappers"}
N_NONZERO = 50
# Fraction of the features that is selected.
SELECTED = 0.05
RIDGE = 0.1


def rows(peers=PEERS, repeats=3, enough=2.0, limit=30.0):
    for peer, datasets in peers.items():
        for dataset in datasets:
            X, pairs = PAIRS[peer](dataset)
            for method, (ours, theirs) in pairs.items():
                yield {
                    "method": method,
                    "peer": TITLES.get(peer, peer),
                    "data": dataset,
                    "n": X.shape[0],
                    "d": X.shape[1],
                    **compare(X, ours, theirs, repeats, enough, limit),
                }


def compare(X, ours, theirs, repeats, enough, limit):
    orders = {}

    def rank(name, function):
        with quiet():
            orders[name] = function(X)

    our_seconds, peer_seconds = best_times(
        [partial(rank, "ours", ours), partial(rank, "peer", theirs)], repeats, enough, limit
    )
    k = min(50, X.shape[1] // 4)
    orders["variance"] = Variance().fit(X).order_
    orders["random"] = RandomRanker(random_state=0).fit(X).order_
    chosen = {name: order[:k] for name, order in orders.items() if order is not None}
    return {
        "our_seconds": our_seconds,
        "peer_seconds": peer_seconds,
        "ratio": peer_seconds / our_seconds,
        "k": k,
        "overlap": np.isin(chosen["ours"], chosen["peer"]).mean() if "peer" in chosen else np.nan,
        **{
            f"{name}_error": reconstruction_error(X, X, chosen[name]) if name in chosen else np.nan
            for name in ("ours", "peer", "variance", "random")
        },
    }


def order(method):
    """Our side of a pair: data -> order of the columns."""
    return lambda X: method.fit(X).order_


def falling(scores):
    return np.argsort(-np.asarray(scores), kind="stable")


def skfeature(dataset):
    """(data, {method: (ours, the peer's)}); each gives an order of the features or None."""
    from skfeature.function.similarity_based import SPEC as peer_spec
    from skfeature.function.similarity_based import lap_score as peer_lap_score
    from skfeature.function.sparse_learning_based import MCFS as peer_mcfs
    from skfeature.function.sparse_learning_based import UDFS as peer_udfs
    from skfeature.function.statistical_based import low_variance
    from skfeature.utility.construct_W import construct_W

    def graph(X):
        """The copy because X is overwritten."""
        return construct_W(X.copy(), metric="cosine", weight_mode="cosine", k=5)

    def lap_score(X, W=None):
        return peer_lap_score.lap_score(X, mode="index", W=graph(X) if W is None else W)

    def spec(X, style, sign):
        return falling(sign * peer_spec.spec(X, mode="raw", style=style, W=graph(X)))

    def mcfs(X, W=None):
        settings = {"n_selected_features": N_NONZERO, "mode": "raw", "n_clusters": 5}
        weights = peer_mcfs.mcfs(X, W=graph(X) if W is None else W, **settings)
        return falling(weights.max(axis=1))

    def udfs(X):
        """Both parameters of ours are its gamma."""
        weights = peer_udfs.udfs(X, mode="raw", gamma=RIDGE, k=5, n_clusters=10)
        return falling(np.linalg.norm(weights, axis=1))

    def threshold_variance(X):
        """A threshold, no ranking."""
        low_variance.low_variance_feature_selection(X, mode="raw")

    X = unit_range(dataset)
    A = csr_matrix(build_graph(RowBlocks(X)))
    few = {"n_components": 5, "n_nonzero": N_NONZERO}
    return X, {
        "Variance": (order(Variance(SELECTED)), threshold_variance),
        "LaplacianScore": (order(LaplacianScore(SELECTED)), lap_score),
        "SPEC, phi1": (
            order(SPEC(SELECTED, criterion="phi1")),
            partial(spec, style=-1, sign=-1),
        ),
        "SPEC, phi2": (
            order(SPEC(SELECTED, criterion="phi2")),
            partial(spec, style=0, sign=-1),
        ),
        "SPEC, phi3": (
            order(SPEC(SELECTED, criterion="phi3", n_components=10)),
            partial(spec, style=11, sign=1),
        ),
        "MCFS": (order(MCFS(SELECTED, **few)), mcfs),
        "UDFS": (order(UDFS(SELECTED, n_components=10, alpha=RIDGE, ridge=RIDGE)), udfs),
        "LaplacianScore, graph given": (
            order(LaplacianScore(SELECTED, affinity=A)),
            partial(lap_score, W=A),
        ),
        "MCFS, graph given": (
            order(MCFS(SELECTED, affinity=A, n_nonzero=N_NONZERO)),
            partial(mcfs, W=A),
        ),
    }


def fastcan(dataset):
    from fastcan import FastCan

    X = unit_range(dataset)
    k = min(50, X.shape[1] // 4)

    def select(X):
        targets = PCA(k, random_state=0).fit_transform(X)
        return FastCan(k, verbose=0).fit(X, targets).indices_

    def select_spectral(X):
        graph = SpectralEmbedding(10, affinity="nearest_neighbors", n_neighbors=5, random_state=0)
        return FastCan(k, verbose=0).fit(X, graph.fit_transform(X)).indices_

    return X, {
        "GreedyCSS": (order(GreedyCSS(k)), select),
        "GraphSieve, spectral targets": (order(GraphSieve(k, random_state=0)), select_spectral),
    }


def lassonet(dataset):
    from lassonet import LassoNetRegressor

    settings = {"hidden_dims": (10,), "path_multiplier": 1.05, "random_state": 0, "torch_seed": 0}

    def select(X):
        net = LassoNetRegressor(**settings, verbose=0)
        net.path(X, X)
        return falling(net.feature_importances_.numpy())

    X = minmax_scale(load(dataset).X.astype(np.float32))
    return X, {"GAFS": (order(GAFS(random_state=0)), select)}


PAIRS = {"skfeature": skfeature, "fastcan": fastcan, "lassonet": lassonet}
