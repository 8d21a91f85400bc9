"""Dropping redundant columns: DropRedundant and the pairwise rules of other libraries.

    python benchmarks/redundancy.py
    python benchmarks/redundancy.py --big

Rows are split 80 : 20, columns are divided by their standard deviation on the training rows, and
columns that are constant there are left out. Every rule sees the training rows only. A linear
regression on the kept columns, fitted on the training rows, then predicts the dropped ones.

- kept: number of columns.
- least R^2: the worst predicted of the dropped columns, on the training rows.
- held-out R^2: median over the dropped columns, on the other rows.
- rebuilt: fraction of the variance of all columns that is reconstructed on the other rows, where
  kept columns count as exact.
- same least R^2: columns that ``DropRedundant`` keeps with that R^2 as its threshold.
- same rebuilt: columns of ``GreedyCSS``, which minimises the squared error of all columns instead
  of bounding the worst one, that rebuild as much.
- same: whether shuffled columns give the same selection.
- CPU s: processor time of the fit.

Needs feature-engine, skrub, pycytominer, tsfresh and scanpy, and the data set Isolet (``graphsieve
data fetch isolet``). Rules whose package is missing are left out. ``--big`` measures the time and
memory for 50,000 x 4,000 entries in single precision.
"""

import argparse
import resource
import time
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
from scipy.signal import lfilter
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LinearRegression

from graphsieve import DropRedundant, GreedyCSS

THRESHOLD = 0.9


# Tables


def isolet():
    from graphsieve.datasets import load

    return np.asarray(load("isolet").X, dtype=float)


def tsfresh_table(n_series=400, length=100):
    """Features that tsfresh extracts from waves, random walks and autoregressive series."""
    from tsfresh import extract_features
    from tsfresh.feature_extraction import EfficientFCParameters

    rng = np.random.default_rng(0)
    time_axis = np.arange(length)
    series = []
    for number in range(n_series):
        noise = rng.normal(size=length)
        if number % 3 == 0:
            x = np.sin(time_axis * rng.uniform(0.05, 0.5)) * rng.uniform(1, 5) + noise
        elif number % 3 == 1:
            x = np.cumsum(noise)
        else:
            x = lfilter([1], [1, -rng.uniform(0.1, 0.9)], noise)
        series.append(pd.DataFrame({"id": number, "time": time_axis, "x": x}))
    features = extract_features(
        pd.concat(series),
        column_id="id",
        column_sort="time",
        default_fc_parameters=EfficientFCParameters(),
        n_jobs=0,
        disable_progressbar=True,
    )
    X = features.to_numpy(dtype=float)
    return X[:, np.isfinite(X).all(axis=0)]


def pbmc68k_reduced():
    import scanpy as sc

    X = sc.datasets.pbmc68k_reduced().raw.X
    return np.asarray(X.toarray(), dtype=float)


TABLES = {
    "breast_cancer": lambda: load_breast_cancer().data,
    "digits": lambda: load_digits().data,
    "Isolet": isolet,
    "tsfresh": tsfresh_table,
    "pbmc68k_reduced": pbmc68k_reduced,
}


# Rules: each returns a mask of the kept columns of a data frame


def drop_redundant(frame):
    return DropRedundant(THRESHOLD).fit(frame).support_


def drop_correlated(frame):
    return DropRedundant(THRESHOLD, by="correlation").fit(frame).support_


def feature_engine(frame):
    from feature_engine.selection import SmartCorrelatedSelection

    rule = SmartCorrelatedSelection(threshold=THRESHOLD).fit(frame)
    return ~frame.columns.isin(rule.features_to_drop_)


def skrub(frame):
    from skrub import DropSimilar

    return frame.columns.isin(DropSimilar(threshold=THRESHOLD).fit_transform(frame).columns)


def pycytominer(frame):
    from pycytominer.operations import correlation_threshold

    dropped = correlation_threshold(frame, features=list(frame.columns), threshold=THRESHOLD)
    return ~frame.columns.isin(dropped)


RULES = {
    "DropRedundant": (drop_redundant, None),
    "by=correlation": (drop_correlated, None),
    "feature-engine": (feature_engine, "feature_engine"),
    "skrub": (skrub, "skrub"),
    "pycytominer": (pycytominer, "pycytominer"),
}


# Measures


def split(X, seed=0):
    """Standardised training and test rows, as data frames, without constant columns."""
    order = np.random.default_rng(seed).permutation(len(X))
    train, test = np.split(order, [int(0.8 * len(X))])
    spread = X[train].std(axis=0)
    varies = spread > 1e-9 * abs(X[train]).max(axis=0)
    X = (X[:, varies] - X[train][:, varies].mean(axis=0)) / spread[varies]
    names = [f"x{j}" for j in range(X.shape[1])]
    return pd.DataFrame(X[train], columns=names), pd.DataFrame(X[test], columns=names)


def evaluate(train, test, kept):
    """Least R^2 on the training rows, median R^2 on the others, and rebuilt variance there."""
    train, test = train.to_numpy(), test.to_numpy()
    if kept.all():
        return {"least R^2": 1.0, "held-out R^2": 1.0, "rebuilt": 1.0}
    model = LinearRegression().fit(train[:, kept], train[:, ~kept])
    error = ((test[:, ~kept] - model.predict(test[:, kept])) ** 2).sum(axis=0)
    total = ((test - test.mean(axis=0)) ** 2).sum(axis=0)
    seen = train[:, ~kept] - model.predict(train[:, kept])
    varies = total[~kept] > 1e-3 * len(test)  # a pixel may be constant on the test rows
    return {
        "least R^2": float((1 - seen.var(axis=0) / train[:, ~kept].var(axis=0)).min()),
        "held-out R^2": float(np.median(1 - error[varies] / total[~kept][varies])),
        "rebuilt": float(1 - error.sum() / total.sum()),
    }


def same_guarantee(train, least):
    """Columns that DropRedundant keeps if every dropped one reaches this R^2."""
    return DropRedundant(least).fit(train).n_features_


def same_rebuilt(train, test, order, rebuilt):
    """Columns at the beginning of an order that rebuild as much, by bisection."""
    low, high = 1, len(order)
    while low < high:
        middle = (low + high) // 2
        kept = np.isin(np.arange(len(order)), order[:middle])
        if evaluate(train, test, kept)["rebuilt"] >= rebuilt:
            high = middle
        else:
            low = middle + 1
    return low


def compare(name, X, rules):
    """One row per rule."""
    train, test = split(X)
    shuffled = train[np.random.default_rng(1).permutation(train.columns)]
    order = GreedyCSS(train.shape[1], scale="standard").fit(train).order_
    rows = []
    for rule in rules:
        select, package = RULES[rule]
        if package is not None and find_spec(package) is None:
            continue
        start = time.process_time()
        kept = np.asarray(select(train))
        seconds = time.process_time() - start
        again = set(shuffled.columns[np.asarray(select(shuffled))])
        found = evaluate(train, test, kept)
        rows.append(
            {
                "table": f"{name}, {len(train)} x {train.shape[1]}",
                "rule": rule,
                "kept": int(kept.sum()),
                **found,
                "same least R^2": same_guarantee(train, found["least R^2"]),
                "same rebuilt": same_rebuilt(train, test, order, found["rebuilt"]),
                "same": "yes" if again == set(train.columns[kept]) else "no",
                "CPU s": seconds,
            }
        )
    return rows


def measure_big(n=50_000, d=4_000, n_factors=300):
    """Time and memory for a large table in single precision."""
    rng = np.random.default_rng(0)
    W = rng.normal(size=(n_factors, d)) * (rng.random((n_factors, d)) < 0.02)
    X = np.empty((n, d), dtype=np.float32)
    for rows in np.array_split(np.arange(n), 10):
        X[rows] = rng.normal(size=(len(rows), n_factors)) @ W
        X[rows] += 0.2 * rng.normal(size=(len(rows), d))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, wall = time.process_time(), time.perf_counter()
    sel = DropRedundant(THRESHOLD).fit(X)
    seconds, wall = time.process_time() - start, time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{n:,} x {d:,} float32 ({X.nbytes / 1e9:.1f} GB): kept {sel.n_features_}, least R^2 "
        f"{sel.r2_.min():.3f}, held out {sel.heldout_r2_.min():.3f}; {seconds:.0f} CPU s, "
        f"{wall:.0f} s; peak {after / 1e6:.2f} GB, {before / 1e6:.2f} GB before the fit"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--rules", nargs="+", choices=RULES, default=list(RULES))
    parser.add_argument("--big", action="store_true", help="time and memory of a large table")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.big:
        measure_big()
        return
    for name in options.tables:
        frame = pd.DataFrame(compare(name, TABLES[name](), options.rules))
        print(frame.to_csv(index=False, sep="|", float_format="%.3f"), flush=True)


if __name__ == "__main__":
    main()
