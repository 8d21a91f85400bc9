"""The time that the remaining cells of a run will take."""

import math
from collections import defaultdict

from ..datasets import DATASETS
from .cells import shape_of

# Seconds on one core of 2023, which only set the proportions: finished cells set the level.
_PER_SCORE = 0.015
_PER_SCORED_ENTRY = 1.7e-9  # times repetitions and classes
_PER_FIT = 0.02
_PER_FITTED_ENTRY = 3e-8
# Methods that iterate with products of n x d and n x n, or d x d, matrices.
_PER_CUBE = {"udfs": 5e-9, "rsr": 2.5e-9, "nonconvex_rsr": 2.5e-9, "gsr_sfs": 2.5e-9}
# Default iterations and hidden units of the methods that train a network.
_NETWORKS = {"gafs": (100, 10), "aefs": (100, 256)}
_PER_ITERATION = 1e-3
_PER_ITERATED_ENTRY = 1.2e-10
_PER_WEIGHT = 1.5e-8
# Networks take less time on text, which is mostly zero and makes them stop early.
_TEXT = 0.25


class Forecast:
    """Predicts the seconds of cells: a rough formula, corrected by stored and by finished cells.

    Stored cells may come from another machine, or from one with other work to do. Therefore the
    cells that the run itself has finished correct what the stored ones predict.
    """

    def __init__(self):
        self._stored = _Correction(rough_seconds)
        self._finished = _Correction(self._stored.seconds)

    def learn(self, cell, seconds):
        """Take a stored cell into account, before the first finished one."""
        self._stored.add(cell, seconds)

    def finish(self, cell, seconds):
        """Take a cell into account that the run has finished."""
        self._finished.add(cell, seconds)

    def seconds(self, cell):
        """Expected seconds of a cell."""
        return self._finished.seconds(cell)


class _Correction:
    """A prediction times the ratio of measured to predicted seconds of the most similar cells."""

    def __init__(self, predict):
        self._predict = predict
        self._measured = defaultdict(float)
        self._predicted = defaultdict(float)

    def add(self, cell, seconds):
        predicted = self._predict(cell)
        for group in _groups(cell):
            self._measured[group] += seconds
            self._predicted[group] += predicted

    def seconds(self, cell):
        group = next((g for g in _groups(cell) if g in self._measured), None)
        ratio = self._measured[group] / self._predicted[group] if group in self._measured else 1.0
        return ratio * self._predict(cell)


def _groups(cell):
    """Groups of similar cells, the most similar ones first; None stands for all cells."""
    return (cell.dataset, cell.method), (cell.dataset, None), (None, cell.method), None


def rough_seconds(cell):
    """Seconds that a cell takes on an idle core, within a factor of a few."""
    n_features = shape_of(cell.dataset)[1]
    n_train, n_test = _n_rows(cell)
    entries = n_train * n_features
    seconds = _PER_FIT + _PER_FITTED_ENTRY * entries
    seconds += _PER_CUBE.get(cell.method, 0.0) * entries * min(n_train, n_features)
    if cell.method in _NETWORKS:
        iterations, n_hidden = _NETWORKS[cell.method]
        iterations = cell.params.get("max_iter", iterations)
        n_hidden = cell.params.get("n_hidden", n_hidden)
        iteration = _PER_ITERATION + _PER_ITERATED_ENTRY * entries * (10 + n_hidden)
        iteration += _PER_WEIGHT * 2 * n_features * n_hidden
        seconds += iterations * iteration * (_TEXT if _is_text(cell) else 1.0)
    if cell.measure == "shares":
        shares, n_repeats = cell.protocol["shares"], cell.protocol["n_repeats"]
        # k-means has as many clusters as there are classes.
        n_clusters = DATASETS[cell.dataset].n_classes if cell.dataset in DATASETS else 1
        scored = n_test * n_features * sum(shares) * n_repeats * n_clusters
        seconds += _PER_SCORE * len(shares) + _PER_SCORED_ENTRY * scored
    return seconds


def _is_text(cell):
    return cell.dataset in DATASETS and DATASETS[cell.dataset].kind == "text"


def _n_rows(cell):
    """Numbers of training and test rows, about."""
    protocol = cell.protocol
    n_samples = shape_of(cell.dataset)[0]
    entry = DATASETS.get(cell.dataset)
    # The number of images of a data set that is made from images is not known.
    if entry is None or (protocol["rows"] == "all" and n_samples is not None):
        return n_samples, n_samples
    train = entry.train_per_class or n_samples // (2 * entry.n_classes)
    test = entry.test_per_class or n_samples // (2 * entry.n_classes)
    test = min(test, protocol["max_test_per_class"] or math.inf)
    most = protocol["max_rows"] or math.inf
    return min(train * entry.n_classes, most), min(test * entry.n_classes, most)
