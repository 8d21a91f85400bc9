"""Fifty features: accuracy, reconstruction of all features, and seconds.

    python -m experiments.studies.fifty_features --seeds 5

The protocol of the published notebooks of the fractal autoencoder (FAE, Wu and Cheng 2021): 80 % of
the rows for training, 50 features chosen on them, accuracy of 50 extra trees and mean squared error
of a linear regression of all columns on the test rows. The columns of ISOLET are scaled to [0, 1],
pixels are divided by 255. COIL20 has pictures of 20 x 20 pixels, which are made here from those of
32 x 32; MNIST is 10,000 rows drawn at random. Our ISOLET has 1,560 of the published 7,797 rows.
Every method at its defaults, and two with one scale for all columns; seconds are those of one core.
The rows are kept in experiments/records/quality/fifty_features.csv, and a run continues where the
last one ended.
"""

import argparse
import time
import warnings
from itertools import product

import numpy as np
import pandas as pd
from PIL import Image
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale
from threadpoolctl import threadpool_limits

from experiments.baselines import ranker
from experiments.data import load
from experiments.provenance import provenance
from experiments.studies.resume import append, finished
from experiments.studies.tables import RECORDS

OUT = RECORDS / "quality" / "fifty_features.csv"
DATASETS = ("isolet", "mnist", "coil20")
METHODS = (
    "sieve",
    "gafs",
    "css",
    "mrsf",
    "pfa",
    "variance",
    "random",
    "sieve, global",
    "css, global",
)
N_FEATURES = 50
MOST_ROWS = 10_000


def chosen(name, X, seed):
    """The first fifty columns of a method, and its seconds; "global" is one scale for all."""
    name, _, scale = name.partition(", ")
    method = ranker(name)(N_FEATURES)
    if scale:
        method.set_params(scale=scale)
    if "random_state" in method.get_params():
        method.set_params(random_state=seed)
    if "n_jobs" in method.get_params():
        method.set_params(n_jobs=1)
    start = time.process_time()
    method.fit(X)
    return method.get_support(indices=True), time.process_time() - start


def prepared(dataset):
    """Data in the units of the published protocol."""
    data = load(dataset)
    X = np.asarray(data.X, dtype=np.float64)
    if dataset == "isolet":
        return minmax_scale(X), data.y
    X /= X.max()
    return (smaller(X) if dataset == "coil20" else X), data.y


def smaller(X):
    """Pictures of 20 x 20 pixels from those of 32 x 32."""
    pictures = [Image.fromarray(x.reshape(32, 32).astype(np.float32)) for x in X]
    resized = [picture.resize((20, 20), Image.Resampling.LANCZOS) for picture in pictures]
    return np.array([np.asarray(picture, dtype=float).ravel() for picture in resized])


def row(dataset, name, seed):
    """All measures of one selection."""
    X, y = prepared(dataset)
    if len(X) > MOST_ROWS:
        rows = np.random.RandomState(0).permutation(len(X))[:MOST_ROWS]
        X, y = X[rows], y[rows]
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=seed)
    columns, seconds = chosen(name, train, seed)
    trees = ExtraTreesClassifier(50, random_state=seed).fit(train[:, columns], y_train)
    linear = LinearRegression().fit(train[:, columns], train)
    error = np.mean((linear.predict(test[:, columns]) - test) ** 2)
    return {
        "dataset": dataset,
        "method": name,
        "seed": seed,
        "accuracy": trees.score(test[:, columns], y_test),
        "error": error,
        "seconds": seconds,
        "commit": provenance()["commit"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    n_seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore")
    done = finished(OUT, ["dataset", "method", "seed"])
    with threadpool_limits(1):
        for dataset, name, seed in product(DATASETS, METHODS, range(n_seeds)):
            if (dataset, name, seed) not in done:
                append(OUT, pd.DataFrame([row(dataset, name, seed)]))
                print(f"{dataset}: {name}, seed {seed}", flush=True)


if __name__ == "__main__":
    main()
