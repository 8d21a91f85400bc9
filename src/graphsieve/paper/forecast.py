"""The time that the remaining cells of a run will take."""

import math
from collections import defaultdict

from ..datasets import DATASETS
from .cells import shape_of

# Seconds on one core of 2023, which only set the proportions: finished cells set the level.
_PER_SCORE = 0.04
_PER_SCORED_ENTRY = 2.5e-8
_PER_FIT = 0.3
_PER_FITTED_ENTRY = 3e-6
_PER_ITERATION = 2e-3
_PER_ITERATED_ENTRY = 5e-10
# The iterations of these methods dominate their cost.
_NETWORKS = {"gafs": (100, 10), "aefs": (100, 256)}


class Forecast:
    """Predicts the seconds of cells from those of finished ones.

    A cell is expected to take the mean time of the finished cells with the same method and data
    set. Without such cells, a rough formula predicts it from the size of the data and the
    settings, corrected by what the finished cells of the data set, or of all data sets, took.
    """

    def __init__(self):
        self._seconds = defaultdict(list)
        self._taken = defaultdict(float)
        self._predicted = defaultdict(float)

    def add(self, cell, seconds):
        """Learn from a finished cell."""
        self._seconds[cell.dataset, cell.method].append(seconds)
        for group in (cell.dataset, None):
            self._taken[group] += seconds
            self._predicted[group] += rough_seconds(cell)

    def seconds(self, cell):
        """Expected seconds of a cell."""
        known = self._seconds.get((cell.dataset, cell.method))
        if known:
            return sum(known) / len(known)
        group = cell.dataset if cell.dataset in self._taken else None
        factor = self._taken[group] / self._predicted[group] if group in self._taken else 1.0
        return factor * rough_seconds(cell)


def rough_seconds(cell):
    """Seconds that a cell takes on an idle core, within a factor of a few."""
    n_features = shape_of(cell.dataset)[1]
    n_train, n_test = _n_rows(cell)
    entries = n_train * n_features
    seconds = _PER_FIT + _PER_FITTED_ENTRY * entries
    if cell.method in _NETWORKS:
        iterations, n_hidden = _NETWORKS[cell.method]
        iterations = cell.params.get("max_iter", iterations)
        n_hidden = cell.params.get("n_hidden", n_hidden)
        seconds += iterations * (_PER_ITERATION + _PER_ITERATED_ENTRY * entries * (10 + n_hidden))
    if cell.measure == "shares":
        shares = cell.protocol["shares"]
        scored = n_test * n_features * sum(shares) * cell.protocol["n_repeats"]
        seconds += _PER_SCORE * len(shares) + _PER_SCORED_ENTRY * scored
    return seconds


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
