"""Nearest neighbours of MNIST's rows: exact, scikit-learn's exact, and approximate with its recall.

    python benchmarks/run.py graph_recall

Five neighbours by cosine, in float32, rows drawn with seed 0, one run. scikit-learn is
``NearestNeighbors(algorithm="brute")`` on normalised rows, which computes in double precision.
Both processor seconds (of all threads) and wall-clock seconds are recorded.
"""

import time

import numpy as np
from measure import timed, unit_range
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from graphsieve._graph.neighbors import nearest_neighbors
from graphsieve._rows import RowBlocks

N_NEIGHBORS = 5


def search(X, neighbors):
    i, j, _ = nearest_neighbors(RowBlocks(X), N_NEIGHBORS, metric="cosine", neighbors=neighbors)
    return i * len(X) + j


def scikit_learn(X):
    rows = normalize(X)
    _, j = NearestNeighbors(n_neighbors=N_NEIGHBORS, algorithm="brute").fit(rows).kneighbors()
    return (np.arange(len(X))[:, None] * len(X) + j).ravel()


SEARCHES = {
    "exact": lambda X: search(X, "exact"),
    "scikit-learn": scikit_learn,
    "approximate": lambda X: search(X, "approximate"),
}


def rows(dataset="mnist", sizes=(2_000, 10_000, 30_000), searches=tuple(SEARCHES)):
    X = unit_range(dataset, max(sizes)).astype(np.float32)
    for n in sizes:
        exact = None
        for name in searches:
            processor = time.process_time()
            edges, seconds = timed(lambda name=name, n=n: SEARCHES[name](X[:n]))
            exact = edges if exact is None else exact
            yield {
                "n": n,
                "search": name,
                "seconds": seconds,
                "processor_seconds": time.process_time() - processor,
                "recall": np.isin(exact, edges).mean(),
            }
