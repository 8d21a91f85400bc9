"""Rare cell types: how often a gene panel has their genes and recognises their cells.

    python -m experiments.studies.rare_types
    python -m experiments.studies.rare_types --graph-weights 1 0.5 0.3
    python -m experiments.studies.rare_types --graphs --batches

Every simulation is another draw of the counts of gene_panels.py, with 800 cells, 600
genes, ten programmes of twelve genes, six cell types and three batches. The last programme is
active in the rare type only, which has 3 % of the cells. Panels are selected on all cells without
labels. Shown are means over the simulations:

    programmes        programmes with a gene in the panel, of 10
    rare programme    fraction of the simulations in which that of the rare type is among them
    rare recall       fraction of the rare cells that a classifier recognises by the panel
    balanced accuracy mean of this fraction over all cell types

The classifier is a logistic regression, trained on half of the cells and applied to the others.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from experiments.studies.gene_panels import (
    SIZES,
    add_variants,
    all_panels,
    simulate,
    variants,
)

SHAPE = {"n_cells": 800, "n_genes": 600, "n_programmes": 10, "n_members": 12, "n_types": 6}
MEASURES = ["programmes", "rare programme", "rare recall", "balanced accuracy"]


def measure(adata, genes, seed):
    """The measures of one panel."""
    found = set(adata.var.loc[genes, "programme"]) - {-1}
    last = SHAPE["n_programmes"] - 1
    half = np.random.default_rng(seed).permutation(adata.n_obs)
    train, test = np.array_split(half, 2)
    X, labels = adata[:, genes].X.toarray(), adata.obs["cell_type"].to_numpy()
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=200))
    predicted = model.fit(X[train], labels[train]).predict(X[test])
    names = np.unique(labels)
    recall = recall_score(labels[test], predicted, labels=names, average=None, zero_division=0)
    return len(found), float(last in found), recall[-1], recall.mean()


def one_simulation(seed, chosen, batch_key):
    """The measures of all panels for one draw of the counts."""
    adata = simulate(**SHAPE, rare=0.03, seed=seed)
    panels = all_panels(adata, seed, chosen, batch_key)
    rows = [
        (seed, name, size, *measure(adata, genes, seed))
        for name, sizes in panels.items()
        for size, genes in sizes.items()
    ]
    return pd.DataFrame(rows, columns=["seed", "panel", "genes", *MEASURES])


def as_markdown(frame, reference=None):
    """Means, or with a reference the paired differences to it, ± one standard error."""
    lines = ["| genes | panel | " + " | ".join(MEASURES) + " |", "|---" * 6 + "|"]
    for size in SIZES:
        values = frame[frame["genes"] == size].pivot(index="seed", columns="panel")
        for name in frame["panel"].unique():
            if reference is None:
                cells = [f"{values[one, name].mean():.2f}" for one in MEASURES]
            elif name != reference:
                pairs = [values[one, name] - values[one, reference] for one in MEASURES]
                cells = [f"{pair.mean():+.2f} ± {pair.sem():.2f}" for pair in pairs]
            else:
                continue
            lines.append(f"| {size} | {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=40)
    parser.add_argument("--first", type=int, default=1000, help="seed of the first simulation")
    add_variants(parser)
    parser.add_argument(
        "--batches", action="store_true", help="select within every batch (variants only)"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = variants(options.graph_weights, options.graphs)
    batch_key = "batch" if options.batches else None
    seeds = range(options.first, options.first + options.simulations)
    frame = pd.concat([one_simulation(seed, chosen, batch_key) for seed in seeds])
    print(as_markdown(frame))
    if chosen:
        print()
        print(as_markdown(frame, next(iter(chosen))))


if __name__ == "__main__":
    main()
