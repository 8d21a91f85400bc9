"""Seconds of a fit of GAFS at its defaults on the paper's data sets, and where they go.

    python benchmarks/default_fit.py

Half of the rows (1,000 rows of MNIST), dense, half of the columns selected, seed 0, one run. To
measure another version of graphsieve, put its ``src`` on PYTHONPATH.
"""

import time
import warnings

import numpy as np

from graphsieve import GAFS
from graphsieve.datasets import load

DATASETS = ("yale", "prostate_ge", "isolet", "coil20", "mnist", "pcmac", "relathe", "basehock")


def main():
    warnings.simplefilter("ignore")
    for name in DATASETS:
        X = np.asarray(load(name).X, dtype=np.float32)
        n_rows = min(len(X) // 2, 1000)
        X = X[np.random.RandomState(0).permutation(len(X))[:n_rows]]
        start = time.perf_counter()
        method = GAFS(random_state=0).fit(X)
        seconds = time.perf_counter() - start
        stages = getattr(method, "stage_seconds_", {})
        where = ", ".join(f"{stage} {took:.1f}" for stage, took in stages.items())
        print(f"{name} {X.shape[0]} x {X.shape[1]}: {seconds:.1f} s ({where})", flush=True)


if __name__ == "__main__":
    main()
