"""All of MNIST in one pass of GAFS, the graph included, with its memory, in an own process.

    python benchmarks/run.py whole_mnist

70,000 x 784 bytes, m 10, 100 iterations, seed 0, approximate neighbours. The memory is what the
process grows by during the fit, at its highest point, beyond the data.
"""

import time

import numpy as np
from measure import Peak, in_own_process, quiet, timed

from graphsieve import GAFS
from graphsieve.datasets import load


def rows(n=70_000, iterations=100):
    yield in_own_process(measure, n, iterations)


def measure(n, iterations):
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
