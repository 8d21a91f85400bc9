"""GAFS in one pass from every kind of storage: seconds, peak memory, and whether scores agree.

    python benchmarks/run.py storage large_map cluster

Made-up data (a walk through a space of eight dimensions, seen through d columns with noise), in
which the neighbours of a row are the rows before and after it: the graph is given, unless it says
"approximate". Every fit runs in a process of its own. Peaks are those of the resident memory of the
process, from /proc, which knows nothing of its parent's; those of a cluster's workers do not count.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

KINDS = ("memory", "memory map", "parquet", "zarr", "dask")
FIT = r"""
import json, re, sys, time, warnings

import numpy as np
import scipy.sparse as sp
from graphsieve import GAFS

warnings.simplefilter("ignore")


def peak():
    return int(re.search(r"VmHWM:\s+(\d+) kB", open("/proc/self/status").read())[1]) / 1024


def main():
    kind, folder, iterations, graph, dtype = sys.argv[1:]
    X = np.load(folder + "/X.npy", mmap_mode="r")
    n, d = X.shape
    few = {"max_iter": int(iterations), "tol": 0, "random_state": 0, "scale": "global"}
    method = GAFS(5, elimination=None, dtype=dtype, **few)
    if graph == "given":
        A = sp.diags_array([np.ones(n - 1), np.ones(n - 2)], offsets=[1, 2])
        method.set_params(affinity=(A + A.T).tocsr())
    cluster = None
    if kind == "memory":
        X = np.array(X)
    elif kind == "parquet":
        import pyarrow.parquet as pq

        X = pq.ParquetFile(folder + "/X.parquet")
    elif kind == "zarr":
        import zarr

        X = zarr.open_array(folder + "/X.zarr", mode="r")
    elif kind == "dask":
        import dask.array as da
        from distributed import Client, LocalCluster

        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
        client = Client(cluster)
        X = da.from_array(X, chunks=(n // 8, d)).persist()
        Few = da.random.default_rng(0).random((300, 10), chunks=(100, 10))
        # The workers load what they need.
        GAFS(5, elimination=None, max_iter=1, random_state=0).fit(Few)
    before = peak()
    start = time.perf_counter()
    method.fit(X)
    seconds = time.perf_counter() - start
    found = {"seconds": seconds, "peak_mb": peak(), "grown_mb": peak() - before}
    print(json.dumps({**found, "scores": method.scores_.tolist()}))
    if cluster is not None:
        client.close()
        cluster.close()


if __name__ == "__main__":
    main()
"""


def write(folder, n, d, kinds):
    """The data as a .npy file, and as Parquet and Zarr where these are asked for; in pieces."""
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(8, d)).astype(np.float32)
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float32, (n, d))
    position = np.zeros(8)
    for start in range(0, n, 10_000):
        size = min(10_000, n - start)
        walk = position + np.cumsum(rng.normal(size=(size, 8)), axis=0)
        position = walk[-1]
        noise = rng.normal(size=(size, d), scale=0.3).astype(np.float32)
        X[start : start + size] = np.sin(walk.astype(np.float32) / 20) @ mixing + noise
    X.flush()
    if "zarr" in kinds:
        import zarr

        zarr.create_array(folder / "X.zarr", data=X, chunks=(5_000, d))
    if "parquet" in kinds:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema([(f"x{j}", pa.float32()) for j in range(d)])
        with pq.ParquetWriter(folder / "X.parquet", schema) as writer:
            for start in range(0, n, 10_000):
                columns = list(np.ascontiguousarray(X[start : start + 10_000].T))
                writer.write_table(pa.table(columns, schema=schema))


def fit(kind, folder, iterations, graph="given", dtype="float32"):
    script = Path(folder) / "fit.py"  # a file, as the workers of a cluster import it
    script.write_text(FIT)
    run = [sys.executable, str(script), kind, str(folder), str(iterations), graph, dtype]
    done = subprocess.run(run, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def rows(n=50_000, d=500, iterations=10, kinds=KINDS):
    """Every kind of storage, and how far the scores are from those of memory."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), n, d, kinds)
        for dtype in ("float32", "float64"):
            wanted = None
            for kind in kinds:
                found = fit(kind, folder, iterations, dtype=dtype)
                scores = np.array(found.pop("scores"))
                wanted = scores if wanted is None else wanted
                difference = abs(scores - wanted).max() / wanted.max()
                sizes = {"n": n, "d": d, "iterations": iterations}
                yield {"storage": kind, "dtype": dtype, **sizes, **found, "difference": difference}


def large_map(n=300_000, d=1_000, iterations=20, graphs=("given", "approximate")):
    """A memory map larger than the memory that the fit may use."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), n, d, ())
        for graph in graphs:
            found = fit("memory map", folder, iterations, graph)
            del found["scores"]
            sizes = {"n": n, "d": d, "iterations": iterations, "data_mb": 4 * n * d / 2**20}
            yield {"storage": "memory map", "graph": graph, **sizes, **found}


def cluster_overhead(n=200_000, d=500, iterations=20, repeats=3):
    """Two single-threaded workers and two threads on the same data, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), n, d, ())
        for repeat in range(repeats):
            memory, dask = (fit(kind, folder, iterations)["seconds"] for kind in ("memory", "dask"))
            sizes = {"n": n, "d": d, "iterations": iterations, "repeat": repeat}
            yield {**sizes, "memory_s": memory, "dask_s": dask, "ratio": dask / memory}
