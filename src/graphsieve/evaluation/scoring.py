"""Scores of one ranking on one split."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
import scipy.sparse as sp

from .._graph.neighborhoods import neighborhood_preservation
from .._linear.redundancy import redundancy_path
from .._utils.names import check_choice
from .._utils.order import count_features
from .._utils.threads import single_threaded_blas
from .classification import classification_accuracy, forest_accuracy, neighbor_accuracy
from .clustering import clustering_scores
from .splits import Split

# The fractions of the GAFS paper.
SHARES = (0.02, 0.04, 0.06, 0.08, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
# Columns of the table that each metric fills.
SCORES = {
    "accuracy": ("accuracy",),
    "clustering": ("acc", "acc_std", "nmi", "nmi_std"),
    "reconstruction": ("reconstruction",),
    "redundancy": ("redundancy",),
    "neighbors": ("neighbor_accuracy",),
    "neighborhood": ("neighborhood",),
    "forest": ("forest",),
}
METRICS = ("accuracy", "clustering", "reconstruction", "redundancy")
_WITH_CLASSES = ("accuracy", "clustering", "neighbors", "forest")
# Below this fraction of non-zeros CSR arithmetic is faster than dense; the numbers are the same.
SPARSE_BELOW = 0.1


def score_order(
    order,
    split,
    *,
    shares=SHARES,
    cluster_on="test",
    n_repeats=20,
    metrics=METRICS,
    random_state=0,
    n_jobs=None,
):
    """Score the first columns of a ranking on a split, one row per fraction.

    Use this function instead of `evaluate` when one split serves many rankings: what the rankings
    have in common is computed once and kept with the split.

    Parameters
    ----------
    order : array-like of int
        Columns, best first.
    split : Split
        What `make_split` returns.
    shares : sequence of float or int
        Fractions of the features in (0, 1], or numbers of features.
    cluster_on : {"test", "train"}, default="test"
        Rows that are clustered.
    n_repeats : int, default=20
        Repetitions of k-means.
    metrics : sequence of str
        What to measure; see `evaluate`.
    random_state : int, RandomState or None, default=0
        Random seed of k-means and of the forest.
    n_jobs : int or None, default=None
        Threads for k-means.

    Returns
    -------
    pandas.DataFrame
        ``share``, ``n_features``, and the columns of the metrics asked for; see `evaluate`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphsieve.evaluation import make_split
    >>> split = make_split(*load_wine(return_X_y=True), random_state=0)
    >>> table = score_order(np.arange(13), split, shares=[5, 1.0], metrics=["accuracy"])
    >>> table[["share", "n_features"]].round(2).values.tolist()
    [[0.38, 5.0], [1.0, 13.0]]
    """
    import pandas as pd

    check_choice("cluster_on", cluster_on, ("test", "train"))
    for name in metrics:
        check_choice("metrics", name, tuple(SCORES))
    n_features = split.X_train.shape[1]
    counts = [count_features(share, n_features) for share in shares]
    table = pd.DataFrame(
        {
            "share": [
                count / n_features if isinstance(share, Integral) else float(share)
                for share, count in zip(shares, counts, strict=True)
            ],
            "n_features": counts,
        }
    )
    ranked = _Ranked(split, np.asarray(order), counts, cluster_on, n_repeats, random_state, n_jobs)
    for name in metrics:
        known = split.y_train is not None or name not in _WITH_CLASSES
        table[list(SCORES[name])] = getattr(ranked, name)() if known else np.nan
    return table


@dataclass(frozen=True)
class _Ranked:
    """A ranking on a split; each method with the name of a metric returns one row per count."""

    split: Split
    order: np.ndarray
    counts: list
    cluster_on: str
    n_repeats: int
    random_state: object
    n_jobs: int | None

    def accuracy(self):
        return self._of_each_set("accuracy", self._predict(classification_accuracy))

    def neighbors(self):
        return self._of_each_set("neighbors", self._predict(neighbor_accuracy))

    def clustering(self):
        on_test = self.cluster_on == "test"
        y = self.split.y_test if on_test else self.split.y_train

        def summarise(X_train, X_test):
            X = X_test if on_test else X_train
            runs = clustering_scores(X, y, self.n_repeats, self.random_state, self.n_jobs)
            return np.stack([runs.mean(axis=0), runs.std(axis=0)], axis=1).ravel()

        settings = "clustering", self.cluster_on, self.n_repeats, self.random_state
        return self._of_each_set(settings, summarise)

    def forest(self):
        def cross_validate(X_train, X_test):
            return forest_accuracy(X_test, self.split.y_test, random_state=self.random_state)

        return self._of_each_set(("forest", self.random_state), cross_validate)

    def neighborhood(self):
        known = self.split.test_neighbors

        def preserved(X_train, X_test):
            return neighborhood_preservation(known, X_test)

        return self._of_each_set("neighborhood", preserved)

    def reconstruction(self):
        # Many products of medium size: threaded BLAS gains little, and loses much on a busy
        # machine.
        with single_threaded_blas():
            return self.split.reconstruction_errors.path(self.order, self.counts).reshape(-1, 1)

    def redundancy(self):
        with single_threaded_blas():
            path = redundancy_path(self.split.X_train[:, self.order[: max(self.counts)]])
        return path[np.subtract(self.counts, 1)].reshape(-1, 1)

    def _predict(self, accuracy):
        y_train, y_test = self.split.y_train, self.split.y_test
        return lambda X_train, X_test: accuracy(X_train, y_train, X_test, y_test)

    def _of_each_set(self, what, score):
        """Scores of the first columns, one row per count.

        The columns are sorted: a score belongs to a set of columns, whatever their order, and is
        computed once for all rankings that select this set.
        """
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


def _compact(X_train, X_test):
    """Both as CSR where that is faster."""
    if not sp.issparse(X_train) and np.count_nonzero(X_train) < SPARSE_BELOW * X_train.size:
        return sp.csr_array(X_train), sp.csr_array(X_test)
    return X_train, X_test
