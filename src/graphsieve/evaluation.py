"""How good a selection is, with labels and without: single scores, and `evaluate` for a method."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.model_selection import train_test_split
from sklearn.utils import check_array, check_consistent_length, check_random_state, get_tags

from ._graph.neighborhoods import nearest_rows, neighborhood_preservation
from ._linear.redundancy import redundancy, redundancy_path
from ._linear.regression import ReconstructionErrors, reconstruction_error, reconstruction_path
from ._rows import RowBlocks, check_container
from ._rows.scaling import SCALES, column_scaling, to_unit_interval
from ._utils.names import check_choice, count_features
from ._utils.threads import single_threaded_blas

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ALL_FEATURES",
    "METRICS",
    "SCORES",
    "SHARES",
    "classification_accuracy",
    "clustering_accuracy",
    "clustering_scores",
    "evaluate",
    "nearest_rows",
    "neighborhood_preservation",
    "nmi",
    "reconstruction_error",
    "reconstruction_path",
    "redundancy",
    "redundancy_path",
]

ALL_FEATURES = "all features"
# The fractions of the GAFS paper.
SHARES = (0.02, 0.04, 0.06, 0.08, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
# Columns of the table that each metric fills.
SCORES = {
    "accuracy": ("accuracy",),
    "clustering": ("acc", "acc_std", "nmi", "nmi_std"),
    "reconstruction": ("reconstruction",),
    "redundancy": ("redundancy",),
    "neighborhood": ("neighborhood",),
}
METRICS = ("accuracy", "clustering", "reconstruction", "redundancy")
WITHOUT_CLASSES = ("reconstruction", "redundancy", "neighborhood")


def classification_accuracy(
    X_train: Any, y_train: ArrayLike, X_test: Any, y_test: ArrayLike
) -> float:
    """Accuracy of multinomial logistic regression (C=1), for columns scaled to about [0, 1].

    Parameters
    ----------
    X_train, y_train : array-like of shape (n_train, n_features) and (n_train,)
        Training rows, dense or CSR, and their classes.
    X_test, y_test : array-like of shape (n_test, n_features) and (n_test,)
        Test rows and their classes.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> classification_accuracy([[0.0], [0.2], [0.9], [1.0]], [0, 0, 1, 1], [[0.1], [0.8]], [0, 1])
    1.0
    """
    check_container(X_train, "X_train")
    check_container(X_test, "X_test")
    if not sp.issparse(X_train):
        # Centred, L-BFGS needs a third of the iterations; single precision halves their time.
        mean = np.mean(X_train, axis=0)
        X_train, X_test = ((X - mean).astype(np.float32) for X in (X_train, X_test))
    # Threaded BLAS slows L-BFGS's many small calls down.
    with single_threaded_blas():
        softmax = LogisticRegression(C=1.0, tol=1e-4, max_iter=1000).fit(X_train, y_train)
        return float(np.mean(softmax.predict(X_test) == np.asarray(y_test)))


def clustering_accuracy(y_true: ArrayLike, clusters: ArrayLike) -> float:
    """Clustering accuracy (ACC): accuracy under the best one-to-one map of clusters to classes.

    Parameters
    ----------
    y_true, clusters : array-like of shape (n_samples,)
        Classes and clusters.

    Returns
    -------
    float
        Greater than 0, at most 1.

    Examples
    --------
    >>> clustering_accuracy([0, 0, 1, 1], [7, 7, 7, 3])
    0.75
    """
    check_consistent_length(y_true, clusters)
    counts = contingency_matrix(y_true, clusters)
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum())


def nmi(y_true: ArrayLike, clusters: ArrayLike) -> float:
    """Normalised mutual information ``MI(C, G) / max(H(C), H(G))``, as in the GAFS paper.

    Parameters
    ----------
    y_true, clusters : array-like of shape (n_samples,)
        Classes and clusters.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> round(nmi([0, 0, 1, 1], [0, 1, 2, 3]), 3)
    0.5
    """
    return float(normalized_mutual_info_score(y_true, clusters, average_method="max"))


def clustering_scores(
    X: Any, y: ArrayLike, n_repeats: int = 20, random_state: Any = 0
) -> np.ndarray:
    """ACC and NMI of repeated k-means clusterings, each from as many random samples as classes.

    Parameters
    ----------
    X, y : array-like of shape (n_samples, n_features) and (n_samples,)
        The selected columns, dense or CSR, and the classes.
    n_repeats : int, default=20
        Repetitions of k-means.
    random_state : int, RandomState or None, default=0
        Random seed.

    Returns
    -------
    ndarray of shape (n_repeats, 2)
        One row per repetition: ACC, NMI.

    Examples
    --------
    >>> clustering_scores([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1], n_repeats=2).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    check_container(X)
    X = single_precision(X)
    scores = []
    for start in random_starts(y, n_repeats, random_state):
        centres = X[start].toarray() if sp.issparse(X) else X[start]
        with warnings.catch_warnings():
            # Fewer distinct rows than clusters: the scores say so.
            warnings.simplefilter("ignore", ConvergenceWarning)
            clusters = KMeans(len(start), init=centres, n_init=1).fit(X).labels_
        scores.append((clustering_accuracy(y, clusters), nmi(y, clusters)))
    return np.array(scores)


def random_starts(y, n_repeats, random_state):
    rng = check_random_state(random_state)
    n_clusters = len(np.unique(y))
    return np.array([rng.permutation(len(y))[:n_clusters] for _ in range(n_repeats)])


def single_precision(X):
    """X in single precision, which changes the scores of k-means less than the start does."""
    return X.astype(np.float32) if sp.issparse(X) else np.asarray(X, dtype=np.float32, order="C")


def evaluate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    shares: Sequence[float] = SHARES,
    n_splits: int = 1,
    test_size: float = 0.5,
    scale: str | None = "minmax",
    n_repeats: int = 20,
    metrics: Sequence[str] = METRICS,
    all_features: bool = True,
    random_state: Any = 0,
) -> pd.DataFrame:
    """Score a feature selection method at several fractions of features.

    For each split, scaling and selection see the training rows alone. One fit serves all fractions,
    through ``order_``.

    Parameters
    ----------
    estimator : FeatureRanker
        Any estimator whose ``fit`` sets ``order_``. Each split seeds a `random_state` of None.
    X : array-like, data frame or CSR matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,), optional
        Classes, used to stratify the splits and to score, never to select. Without them, the
        scores that need classes are NaN.
    shares : sequence of float or int, default the 12 fractions of the paper, 2 to 80 %
        Fractions of the features in (0, 1], or numbers of features.
    n_splits : int, default=1
        Number of random splits.
    test_size : float or int, default=0.5
        Fraction or number of the rows that are for testing.
    scale : {"minmax", "global", "standard", None}, default="minmax"
        Each column to [0, 1] (test values beyond are clipped), all columns by one range, each to
        mean 0 and variance 1, or none. CSR data are not shifted.
    n_repeats : int, default=20
        Repetitions of k-means.
    metrics : sequence of str, default=("accuracy", "clustering", "reconstruction", "redundancy")
        What to measure, also "neighborhood".
    all_features : bool, default=True
        Add one row per split for all features.
    random_state : int, RandomState or None, default=0
        Random seed of splits, estimator and k-means. Splits do not depend on the estimator.

    Returns
    -------
    pandas.DataFrame
        One row per split and fraction: ``method``, ``split``, ``share``, ``n_features``, the
        columns of the metrics, and ``fit_seconds``. "clustering" has the columns ``acc``,
        ``acc_std``, ``nmi`` and ``nmi_std``, other metrics one of their name; "neighborhood" is the
        fraction of the 5 nearest neighbours that the selection preserves.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphsieve import Variance
    >>> table = evaluate(Variance(), *load_wine(return_X_y=True), shares=[0.2, 0.5])
    >>> table[["method", "share", "n_features"]]
             method  share  n_features
    0      Variance    0.2           3
    1      Variance    0.5           6
    2  all features    1.0          13
    """
    import pandas as pd

    for name in metrics:
        check_choice("metrics", name, tuple(SCORES))
    X, y = checked(X, y, scale)
    tables = []
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n_splits).tolist()
    for number, seed in enumerate(seeds):
        train, test = train_test_split(
            np.arange(X.shape[0]), test_size=test_size, stratify=y, random_state=seed
        )
        labels = (None, None) if y is None else (y[train], y[test])
        split = Split(*scaled(X[train], X[test], scale), *labels)
        fitted, seconds = fit_on(estimator, split.X_train, seed)
        sizes = [*shares, 1.0] if all_features else shares
        counts = [count_features(share, X.shape[1]) for share in sizes]
        scorer = Scorer(split, fitted.order_, counts, n_repeats, seed)
        table = scorer.table(sizes, metrics).assign(
            method=type(estimator).__name__, split=number, fit_seconds=seconds
        )
        if all_features:
            table.loc[table.index[-1], ["method", "fit_seconds"]] = ALL_FEATURES, 0.0
        tables.append(table)
    scores = [column for name in metrics for column in SCORES[name]]
    columns = ["method", "split", "share", "n_features", *scores, "fit_seconds"]
    return pd.concat(tables, ignore_index=True)[columns]


def fit_on(estimator, X_train, random_state=None, y_train=None):
    """A fitted clone of an estimator, and its seconds; ``random_state`` replaces None."""
    estimator = clone(estimator)
    if "random_state" in estimator.get_params() and estimator.random_state is None:
        estimator.set_params(random_state=random_state)
    if sp.issparse(X_train) and not get_tags(estimator).input_tags.sparse:
        X_train = X_train.toarray()
    start = time.perf_counter()
    estimator.fit(X_train, y_train)
    seconds = time.perf_counter() - start
    if not hasattr(estimator, "order_"):
        raise TypeError(
            f"{type(estimator).__name__} does not set order_, the ranking of all features: "
            "evaluate needs a method of graphsieve, or another one that sets it"
        )
    return estimator, seconds


def checked(X, y, scale):
    check_choice("scale", scale, (*SCALES, None))
    check_container(X)
    X = check_array(X, accept_sparse="csr", ensure_min_samples=2)
    if y is not None:
        y = check_array(y, ensure_2d=False, dtype=None)
        check_consistent_length(X, y)
    return X, y


def scaled(X_train, X_test, scale):
    """Both parts, scaled as the training rows say; zeros of sparse data stay zeros."""
    if scale == "minmax":
        return to_unit_interval(X_train, X_test)
    scaling = column_scaling(RowBlocks(X_train), scale)
    if sp.issparse(X_train):
        scaling = replace(scaling, offset=np.zeros_like(scaling.offset))
    return tuple(scaling.block(X, np.float64) for X in (X_train, X_test))


@dataclass(frozen=True)
class Split:
    """Scaled training and test rows, and what all rankings on them have in common."""

    X_train: np.ndarray
    X_test: np.ndarray
    y_train: np.ndarray | None = None
    y_test: np.ndarray | None = None

    @cached_property
    def reconstruction_errors(self):
        return ReconstructionErrors(self.X_train, self.X_test)

    @cached_property
    def test_neighbors(self):
        return nearest_rows(self.X_test)


@dataclass(frozen=True)
class Scorer:
    """Scores of the first ``counts`` columns of a ranking, by a method per metric."""

    split: Split
    order: np.ndarray
    counts: list
    n_repeats: int = 20
    random_state: object = 0

    def table(self, shares, metrics, columns=SCORES):
        """Data frame of the metrics, one row per fraction; ``columns`` has their columns."""
        import pandas as pd

        n_features = self.split.X_train.shape[1]
        given = [
            count / n_features if isinstance(share, Integral) else float(share)
            for share, count in zip(shares, self.counts, strict=True)
        ]
        table = pd.DataFrame({"share": given, "n_features": self.counts})
        for name in metrics:
            known = self.split.y_train is not None or name in WITHOUT_CLASSES
            table[list(columns[name])] = getattr(self, name)() if known else np.nan
        return table

    def accuracy(self):
        def score(X_train, X_test):
            return classification_accuracy(X_train, self.split.y_train, X_test, self.split.y_test)

        return self.of_each_set("accuracy", score)

    def clustering(self):
        def score(_, X_test):
            y = self.split.y_test
            return summary(clustering_scores(X_test, y, self.n_repeats, self.random_state))

        return self.of_each_set("clustering", score)

    def neighborhood(self):
        known = self.split.test_neighbors
        return self.of_each_set("neighborhood", lambda _, X: neighborhood_preservation(known, X))

    def reconstruction(self):
        # Products of medium size: threaded BLAS gains little, and loses much on a busy machine.
        with single_threaded_blas():
            return self.split.reconstruction_errors.path(self.order, self.counts).reshape(-1, 1)

    def redundancy(self):
        with single_threaded_blas():
            path = redundancy_path(self.split.X_train[:, self.order[: max(self.counts)]])
        return path[np.subtract(self.counts, 1)].reshape(-1, 1)

    def of_each_set(self, what, score):
        """Scores of the first columns, sorted: the order within a set does not matter."""
        sets = [np.sort(self.order[:count]) for count in self.counts]
        X_train, X_test = self.split.X_train, self.split.X_test
        rows = [score(X_train[:, columns], X_test[:, columns]) for columns in sets]
        return np.reshape(rows, (len(rows), -1))


def summary(runs):
    return np.stack([runs.mean(axis=0), runs.std(axis=0)], axis=1).ravel()
