"""How the time of a fit with a fixed number of iterations grows with n, d and m, and its memory.

MNIST rows, 20 iterations, graph by approximate neighbours where that is installed. Every fit runs
in a process of its own, so that the peak of its resident memory is its own.
"""

import json
import subprocess
import sys

import numpy as np

SIZES = {
    "n": [(n, 784, 10) for n in (2_000, 6_000, 20_000, 60_000)],
    "d": [(2_000, d, 10) for d in (784, 1_568, 3_136, 6_272)],
    "m": [(5_000, 784, m) for m in (10, 20, 40, 80)],
}
FIT = """
import json, resource, sys, time, warnings
import numpy as np
from graphsieve import GAFS
from graphsieve.datasets import load

n, d, m, iterations = map(int, sys.argv[1:])
warnings.simplefilter("ignore")
X = load("mnist").X
X = np.tile(X[:n], (1, -(-d // X.shape[1])))[:, :d].copy()
GAFS(max_iter=1, random_state=0, scale="global", {neighbors}).fit(X[:300])  # compile first
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
GAFS(n_hidden=m, scale="global", max_iter=iterations, tol=0, random_state=0, {neighbors}).fit(X)
seconds = time.perf_counter() - start
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
print(json.dumps({"seconds": seconds, "peak_mb": grown / 1024, "data_mb": X.nbytes / 2**20}))
"""


def fit(n, d, m, iterations=20, neighbors='neighbors="approximate"'):
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            FIT.replace("{neighbors}", neighbors),
            *map(str, (n, d, m, iterations)),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return {"n": n, "d": d, "m": m, "iterations": iterations, **json.loads(run.stdout)}


def slope(rows, along):
    """Log-log slope: 1 is linear."""
    size, seconds = (np.log([row[name] for row in rows]) for name in (along, "seconds"))
    return float(np.polyfit(size, seconds, 1)[0])


def rows():
    for along, sizes in SIZES.items():
        found = []
        for n, d, m in sizes:
            found.append(fit(n, d, m))
            yield {
                "along": along,
                **found[-1],
                "slope_so_far": slope(found, along) if len(found) > 1 else np.nan,
            }
    yield {"along": "all of MNIST", **fit(70_000, 784, 10, iterations=100), "slope_so_far": np.nan}


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
