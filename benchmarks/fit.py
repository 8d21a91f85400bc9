"""A GAFS fit in one pass compared with plain NumPy/SciPy in float64 and torch's L-BFGS.

    python benchmarks/run.py fit

MNIST, 1,000 training rows (100 per class), m 10, alpha 1e-2, graph weight 1e-3, 400 iterations,
seed 0 and the same starting weights for all. The graph is built once, outside the clock. The
objective is shown next to the time: a program that stops earlier at a worse value is not faster.
"""

from importlib import import_module

import numpy as np
import pandas as pd
import scipy.optimize
from measure import Clock, quiet, training_rows
from objective import plain

from graphsieve import GAFS
from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._network.objective import Objective
from graphsieve._rows import RowBlocks
from graphsieve._utils.threads import Workers

M, ALPHA, GRAPH_WEIGHT = 10, 1e-2, 1e-3
PLAIN = "plain NumPy and SciPy, float64"
OURS = "graphsieve, float32"


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
        options={"maxiter": iterations, "maxcor": 10, "ftol": 0, "gtol": 0, "maxfun": 10**6},
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
        history_size=10,
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


def rows(dataset="mnist", per_class=100, iterations=400):
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
