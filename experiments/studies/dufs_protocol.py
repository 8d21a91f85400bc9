"""The protocol of DUFS: k-means on all rows, at the number of features that suits best.

    GRAPHSIEVE_DATA=folder python -m experiments.studies.dufs_protocol
    python -m experiments.studies.dufs_protocol --table
    python -m experiments.studies.dufs_protocol --why

All rows are ranked without labels and clustered by k-means. ACC is reported at the best of 50, 100,
..., 300 features, which is chosen with the labels (Lindenbaum et al., "Differentiable unsupervised
feature selection based on a gated Laplacian", NeurIPS 2021; Shaham et al., "Deep unsupervised
feature selection by discarding nuisance and correlated features", Neural Networks 152, 2022).
Numbers of features are compared by twenty runs from one start of k-means each; at 100 features and
at the best number there are five runs, each the best of ten starts, as in scikit-learn when these
papers were written. The columns are clustered as they are or standardised. The rows are kept in
experiments/records/quality/dufs.csv, and a run continues where the last one ended. ``--why``
prints, for the two data sets with few rows, what random draws, the columns of largest variance and
one scale for all columns reach, and what the largest of the first 50 columns of MRSF do.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.preprocessing import scale as standardised
from threadpoolctl import threadpool_limits

from experiments.baselines import ranker
from experiments.data import load
from experiments.provenance import provenance
from experiments.studies.resume import append, finished
from experiments.studies.tables import RECORDS, markdown, write_page
from graphsieve.evaluation import clustering_accuracy

OUT = RECORDS / "quality" / "dufs.csv"
PAGE = RECORDS / "dufs.md"
COUNTS = (50, 100, 150, 200, 250, 300)
FIXED = 100
# Runs with one start, and with ten.
N_STARTS = 10
N_RUNS = {1: 20, N_STARTS: 5}
METHODS = ("sieve", "gafs", "mrsf", "random")
SCALES = ("none", "standard")
ALL = "all features"
FEW_ROWS = ("allaml", "prostate_ge")
N_DRAWS, N_LARGEST = 60, 5
# In percent, from the tables of the two papers.
PUBLISHED = pd.DataFrame(
    {
        "coil20": (65.8, 61.8, 65.6),
        "yale": (47.9, 48.0, 45.4),
        "allaml": (74.5, 76.5, 73.5),
        "prostate_ge": (64.7, 71.4, 56.9),
        "isolet": (63.6, np.nan, 63.8),
    },
    index=["DUFS", "LS-CAE", "CAE"],
)


def accuracies(X, y, n_starts):
    """ACC of every run of k-means with as many clusters as classes."""
    n_clusters = len(np.unique(y))
    runs = (
        KMeans(n_clusters, n_init=n_starts, random_state=run) for run in range(N_RUNS[n_starts])
    )
    return [clustering_accuracy(y, kmeans.fit_predict(X)) for kmeans in runs]


def measure(X, y, method):
    """Rows for one method, or for all features: every number of features and scale."""
    d = X.shape[1]
    order, counts = np.arange(d), (d,)
    if method != ALL:
        estimator, counts = ranker(method)(max(COUNTS)), COUNTS
        for name, value in {"random_state": 0, "n_jobs": 1}.items():
            if name in estimator.get_params():
                estimator.set_params(**{name: value})
        order = estimator.fit(X).order_
    for scale in SCALES:
        Z = standardised(X) if scale == "standard" else X
        found = {k: np.mean(accuracies(Z[:, order[:k]], y, 1)) for k in counts}
        for k, acc in found.items():
            yield {"scale": scale, "n_features": k, "n_starts": 1, "acc": acc}
        for k in {max(found, key=found.get), FIXED if method != ALL else d}:
            acc = np.mean(accuracies(Z[:, order[:k]], y, N_STARTS))
            yield {"scale": scale, "n_features": k, "n_starts": N_STARTS, "acc": acc}


def run():
    warnings.simplefilter("ignore")
    done = finished(OUT, ["dataset", "method"])
    for dataset in PUBLISHED:
        data = load(dataset)
        X = np.asarray(data.X, dtype=np.float64)
        for method in (*METHODS, ALL):
            if (dataset, method) not in done:
                about = {"dataset": dataset, "method": method}
                rows = [about | row for row in measure(X, data.y, method)]
                append(OUT, pd.DataFrame(rows).assign(commit=provenance()["commit"]))
                print(f"{dataset}: {method}", flush=True)


def why():
    """Random draws at the best number of features, and MRSF without its largest columns."""
    warnings.simplefilter("ignore")
    for dataset in FEW_ROWS:
        data = load(dataset)
        X = np.asarray(data.X, dtype=np.float64)
        best = np.max([_draw(X, data.y, seed) for seed in range(N_DRAWS)], axis=1)
        limits = ", ".join(f"{100 * q:.1f}" for q in np.percentile(best, (5, 50, 95)))
        print(f"{dataset}: best number of {N_DRAWS} random draws, 5, 50 and 95 %: {limits}")
        for name in ("DUFS", "LS-CAE"):
            reached = np.mean(100 * best >= PUBLISHED.loc[name, dataset])
            print(f"{dataset}: {reached:.0%} of the draws reach {name}")
        others = {"variance": ranker("variance")(), "sieve, global": ranker("sieve")(max(COUNTS))}
        others["sieve, global"].set_params(scale="global", random_state=0, n_jobs=1)
        for name, method in others.items():
            order = method.fit(X).order_
            acc = max(np.mean(accuracies(X[:, order[:k]], data.y, N_STARTS)) for k in COUNTS)
            print(f"{dataset}: {name}, best number: {100 * acc:.1f}")
        Z = X[:, ranker("mrsf")(COUNTS[0]).fit(X).get_support(indices=True)]
        largest = np.argsort(-Z.var(axis=0))
        parts = {"largest": largest[:N_LARGEST], "other": largest[N_LARGEST:]}
        for words, columns in parts.items():
            acc = np.mean(accuracies(Z[:, columns], data.y, N_STARTS))
            print(f"{dataset}: the {len(columns)} {words} columns of MRSF: {100 * acc:.1f}")


def _draw(X, y, seed):
    """ACC of a random draw at every number of features."""
    order = np.random.RandomState(seed).permutation(X.shape[1])
    n_clusters = len(np.unique(y))
    runs = (
        KMeans(n_clusters, n_init=N_STARTS, random_state=0).fit_predict(X[:, order[:k]])
        for k in COUNTS
    )
    return [clustering_accuracy(y, run) for run in runs]


def table():
    """ACC in percent by data set: published, ours at the best number, ours at the fixed one."""
    found = pd.read_csv(OUT)
    lines = [_line(f"*{name}*, best number", row) for name, row in PUBLISHED.iterrows()]
    full = found[found["n_starts"] == N_STARTS]
    for scale, words in {"none": "", "standard": ", standardised"}.items():
        part = full[full["scale"] == scale]
        best = part.groupby(["method", "dataset"])["acc"].max().unstack()
        fixed = part[part["n_features"] == FIXED].set_index(["method", "dataset"])["acc"].unstack()
        lines += [_line(f"`{m}`, best number{words}", 100 * best.loc[m]) for m in METHODS]
        lines += [_line(f"`{m}`, {FIXED} features{words}", 100 * fixed.loc[m]) for m in METHODS]
        lines.append(_line(f"all features{words}", 100 * best.loc[ALL]))
    return markdown(pd.DataFrame(lines))


def _line(name, row):
    numbers = {d: "" if np.isnan(row[d]) else f"{row[d]:.1f}" for d in PUBLISHED}
    return {
        "": name,
        **numbers,
        "mean": f"{row[list(PUBLISHED)].mean(skipna=False):.1f}".replace("nan", ""),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", action="store_true", help="write the table of the record")
    parser.add_argument("--why", action="store_true", help="look into the sets with few rows")
    options = parser.parse_args()
    with threadpool_limits(1):
        if options.why:
            why()
            return
        if not options.table:
            run()
    write_page(PAGE, lambda name: table() if name == "dufs" else None)


if __name__ == "__main__":
    main()
