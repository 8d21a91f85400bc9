"""The protocol of the GAFS paper and that of FSEVAL: rows for training and testing, and scores.

It extends `graphsieve.evaluation`: splits are balanced or use all rows, many rankings are scored on
one split, and there are two more metrics.
"""

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_random_state

from graphsieve import evaluation
from graphsieve._utils.names import check_choice, count_features
from graphsieve.evaluation import (
    ALL_FEATURES,
    METRICS,
    SHARES,
    checked,
    clustering_accuracy,
    fit_on,
    nmi,
    random_starts,
    scaled,
    single_precision,
    summary,
)

from .kmeans import lloyd

__all__ = [
    "ALL_FEATURES",
    "METRICS",
    "SCORES",
    "SHARES",
    "Split",
    "all_rows",
    "balanced_split",
    "fit_on",
    "forest_accuracy",
    "make_split",
    "neighbor_accuracy",
    "score_order",
]

# Columns of the table that each metric fills.
SCORES = evaluation.SCORES | {"neighbors": ("neighbor_accuracy",), "forest": ("forest",)}
# Below this fraction of non-zeros CSR arithmetic is faster than dense; the numbers are the same.
SPARSE_BELOW = 0.1


def balanced_split(y, train_per_class=None, test_per_class=None, random_state=None):
    """Draw training and test rows with the same number of rows of every class.

    By default, training takes half of the smallest class, rounded up, and testing what remains of
    it. Returns two sorted arrays of row numbers.

    Examples
    --------
    >>> train, test = balanced_split(["a", "a", "a", "b", "b", "b", "b"], random_state=0)
    >>> len(train), len(test)
    (4, 2)
    """
    y = np.asarray(y)
    classes, sizes = np.unique(y, return_counts=True)
    smallest = int(sizes.min())
    n_train = -(-smallest // 2) if train_per_class is None else train_per_class
    n_test = smallest - n_train if test_per_class is None else test_per_class
    if n_train < 1 or n_test < 1 or n_train + n_test > smallest:
        raise ValueError(
            f"cannot take {n_train} training and {n_test} test rows of every class: both must be "
            f"at least 1, and class {classes[sizes.argmin()]!s} has {smallest} rows"
        )
    rng = check_random_state(random_state)
    rows = [rng.permutation(np.flatnonzero(y == c))[: n_train + n_test] for c in classes]
    return (
        np.sort(np.concatenate([r[:n_train] for r in rows])),
        np.sort(np.concatenate([r[n_train:] for r in rows])),
    )


@dataclass(frozen=True)
class Split(evaluation.Split):
    """A split on which settings of a grid often select the same set of features."""

    @cached_property
    def known_scores(self):
        """Scores of the sets of features seen so far."""
        return {}


def make_split(
    X, y=None, *, train_per_class=None, test_per_class=None, scale="minmax", random_state=None
):
    """Draw a balanced split, or two random halves without `y`, and scale both parts.

    The numbers per class are those of `balanced_split`, the scaling is that of
    `graphsieve.evaluation.evaluate`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> split = make_split(*load_wine(return_X_y=True), random_state=0)
    >>> split.X_train.shape, split.X_test.shape, float(split.X_train.max())
    ((72, 13), (72, 13), 1.0)
    """
    X, y = checked(X, y, scale)
    if y is None:
        rows = check_random_state(random_state).permutation(X.shape[0])
        half = -(-len(rows) // 2)
        train, test = np.sort(rows[:half]), np.sort(rows[half:])
        labels = (None, None)
    else:
        train, test = balanced_split(y, train_per_class, test_per_class, random_state)
        labels = (y[train], y[test])
    return Split(*scaled(X[train], X[test], scale), *labels)


def all_rows(X, y=None, *, scale=None):
    """Use every row for training and for testing, for protocols that split later or not at all.

    Examples
    --------
    >>> split = all_rows([[0.0, 1.0], [2.0, 3.0]], [0, 1])
    >>> split.X_train is split.X_test
    True
    """
    X, y = checked(X, y, scale)
    X, _ = scaled(X, X, scale)
    return Split(X, X, y, y)


def score_order(
    order, split, *, shares=SHARES, n_repeats=20, metrics=METRICS, random_state=0, cluster_on="test"
):
    """Score the first columns of a ranking on a split, one row per fraction.

    What rankings have in common is computed once and kept with the split. The columns are
    ``share``, ``n_features`` and those of the metrics, which are those of
    `graphsieve.evaluation.evaluate`, "neighbors" and "forest". ``cluster_on`` says which rows are
    clustered, "test" or "train".

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> split = make_split(*load_wine(return_X_y=True), random_state=0)
    >>> table = score_order(np.arange(13), split, shares=[5, 1.0], metrics=["accuracy"])
    >>> table[["share", "n_features"]].round(2).values.tolist()
    [[0.38, 5.0], [1.0, 13.0]]
    """
    check_choice("cluster_on", cluster_on, ("test", "train"))
    for name in metrics:
        check_choice("metrics", name, tuple(SCORES))
    counts = [count_features(share, split.X_train.shape[1]) for share in shares]
    scorer = _Scorer(split, np.asarray(order), counts, n_repeats, random_state, cluster_on)
    return scorer.table(shares, metrics, SCORES)


@dataclass(frozen=True)
class _Scorer(evaluation.Scorer):
    cluster_on: str = "test"

    def clustering(self):
        """As in `graphsieve.evaluation`, all repetitions at once."""
        on_test = self.cluster_on == "test"
        y = self.split.y_test if on_test else self.split.y_train
        starts = random_starts(y, self.n_repeats, self.random_state)

        def cluster(X_train, X_test):
            runs = lloyd(single_precision(X_test if on_test else X_train), starts)
            return summary(np.array([(clustering_accuracy(y, run), nmi(y, run)) for run in runs]))

        settings = "clustering", self.cluster_on, self.n_repeats, self.random_state
        return self.of_each_set(settings, cluster)

    def neighbors(self):
        y_train, y_test = self.split.y_train, self.split.y_test

        def predict(X_train, X_test):
            return neighbor_accuracy(X_train, y_train, X_test, y_test)

        return self.of_each_set("neighbors", predict)

    def forest(self):
        def cross_validate(X_train, X_test):
            return forest_accuracy(X_test, self.split.y_test, random_state=self.random_state)

        return self.of_each_set(("forest", self.random_state), cross_validate)

    def of_each_set(self, what, score):
        """Scores of the first columns, computed once for all rankings that select the same set."""
        split, rows = self.split, []
        # Other seeds than numbers draw anew at every call.
        known = split.known_scores if isinstance(self.random_state, Integral) else {}
        for count in self.counts:
            columns = np.sort(self.order[:count])
            key = what, columns.tobytes()
            if key not in known:
                known[key] = score(*_compact(split.X_train[:, columns], split.X_test[:, columns]))
            rows.append(known[key])
        return np.reshape(rows, (len(rows), -1))


def neighbor_accuracy(X_train, y_train, X_test, y_test):
    """Accuracy of the class of the nearest training row (1-NN, Euclidean distance).

    Examples
    --------
    >>> neighbor_accuracy([[0.0], [1.0]], ["a", "b"], [[0.1], [0.7], [0.8]], ["a", "b", "a"])
    0.6666666666666666
    """
    nearest = KNeighborsClassifier(1, algorithm="brute", n_jobs=1).fit(X_train, y_train)
    return float(nearest.score(X_test, y_test))


def forest_accuracy(X, y, *, n_folds=5, n_trees=100, random_state=0):
    """Cross-validated accuracy of a random forest, as in the FSEVAL benchmark.

    Examples
    --------
    >>> forest_accuracy([[0.0]] * 10 + [[1.0]] * 10, [0] * 10 + [1] * 10)
    1.0
    """
    forest = RandomForestClassifier(n_trees, random_state=random_state, n_jobs=1)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    return float(cross_val_score(forest, X, y, cv=folds).mean())


def _compact(X_train, X_test):
    """Both as CSR where that is faster."""
    if not sp.issparse(X_train) and np.count_nonzero(X_train) < SPARSE_BELOW * X_train.size:
        return sp.csr_array(X_train), sp.csr_array(X_test)
    return X_train, X_test
