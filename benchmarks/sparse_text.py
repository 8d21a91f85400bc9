"""Text data as CSR: peak memory of a fit against the size of the dense array, and the same scores.

    python benchmarks/run.py sparse_text

Word counts at every method's defaults, but 20 iterations where there are such and GAFS in one
pass, seed 0. Each fit runs in a process of its own; the peak is what that grows by during the fit.
The size of the dense array is that in single precision, the precision of GAFS. The scores are
compared in double precision after 5 iterations: after more of them rounding alone parts the paths
of a problem that is not convex. The difference is the largest one, relative to the largest score.
"""

import numpy as np
from measure import Peak, in_own_process, quiet, timed
from scipy.sparse import csr_array
from sklearn.utils import get_tags

from graphsieve.datasets import load
from graphsieve.methods import REGISTRY

DATASETS = ("pcmac", "basehock", "relathe")
# One reads no data; the others hold n x n numbers, whatever the storage.
LEFT_OUT = ("random", "rsr", "nonconvex_rsr", "gsr_sfs")


def sparse_methods():
    """The methods that take sparse data, by name."""
    takes_sparse = {name: get_tags(cls()).input_tags.sparse for name, cls in REGISTRY.items()}
    return [name for name in REGISTRY if takes_sparse[name] and name not in LEFT_OUT]


def rows(datasets=DATASETS, methods=None, iterations=20, compared=5):
    for dataset in datasets:
        for name in methods or sparse_methods():
            yield {
                "data": dataset,
                "method": name,
                **in_own_process(fit_sparse, dataset, name, iterations),
                **in_own_process(fit_dense, dataset, name, iterations, compared),
            }


def fit_sparse(dataset, name, iterations):
    X = load(dataset, as_sparse=True).X
    seconds, peak = cost(make(name, max_iter=iterations), X)
    n, d = X.shape
    return {
        "n": n,
        "d": d,
        "share_of_zeros": 1 - X.nnz / (n * d),
        "dense_array_mb": 4 * n * d / 2**20,
        "csr_seconds": seconds,
        "csr_peak_mb": peak,
    }


def fit_dense(dataset, name, iterations, compared):
    X = load(dataset).X
    seconds, peak = cost(make(name, max_iter=iterations), X)
    method = make(name, max_iter=compared, dtype="float64")
    X = X.astype(np.float64)
    with quiet():
        dense = method.fit(X).scores_
        sparse = method.fit(csr_array(X)).scores_
    return {
        "dense_seconds": seconds,
        "dense_peak_mb": peak,
        "score_difference": abs(sparse - dense).max() / abs(dense).max(),
    }


def cost(method, X):
    """Seconds of a fit, and the MB by which the process grew during it."""
    with quiet():
        method.fit(X[:50])  # loads what is loaded on first use
        peak = Peak()
        seconds = timed(lambda: method.fit(X))[1]
    return seconds, peak.grown()


def make(name, **settings):
    """The method at its defaults, with those of the settings that it has."""
    method = REGISTRY[name]()
    known = method.get_params()
    settings = {"random_state": 0, "tol": 0.0, "elimination": None, **settings}
    return method.set_params(**{key: settings[key] for key in settings if key in known})
