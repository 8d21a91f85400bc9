"""UDFS and RSR side by side with what else there is, and the memory of all their relatives.

    GRAPHSIEVE_DATA=folder python benchmarks/peers_self_representation.py

Needs the package skfeature-chappers, and BASEHOCK.mat, Isolet.mat and Prostate-GE.mat.
"""

import contextlib
import io
import os
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from skfeature.function.sparse_learning_based import UDFS as peer

from graphsieve import DFSC, GSRSFS, RSR, UDFS, NonconvexRSR

STEPS = 4
DATA = Path(os.environ["GRAPHSIEVE_DATA"])


def load(name):
    table = loadmat(DATA / f"{name}.mat")
    return table["X"].astype(np.float64), table["Y"].ravel()


def balanced_half(X, y, seed=0):
    """The same number of rows of every class: half of the smallest class."""
    rng = np.random.default_rng(seed)
    classes, counts = np.unique(y, return_counts=True)
    rows = [rng.permutation(np.flatnonzero(y == c))[: counts.min() // 2] for c in classes]
    return X[np.sort(np.concatenate(rows))]


def timed(function):
    start = time.perf_counter()
    value = function()
    return value, time.perf_counter() - start


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def compare_udfs():
    X, _ = load("Isolet")
    gamma, m = 0.1, 10
    settings = {"n_components": m, "alpha": gamma, "ridge": gamma, "n_neighbors": 5}
    ours, our_time = timed(lambda: UDFS(**settings).fit(X))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        _, peer_time = timed(
            lambda: peer.udfs(X, mode="raw", gamma=gamma, k=5, n_clusters=m, verbose=True)
        )
    steps = f"{said.getvalue().count('obj at iter')} steps"
    row("UDFS", f"Isolet {X.shape}", "graphsieve", f"{our_time:.2f} s", f"{ours.n_iter_ + 1} steps")
    ratio = f"{peer_time / our_time:.0f} x as long"
    row("", "", "skfeature-chappers", f"{peer_time:.2f} s", f"{steps}: {ratio}")


def textbook_rsr(X, alpha, n_solves):
    """(C X'GX + alpha I) W = C X'GX with d x d matrices, as RSR is published."""
    X = X - X.mean(axis=0)
    d = X.shape[1]
    length = np.linalg.norm(X, axis=1)
    eps = 1e-6 * length.max()
    g, c = 0.5 / np.sqrt(length**2 + eps**2), np.ones(d)
    for _ in range(n_solves):
        M = c[:, None] * (X.T @ (g[:, None] * X))
        W = np.linalg.solve(M + alpha * np.eye(d), M)
        g = 0.5 / np.sqrt(((X - X @ W) ** 2).sum(axis=1) + eps**2)
        norm = np.linalg.norm(W, axis=1)
        c = 2 * np.sqrt(norm**2 + 1e-12)
    return norm


def compare_rsr():
    """Scores after the same few steps; the textbook's time is scaled to ours, step by step."""
    X = balanced_half(*load("BASEHOCK"))
    few = RSR(max_iter=STEPS - 1, tol=0).fit(X)
    norms, book_time = timed(lambda: textbook_rsr(X, few.alpha_, STEPS))
    full, our_time = timed(lambda: RSR().fit(X))
    n_solves = full.n_iter_ + 1
    book_time *= n_solves / STEPS
    row("RSR", f"BASEHOCK {X.shape}", "graphsieve", f"{our_time:.2f} s", f"{n_solves} steps")
    difference = f"scores differ by {abs(few.scores_ - norms).max():.0e} after {STEPS} steps"
    scaled = f"{STEPS} steps, scaled to {n_solves}: {book_time / our_time:.0f} x as long"
    row("", "", "textbook, d x d", f"{book_time:.0f} s", f"{scaled}; {difference}")


def peak(method, X):
    tracemalloc.start()
    method.fit(X)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return used / 2**20


def compare_memory():
    sets = {"BASEHOCK": balanced_half(*load("BASEHOCK")), "Prostate-GE": load("Prostate-GE")[0]}
    for name, X in sets.items():
        n, d = X.shape
        sizes = f"n x d {8 * n * d / 2**20:.0f} MB, d x d {8 * d * d / 2**20:.0f} MB"
        for cls in (RSR, NonconvexRSR, GSRSFS, UDFS, DFSC):
            row(
                cls.__name__,
                f"{name} {X.shape}",
                "graphsieve",
                f"{peak(cls(max_iter=2), X):.0f} MB",
                sizes,
            )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    row("method", "data", "program", "cost", "note")
    row(*["---"] * 5)
    compare_udfs()
    compare_rsr()
    compare_memory()
