"""One evaluation of the GAFS objective against the five matrix products that it consists of.

    python benchmarks/run.py objective

Random data, seed 0, a ring as the graph, best of at least 15 in three turns. The products are whole
float32 matrices on threaded BLAS; beside them stand the objective and gradient written plainly,
with whole float64 matrices.
"""

import numpy as np
import scipy.sparse as sp
from measure import best_times

from graphsieve._graph.affinity import laplacian
from graphsieve._network.objective import Objective
from graphsieve._rows import RowBlocks
from graphsieve._utils.threads import Workers

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


def measure(n, d, m, repeats, enough, turns):
    rng = np.random.default_rng(0)
    X = rng.random((n, d), dtype=np.float32)
    X64 = X.astype(np.float64)
    L = laplacian(ring(n))
    terms = {"n_hidden": m, "alpha": 1e-2, "graph_weight": 1e-3}
    terms |= {"mean": np.zeros(d), "scale": 1.0}  # the plain version has no other variables
    workers = Workers()
    with workers:
        single = Objective(RowBlocks(X), L, workers, **terms)
        double = Objective(RowBlocks(X64), L, workers, **terms)
        theta = 0.1 * rng.normal(size=single.size)
        value32, value64 = (o.value_and_grad(theta)[0] for o in (single, double))
    products = five_products(X, m)
    times = []
    for _ in range(turns):
        with workers:  # BLAS has one thread in here, all of them outside
            fused = best_times([lambda: single.value_and_grad(theta)], repeats, enough)
            fused += best_times([lambda: double.value_and_grad(theta)], repeats, enough)
        others = best_times([products], repeats, enough)
        others += best_times([lambda: plain(X64, L, theta, m, 1e-2, 1e-3)], repeats, enough)
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


def rows(sizes=SIZES, repeats=5, enough=1.5, turns=3):
    for n, d, m in sizes:
        yield measure(n, d, m, repeats, enough, turns)
