"""The methods that go through data in pieces, with settings for comparing kinds of storage."""

from graphsieve import (
    AEFS,
    GAFS,
    GraphSieve,
    GreedyCSS,
    LaplacianScore,
    RandomRanker,
    Variance,
)

# Few iterations: the paths of a non-convex problem part at the last digit, and not by storage only.
FEW = {"dtype": "float64", "max_iter": 12, "tol": 0, "random_state": 0}
METHODS = {
    "variance": Variance(5),
    "random": RandomRanker(5, random_state=0),
    "lap_score": LaplacianScore(5),
    "css": GreedyCSS(5),
    "gafs": GAFS(5, **FEW),
    "aefs": AEFS(5, n_hidden=4, **FEW),
    "gafs_once": GAFS(5, elimination=None, **FEW),
    "sieve": GraphSieve(5, random_state=0),
}
