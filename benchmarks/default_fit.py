"""Seconds of fits of GraphSieve and GAFS at their defaults on the paper's data sets, by stage.

    python benchmarks/default_fit.py

Half of the rows (1,000 rows of MNIST), dense, half of the columns selected, seed 0, one run.
"""

import time
import warnings

import numpy as np

from graphsieve import GAFS, GraphSieve
from graphsieve.datasets import load

DATASETS = ("yale", "prostate_ge", "isolet", "coil20", "mnist", "pcmac", "relathe", "basehock")


def main():
    warnings.simplefilter("ignore")
    for name in DATASETS:
        X = np.asarray(load(name).X, dtype=np.float32)
        n_rows = min(len(X) // 2, 1000)
        X = X[np.random.RandomState(0).permutation(len(X))[:n_rows]]
        for kind in (GraphSieve, GAFS):
            start = time.perf_counter()
            method = kind(random_state=0).fit(X)
            seconds = time.perf_counter() - start
            where = ", ".join(f"{key} {took:.1f}" for key, took in method.stage_seconds_.items())
            size = f"{X.shape[0]} x {X.shape[1]}"
            print(f"{name} {size}, {kind.__name__}: {seconds:.1f} s ({where})", flush=True)


if __name__ == "__main__":
    main()
