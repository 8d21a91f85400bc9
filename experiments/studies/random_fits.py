"""Fits of random methods, parameters, tables and containers: what survives, and what does not.

    python -m experiments.studies.random_fits                 100,000 fits, on one core; resumable
    python -m experiments.studies.random_fits --fits 3000     fewer
    python -m experiments.studies.random_fits --case 4711     one fit again, with its traceback

Every fit is made from its number alone. It ends in one of four ways:

ok        scores and trace are finite, the order is a permutation with the constant columns last,
          the input is as before, and, for one fit in eight, a second fit gives the same scores
warning   the same, and graphsieve has issued a warning of its own
error     a ValueError, TypeError or MemoryError that graphsieve or scikit-learn's validation raised
failure   anything else: other exceptions or warnings, wrong results, more than a minute of
          processor time

The counts are stored after every thousand fits in experiments/records/random_fits/fits.csv.gz, with
the commit that was run; a run that was stopped continues there. ``--table`` writes the table in
docs/promises.md.
"""

import argparse
import re
import signal
import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from experiments.provenance import provenance
from experiments.studies.resume import append, finished
from experiments.studies.tables import RECORDS, ROOT, write_page
from graphsieve import REGISTRY

STORE = RECORDS / "random_fits" / "fits.csv.gz"
PAGE = ROOT / "docs" / "promises.md"
BATCH = 1000
SECONDS = 60
METHODS = sorted(REGISTRY)
COLUMNS = ["batch", "commit", "method", "outcome", "kind", "count"]


# Tables ------------------------------------------------------------------------------------------


def low_rank(rng, n, d):
    return rng.normal(size=(n, 3)) @ rng.normal(size=(3, d)) + 0.1 * rng.normal(size=(n, d))


def blobs(rng, n, d):
    return 5 * rng.normal(size=(3, d))[rng.integers(0, 3, n)] + rng.normal(size=(n, d))


TABLES = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "uniform": lambda rng, n, d: rng.random((n, d)),
    "low rank": low_rank,
    "exact low rank": lambda rng, n, d: rng.normal(size=(n, 2)) @ rng.normal(size=(2, d)),
    "blobs": blobs,
    "counts": lambda rng, n, d: rng.poisson(0.7, (n, d)) * 1.0,
    "mostly zero": lambda rng, n, d: rng.poisson(0.05, (n, d)) * 1.0,
    "binary": lambda rng, n, d: rng.integers(0, 2, (n, d)) * 1.0,
    "heavy tails": lambda rng, n, d: rng.standard_cauchy((n, d)),
    "constant": lambda rng, n, d: np.full((n, d), rng.choice([0.0, 0.1, 3.0, -1e8])),
    "identity": lambda rng, n, d: np.eye(n, d),
}


def some(rng, size):
    """A few positions, at least one."""
    return rng.choice(size, rng.integers(1, max(2, size // 2 + 1)), replace=False)


def outlier(rng, X):
    X[rng.integers(len(X)), rng.integers(X.shape[1])] = 10.0 ** rng.uniform(2, 12)
    return X


def constants(rng, X):
    X[:, some(rng, X.shape[1])] = rng.choice([0.0, 0.1, -7.0])
    return X


def copied_rows(rng, X):
    return X[rng.integers(0, len(X), len(X))]


def copied_columns(rng, X):
    columns = some(rng, X.shape[1])
    X[:, columns] = X[:, [rng.integers(X.shape[1])]] * rng.choice([1.0, -1.0, 2.0])
    return X


def zero_rows(rng, X):
    X[some(rng, len(X))] = 0
    return X


def not_finite(rng, X):
    X[rng.integers(len(X)), rng.integers(X.shape[1])] = rng.choice([np.nan, np.inf, -np.inf])
    return X


# What happens to a table, and how often.
CHANGES = {
    outlier: 0.1,
    constants: 0.15,
    copied_rows: 0.1,
    copied_columns: 0.15,
    zero_rows: 0.1,
    lambda rng, X: X + 10.0 ** rng.uniform(0, 6): 0.1,
    lambda rng, X: X * 10.0 ** rng.uniform(-6, 6, X.shape[1]): 0.1,
    lambda rng, X: X * 10.0 ** rng.uniform(-30, 30): 0.1,
    lambda rng, X: X * 10.0 ** rng.uniform(-300, 300): 0.02,
    not_finite: 0.02,
}
DTYPES = ("float64",) * 4 + ("float32", "float32", "float16", "int64", "uint8", "bool")


def mapped(X):
    with TemporaryFile() as file:
        np.ascontiguousarray(X).tofile(file)
        return np.memmap(file, X.dtype, "r", shape=X.shape)


def frozen(X):
    X.flags.writeable = False
    return X


CONTAINERS = {
    "array": lambda X: X,
    "column by column": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "read-only": frozen,
    "list": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]),
    "memory map": mapped,
    "CSR": sp.csr_array,
    "CSC": sp.csc_matrix,
    "CSR with zeros": lambda X: sp.csr_array(
        (X.ravel(), np.tile(np.arange(X.shape[1]), len(X)), np.arange(len(X) + 1) * X.shape[1]),
        shape=X.shape,
    ),
}


def table(rng):
    """A small table, as a dense array: mostly of ordinary shape, sometimes of one column."""
    n, d = rng.integers(2, 25), rng.integers(1, 20)
    X = TABLES[rng.choice(list(TABLES))](rng, n, d)
    for change, chance in CHANGES.items():
        if rng.random() < chance:
            with np.errstate(over="ignore"):
                X = change(rng, X)
    dtype = rng.choice(DTYPES)
    if dtype in ("int64", "uint8", "bool"):
        X = np.nan_to_num(X).clip(0, 200).round()
    with np.errstate(over="ignore"):
        return X.astype(dtype)


# Parameters --------------------------------------------------------------------------------------

PARAMETERS = {
    "n_features_to_select": lambda rng: rng.choice([None, 1, 2, 0.3, 0.99, "auto", 40]),
    "include": lambda rng: [0],
    "exclude": lambda rng: [1],
    "scale": lambda rng: rng.choice([None, "minmax", "global"]),
    "n_neighbors": lambda rng: int(rng.integers(1, 12)),
    "affinity": lambda rng: rng.choice(["cosine", "binary", "heat"]),
    "n_components": lambda rng: int(rng.integers(1, 15)),
    "n_clusters": lambda rng: int(rng.integers(1, 12)),
    "n_nonzero": lambda rng: int(rng.integers(1, 15)),
    "n_hidden": lambda rng: int(rng.integers(1, 12)),
    "alpha": lambda rng: 10.0 ** rng.uniform(-8, 6),
    "graph_weight": lambda rng: 10.0 ** rng.uniform(-6, 4),
    "feature_graph_weight": lambda rng: 10.0 ** rng.uniform(-6, 4),
    "fit_weight": lambda rng: 10.0 ** rng.uniform(-4, 4),
    "ridge": lambda rng: 10.0 ** rng.uniform(-8, 6),
    "decay": lambda rng: rng.choice([0.0, 1e-6, 1.0]),
    "p": lambda rng: float(rng.uniform(0.1, 1)),
    "power": lambda rng: int(rng.integers(1, 6)),
    "criterion": lambda rng: rng.choice(["phi1", "phi2", "phi3"]),
    "layer_share": lambda rng: float(rng.uniform(0.05, 1)),
    "elimination": lambda rng: rng.choice([None, 0.1, 0.5]),
    "max_iter": lambda rng: int(rng.integers(1, 30)),
    "tol": lambda rng: rng.choice([0.0, 1e-8, 1e-2]),
    "memory": lambda rng: int(rng.integers(1, 20)),
    "dtype": lambda rng: rng.choice(["float32", "float64"]),
}


def plain(value):
    """A Python value instead of a NumPy scalar, as users write it."""
    return value.item() if isinstance(value, np.generic) else value


def case(number):
    """Method and data of one fit."""
    rng = np.random.default_rng(number)
    method = REGISTRY[METHODS[number % len(METHODS)]]()
    known = method.get_params()
    if "random_state" in known:
        method.set_params(random_state=number % 7)
    if "n_jobs" in known:
        method.set_params(n_jobs=1)
    if "n_hidden" in known:
        method.set_params(n_hidden=8)  # the defaults are made for more rows
    if rng.random() < 0.6:
        for name, draw in PARAMETERS.items():
            if name in known and rng.random() < 0.3:
                method.set_params(**{name: plain(draw(rng))})
    X = table(rng)
    container = rng.choice(list(CONTAINERS), p=[0.3] + [0.7 / 9] * 9)
    if X.dtype == np.float16 and ("CS" in container):
        X = X.astype(np.float32)  # SciPy has no sparse matrices of half precision
    return method, X, CONTAINERS[container](X.copy())


# Outcomes ----------------------------------------------------------------------------------------


def is_clear(error):
    """Whether graphsieve or scikit-learn's validation raised the error, in words."""
    frame = traceback.extract_tb(error.__traceback__)[-1].filename
    ours = "graphsieve" in frame or re.search(r"sklearn/utils/(_param_)?validation", frame)
    kind = isinstance(error, ValueError | TypeError | MemoryError)
    return kind and not isinstance(error, np.linalg.LinAlgError) and ours and len(str(error)) > 20


def find_fault(method, X, data):
    """What is wrong with a fit that went through, or None."""
    now = data.toarray() if sp.issparse(data) else np.asarray(data, dtype=X.dtype)
    filled = np.where(np.isnan(X), np.fmax.reduce(X, axis=0), X)  # gaps do not make columns vary
    varies = (filled[:1] != filled).any(axis=0)
    if not np.array_equal(now, X, equal_nan=True):
        return "the input was changed"
    if not np.isfinite(method.scores_).all():
        return "scores are not finite"
    if not np.isfinite(getattr(method, "objective_trace_", 0.0)).all():
        return "the trace is not finite"
    if sorted(method.order_) != list(range(X.shape[1])):
        return "the order is no permutation"
    given = {*(method.include or ()), *(method.exclude or ())}
    free = [j for j in method.order_ if j not in given]
    if (np.diff(varies[free].astype(int)) > 0).any():
        return "a constant column is not last"
    if method.support_.sum() != method.n_features_:
        return "the support has the wrong size"
    return None


def too_slow(*_):
    raise TimeoutError(f"more than {SECONDS} seconds of processor time")


def attempt(number):
    """(outcome, kind) of one fit; the exception, if there is one, is the third."""
    method, X, data = case(number)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            method.fit(data)
            scores = method.scores_
            again = method.fit(data).scores_ if number // len(METHODS) % 8 == 0 else scores
        except Exception as error:
            kind = f"{type(error).__name__}: {error}"
            return ("error" if is_clear(error) else "failure"), kind, error
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    fault = find_fault(method, X, data)
    if fault is None and not np.array_equal(scores, again):
        fault = "a second fit gives other scores"
    if fault is not None:
        return "failure", fault, None
    for warning in caught:
        if warning.category not in (UserWarning, ConvergenceWarning):
            return "failure", f"{warning.category.__name__}: {warning.message}", None
    if caught:
        return "warning", str(caught[0].message), None
    return "ok", "", None


def without_numbers(kind):
    """Messages that differ in numbers and names alone are of one kind."""
    kind = re.sub(r"'x\d+'|-?\d[\d,]*\.?\d*(e[+-]?\d+)?|\binf\b|\bnan\b", "#", kind)
    return " ".join(kind.split())[:120]


def run_batch(batch):
    counts, failures = Counter(), []
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        outcome, kind, _ = attempt(number)
        name = METHODS[number % len(METHODS)]
        counts[name, outcome, without_numbers(kind)] += 1
        if outcome == "failure":
            failures.append((number, name, kind[:150]))
    commit = provenance()["commit"]
    rows = [(batch, commit, *key, count) for key, count in sorted(counts.items())]
    return pd.DataFrame(rows, columns=COLUMNS), failures


def run(n_fits, store):
    done = finished(store, ["batch"])
    store.parent.mkdir(parents=True, exist_ok=True)
    for batch in range(-(-n_fits // BATCH)):
        if (batch,) in done:
            continue
        found, failures = run_batch(batch)
        append(store, found)
        totals = found.groupby("outcome")["count"].sum().to_dict()
        print(f"{(batch + 1) * BATCH:,} fits: {totals}", flush=True)
        for failure in failures:
            print("   ", *failure, flush=True)


# Table -------------------------------------------------------------------------------------------


def summary(found):
    """One Markdown row per method."""
    counts = found.pivot_table(
        index="method", columns="outcome", values="count", aggfunc="sum", fill_value=0
    ).reindex(columns=["ok", "warning", "error", "failure"], fill_value=0)
    counts.loc["all"] = counts.sum()
    lines = ["| method | fits | ok | with a warning | clear error | failure |", "|---" * 6 + "|"]
    for name, row in counts.astype(int).iterrows():
        cells = [f"{value:,}" for value in (row.sum(), *row)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n\n" + commits(found)


def commits(found):
    """How many fits were made with which commit, as a sentence."""
    batches = found.groupby("commit", sort=False)["batch"].nunique() * BATCH
    return "Commits: " + ", ".join(f"`{c}` ({n:,} fits)" for c, n in batches.items()) + "."


def write_table(store):
    found = pd.read_csv(store, keep_default_na=False, dtype={"commit": str})
    write_page(PAGE, lambda name: summary(found) if name == "random_fits" else None)


def show(number):
    method, X, data = case(number)
    print(method, type(data).__name__, X.dtype, X.shape, sep="\n")
    print(X)
    outcome, kind, error = attempt(number)
    print(outcome, kind, sep=": ")
    if error is not None:
        traceback.print_exception(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fits", type=int, default=100_000)
    parser.add_argument("--case", type=int)
    parser.add_argument("--table", action="store_true", help="write the table into the docs")
    parser.add_argument("--store", type=Path, default=STORE)
    arguments = parser.parse_args()
    signal.signal(signal.SIGPROF, too_slow)
    with threadpool_limits(1):
        if arguments.case is not None:
            show(arguments.case)
        elif arguments.table:
            write_table(arguments.store)
        else:
            run(arguments.fits, arguments.store)


if __name__ == "__main__":
    sys.exit(main())
