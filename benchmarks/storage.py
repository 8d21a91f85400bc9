"""What the storage of the data costs: seconds, peak memory, and whether scores agree.

    python benchmarks/run.py storage sparse_text

``storage``: GAFS in one pass on made-up data in memory, on disk and on a cluster. The neighbours of
a row are the rows before and after it, and this graph is given. Peaks are those of the resident
memory of the process; those of a cluster's workers do not count.

``sparse_text``: word counts as CSR and as a dense array, at every method's defaults, but 20
iterations where there are such and GAFS in one pass, seed 0. The size of the dense array is that in
single precision, the precision of GAFS. The scores are compared in double precision after 5
iterations: after more of them rounding alone parts the paths of a problem that is not convex. The
difference is the largest one, relative to the largest score.

Every fit runs in a process of its own.
"""

import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from measure import Peak, in_own_process, quiet, timed, write_walk
from sklearn.utils import get_tags

from experiments.data import load
from graphsieve import GAFS
from graphsieve.methods import REGISTRY

KINDS = ("memory", "memory map", "parquet", "zarr", "dask")
TEXTS = ("pcmac",)
# One reads no data; the others hold n x n numbers, whatever the storage.
LEFT_OUT = ("random", "rsr", "nonconvex_rsr", "gsr_sfs")


def rows(n=50_000, d=500, iterations=10, kinds=KINDS, dtypes=("float32", "float64")):
    """Every kind of storage, and how far the scores are from those of memory."""
    with tempfile.TemporaryDirectory() as folder:
        X = write_walk(Path(folder) / "X.npy", n, d)
        if "zarr" in kinds:
            import zarr

            zarr.create_array(Path(folder) / "X.zarr", data=X, chunks=(5_000, d))
        if "parquet" in kinds:
            write_parquet(Path(folder) / "X.parquet", X)
        for dtype in dtypes:
            wanted = None
            for kind in kinds:
                found = in_own_process(fit, kind, folder, iterations, dtype)
                scores = found.pop("scores")
                wanted = scores if wanted is None else wanted
                difference = abs(scores - wanted).max() / wanted.max()
                sizes = {"n": n, "d": d, "iterations": iterations}
                yield {"storage": kind, "dtype": dtype, **sizes, **found, "difference": difference}


def write_parquet(path, X, block=10_000):
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([(f"x{j}", pa.float32()) for j in range(X.shape[1])])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, len(X), block):
            columns = list(np.ascontiguousarray(X[start : start + block].T))
            writer.write_table(pa.table(columns, schema=schema))


def fit(kind, folder, iterations, dtype="float32"):
    """Seconds and memory of a fit to the data in a folder, and its scores."""
    X = np.load(f"{folder}/X.npy", mmap_mode="r")
    n = len(X)
    few = {"max_iter": iterations, "tol": 0, "random_state": 0, "scale": "global"}
    method = GAFS(5, elimination=None, dtype=dtype, **few)
    A = sp.diags_array([np.ones(n - 1), np.ones(n - 2)], offsets=[1, 2])
    method.set_params(affinity=(A + A.T).tocsr())
    if kind == "memory":
        X = np.array(X)
    elif kind == "parquet":
        import pyarrow.parquet as pq

        X = pq.ParquetFile(f"{folder}/X.parquet")
    elif kind == "zarr":
        import zarr

        X = zarr.open_array(f"{folder}/X.zarr", mode="r")
    elif kind == "dask":
        return fit_on_cluster(method, X)
    return measured(method, X)


def fit_on_cluster(method, X):
    import dask.array as da
    from distributed import Client, LocalCluster

    workers = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**workers) as cluster, Client(cluster), quiet():
        few = da.random.default_rng(0).random((300, 10), chunks=(100, 10))
        GAFS(5, elimination=None, max_iter=1, random_state=0).fit(few)  # workers load what it needs
        return measured(method, da.from_array(X, chunks=(len(X) // 8, X.shape[1])).persist())


def measured(method, X):
    with quiet():
        peak = Peak()
        seconds = timed(lambda: method.fit(X))[1]
    sizes = {"peak_mb": peak.highest(), "grown_mb": peak.grown()}
    return {"seconds": seconds, **sizes, "scores": method.scores_}


def sparse_methods():
    """The methods that take sparse data, by name."""
    takes_sparse = {name: get_tags(cls()).input_tags.sparse for name, cls in REGISTRY.items()}
    return [name for name in REGISTRY if takes_sparse[name] and name not in LEFT_OUT]


def text_rows(datasets=TEXTS, methods=None, iterations=20, compared=5):
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
        sparse = method.fit(sp.csr_array(X)).scores_
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
