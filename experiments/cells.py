"""The work of an experiment: cells that are keyed by their content, and what a cell records."""

import hashlib
import json
import math
import re
import time
import warnings
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache

import numpy as np

from graphsieve._utils.threads import single_threaded_blas

from .baselines import MissingPackage, ranker
from .data import load, make_planted
from .protocol import ALL_FEATURES, all_rows, fit_on, make_split, score_order
from .provenance import provenance
from .sources import DATASETS

# Increase it when the same cell gives other numbers; stored cells are then run again.
VERSION = 3
# Parameters without influence on the result.
_SILENT = ("n_jobs", "verbose", "callback")
# Parameters that are younger than the first stored cells, with the value that changes nothing: no
# data set has 20,000 rows to rank.
_LATER = {"rsr": {"p": 1}, "sieve": {"max_samples": 20_000}}
_PLANTED = re.compile(r"planted_(\d+)x(\d+)")


@dataclass(frozen=True)
class Cell:
    """One method at one setting on one split, scored at all fractions."""

    measure: str
    dataset: str
    split: int
    method: str
    params: dict
    protocol: dict

    @property
    def seed(self):
        """Seed of the split, the method and k-means: the same for all methods."""
        digest = hashlib.sha256(f"{self.dataset}/{self.split}".encode()).digest()
        return int.from_bytes(digest[:4], "big") >> 1

    @cached_property
    def key(self):
        """Hash of everything the result depends on."""
        content = asdict(self) | {"version": VERSION, "seed": self.seed}
        if self.method != ALL_FEATURES:
            # The defaults are written out: a cell is run again when one of them changes.
            params = self.estimator().get_params()
            later = _LATER.get(self.method, {})
            content["params"] = {
                k: v
                for k, v in params.items()
                if k not in _SILENT and (k not in later or v != later[k])
            }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:24]

    @property
    def counts(self):
        """Fractions as numbers that estimators and scores accept."""
        shares = self.protocol["shares"]
        if self.protocol["rounding"] == "nearest":
            return list(shares)
        n_features = shape_of(self.dataset)[1]
        # Rounding errors of the product must not add a feature.
        return [max(1, math.ceil(share * n_features - 1e-9)) for share in shares]

    def estimator(self, n_features_to_select=None):
        """The method, by default for the largest number of features; on one thread."""
        # Greedy methods rank exactly up to that number, and estimate the rest.
        most = max(self.counts) if n_features_to_select is None else n_features_to_select
        estimator = ranker(self.method)(most).set_params(**self.params)
        if "n_jobs" in estimator.get_params():
            # Cells run in parallel instead.
            estimator.set_params(n_jobs=1)
        return estimator

    def load_split(self):
        """Training and test rows."""
        protocol = self.protocol
        return _split(
            self.dataset,
            protocol["rows"],
            protocol["scale"],
            protocol["max_test_per_class"],
            protocol["max_rows"],
            self.seed,
        )


def plan(experiment, profile, datasets=None, methods=None, n_splits=None):
    """Cells of an experiment, each with the label of its method and the number of its setting.

    The fixed setting has the number 0. ``datasets``, ``methods`` (by their labels) and
    ``n_splits`` replace those of the profile.
    """
    experiment, chosen = experiment.profile(profile)
    datasets = list(datasets or chosen.datasets)
    for name in datasets:
        shape_of(name)
    labels = [method.label for method in experiment.methods]
    for label in methods or ():
        if label not in labels:
            raise ValueError(
                f"{experiment.name} has no method {label!r} in this profile: "
                f"use some of {', '.join(labels)}"
            )
    protocol = asdict(experiment.protocol)
    cells = []
    # Split by split, so that an interrupted run has all methods on the same splits; data set by
    # data set, so that the cells of a worker share what belongs to the split.
    first = chosen.first_split
    for split in range(first, first + (n_splits or chosen.n_splits)):
        for dataset in datasets:
            if experiment.measure == "shares":
                everything = protocol | {"shares": [1.0]}
                cell = Cell("shares", dataset, split, ALL_FEATURES, {}, everything)
                cells.append((cell, ALL_FEATURES, 0))
            for method in experiment.methods:
                if methods and method.label not in methods:
                    continue
                if shape_of(dataset)[1] > chosen.max_features.get(method.label, math.inf):
                    continue
                has_grid = split < chosen.grid_splits.get(dataset, math.inf)
                for number, params in enumerate(method.settings()[: None if has_grid else 1]):
                    cell = Cell(experiment.measure, dataset, split, method.method, params, protocol)
                    cells.append((cell, method.label, number))
    return cells


def shape_of(dataset):
    """Number of rows and columns of a data set, without loading it."""
    planted = _PLANTED.fullmatch(dataset)
    if planted:
        return tuple(int(number) for number in planted.groups())
    if dataset not in DATASETS:
        raise ValueError(
            f"no data set is called {dataset!r}: use one of {', '.join(DATASETS)}, "
            "or planted_NxD for a synthetic one of that size"
        )
    return DATASETS[dataset].n_samples, DATASETS[dataset].n_features


@lru_cache(maxsize=1)
def load_dataset(name):
    """X, y and the numbers of training and test rows per class."""
    size = _PLANTED.fullmatch(name)
    if size:
        n_samples, n_features = map(int, size.groups())
        n_informative = n_features // 10
        # Twice the rows: one half is for training.
        planted = make_planted(
            2 * n_samples, n_informative, n_features - n_informative, random_state=0
        )
        return planted.X, None, None, None
    dataset = load(name)
    return dataset.X, dataset.y, dataset.train_per_class, dataset.test_per_class


# Consecutive cells of a worker mostly have the same split.
@lru_cache(maxsize=1)
def _split(name, rows, scale, max_test_per_class, max_rows, seed):
    X, y, n_train, n_test = load_dataset(name)
    scale = None if scale == "none" else scale
    if rows == "all":
        return all_rows(X, y, scale=scale)
    if n_test is not None and max_test_per_class is not None:
        n_test = min(n_test, max_test_per_class)
    if max_rows is not None:
        n_train, n_test = _capped(y, n_train, n_test, max_rows)
    return make_split(
        X, y, train_per_class=n_train, test_per_class=n_test, scale=scale, random_state=seed
    )


def _capped(y, n_train, n_test, max_rows):
    """Training and test rows per class, at most ``max_rows`` of each over all classes."""
    sizes = np.unique(y, return_counts=True)[1]
    most = max(1, max_rows // len(sizes))
    n_train = min(-(-int(sizes.min()) // 2) if n_train is None else n_train, most)
    n_test = min(int(sizes.min()) - n_train if n_test is None else n_test, most)
    return n_train, n_test


def run_cell(cell):
    """Run a cell; an error of the method is recorded, not raised.

    Returns a dict with ``status`` ("ok", "failed" or "skipped"), ``error``, ``rows``, ``fit``,
    ``seconds`` and ``provenance``.
    """
    record = {"status": "ok", "error": "", "rows": [], "provenance": provenance()}
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(), single_threaded_blas():
            # The table says whether a fit converged.
            warnings.simplefilter("ignore")
            record["fit"], record["rows"] = _run(cell)
    except MissingPackage as error:
        record |= {"status": "skipped", "error": str(error), "rows": [{}]}
    except Exception as error:
        record |= {"status": "failed", "error": f"{type(error).__name__}: {error}", "rows": [{}]}
    return record | {"seconds": time.perf_counter() - start}


def _run(cell):
    split = cell.load_split()
    if cell.method == ALL_FEATURES:
        return {}, _score(cell, split, np.arange(split.X_train.shape[1]), _sizes(cell))
    if cell.measure == "shares":
        return _run_shares(cell, split)
    fitted, fit = _fit(cell.estimator(), split, cell.seed)
    return fit, _MEASURES[cell.measure](split, fitted)


def _run_shares(cell, split):
    """One fit for all fractions, or one for each if the selections of the method are not nested."""
    nested = getattr(cell.estimator(), "nested", True)
    fits, rows = [], []
    for sizes in [_sizes(cell)] if nested else [[size] for size in _sizes(cell)]:
        most = max(count for _, count in sizes)
        fitted, fit = _fit(cell.estimator(most), split, cell.seed)
        fits.append(fit)
        rows += _score(cell, split, fitted.order_, sizes)
    seconds = {name: sum(f[name] for f in fits) for name in ("fit_seconds", "fit_cpu_seconds")}
    return fits[-1] | seconds, rows


def _fit(estimator, split, seed):
    cpu = time.process_time()
    labels = split.y_train if getattr(estimator, "uses_labels", False) else None
    fitted, seconds = fit_on(estimator, split.X_train, seed, labels)
    return fitted, {
        "fit_seconds": seconds,
        "fit_cpu_seconds": time.process_time() - cpu,
        "n_iter": getattr(fitted, "n_iter_", None),
        "converged": getattr(fitted, "converged_", None),
    }


def _sizes(cell):
    """Pairs of the fraction asked for and the number or fraction that is selected."""
    return list(zip(cell.protocol["shares"], cell.counts, strict=True))


def _score(cell, split, order, sizes):
    protocol = cell.protocol
    shares, counts = zip(*sizes, strict=True)
    table = score_order(
        order,
        split,
        shares=counts,
        cluster_on=protocol["cluster_on"],
        n_repeats=protocol["n_repeats"],
        metrics=protocol["metrics"],
        random_state=cell.seed,
    ).assign(share=shares)
    return table.dropna(axis="columns", how="all").to_dict("records")


def _trace(split, fitted):
    return [
        {"iteration": iteration, "objective": float(value)}
        for iteration, value in enumerate(fitted.objective_trace_)
    ]


def _order(split, fitted):
    return [
        {"position": position, "feature": int(feature)}
        for position, feature in enumerate(fitted.order_)
    ]


def _cost(split, fitted):
    n_samples, n_features = split.X_train.shape
    return [{"n_samples": n_samples, "n_features": n_features}]


_MEASURES = {"trace": _trace, "order": _order, "cost": _cost}
