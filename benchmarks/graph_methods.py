"""Quality of the graph methods on data sets of the paper: starts, criteria, and random columns.

    python benchmarks/graph_methods.py udfs     objective from every start; accuracy of the authors'
                                                algorithm, of UDFS, and of random columns
    python benchmarks/graph_methods.py spec     accuracy of the criteria of SPEC
    python benchmarks/graph_methods.py scufs    overlap of the clusters, and accuracy

Accuracies (softmax and k-means ACC, in per cent) are means over balanced splits (five for UDFS, two
for the others; features are chosen on the training rows) and 2, 5, 10 and 20 % of the features. The
authors' algorithm of UDFS is that of their program: 20 eigenproblems, the first with equal weights.
"""

import sys

import numpy as np
from measure import quiet
from scipy.linalg import eigh

from graphsieve import SCUFS, SPEC, UDFS, LaplacianScore, RandomRanker
from graphsieve.datasets import load
from graphsieve.evaluation import evaluate
from graphsieve.methods.udfs import DenseProblem, local_scatter, starts

SHARES = (0.02, 0.05, 0.1, 0.2)
DATASETS = ("yale", "isolet", "coil20")


class AuthorsUDFS(UDFS):
    """The algorithm as published: a fixed number of eigenproblems from equal weights."""

    def _rank(self, data):
        X = data.whole().astype(np.float64)
        M, m = scatter(X, self.ridge), self.n_components
        alpha = self.alpha or 0.01 * M.diagonal().mean()
        return descend(M, np.ones(len(M)), alpha, m, 20)[0]


def scatter(X, ridge=1e3):
    X = X - X.mean(axis=0)
    return X.T @ (local_scatter(X, n_neighbors=5, ridge=ridge) @ X)


def descend(M, norms, alpha, m, n_solves, eps=1e-6):
    """Row norms after reweighted eigenproblems, and the last objective."""
    for _ in range(n_solves):
        U = np.diag(alpha / (2 * np.sqrt(norms**2 + eps**2)))
        W = eigh(M + U, subset_by_index=[0, m - 1])[1]
        norms = np.linalg.norm(W, axis=1)
    return norms, np.vdot(W, M @ W) + alpha * np.sqrt(norms**2 + eps**2).sum()


def unit_range(name):
    data = load(name)
    X = data.X.astype(np.float64)
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / np.where(high > low, high - low, 1)


def udfs_objectives(name, alpha=1.0, m=10, n_solves=50):
    X = unit_range(name)
    X = X[:, X.std(axis=0) > 0]
    centred = X - X.mean(axis=0)
    problem = DenseProblem(centred, local_scatter(centred, n_neighbors=5, ridge=1e3), m)
    names = ("spread", "unit vectors", "equal weights")
    found = {
        label: descend(problem.M, norms, alpha, m, n_solves)[1]
        for label, norms in zip(names, starts(problem, X.std(axis=0)), strict=False)
    }
    with quiet():
        found["UDFS"] = UDFS(alpha=alpha, n_components=m).fit(X).objective_trace_[-1]
    print(name, f"alpha={alpha}", {key: round(float(value), 3) for key, value in found.items()})


def quality(name, estimators, n_splits=5, **params):
    data = load(name)
    for label, estimator in estimators.items():
        with quiet():
            table = evaluate(
                estimator,
                data.X,
                data.y,
                shares=SHARES,
                n_splits=n_splits,
                n_repeats=5,
                metrics=("accuracy", "clustering"),
                all_features=False,
                n_jobs=1,
                **params,
            )
        mean = 100 * table[["accuracy", "acc", "nmi"]].mean()
        print(
            f"{name:10s} {label:28s} " + "  ".join(f"{k} {v:.1f}" for k, v in mean.items()),
            flush=True,
        )


def udfs():
    for name in DATASETS:
        udfs_objectives(name)
        quality(
            name,
            {
                "random": RandomRanker(),
                "authors, alpha=1": AuthorsUDFS(alpha=1.0),
                "authors, relative alpha": AuthorsUDFS(),
                "UDFS(alpha=1)": UDFS(alpha=1.0),
                "UDFS()": UDFS(),
            },
        )


def spec():
    for name in (*DATASETS, "pcmac", "prostate_ge"):
        quality(
            name,
            {
                "random": RandomRanker(),
                "LaplacianScore": LaplacianScore(),
                "phi1": SPEC(criterion="phi1", power=1),
                "phi2, power=2": SPEC(criterion="phi2", power=2),
                "phi2, power=3": SPEC(criterion="phi2", power=3),
                "phi3": SPEC(criterion="phi3", power=1),
                "phi3, power=3": SPEC(criterion="phi3", power=3),
            },
            n_splits=2,
        )


def scufs():
    for name in DATASETS:
        data = load(name)
        for seed in (0, 1):
            with quiet():
                method = SCUFS(random_state=seed).fit(unit_range(name)[:500])
            F = method.clusters_
            overlap = np.linalg.norm(F.T @ F - np.eye(10)) / np.sqrt(10)
            print(
                name,
                data.X.shape,
                f"overlap {overlap:.2f}, {method.n_iter_} iterations",
                flush=True,
            )
        quality(name, {"random": RandomRanker(), "SCUFS()": SCUFS()}, n_splits=2)


if __name__ == "__main__":
    for part in sys.argv[1:] or ("udfs", "spec", "scufs"):
        {"udfs": udfs, "spec": spec, "scufs": scufs}[part]()
