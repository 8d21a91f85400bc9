"""The work of an experiment, cut into cells that are keyed by what they hold."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from functools import lru_cache

from ..datasets import DATASETS, load, make_planted
from ..evaluation import ALL_FEATURES, make_split
from ..methods import REGISTRY

# Raise it when the same cell would give other numbers; stored cells are then run again.
VERSION = 1
# Parameters without influence on the result.
_SILENT = ("n_jobs", "verbose", "callback")
_PLANTED = re.compile(r"planted_(\d+)x(\d+)")


@dataclass(frozen=True)
class Cell:
    """One fit on one split, scored at all shares."""

    measure: str
    dataset: str
    split: int
    method: str
    params: dict
    protocol: dict

    @property
    def seed(self):
        """Of the split, the method and k-means: the same for all methods."""
        digest = hashlib.sha256(f"{self.dataset}/{self.split}".encode()).digest()
        return int.from_bytes(digest[:4], "big") >> 1

    @property
    def key(self):
        """Hash of everything the result depends on."""
        content = asdict(self) | {"version": VERSION, "seed": self.seed}
        if self.method != ALL_FEATURES:
            # With the defaults written out: a cell is run again when one of them changes.
            params = self.estimator().get_params()
            content["params"] = {k: v for k, v in params.items() if k not in _SILENT}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:24]

    def estimator(self):
        """The method, on one thread: cells run side by side instead."""
        # Greedy selection is exact as far as it is asked to go, an estimate beyond.
        most = max(self.protocol["shares"])
        estimator = REGISTRY[self.method](most).set_params(**self.params)
        if "n_jobs" in estimator.get_params():
            estimator.set_params(n_jobs=1)
        return estimator

    def load_split(self):
        """The training and the test part."""
        protocol = self.protocol
        return _split(self.dataset, protocol["scale"], protocol["max_test_per_class"], self.seed)


def plan(experiment, profile, datasets=None, methods=None, n_splits=None):
    """Cells of an experiment, each with the label and the number of its setting (0: the fixed one).

    Parameters
    ----------
    experiment : Experiment
    profile : str
    datasets, methods : sequence of str, optional
        Instead of those of the profile; methods by their labels.
    n_splits : int, optional
        Instead of that of the profile.

    Returns
    -------
    list of (Cell, str, int)
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
    # Split by split, so that a run that is stopped has all methods on the same splits.
    for split in range(n_splits or chosen.n_splits):
        for dataset in datasets:
            if experiment.measure == "shares":
                everything = protocol | {"shares": [1.0]}
                cell = Cell("shares", dataset, split, ALL_FEATURES, {}, everything)
                cells.append((cell, ALL_FEATURES, 0))
            n_features = shape_of(dataset)[1]
            for method in experiment.methods:
                if methods and method.label not in methods:
                    continue
                if n_features > chosen.max_features.get(method.label, n_features):
                    continue
                for number, params in enumerate(method.settings()):
                    cell = Cell(experiment.measure, dataset, split, method.method, params, protocol)
                    cells.append((cell, method.label, number))
    return cells


def shape_of(dataset):
    """Rows and columns of a data set by its name, before it is loaded."""
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
    """X, y and the paper's rows per class for training and testing."""
    size = _PLANTED.fullmatch(name)
    if size:
        n_samples, n_features = map(int, size.groups())
        n_informative = n_features // 10
        # Twice the rows: one half is the training part.
        planted = make_planted(
            2 * n_samples, n_informative, n_features - n_informative, random_state=0
        )
        return planted.X, None, None, None
    dataset = load(name)
    return dataset.X, dataset.y, dataset.train_per_class, dataset.test_per_class


# One after another the cells of a worker mostly share their split.
@lru_cache(maxsize=1)
def _split(name, scale, max_test_per_class, seed):
    X, y, n_train, n_test = load_dataset(name)
    if n_test is not None and max_test_per_class is not None:
        n_test = min(n_test, max_test_per_class)
    return make_split(
        X, y, train_per_class=n_train, test_per_class=n_test, scale=scale, random_state=seed
    )
