"""Why panels recognise cell types better or worse: what their genes are, and the recall of types.

    python -m experiments.studies.gene_markers pbmc --splits 10

Panels of 100 genes as in experiments/studies/gene_panels.py, and two variants of GraphSieve: in
"doubled", the first 50 genes each come with the gene that correlates most with them, and in
"uncommon", no gene occurs in more than half of the cells. "Detected" is the fraction of the cells
in which a gene of the panel occurs, "markers" the fraction of the genes that are among as many with
the largest F test of the types, both on the cells of the selection. Accuracy and recall are those
of the logistic regression of ``evaluate_panel`` on the other half, in five folds. At the end, genes
that one of two methods picks in most splits and the other in few.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import StandardScaler

from experiments.studies.gene_panels import (
    DATA,
    ON_COUNTS,
    ON_LOG,
    by_graphsieve,
    by_variability,
    halves,
)
from experiments.studies.tables import markdown
from graphsieve.anndata import select_genes

SIZE, FEWEST = 100, 5
OPPOSITE = "HVG seurat_v3"


def doubled(X, genes):
    """The genes, and for each of them the one that correlates most with it among the rest."""
    Z = StandardScaler().fit_transform(X)
    chosen = list(genes)
    for gene in genes:
        correlation = np.abs(Z.T @ Z[:, gene])
        correlation[chosen] = -1
        chosen.append(int(correlation.argmax()))
    return chosen


def all_genes(train, seed):
    """Columns of every panel."""
    panels = {name: by_graphsieve(train, name, seed) for name in ("sieve", "gafs", "random")}
    panels |= {f"HVG {name}": by_variability(train, name) for name in ON_LOG + ON_COUNTS}
    found = {name: train.var_names.get_indexer(panel[SIZE]) for name, panel in panels.items()}
    half = train.var_names.get_indexer(panels["sieve"][SIZE // 2])
    common = train.var_names[(train.X > 0).mean(axis=0).A1 > 0.5].tolist()
    frame = select_genes(train, SIZE, exclude=common, inplace=False, random_state=seed)
    uncommon = np.flatnonzero(frame["highly_variable"])
    variants = {"doubled": doubled(train.X.toarray(), half), "uncommon": uncommon}
    return {"sieve": found.pop("sieve")} | variants | found


def is_marker(X, types):
    with np.errstate(all="ignore"):
        order = np.argsort(-np.nan_to_num(f_classif(X, types)[0]), kind="stable")
    return np.isin(np.arange(X.shape[1]), order[:SIZE])


def recognised(X, types):
    """Accuracy, and the fraction of every type that is recognised."""
    frequent = np.isin(types, types.value_counts()[lambda counts: counts >= FEWEST].index)
    X, types = X[frequent] - X[frequent].mean(axis=0), types[frequent]
    model = LogisticRegression(tol=1e-4, max_iter=1000)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    correct = pd.Series(cross_val_predict(model, X, types, cv=folds) == types, types.index)
    return {"accuracy": correct.mean()} | correct.groupby(types).mean().to_dict()


def one_split(adata, seed):
    """One row per panel."""
    train, test = halves(adata, seed)
    X = train.X.toarray()
    marker = is_marker(X, train.obs["cell_type"].astype(str))
    for name, genes in all_genes(train, seed).items():
        about = {"detected": (X[:, genes] > 0).mean(), "markers": marker[genes].mean()}
        shown = test.X[:, genes].toarray() / test.X.max()
        about["genes"] = list(adata.var_names[genes])
        yield {"panel": name} | about | recognised(shown, test.obs["cell_type"].astype(str))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", choices=DATA)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--first", type=int, default=100, help="seed of the first split")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    adata = DATA[options.data]()
    seeds = range(options.first, options.first + options.splits)
    frame = pd.DataFrame([row for seed in seeds for row in one_split(adata, seed)])
    often = frame.groupby("panel")["genes"].apply(lambda lists: lists.explode().value_counts())
    often = often.unstack("panel", fill_value=0) / options.splits
    means = frame.drop(columns="genes").groupby("panel", sort=False).mean()
    print(markdown(means.map("{:.3f}".format).T.reset_index(names=f"{SIZE} genes")))
    accuracy = frame.set_index("panel")["accuracy"].groupby("panel", sort=False).apply(np.array)
    for other in accuracy.index.drop("sieve"):
        gain = accuracy["sieve"] - accuracy[other]
        print(f"sieve - {other}: {gain.mean():+.3f} ± {gain.std(ddof=1) / len(gain) ** 0.5:.3f}")
    for one, other in (("sieve", OPPOSITE), (OPPOSITE, "sieve")):
        only = often.index[(often[one] >= 0.8) & (often[other] <= 0.2)]
        print(f"{one}, not {other}: {', '.join(only)}")


if __name__ == "__main__":
    main()
