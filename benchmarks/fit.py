"""A whole GAFS fit beside plain NumPy/SciPy in float64 and beside torch's L-BFGS.

MNIST, 1,000 training rows (100 per class), m 10, alpha 1e-2, graph weight 1e-3, 400 iterations,
the same starting weights for all. The graph is built once, outside the clock, for all three. The
objective stands beside the time: who stops earlier at a worse value is not faster.
"""

import time
import warnings

import numpy as np
import scipy.optimize
from objective import plain
from sklearn.exceptions import ConvergenceWarning

from graphsieve import GAFS
from graphsieve.blocks import RowBlocks
from graphsieve.datasets import load
from graphsieve.evaluation import balanced_split
from graphsieve.graphs import build_graph, laplacian
from graphsieve.objectives import GraphAutoencoder
from graphsieve.threads import Workers

M, ALPHA, GRAPH_WEIGHT, ITERATIONS = 10, 1e-2, 1e-3, 400


def training_rows():
    mnist = load("mnist")
    train, _ = balanced_split(mnist.y, 100, 1, random_state=0)
    return mnist.X[train].astype(np.float64) / 255


def fit_graphsieve(X, A, start, dtype):
    method = GAFS(
        n_hidden=M,
        alpha=ALPHA,
        graph_weight=GRAPH_WEIGHT,
        affinity=A,
        scale=None,
        max_iter=ITERATIONS,
        tol=0,
        dtype=dtype,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return method.fit(X).objective_trace_


def fit_plain(X, A, start):
    trace = []
    L = laplacian(A)
    scipy.optimize.minimize(
        plain_in(X, L),
        start,
        jac=True,
        method="L-BFGS-B",
        callback=lambda intermediate_result: trace.append(intermediate_result.fun),
        options={"maxiter": ITERATIONS, "maxcor": 10, "ftol": 0, "gtol": 0, "maxfun": 10**6},
    )
    return np.array(trace)


def plain_in(X, L):
    return lambda theta: plain(X, L, theta, M, ALPHA, GRAPH_WEIGHT)


def fit_torch(X, A, start):
    """float32, autograd, torch's L-BFGS with its strong Wolfe line search."""
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
        max_iter=ITERATIONS,
        max_eval=10**6,
        history_size=10,
        line_search_fn="strong_wolfe",
        tolerance_grad=0,
        tolerance_change=0,
    )
    trace = []

    def closure():
        solver.zero_grad()
        H = torch.sigmoid(X @ W_in + b_in)
        error = ((X - torch.sigmoid(H @ W_out + b_out)) ** 2).sum() / (2 * n)
        norms = torch.sqrt((W_in**2).sum(dim=1) + 1e-16).sum()
        loss = error + ALPHA * norms + GRAPH_WEIGHT * (H * torch.sparse.mm(L, H)).sum()
        loss.backward()
        trace.append(loss.item())
        return loss

    solver.step(closure)
    return np.minimum.accumulate(trace)


def rows():
    X = training_rows()
    A = build_graph(RowBlocks(X))
    with Workers() as workers:
        objective = GraphAutoencoder(RowBlocks(X), None, workers, n_hidden=M)
        start = objective.start(np.random.RandomState(0))
    fits = {
        "plain NumPy and SciPy, float64": lambda: fit_plain(X, A, start),
        "torch L-BFGS, float32": lambda: fit_torch(X, A, start),
        "graphsieve, float64": lambda: fit_graphsieve(X, A, start, "float64"),
        "graphsieve, float32": lambda: fit_graphsieve(X, A, start, "float32"),
    }
    reference = None
    for name, fit in fits.items():
        begin = time.perf_counter()
        try:
            trace = fit()
        except ImportError as missing:
            yield {"fit": f"{name}: {missing.name} is not installed"}
            continue
        seconds = time.perf_counter() - begin
        reference = reference or (seconds, trace[-1])
        reached = np.flatnonzero(trace <= reference[1])
        yield {
            "fit": name,
            "seconds": seconds,
            "objective": trace[-1],
            "times_faster": reference[0] / seconds,
            "share_of_time_to_plain_objective": (
                reached[0] / len(trace) if reached.size else np.nan
            ),
        }


if __name__ == "__main__":
    for row in rows():
        print({k: v if isinstance(v, str) else float(f"{v:.3g}") for k, v in row.items()})
