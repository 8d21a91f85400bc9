"""Nearest neighbours of MNIST's rows: exact, scikit-learn's exact, and approximate with its recall.

    GRAPHSIEVE_DATA=folder python benchmarks/graph_recall.py [rows ...]

Needs mnist.npz and the extra ``ann``. Five neighbours by cosine, in float32. Processor seconds
(of all threads) stand beside wall-clock seconds, since only they bear a busy machine. pynndescent
compiles itself at its first call in a process; that call, on few rows, has a line of its own.
"""

import sys
import time

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from graphsieve.blocks import RowBlocks
from graphsieve.datasets import load
from graphsieve.graphs import nearest_neighbors

N_NEIGHBORS = 5


def timed(function):
    wall, processor = time.perf_counter(), time.process_time()
    result = function()
    return result, f"{time.perf_counter() - wall:8.1f} {time.process_time() - processor:10.1f}"


def search(X, neighbors):
    return nearest_neighbors(RowBlocks(X), N_NEIGHBORS, metric="cosine", neighbors=neighbors)


def scikit_learn(X):
    rows = normalize(X)
    return NearestNeighbors(n_neighbors=N_NEIGHBORS + 1, algorithm="brute").fit(rows).kneighbors()


def main(sizes):
    X = load("mnist").X
    X = X[np.random.default_rng(0).permutation(len(X))].astype(np.float32) / 255
    print(f"{'rows':>6} {'search':<14} {'seconds':>8} {'processor':>10} {'recall':>7}")
    print(f"{1000:6} {'compilation':<14} {timed(lambda: search(X[:1000], 'approximate'))[1]}")
    for n in sizes:
        (i, j, _), line = timed(lambda n=n: search(X[:n], "exact"))
        print(f"{n:6} {'exact':<14} {line}")
        print(f"{n:6} {'scikit-learn':<14} {timed(lambda n=n: scikit_learn(X[:n]))[1]}")
        (a, b, _), line = timed(lambda n=n: search(X[:n], "approximate"))
        recall = np.isin(i * n + j, a * n + b).mean()
        print(f"{n:6} {'approximate':<14} {line} {recall:7.4f}", flush=True)


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [2_000, 10_000, 30_000])
