"""What a fit of GAFS costs, compared with the least that it could cost and with other programs.

    python benchmarks/run.py objective fit solver_overhead

``objective``: one evaluation against the five matrix products that it consists of, and against the
objective and gradient written plainly. Random data, seed 0, a ring as the graph; the products are
whole float32 matrices on threaded BLAS, the plain version has whole float64 matrices.

``fit``: a fit in one pass, next to plain NumPy/SciPy in float64 and torch's L-BFGS. MNIST,
1,000 training rows (100 per class), m 10, 400 iterations, seed 0 and the same starting weights for
all. The graph is built once, outside the clock. The objective is shown next to the time: a program
that stops earlier at a worse value is not faster.

``solver_overhead``: what the solver costs between two evaluations, next to SciPy's L-BFGS-B.

Alpha 1e-2, graph weight 1e-3 and 10 pairs of vectors everywhere.
"""

import os
from functools import partial
from importlib import import_module

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.sparse as sp
from measure import Clock, best_times, quiet, timed, training_rows
from threadpoolctl import ThreadpoolController, threadpool_limits

from graphsieve import GAFS
from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._network.lbfgs import lbfgs
from graphsieve._network.objective import Objective
from graphsieve._rows import RowBlocks
from graphsieve._utils.monitor import Monitor
from graphsieve._utils.threads import Workers

M, ALPHA, GRAPH_WEIGHT = 10, 1e-2, 1e-3
MEMORY = 10
PLAIN = "plain NumPy and SciPy, float64"
OURS = "graphsieve, float32"
SIZES = ((1000, 784, 10), (1000, 784, 40), (960, 3289, 10), (7800, 4096, 40))
# How many times its five products an evaluation may take.
LIMITS = {(1000, 784, 10): 3.0, (7800, 4096, 40): 1.5}


def ring(n):
    """A graph with about ten neighbours per node, without the cost of finding them."""
    return sum(
        sp.diags_array([1.0, 1.0], offsets=[k, -k], shape=(n, n)) for k in range(1, 6)
    ).tocsr()


def plain(X, L, theta, m, alpha, graph_weight):
    """The objective and gradient with whole float64 matrices, as one writes it first."""
    n, d = X.shape
    W_in, W_out = theta[: d * m].reshape(d, m), theta[d * m : 2 * d * m].reshape(m, d)
    b_in, b_out = theta[2 * d * m : 2 * d * m + m], theta[2 * d * m + m :]
    H = 1 / (1 + np.exp(-(X @ W_in + b_in)))
    R = 1 / (1 + np.exp(-(H @ W_out + b_out)))
    LH = L @ H
    norm = np.sqrt((W_in**2).sum(axis=1) + 1e-16)
    value = ((X - R) ** 2).sum() / (2 * n) + alpha * norm.sum() + graph_weight * (H * LH).sum()
    D3 = (R - X) * R * (1 - R) / n
    D2 = (D3 @ W_out.T + 2 * graph_weight * LH) * H * (1 - H)
    gradients = X.T @ D2 + alpha * W_in / norm[:, None], H.T @ D3, D2.sum(axis=0), D3.sum(axis=0)
    return value, np.concatenate([gradient.ravel() for gradient in gradients])


def five_products(X, m):
    """The products alone, whole float32 matrices on threaded BLAS."""
    n, d = X.shape
    rng = np.random.default_rng(1)
    W, V = (rng.random(shape, dtype=np.float32) for shape in ((d, m), (m, d)))
    H, E = (rng.random(shape, dtype=np.float32) for shape in ((n, m), (n, d)))
    big, small, tall, wide = np.empty_like(E), np.empty_like(H), np.empty_like(W), np.empty_like(V)

    def run():
        np.matmul(X, W, out=small)
        np.matmul(H, V, out=big)
        np.matmul(H.T, E, out=wide)
        np.matmul(E, V.T, out=small)
        np.matmul(X.T, H, out=tall)

    return run


def measure_objective(n, d, m, repeats, enough, turns):
    rng = np.random.default_rng(0)
    X = rng.random((n, d), dtype=np.float32)
    X64 = X.astype(np.float64)
    L = laplacian(ring(n))
    terms = {"n_hidden": m, "alpha": ALPHA, "graph_weight": GRAPH_WEIGHT}
    workers = Workers()
    with workers:
        single = Objective(RowBlocks(X), L, workers, **terms)
        double = Objective(RowBlocks(X64), L, workers, **terms)
        for objective in (single, double):  # the plain version has no other variables
            objective.mean, objective.scale = np.zeros(d), 1.0
        theta = 0.1 * rng.normal(size=single.size)
        value32, value64 = (o.value_and_grad(theta)[0] for o in (single, double))
    products = five_products(X, m)
    times = []
    for _ in range(turns):
        with workers:  # BLAS has one thread in here, all of them outside
            fused = best_times([lambda: single.value_and_grad(theta)], repeats, enough)
            fused += best_times([lambda: double.value_and_grad(theta)], repeats, enough)
        others = best_times([products], repeats, enough)
        others += best_times(
            [lambda: plain(X64, L, theta, m, ALPHA, GRAPH_WEIGHT)], repeats, enough
        )
        times.append(fused + others)
    fused32, fused64, alone, whole = np.min(times, axis=0).tolist()
    return {
        "n": n,
        "d": d,
        "m": m,
        "products_ms": 1e3 * alone,
        "float32_ms": 1e3 * fused32,
        "over_products": fused32 / alone,
        "limit": LIMITS.get((n, d, m), np.nan),
        "float64_ms": 1e3 * fused64,
        "plain_float64_ms": 1e3 * whole,
        "plain_over_float32": whole / fused32,
        "objective_gap": abs(value32 - value64) / value64,
    }


def objective_rows(sizes=SIZES, repeats=5, enough=1.5, turns=3):
    for n, d, m in sizes:
        yield measure_objective(n, d, m, repeats, enough, turns)


def fit_graphsieve(X, A, start, iterations, clock, dtype):
    """``start`` is what a fit with this seed starts from."""
    GAFS(
        n_hidden=M,
        alpha=ALPHA,
        graph_weight=GRAPH_WEIGHT,
        affinity=A,
        scale=None,
        elimination=None,
        max_iter=iterations,
        tol=0,
        dtype=dtype,
        random_state=0,
        callback=clock,
    ).fit(X)


def fit_plain(X, A, start, iterations, clock):
    L = laplacian(A)

    def note(intermediate_result):
        clock(len(clock.seen) + 1, intermediate_result.fun)

    scipy.optimize.minimize(
        lambda theta: plain(X, L, theta, M, ALPHA, GRAPH_WEIGHT),
        start,
        jac=True,
        method="L-BFGS-B",
        callback=note,
        options={"maxiter": iterations, "maxcor": MEMORY, "ftol": 0, "gtol": 0, "maxfun": 10**6},
    )


def fit_torch(X, A, start, iterations, clock):
    """float32, autograd, torch's L-BFGS with its strong Wolfe line search.

    It tells of evaluations, not of iterations: what is noted is the best value so far.
    """
    import torch

    n, d = X.shape
    X = torch.tensor(X, dtype=torch.float32)
    edges = laplacian(A).tocoo()
    L = torch.sparse_coo_tensor(
        np.vstack([edges.row, edges.col]), edges.data, edges.shape, dtype=torch.float32
    ).coalesce()
    parts = np.split(start.astype(np.float32), [d * M, 2 * d * M, 2 * d * M + M])
    shapes = (d, M), (M, d), (M,), (d,)
    W_in, W_out, b_in, b_out = (
        torch.tensor(part.reshape(shape), requires_grad=True)
        for part, shape in zip(parts, shapes, strict=True)
    )
    solver = torch.optim.LBFGS(
        [W_in, W_out, b_in, b_out],
        max_iter=iterations,
        max_eval=10**6,
        history_size=MEMORY,
        line_search_fn="strong_wolfe",
        tolerance_grad=0,
        tolerance_change=0,
    )
    best = np.inf

    def closure():
        nonlocal best
        solver.zero_grad()
        H = torch.sigmoid(X @ W_in + b_in)
        error = ((X - torch.sigmoid(H @ W_out + b_out)) ** 2).sum() / (2 * n)
        norms = torch.sqrt((W_in**2).sum(dim=1) + 1e-16).sum()
        loss = error + ALPHA * norms + GRAPH_WEIGHT * (H * torch.sparse.mm(L, H)).sum()
        loss.backward()
        best = min(best, loss.item())
        clock(len(clock.seen), best)
        return loss

    solver.step(closure)


FITS = {
    PLAIN: fit_plain,
    "torch L-BFGS, float32": fit_torch,
    "graphsieve, float64": lambda *job: fit_graphsieve(*job, "float64"),
    OURS: lambda *job: fit_graphsieve(*job, "float32"),
}


def fit_rows(dataset="mnist", per_class=100, iterations=400):
    """Objective against seconds; the last row of a fit has the time of all of it."""
    import_module("torch")  # outside the clock
    X = training_rows(dataset, per_class)
    A = build_graph(RowBlocks(X))
    with Workers() as workers:
        objective = Objective(RowBlocks(X), None, workers, n_hidden=M)
        weights = objective.unpack(objective.start(np.random.RandomState(0)))
    start = np.concatenate([array.ravel() for array in weights])
    for name, fit in FITS.items():
        clock = Clock()
        with quiet():
            fit(X, A, start, iterations, clock)
        iteration, value, *_ = clock.seen[-1]
        clock.seen[-1] = (iteration, value, *clock.now())
        for row in clock.rows(100):
            yield {"fit": name, **row}


def summary(table):
    """One row per fit: how long, how far, and when it passed the objective of the plain fit."""
    last = table.groupby("fit", sort=False).last()
    plain_fit = last.loc[PLAIN]
    reached = table[table["objective"] <= plain_fit["objective"]]
    to_plain = reached.groupby("fit")["seconds"].min().reindex(last.index)
    return pd.DataFrame(
        {
            "fit": last.index,
            "seconds": last["seconds"].to_numpy(),
            "objective": last["objective"].to_numpy(),
            "times_faster": (plain_fit["seconds"] / last["seconds"]).to_numpy(),
            "over_plain_objective": (last["objective"] / plain_fit["objective"] - 1).to_numpy(),
            "seconds_to_plain_objective": to_plain.to_numpy(),
            "times_faster_to_it": (plain_fit["seconds"] / to_plain).to_numpy(),
        }
    )


def run_ours(function, start, iterations):
    return lbfgs(
        function, start, Monitor(max_iter=iterations, tol=0.0), memory=MEMORY, dtype="float32"
    ).n_iter


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


def solver_rows(n=50, d=6_000, m=40, iterations=60):
    """Seconds of a whole run that are not spent in evaluations, per iteration; random data."""
    X = np.random.default_rng(0).random((n, d), dtype=np.float32)
    L = laplacian(ring(n))
    for name, run, threads in (
        ("graphsieve", run_ours, 1),
        ("SciPy L-BFGS-B, BLAS on one thread", run_scipy, 1),
        ("SciPy L-BFGS-B, BLAS on all threads", run_scipy, os.cpu_count()),
    ):
        terms = {"n_hidden": m, "alpha": ALPHA, "graph_weight": GRAPH_WEIGHT}
        with Workers() as workers:
            objective = Objective(RowBlocks(X), L, workers, **terms)
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
