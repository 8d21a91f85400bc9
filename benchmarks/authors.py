"""SCUFS and AEFS compared with the update rules of their authors, written from the formulas.

    python benchmarks/authors.py scufs
    python benchmarks/authors.py aefs

For every setting: the objective that is reached, and softmax accuracy / k-means ACC in per cent
with 10 % of the features, means over three balanced splits with at most 300 training rows. The
objective is that of graphsieve for both.
"""

import sys
from functools import partial

import numpy as np
from measure import quiet
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import StandardScaler, normalize

from graphsieve import AEFS, SCUFS
from graphsieve.datasets import load
from graphsieve.evaluation import make_split, score_order
from graphsieve.methods.scufs import sweep_representation

DATASETS = ("yale", "colon", "isolet")
SPLITS = (0, 1, 2)
MOST_ROWS = 300

SCUFS_SETTINGS = (
    {},
    {"alpha": 0.01},
    {"alpha": 1.0},
    {"graph_weight": 0.01},
    {"graph_weight": 100.0},
)
AEFS_SETTINGS = (
    {},
    {"alpha": 0.03},
    {"alpha": 3.0},
    {"decay": 0.003},
    {"n_hidden": 32},
    {"n_hidden": 32, "alpha": 1.0},
)


def scufs(X, params, seed):
    method = SCUFS(random_state=seed, **params)
    with quiet():
        method.fit(X)
    return method.objective_trace_[-1], method.scores_


def authors_scufs(X, params, seed, n_clusters=10, orthogonality=1e-6):
    """100 rounds of the published updates; every step has its own loss.

    Z by the sweep that ours uses too. F by a multiplicative step whose numerator may be negative,
    then columns of unit length. W by one reweighted step for a row-wise loss.
    """
    with quiet():
        alpha = SCUFS(max_iter=1, random_state=0, **params).fit(X).alpha_
    graph_weight = params.get("graph_weight", 1.0)
    X = normalize(X[:, np.ptp(X, axis=0) > 0])
    n, K = len(X), X @ X.T
    F = np.abs(np.random.default_rng(seed).standard_normal((n, n_clusters)))
    F /= np.linalg.norm(F, axis=0)
    W = np.linalg.pinv(X) @ F
    Z = (np.ones((n, n)) - np.eye(n)) / n
    residual = K - K @ Z
    for _ in range(100):
        threshold = graph_weight / 4 * euclidean_distances(F, squared=True)
        sweep_representation(Z, residual, K, threshold)
        A = (np.abs(Z) + np.abs(Z).T) / 2
        up = A @ F + X @ W / graph_weight + 2 * orthogonality * F
        down = A.sum(axis=1)[:, None] * F + F / graph_weight + 2 * orthogonality * F @ (F.T @ F)
        F = F * up / down
        F /= np.linalg.norm(F, axis=0)
        C = 2 * np.sqrt((W**2).sum(axis=1) + 1e-12)
        error = 2 * np.sqrt(((X @ W - F) ** 2).sum(axis=1) + 1e-12)
        W = C[:, None] * (X.T @ np.linalg.solve((X * C) @ X.T + alpha * np.diag(error), F))
    scores = np.linalg.norm(W, axis=1)
    value = np.trace(K) - 2 * np.vdot(Z, K) + np.vdot(Z, K @ Z)
    value += graph_weight * (A.sum(axis=1) @ (F**2).sum(axis=1) - np.vdot(F, A @ F))
    value += 10 * ((F.T @ F - np.eye(n_clusters)) ** 2).sum()
    value += ((X @ W - F) ** 2).sum() + alpha * scores.sum()
    return value, scores


def aefs(X, params, seed):
    method = AEFS(random_state=seed, n_jobs=1, **params)
    with quiet():
        method.fit(X)
    weights = (method.W_in_, method.b_in_, method.W_out_, method.b_out_)
    theta = np.concatenate([part.ravel() for part in weights])
    return aefs_objective(theta, _standardised(X), params)[0], method.scores_


def authors_aefs(X, params, seed):
    """100 iterations of L-BFGS from small normal weights."""
    X = _standardised(X)
    d, m = X.shape[1], params.get("n_hidden", 256)
    start = 5e-3 * np.random.default_rng(seed).standard_normal(2 * d * m + d + m)
    options = {"maxiter": 100, "maxfun": 1000}
    result = minimize(aefs_objective, start, (X, params), "L-BFGS-B", jac=True, options=options)
    return result.fun, np.linalg.norm(result.x[: d * m].reshape(d, m), axis=1)


def aefs_objective(theta, X, params):
    """Value and gradient; the gradient of a zero row is smoothed, where the authors divide by 0."""
    n, d = X.shape
    m = params.get("n_hidden", 256)
    alpha, decay = params.get("alpha", 0.3), params.get("decay", 0.03)
    W_in, b_in, W_out, b_out = np.split(theta, np.cumsum([d * m, m, m * d]))
    W_in, W_out = W_in.reshape(d, m), W_out.reshape(m, d)
    H = expit(X @ W_in + b_in)
    E = (H @ W_out + b_out - X) / n
    D = (E @ W_out.T) * H * (1 - H)
    norms = np.sqrt((W_in**2).sum(axis=1) + 1e-12)
    value = n * (E**2).sum() / 2 + alpha * norms.sum() + decay / 2 * (W_in**2).sum()
    value += decay / 2 * (W_out**2).sum()
    parts = (
        X.T @ D + alpha * W_in / norms[:, None] + decay * W_in,
        D.sum(axis=0),
        H.T @ E + decay * W_out,
        E.sum(axis=0),
    )
    return value, np.concatenate([part.ravel() for part in parts])


def _standardised(X):
    return StandardScaler().fit_transform(X.astype(np.float64))


def splits(name):
    data = load(name)
    n_classes = len(np.unique(data.y))
    n_train = min(data.train_per_class, MOST_ROWS // n_classes)
    for seed in SPLITS:
        yield make_split(
            data.X,
            data.y,
            train_per_class=n_train,
            test_per_class=data.test_per_class,
            random_state=seed,
        )


def measure(rank, name):
    """Mean objective, accuracy and ACC over the splits, as text."""
    results = []
    for seed, split in enumerate(splits(name)):
        value, scores = rank(np.asarray(split.X_train, dtype=np.float64), seed)
        order = np.argsort(-scores, kind="stable")
        metrics = ("accuracy", "clustering")
        table = score_order(order, split, shares=[0.1], metrics=metrics, n_repeats=10, n_jobs=1)
        results.append([value, *100 * table.loc[0, ["accuracy", "acc"]]])
    value, accuracy, acc = np.mean(results, axis=0)
    return (
        f"{accuracy:.1f} / {acc:.1f}"
        if np.isnan(value)
        else (f"{value:.4g}: {accuracy:.1f} / {acc:.1f}")
    )


def random(X, seed):
    return np.nan, np.random.default_rng(seed).random(X.shape[1])


def main(ours, authors, settings):
    rows = {"random": random}
    for params in settings:
        label = ", ".join(f"`{name}={value:g}`" for name, value in params.items()) or "defaults"
        rows[f"{label}, authors"] = partial(_with, authors, params)
        rows[f"{label}, ours"] = partial(_with, ours, params)
    print("| |", " | ".join(DATASETS), "|")
    print("|---" * (len(DATASETS) + 1) + "|")
    for label, rank in rows.items():
        print(f"| {label} |", " | ".join(measure(rank, name) for name in DATASETS), "|", flush=True)


def _with(method, params, X, seed):
    return method(X, params, seed)


if __name__ == "__main__":
    if sys.argv[1] == "scufs":
        main(scufs, authors_scufs, SCUFS_SETTINGS)
    else:
        main(aefs, authors_aefs, AEFS_SETTINGS)
