"""Greedy selection at size: seconds and processor seconds of fits, peak memory beyond the data.

    python benchmarks/large.py csr_8000 css
    python benchmarks/large.py csr_40000 css sieve gafs
    python benchmarks/large.py map_1000000 css sieve gafs
    python benchmarks/large.py slope
    python benchmarks/large.py cluster

csr_8000 is 8,000 x 6,000 CSR with 2.3 million non-zeros, csr_40000 is 40,000 x 30,000 CSR with 5 %
non-zeros, both float32, of cells of twelve types with genes of their own; map_1000000 is a memory
map of 1,000,000 x 2,000 float32, a walk through a space of eight dimensions. Every fit runs in a
process of its own. ``slope`` is the exponent of the cost of a pick in the number of non-zeros.
``cluster`` fits GreedyCSS to CSR chunks on a Dask LocalCluster of two workers, and shows the
processor seconds of the workers and the bytes that they send back, in all and per pick.
Another version of graphsieve is measured by putting its ``src`` on PYTHONPATH.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp

FEATURES = {"csr_8000": 100, "csr_40000": 300, "map_1000000": 100}
SHAPES = {"csr_8000": (8_000, 6_000, 0.048), "csr_40000": (40_000, 30_000, 0.05)}


def cells(n, d, density, n_types=12, seed=0):
    """CSR counts, on a log scale, of cells of several types."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=density, format="csr", dtype=np.float32, rng=rng)
    kind = rng.integers(n_types, size=n)
    raised = (rng.random((n_types, d)) < 0.03).astype(np.float32) * 3
    rows = np.repeat(kind, np.diff(X.indptr))
    X.data = np.log1p(X.data * 2 + raised[rows, X.indices] * rng.random(X.nnz, dtype=np.float32))
    return X


def write_map(path, n=1_000_000, d=2_000, block=10_000):
    """A walk through a space of eight dimensions, seen through d columns with noise."""
    rng = np.random.default_rng(0)
    axes = rng.normal(size=(8, d)).astype(np.float32)
    X = np.lib.format.open_memmap(path, "w+", np.float32, (n, d))
    place = np.zeros(8)
    for start in range(0, n, block):
        walk = place + np.cumsum(rng.normal(scale=0.05, size=(block, 8)), axis=0)
        place = walk[-1]
        noise = rng.standard_normal((block, d), dtype=np.float32)
        X[start : start + block] = np.tanh(walk.astype(np.float32)) @ axes + 0.5 * noise
    X.flush()


def peak():
    """Largest resident memory of this process so far, in MB."""
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024


def fit(case, method, path):
    """Fit one method on stored data and print what it took."""
    from graphsieve import REGISTRY

    warnings.simplefilter("ignore")
    X = sp.load_npz(path) if path.endswith(".npz") else np.load(path, mmap_mode="r")
    X = sp.csr_array(X) if sp.issparse(X) else X
    estimator = REGISTRY[method](FEATURES[case])
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    before, start = peak(), (time.perf_counter(), time.process_time())
    estimator.fit(X)
    seconds, processor = time.perf_counter() - start[0], time.process_time() - start[1]
    found = {
        "case": case,
        "method": method,
        "seconds": round(seconds, 2),
        "processor_seconds": round(processor, 2),
        "grown_mb": round(peak() - before),
        "peak_mb": round(peak()),
        "target_energy": round(getattr(estimator, "target_energy_", 1.0), 4),
        "stages": getattr(estimator, "stage_seconds_", None),
        "picks": estimator.order_[: FEATURES[case]].tolist(),
    }
    print(json.dumps(found))


def slope(nonzeros=(10**4, 10**5, 10**6, 10**7), n_picks=20):
    """Exponent of the processor time of a pick in the number of non-zeros."""
    from graphsieve._linear.columns import Columns, leading_scores
    from graphsieve._linear.forward import FactorTarget, ForwardSelection
    from graphsieve._rows import RowBlocks

    times = []
    for nnz in nonzeros:
        n = d = int(np.sqrt(nnz / 0.05))
        columns = Columns(RowBlocks(cells(n, d, 0.05)))
        target = FactorTarget(*leading_scores(columns, 50, np.random.RandomState(0)))
        selection = ForwardSelection(columns, target, 0.1 * columns.square_norms)
        start = time.process_time()
        for _ in range(n_picks):
            selection.pick()
        times.append((time.process_time() - start) / n_picks)
        print(f"{nnz:>10} non-zeros: {1e3 * times[-1]:.2f} ms per pick", flush=True)
    print(f"slope {np.polyfit(np.log(nonzeros), np.log(times), 1)[0]:.2f}")


def cluster(shapes=((50_000, 1_000), (20_000, 4_000)), n_picks=50):
    """GreedyCSS on a Dask cluster: few columns go into a triangle, many are read for every pick."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from graphsieve import GreedyCSS
    from graphsieve._rows.cluster import Cluster

    gather, received = Cluster.result, []

    def counted(self, futures):
        result = gather(self, futures)
        received.append(sum(getattr(part, "nbytes", 0) for part in _flat(result)))
        return result

    Cluster.result = counted
    with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as local, Client(local) as c:
        for n, d in shapes:
            X = da.from_array(cells(n, d, 0.05), chunks=(5_000, -1), asarray=False).persist()
            received.clear()
            before = sum(c.run(time.process_time).values())
            start = time.perf_counter()
            fitted = GreedyCSS(n_picks).fit(X)
            found = {
                "rows": n,
                "columns": d,
                "target_energy": round(fitted.target_energy_, 4),
                "seconds": round(time.perf_counter() - start, 1),
                "worker_seconds": round(sum(c.run(time.process_time).values()) - before, 1),
                "received_mb": round(sum(received) / 1e6, 1),
                "most_at_once_mb": round(max(received) / 1e6, 2),
                "stages": {key: round(value, 1) for key, value in fitted.stage_seconds_.items()},
            }
            print(found, flush=True)


def _flat(result):
    if isinstance(result, list | tuple):
        return [part for one in result for part in _flat(one)]
    return [result]


def main(case, *methods):
    if case in ("slope", "cluster"):
        globals()[case]()
        return
    with tempfile.TemporaryDirectory() as folder:
        if case in SHAPES:
            path = f"{folder}/X.npz"
            sp.save_npz(path, sp.csr_matrix(cells(*SHAPES[case])), compressed=False)
        else:
            path = f"{folder}/X.npy"
            write_map(path)
        for method in methods:
            run = [sys.executable, __file__, "--fit", case, method, path]
            found = json.loads(subprocess.run(run, check=True, stdout=subprocess.PIPE).stdout)
            print({key: value for key, value in found.items() if key != "picks"}, flush=True)
            print("first picks", found["picks"][:20], flush=True)


if __name__ == "__main__":
    fit(*sys.argv[2:]) if sys.argv[1:2] == ["--fit"] else main(*sys.argv[1:])
