"""How the time of a GAFS fit in one pass with a fixed number of iterations grows with n, d and m.

    python benchmarks/run.py scaling whole_mnist

``scaling``: MNIST, all values divided by 255, 20 iterations, seed 0, best of 2, the graph included.
Along n the neighbours are approximate. Along d the columns are MNIST's, repeated, and along d and m
the neighbours are exact.

``whole_mnist``: 70,000 x 784 bytes, m 10, 100 iterations, seed 0, approximate neighbours, in a
process of its own. The memory is what the process grows by during the fit, beyond the data.
"""

import time

import numpy as np
import pandas as pd
from measure import Peak, best_times, in_own_process, log_slope, quiet, timed

from experiments.data import load
from graphsieve import GAFS
from graphsieve._graph.affinity import build_graph
from graphsieve._rows import RowBlocks

ALONG_N = tuple((n, 784, 10) for n in (2_000, 6_000, 20_000, 60_000))
ALONG_D = tuple((2_000, d, 10) for d in (784, 1_568, 3_136, 6_272))
ALONG_M = tuple((5_000, 784, m) for m in (10, 20, 40, 80))


def rows(
    dataset="mnist",
    along_n=ALONG_N,
    along_d=ALONG_D,
    along_m=ALONG_M,
    neighbors="approximate",
    iterations=20,
    repeats=2,
):
    X = load(dataset).X.astype(np.float32)
    X /= X.max()
    fit(X[:500], 10, neighbors, 1)
    for along, sizes, search in (
        ("n", along_n, neighbors),
        ("d", along_d, "exact"),
        ("m", along_m, "exact"),
    ):
        for n, d, m in sizes:
            part = np.tile(X[:n], (1, -(-d // X.shape[1])))[:, :d].copy()
            (seconds,) = best_times(
                [lambda part=part, m=m, search=search: fit(part, m, search, iterations)], repeats
            )
            yield {"along": along, "n": n, "d": d, "m": m, "neighbors": search, "seconds": seconds}


def fit(X, m, neighbors, iterations):
    with quiet():
        GAFS(
            n_hidden=m,
            affinity=build_graph(RowBlocks(X), neighbors=neighbors),
            scale=None,
            elimination=None,
            max_iter=iterations,
            tol=0,
            random_state=0,
        ).fit(X)


def slopes(table):
    """Log-log slope along n, d and m: 1 is linear."""
    groups = table.groupby("along", sort=False)
    return pd.DataFrame(
        {
            "along": along,
            "from": rows[along].min(),
            "to": rows[along].max(),
            "slope": log_slope(rows[along], rows["seconds"]),
        }
        for along, rows in groups
    )


def whole_rows(n=70_000, iterations=100):
    yield in_own_process(fit_whole, n, iterations)


def fit_whole(n, iterations):
    X = load("mnist").X[:n].astype(np.uint8)
    method = GAFS(elimination=None, scale="global", max_iter=iterations, tol=0, random_state=0)
    with quiet():
        peak, processor = Peak(), time.process_time()
        seconds = timed(lambda: method.fit(X))[1]
    return {
        "n": n,
        "d": X.shape[1],
        "m": method.W_in_.shape[1],
        "iterations": method.n_iter_,
        "seconds": seconds,
        "processor_seconds": time.process_time() - processor,
        "peak_beyond_data_mb": peak.grown(),
        "data_mb": X.nbytes / 2**20,
        "objective": method.objective_trace_[-1],
    }
