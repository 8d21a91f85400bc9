"""Fits as multiples of the products that they cannot do without.

    python benchmarks/run.py floor elimination tall

``floor``: GraphSieve and GreedyCSS select 10 % of the columns. The floor is one Gram product, X X'
or X'X, whichever is smaller, and two products X'v per selected column, in NumPy and float64.

``elimination``: GAFS at its defaults but for the hidden units. The ratio is that of the elimination
stage to the two products of every evaluation with the columns that are left
at that time, in the precision of the fit.

``tall``: GraphSieve as a multiple of GreedyCSS, on random factors and noise.

Everything has one thread of BLAS: what fits of this size use, whatever else the machine does. The
best of three rounds in turns, seed 0.
"""

import numpy as np
from large import cells
from measure import best_times, quiet, timed
from threadpoolctl import threadpool_limits

from experiments.data import load
from graphsieve import GAFS, GraphSieve, GreedyCSS
from graphsieve._network.elimination import TargetObjective

DATASETS = ("isolet", "coil20", "pcmac", "relathe", "basehock")
SELECTED = 0.1
ELIMINATIONS = (
    ("dense", 1_000, 784, 10),
    ("dense", 7_800, 4_096, 40),
    ("csr", 1_943, 3_289, 10),
)
TALL = ((200_000, 20), (200_000, 200), (1_000_000, 20))


def rows(datasets=DATASETS, repeats=3):
    for name in datasets:
        X = np.asarray(load(name).X, dtype=np.float64)
        methods = GraphSieve(SELECTED, random_state=0), GreedyCSS(SELECTED)
        fits = [lambda m=m, X=X: m.fit(X) for m in methods]
        with quiet(), threadpool_limits(1):
            floor, sieve, css = best_times([lambda X=X: least(X), *fits], repeats)
        yield {
            "data": name,
            "n": X.shape[0],
            "d": X.shape[1],
            "floor_seconds": floor,
            "sieve_seconds": sieve,
            "css_seconds": css,
            "sieve_over_floor": sieve / floor,
            "css_over_floor": css / floor,
        }


def least(X):
    """The products that no selection of this kind can do without."""
    X.T @ X if X.shape[1] < X.shape[0] else X @ X.T
    v = np.ones(len(X))
    for _ in range(2 * int(SELECTED * X.shape[1])):
        X.T @ v


def elimination_rows(cases=ELIMINATIONS, repeats=3):
    for kind, n, d, m in cases:
        if kind == "csr":
            X = cells(n, d, 0.02)
        else:
            X = np.random.default_rng(0).random((n, d), dtype=np.float32)
        method = GAFS(n_hidden=m, random_state=0)
        with quiet(), threadpool_limits(1):
            evaluations = noted_evaluations(lambda method=method, X=X: method.fit(X))
            seconds, stage = min(elimination_seconds(method, X) for _ in range(repeats))
            floor = sum(best_products(pair) * count for pair, count in evaluations)
        yield {
            "case": kind,
            "n": n,
            "d": d,
            "m": m,
            "evaluations": sum(count for _, count in evaluations),
            "floor_seconds": floor,
            "seconds": seconds,
            "elimination_seconds": stage,
            "ratio": stage / floor,
        }


def elimination_seconds(method, X):
    """Seconds of a fit, and of its elimination."""
    seconds = timed(lambda: method.fit(X))[1]
    return seconds, method.stage_seconds_["elimination"]


def noted_evaluations(fit):
    """The columns of the encoder during a fit with their hidden units, and how often each is used.

    One entry ((X, m), count) for every set of columns.
    """
    plain, found = TargetObjective.value_and_grad, {}

    def noted(objective, z):
        X = objective.problem.X
        _, count = found.get(id(X), (None, 0))
        found[id(X)] = (X, len(objective.split(z).b_in)), count + 1
        return plain(objective, z)

    TargetObjective.value_and_grad = noted
    try:
        fit()
    finally:
        TargetObjective.value_and_grad = plain
    return list(found.values())


def best_products(pair):
    """Seconds of X W and X'D."""
    X, m = pair
    rng = np.random.default_rng(0)
    W, D = (rng.random((size, m)).astype(X.dtype) for size in X.shape[::-1])
    return min(timed(lambda: (X @ W, X.T @ D))[1] for _ in range(5))


def tall_rows(sizes=TALL, repeats=3):
    rng = np.random.default_rng(0)
    for n, d in sizes:
        X = rng.normal(size=(n, 5)) @ rng.normal(size=(5, d)) + 0.5 * rng.normal(size=(n, d))
        methods = GraphSieve(random_state=0), GreedyCSS()
        with quiet(), threadpool_limits(1):
            sieve, css = best_times([lambda m=m, X=X: m.fit(X) for m in methods], repeats)
        yield {"n": n, "d": d, "sieve_seconds": sieve, "css_seconds": css, "ratio": sieve / css}
