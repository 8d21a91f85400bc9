"""Softmax accuracy of GreedyCSS, RSR and MRSF by how columns are scaled.

    GRAPHSIEVE_DATA=folder python benchmarks/column_scaling.py [css rsr mrsf]

Two random splits of fourteen data sets and scikit-learn's digits: half of every class, but at most
160 rows in all (five of every class at the least), to select columns and to train; at most 200 of
the others to test. Means over 2, 6 and 20 % of the columns, brought to [0, 1] for the classifier.
The folder holds the .mat files of these sets and mnist.npz, of which 3,000 images are drawn.
"""

import os
import sys
from pathlib import Path

import numpy as np
from measure import quiet
from scipy.io import loadmat
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from graphsieve.methods import REGISTRY

TEXT = ("PCMAC", "BASEHOCK", "RELATHE")
OTHERS = (
    *("Yale", "Isolet", "COIL20", "mnist", "Prostate-GE", "ALLAML", "colon", "leukemia"),
    *("madelon", "arcene", "orlraws10P", "digits"),
)
FRACTIONS = (0.02, 0.06, 0.2)
SCALES = (None, "minmax", "standard")


def load(name):
    folder = Path(os.environ["GRAPHSIEVE_DATA"])
    if name == "digits":
        return load_digits(return_X_y=True)
    if name == "mnist":
        arrays = np.load(folder / "mnist.npz")
        drawn = np.random.default_rng(0).permutation(60_000)[:3000]
        return arrays["x_train"].reshape(60_000, -1)[drawn].astype(float), arrays["y_train"][drawn]
    content = loadmat(folder / f"{name}.mat")
    X = content["X"]
    X = X.toarray() if hasattr(X, "toarray") else X
    return X.astype(float), content["Y"].ravel().astype(int)


def split(y, seed):
    rng = np.random.default_rng(seed)
    classes = np.unique(y)
    train, test = [], []
    for label in classes:
        rows = rng.permutation(np.flatnonzero(y == label))
        half = len(rows) // 2
        train.extend(rows[: min(half, max(160 // len(classes), 5))])
        test.extend(rows[half:][: max(200 // len(classes), 5)])
    return np.array(train), np.array(test)


def accuracy(method, X, y, train, test):
    order = method.fit(X[train]).order_
    low, high = X[train].min(axis=0), X[train].max(axis=0)
    X = np.clip((X - low) / np.where(high > low, high - low, 1), 0, 1)
    found = []
    for fraction in FRACTIONS:
        chosen = order[: max(1, round(fraction * X.shape[1]))]
        softmax = LogisticRegression(max_iter=30, tol=1e-2).fit(X[train][:, chosen], y[train])
        found.append(softmax.score(X[test][:, chosen], y[test]))
    return np.mean(found)


def row(name, scale, sets, seeds=(0, 1)):
    results = []
    for dataset in sets:
        X, y = load(dataset)
        for seed in seeds:
            method = REGISTRY[name](max(FRACTIONS), scale=scale)
            if "random_state" in method.get_params():
                method.set_params(random_state=0)
            results.append(accuracy(method, X, y, *split(y, seed)))
    return np.mean(results)


def main(names):
    print("| method | scale | twelve sets | three text sets |")
    print("|---|---|---|---|")
    for name in names:
        for scale in SCALES:
            with quiet():
                found = [f"{row(name, scale, sets):.3f}" for sets in (OTHERS, TEXT)]
            print("| " + " | ".join([name, str(scale), *found]) + " |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["css", "rsr", "mrsf"])
