"""Variants of GAFS, judged on the splits and by the scores of the experiment ``quality``.

Splits 100 and above are not among the reported ones. A table has one row per data set, split,
variant and fraction of features, and a run continues where the last one ended.
"""

import warnings
from dataclasses import asdict

import numpy as np
from resume import append, finished

from graphsieve.evaluation import fit_on, score_order
from graphsieve.paper.cells import Cell
from graphsieve.paper.spec import load_experiment

SCORES = ["accuracy", "acc", "nmi"]
CASE = ["dataset", "split", "variant"]


def run(out, numbers, variants, datasets=None):
    """Measure ``variants(split, seed)``, pairs of a name and an estimator, on these splits."""
    warnings.simplefilter("ignore")
    experiment, profile = load_experiment("quality").profile("medium")
    protocol = asdict(experiment.protocol)
    done = finished(out, CASE)
    for number in numbers:
        for dataset in datasets or profile.datasets:
            cell = Cell("shares", dataset, number, "gafs", {}, protocol)
            split = cell.load_split()
            for name, estimator in variants(split, cell.seed):
                if (dataset, number, name) not in done:
                    rows = _measure(estimator, split, cell, protocol)
                    rows = rows.assign(dataset=dataset, split=number, variant=name)
                    append(out, rows[[*CASE, "share", *SCORES]].round(4))
            print(f"split {number}: {dataset}", flush=True)


def _measure(estimator, split, cell, protocol):
    fitted, _ = fit_on(estimator.set_params(n_jobs=1), split.X_train, cell.seed)
    return score_order(
        fitted.order_,
        split,
        shares=protocol["shares"],
        metrics=("accuracy", "clustering"),
        n_repeats=protocol["n_repeats"],
        random_state=cell.seed,
    )


def report(table, reference="gafs"):
    """Means over the data sets, and paired differences with 1.96 standard errors."""
    by_split = table.groupby(["variant", "dataset", "split"])[SCORES].mean()
    print("variant | sets, splits | differences in", ", ".join(SCORES))
    for name in by_split.index.unique("variant"):
        difference = (by_split.loc[name] - by_split.loc[reference]).dropna()
        by_set = difference.groupby("dataset").mean()
        error = 1.96 * by_set.std() / np.sqrt(len(by_set))
        shown = [f"{by_set[s].mean():+.3f} ± {error[s]:.3f}" for s in SCORES]
        n_splits = difference.index.unique("split").size
        print(f"{name:28} | {len(by_set)}, {n_splits}", *shown, sep=" | ")
