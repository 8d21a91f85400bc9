"""How the time of a fit grows with n and d.

    python benchmarks/run.py scaling whole_mnist

``scaling``: GraphSieve and GAFS at their defaults, 50 columns selected, on columns of MNIST divided
by 255, repeated where there are more, seed 0, best of 2. The sizes along n begin at the sample of
the structure stage.

``whole_mnist``: GAFS in one pass, 70,000 x 784 bytes, m 10, 100 iterations, seed 0, in a process of
its own. The memory is what the process grows by during the fit, beyond the data.
"""

import time

import numpy as np
import pandas as pd
from measure import Peak, best_times, in_own_process, log_slope, quiet, timed

from experiments.data import load
from graphsieve import GAFS, GraphSieve

ALONG_N = tuple((n, 784) for n in (2_000, 6_000, 20_000, 60_000))
ALONG_D = tuple((2_000, d) for d in (784, 1_568, 3_136, 6_272))


def rows(dataset="mnist", along_n=ALONG_N, along_d=ALONG_D, repeats=2):
    X = load(dataset).X.astype(np.float32)
    X /= X.max()
    for method in (GraphSieve(50, random_state=0), GAFS(50, random_state=0)):
        with quiet():
            method.fit(X[:100])
            for along, sizes in (("n", along_n), ("d", along_d)):
                for n, d in sizes:
                    part = np.tile(X[:n], (1, -(-d // X.shape[1])))[:, :d].copy()
                    (seconds,) = best_times([lambda m=method, X=part: m.fit(X)], repeats)
                    name = type(method).__name__
                    yield {"method": name, "along": along, "n": n, "d": d, "seconds": seconds}


def slopes(table):
    """Log-log slope of every method along n and d: 1 is linear."""
    return pd.DataFrame(
        {"method": method, "along": along, "slope": log_slope(rows[along], rows["seconds"])}
        for (method, along), rows in table.groupby(["method", "along"], sort=False)
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
