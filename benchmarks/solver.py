"""What the solver costs between two evaluations, and what was tried to need fewer iterations.

    python benchmarks/run.py solver_overhead solver_start solver_path solver_coordinates

m 10, alpha 1e-2 and graph weight 1e-3 unless said otherwise, five neighbours by cosine, float32,
10 pairs of vectors.
"""

import os
from contextlib import contextmanager
from functools import partial

import numpy as np
import scipy.optimize
from measure import timed, training_rows, unit_range
from objective import ring
from scipy.sparse.linalg import svds
from threadpoolctl import ThreadpoolController, threadpool_limits

from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._network.lbfgs import lbfgs
from graphsieve._network.objective import Objective
from graphsieve._rows import RowBlocks
from graphsieve._utils.monitor import Monitor
from graphsieve._utils.threads import Workers

MEMORY = 10
HISTORY = {"memory": MEMORY, "dtype": "float32"}
DATASETS = ("yale", "isolet", "coil20", "mnist")
ALPHAS = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3)


@contextmanager
def open_objective(X, L, *, n_hidden=10, alpha=1e-2, graph_weight=1e-3, plain=False):
    """The objective as in a fit, or as a function of the ``plain`` weights."""
    variables = {"mean": np.zeros(X.shape[1]), "scale": 1.0} if plain else {}
    terms = {"n_hidden": n_hidden, "alpha": alpha, "graph_weight": graph_weight}
    with Workers() as workers:
        yield Objective(RowBlocks(X), L, workers, **terms, **variables)


def training_data(dataset, n_samples=None):
    """Values in [0, 1] in single precision, and their Laplacian; of MNIST 100 images per digit."""
    X = training_rows("mnist", 100) if dataset == "mnist" else unit_range(dataset)
    X = X[:n_samples].astype(np.float32)
    return X, laplacian(build_graph(RowBlocks(X)))


# --- the cost between two evaluations


def run_ours(function, start, iterations):
    return lbfgs(function, start, Monitor(max_iter=iterations, tol=0.0), **HISTORY).n_iter


def run_scipy(function, start, iterations):
    options = {"maxiter": iterations, "maxcor": MEMORY, "ftol": 0, "gtol": 0, "maxfun": 10**6}
    return scipy.optimize.minimize(
        function, start, jac=True, method="L-BFGS-B", options=options
    ).nit


class Timed:
    """A function that adds up how often it is called and for how long."""

    def __init__(self, function):
        self.function, self.calls, self.seconds = function, 0, 0.0
        self.libraries = ThreadpoolController()

    def __call__(self, x):
        # Evaluations use our own threads, whatever BLAS is allowed around them.
        with self.libraries.limit(limits=1):
            value, seconds = timed(lambda: self.function(x))
        self.calls += 1
        self.seconds += seconds
        return value


def overhead_rows(n=50, d=6_000, m=40, iterations=60):
    """Seconds of a whole run that are not spent in evaluations, per iteration; random data."""
    X = np.random.default_rng(0).random((n, d), dtype=np.float32)
    L = laplacian(ring(n))
    for name, run, threads in (
        ("graphsieve", run_ours, 1),
        ("SciPy L-BFGS-B, BLAS on one thread", run_scipy, 1),
        ("SciPy L-BFGS-B, BLAS on all threads", run_scipy, os.cpu_count()),
    ):
        with open_objective(X, L, n_hidden=m) as objective:
            start = objective.start(np.random.RandomState(0))
            function = Timed(objective.value_and_grad)
            with threadpool_limits(threads):
                n_iter, seconds = timed(partial(run, function, start, iterations))
        evaluation = function.seconds / function.calls
        between = (seconds - function.seconds) / n_iter
        yield {
            "solver": name,
            "n": n,
            "d": d,
            "m": m,
            "iterations": n_iter,
            "evaluations": function.calls,
            "evaluation_ms": 1e3 * evaluation,
            "overhead_ms_per_iteration": 1e3 * between,
            "share_of_evaluation": between / evaluation,
        }


# --- fewer iterations


def minimise(objective, start, iterations, tol=0.0):
    """L-BFGS as in a fit: (trace, point at the end)."""
    monitor = Monitor(max_iter=iterations, tol=tol)
    result = lbfgs(objective.value_and_grad, start, monitor, **HISTORY)
    return result.trace, result.x


def svd_start(objective, X):
    """Weights with which the network, taken as linear around the mean, is the truncated SVD.

    Hidden units get inputs of variance 1; their sigmoid has the slope 1/4, that of an output p
    the slope p (1 - p).
    """
    n, m = len(X), objective.n_hidden
    mean = X.mean(axis=0).astype(np.float64)
    _, s, Vt = svds(X - mean, k=m, random_state=0)
    reach = s / np.sqrt(n)
    p = np.clip(mean, 0.01, 0.99)
    W_in = Vt.T / reach
    W_out = 4 * reach[:, None] * Vt / (p * (1 - p))
    b_out = np.log(p / (1 - p)) - 0.5 * W_out.sum(axis=0)
    return objective.pack((W_in, -mean @ W_in, W_out, b_out))


def start_rows(datasets=DATASETS, seeds=(0, 1, 2, 3, 4), iterations=400, n_samples=None):
    """Objective along a fit from random weights, one row per seed, and from the truncated SVD."""
    for dataset in datasets:
        X, L = training_data(dataset, n_samples)
        with open_objective(X, L) as objective:
            starts = {f"random, seed {s}": objective.start(np.random.RandomState(s)) for s in seeds}
            starts["truncated SVD"] = svd_start(objective, X)
            for name, start in starts.items():
                trace, _ = minimise(objective, start, iterations)
                yield {"data": dataset, "start": name, **moments(trace)}


def coordinates_rows(datasets=DATASETS, seeds=(0, 1, 2), iterations=400, n_samples=None):
    """The weights themselves against centred and scaled variables, from the same start."""
    for dataset in datasets:
        X, L = training_data(dataset, n_samples)
        with open_objective(X, L) as objective, open_objective(X, L, plain=True) as plain_one:
            for seed in seeds:
                plain, scaled = (
                    minimise(o, o.start(np.random.RandomState(seed)), iterations)[0]
                    for o in (plain_one, objective)
                )
                for variables, trace in (("plain", plain), ("centred and scaled", scaled)):
                    reached = np.flatnonzero(trace <= plain[-1])
                    yield {
                        "data": dataset,
                        "seed": seed,
                        "variables": variables,
                        **moments(trace),
                        "iterations_to_last_of_plain": reached[0] if reached.size else np.nan,
                    }


def moments(trace):
    """The objective at a few iterations."""
    last = len(trace) - 1
    return {f"after_{number}": trace[min(number, last)] for number in (0, 25, 100, 400)}


def path_rows(datasets=DATASETS, alphas=ALPHAS, iterations=400, n_samples=None):
    """A grid of alpha, seed 0, tol 1e-5: each fit from the start, or from where the last ended."""
    for dataset in datasets:
        X, L = training_data(dataset, n_samples)
        last = None
        for alpha in alphas:
            with open_objective(X, L, alpha=alpha) as objective:
                start = objective.start(np.random.RandomState(0))
                cold, end = minimise(objective, start, iterations, tol=1e-5)
                warm = cold
                if last is None:
                    last = end
                else:
                    warm, last = minimise(objective, last, iterations, tol=1e-5)
            yield {
                "data": dataset,
                "alpha": alpha,
                "cold_iterations": len(cold) - 1,
                "warm_iterations": len(warm) - 1,
                "cold_objective": cold[-1],
                "warm_objective": warm[-1],
            }
