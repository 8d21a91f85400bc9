"""Row-sparse regression, as in MRSF and JFSSL, compared with skglm's MultiTaskLasso.

    GRAPHSIEVE_DATA=folder python benchmarks/peers_skglm.py

Both solve min_W |Y - X W|_F^2 + alpha sum_j |W_j| with standardised columns and ten directions of
the spectral embedding as targets, from W = 0, for two penalties. The solvers take turns; the
best processor time of five counts, and skglm's compilation does not. The violation is the largest
one of the optimality conditions, relative to alpha. Needs skglm, which is not an extra of
graphsieve.
"""

import time

import numpy as np
from sklearn.utils.extmath import row_norms

from graphsieve._graph.affinity import build_graph
from graphsieve._graph.spectral import embedding
from graphsieve._linear.columns import Columns
from graphsieve._linear.inner_products import InnerProducts
from graphsieve._linear.row_sparse import penalty_limit, penalty_path, row_sparse_path
from graphsieve._rows import RowBlocks
from graphsieve._solvers import Monitor
from graphsieve.datasets import load

FRACTIONS = (0.3, 0.1)
DATASETS = ("yale", "isolet")


def problem(name):
    X = np.asarray(load(name).X[::2], dtype=np.float64)
    X = X[:, X.std(axis=0) > 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    Y = embedding(build_graph(RowBlocks(X)), 10, 0)
    return np.asfortranarray(X), Y - Y.mean(axis=0)


def ours(X, Y, alpha, tol=1e-8):
    XtY = X.T @ Y
    path = penalty_path(penalty_limit(XtY), alpha)
    monitor = Monitor(tol=tol, max_iter=100)
    products = InnerProducts(Columns.varying(RowBlocks(X)))
    return row_sparse_path(products, XtY, np.vdot(Y, Y), path, monitor)[0].x


def skglm(X, Y, alpha, tol=1e-8):
    from skglm import MultiTaskLasso

    # Its objective is divided by 2 n, and its tolerance is absolute.
    scaled = alpha / (2 * len(X))
    model = MultiTaskLasso(scaled, tol=tol * scaled, fit_intercept=False, max_iter=500)
    return model.fit(X, Y).coef_.T


def violation(X, Y, W, alpha):
    pull = 2 * X.T @ (Y - X @ W)
    norms = row_norms(W)
    on = norms > 0
    inside = row_norms(pull[on] - alpha * W[on] / norms[on, None]).max(initial=0)
    return max(inside, row_norms(pull[~on]).max(initial=0) - alpha) / alpha


def best_of(functions, repeats=5):
    seconds = np.full((repeats, len(functions)), np.inf)
    for turn in range(repeats):
        for number, function in enumerate(functions):
            start = time.process_time()
            function()
            seconds[turn, number] = time.process_time() - start
    return seconds.min(axis=0)


def main():
    print("| data | alpha / alpha_max | columns in use | graphsieve | skglm | violations |")
    print("|---|---|---|---|---|---|")
    for name in DATASETS:
        X, Y = problem(name)
        for fraction in FRACTIONS:
            alpha = fraction * penalty_limit(X.T @ Y)
            W, V = ours(X, Y, alpha), skglm(X, Y, alpha)
            calls = [lambda f=f, a=alpha, X=X, Y=Y: f(X, Y, a) for f in (ours, skglm)]
            seconds = best_of(calls)
            wrong = " / ".join(f"{violation(X, Y, Z, alpha):.0e}" for Z in (W, V))
            row = (name, fraction, np.count_nonzero(W.any(axis=1)))
            times = [f"{1000 * s:.0f} ms" for s in seconds]
            print("| " + " | ".join(map(str, (*row, *times, wrong))) + " |", flush=True)


if __name__ == "__main__":
    main()
