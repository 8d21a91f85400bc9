"""Softmax accuracy with 2 % of the features: ranking by norm, greedy selection, baselines.

Balanced splits of the sizes of the GAFS paper, one per seed; columns scaled to [0, 1] and chosen
on the training part. No setting is tuned here: every method has one for all data sets.

    GRAPHSIEVE_DATA=folder python benchmarks/greedy_accuracy.py [data set ...]
"""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.io import loadmat
from sklearn.exceptions import ConvergenceWarning

from graphsieve import GAFS, GreedyCSS, RandomRanker, Variance
from graphsieve.evaluation import fit_on, make_split, score_order

SHARE = 0.02
SEEDS = (0, 1, 2)
# Rows of every class to train and to test on.
ROWS = {
    "Yale": (6, 5),
    "Isolet": (30, 30),
    "COIL20": (36, 36),
    "MNIST": (100, 2710),
    "PCMAC": (480, 480),
}
SETTING = {"n_hidden": 40, "alpha": 1e-3, "graph_weight": 5e-3, "decay": 1e-3}
METHODS = {
    "random": RandomRanker(SHARE),
    "variance": Variance(SHARE),
    "GreedyCSS": GreedyCSS(SHARE),
    "GAFS, norm, defaults": GAFS(SHARE),
    "GAFS, norm": GAFS(SHARE, **SETTING),
    "GAFS, greedy, code": GAFS(SHARE, **SETTING, selection="greedy", targets="code"),
    "GAFS, greedy, data": GAFS(SHARE, **SETTING, selection="greedy", targets="data"),
    "GAFS, greedy, both": GAFS(SHARE, **SETTING, selection="greedy", targets="both"),
}


def load(name):
    folder = Path(os.environ["GRAPHSIEVE_DATA"])
    if name == "MNIST":
        arrays = np.load(folder / "mnist.npz")
        X = np.concatenate([arrays["x_train"], arrays["x_test"]])
        return X.reshape(len(X), -1), np.concatenate([arrays["y_train"], arrays["y_test"]])
    arrays = loadmat(folder / f"{name}.mat")
    return arrays["X"], arrays["Y"].ravel()


def accuracies(name):
    """(methods, seeds) accuracies on one data set."""
    X, y = load(name)
    train, test = ROWS[name]
    table = np.empty((len(METHODS), len(SEEDS)))
    for column, seed in enumerate(SEEDS):
        split = make_split(X, y, train_per_class=train, test_per_class=test, random_state=seed)
        for row, method in enumerate(METHODS.values()):
            fitted, _ = fit_on(method, split.X_train, seed)
            scores = score_order(fitted.order_, split, shares=[SHARE], metrics=["accuracy"])
            table[row, column] = scores["accuracy"].iloc[0]
    return table


def main(names):
    warnings.simplefilter("ignore", ConvergenceWarning)
    results = {name: accuracies(name) for name in names}
    print("| method | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    for row, method in enumerate(METHODS):
        cells = [f"{r[row].mean():.3f} ± {r[row].std():.3f}" for r in results.values()]
        print(f"| {method} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(sys.argv[1:] or list(ROWS))
