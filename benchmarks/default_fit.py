"""GraphSieve and GAFS at their defaults on the paper's data sets, as multiples of GreedyCSS.

    python benchmarks/run.py default_fit

Half of the rows, at most 1,000, dense, half of the columns selected, seed 0, the best of three
rounds in turn.
"""

import numpy as np
from measure import best_times, quiet

from experiments.data import load
from graphsieve import GAFS, GraphSieve, GreedyCSS

DATASETS = ("yale", "prostate_ge", "isolet", "coil20", "mnist", "pcmac", "relathe", "basehock")


def rows(datasets=DATASETS, repeats=3):
    for name in datasets:
        X = np.asarray(load(name).X, dtype=np.float32)
        X = X[np.random.RandomState(0).permutation(len(X))[: min(len(X) // 2, 1000)]]
        methods = [GreedyCSS(), GraphSieve(random_state=0), GAFS(random_state=0)]
        with quiet():
            css, sieve, gafs = best_times([lambda m=m, X=X: m.fit(X) for m in methods], repeats)
        yield {
            "data": name,
            "n": X.shape[0],
            "d": X.shape[1],
            "css_seconds": css,
            "sieve_seconds": sieve,
            "sieve_over_css": sieve / css,
            "gafs_seconds": gafs,
            "gafs_over_css": gafs / css,
        }
