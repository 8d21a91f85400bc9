"""Fifty features: accuracy, reconstruction of all features, and seconds.

    python benchmarks/fifty_features.py --seeds 3

The protocol of the published logs of the fractal autoencoder (FAE): 80 % of the rows for training,
50 features chosen on them, accuracy of 50 extra trees and mean squared error of a linear regression
of all columns, scaled to [0, 1] on the training rows, on the test rows. MNIST is 10,000 rows drawn
at random. Every method at its defaults.
"""

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from graphsieve.datasets import load
from graphsieve.paper.baselines import ranker

DATASETS = ("isolet", "mnist", "coil20")
METHODS = ("gafs", "css", "mrsf", "pfa", "variance", "random")
N_FEATURES = 50
MOST_ROWS = 10_000


def chosen(name, X, seed):
    """The first fifty columns of a method, and its seconds."""
    method = ranker(name)(N_FEATURES)
    if "random_state" in method.get_params():
        method.set_params(random_state=seed)
    start = time.perf_counter()
    method.fit(X)
    return method.get_support(indices=True), time.perf_counter() - start


def row(dataset, name, seed):
    """All measures of one selection."""
    data = load(dataset)
    X, y = np.asarray(data.X, dtype=np.float64), data.y
    if len(X) > MOST_ROWS:
        rows = np.random.default_rng(seed).choice(len(X), MOST_ROWS, replace=False)
        X, y = X[rows], y[rows]
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=0.2, random_state=seed, stratify=y
    )
    scaler = MinMaxScaler(clip=True).fit(train)
    train, test = scaler.transform(train), scaler.transform(test)
    columns, seconds = chosen(name, train, seed)
    trees = ExtraTreesClassifier(50, random_state=seed).fit(train[:, columns], y_train)
    linear = LinearRegression().fit(train[:, columns], train)
    error = np.mean((linear.predict(test[:, columns]) - test) ** 2)
    return {
        "dataset": dataset,
        "method": name,
        "accuracy": trees.score(test[:, columns], y_test),
        "error": error,
        "seconds": seconds,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    n_seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore")
    for dataset in DATASETS:
        for name in METHODS:
            found = pd.DataFrame([row(dataset, name, seed) for seed in range(n_seeds)])
            mean = found[["accuracy", "error", "seconds"]].mean()
            print(
                f"| {dataset} | {name} | {mean.accuracy:.3f} | {mean.error:.4f} "
                f"| {mean.seconds:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
