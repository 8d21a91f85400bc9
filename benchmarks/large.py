"""Fits to large data: sparse, on disk, and on a cluster.

    python benchmarks/run.py large picks large_map cluster

``large``: greedy selection of 300 features of 40,000 x 30,000 CSR with 5 % non-zeros, simulated
cells of twelve types, and of 100 of a memory map of 1,000,000 x 2,000 float32. Next to CSR data the
least that picks can cost: two products of the transpose with a vector each, in SciPy.

``picks``: the time of one pick of GreedyCSS against the number of non-zeros, as the difference
between fits with many and with few picks. Of small tables, all columns are picked anyway.

``large_map``: GAFS in one pass on a memory map larger than the memory that the fit may use.

``cluster``: two single-threaded workers of Dask and two threads on the same data, in turns.

Every fit runs in a process of its own; memory is what the process grows by during the fit.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from measure import Peak, best_times, in_own_process, quiet, write_walk
from storage import fit

from graphsieve import REGISTRY, GreedyCSS

SHAPES = {"csr": (40_000, 30_000), "map": (1_000_000, 2_000)}
FEATURES = {"csr": 300, "map": 100}
METHODS = {"csr": ("css", "sieve"), "map": ("css", "sieve")}


def cells(n, d, density, n_types=12, seed=0):
    """CSR counts, on a log scale, of cells of several types."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=density, format="csr", dtype=np.float32, rng=rng)
    kind = rng.integers(n_types, size=n)
    raised = (rng.random((n_types, d)) < 0.03).astype(np.float32) * 3
    rows = np.repeat(kind, np.diff(X.indptr))
    X.data = np.log1p(X.data * 2 + raised[rows, X.indices] * rng.random(X.nnz, dtype=np.float32))
    return X


def rows(shapes=SHAPES):
    with tempfile.TemporaryDirectory() as folder:
        for case, (n, d) in shapes.items():
            path = Path(folder) / ("X.npz" if case == "csr" else "X.npy")
            if case == "csr":
                sp.save_npz(path, cells(n, d, 0.05), compressed=False)
            else:
                write_walk(path, n, d)
            for method in METHODS[case]:
                found = in_own_process(fit_greedy, path, method, FEATURES[case])
                yield {"case": case, "n": n, "d": d, "method": method, **found}
            path.unlink()


def fit_greedy(path, method, n_features):
    sparse = path.suffix == ".npz"
    X = sp.csr_array(sp.load_npz(path)) if sparse else np.load(path, mmap_mode="r")
    estimator = REGISTRY[method](n_features)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    peak, wall, processor = Peak(), time.perf_counter(), time.process_time()
    with quiet():
        estimator.fit(X)
    seconds = time.perf_counter() - wall
    return {
        "features": n_features,
        "seconds": seconds,
        "processor_seconds": time.process_time() - processor,
        "grown_mb": peak.grown(),
        "over_products": seconds / products(X, 2 * n_features) if sparse else np.nan,
    }


def products(X, count):
    """Seconds of so many products X'v in double precision."""
    transposed, v = X.T.astype(np.float64), np.ones(X.shape[0])
    return count * best_times([lambda: transposed @ v], 5)[0]


def pick_rows(nonzeros=(10**6, 3 * 10**6, 10**7), n_picks=(5, 55), repeats=3):
    for nnz in nonzeros:
        size = int(np.sqrt(nnz / 0.05))
        X = cells(size, size, 0.05)
        few, many = best_times([lambda k=k, X=X: GreedyCSS(k).fit(X) for k in n_picks], repeats)
        yield {"nonzeros": X.nnz, "ms_per_pick": 1e3 * (many - few) / (n_picks[1] - n_picks[0])}


def map_rows(n=300_000, d=1_000, iterations=20):
    with tempfile.TemporaryDirectory() as folder:
        write_walk(Path(folder) / "X.npy", n, d)
        found = in_own_process(fit, "memory map", folder, iterations)
        del found["scores"]
        sizes = {"n": n, "d": d, "iterations": iterations, "data_mb": 4 * n * d / 2**20}
        yield {"storage": "memory map", **sizes, **found}


def cluster_rows(n=200_000, d=500, iterations=20, repeats=3):
    with tempfile.TemporaryDirectory() as folder:
        write_walk(Path(folder) / "X.npy", n, d)
        for repeat in range(repeats):
            memory, dask = (
                in_own_process(fit, kind, folder, iterations)["seconds"]
                for kind in ("memory", "dask")
            )
            sizes = {"n": n, "d": d, "iterations": iterations, "repeat": repeat}
            yield {**sizes, "memory_s": memory, "dask_s": dask, "ratio": dask / memory}
