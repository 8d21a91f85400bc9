"""The protocol: balanced split, columns chosen on the training part alone, then scored."""

import time
from dataclasses import dataclass
from functools import partial
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_array, check_consistent_length, check_random_state, get_tags
from threadpoolctl import threadpool_limits

from .._rows import RowBlocks
from .._rows.scaling import SCALES, column_scaling
from .._utils.order import count_features
from .metrics import (
    classification_accuracy,
    clustering_scores,
    reconstruction_path,
    redundancy_path,
    stability,
)

# The shares of the GAFS paper.
SHARES = (0.02, 0.04, 0.06, 0.08, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
METRICS = ("accuracy", "clustering", "reconstruction", "redundancy")
SCORES = ("accuracy", "acc", "acc_std", "nmi", "nmi_std", "reconstruction", "redundancy")
ALL_FEATURES = "all features"
# Below this share of non-zeros CSR arithmetic is faster than dense; the numbers are the same.
SPARSE_BELOW = 0.1


def balanced_split(y, train_per_class=None, test_per_class=None, random_state=None):
    """Random rows for training and testing, with the same number of rows of every class.

    Parameters
    ----------
    y : array of shape (n_samples,)
    train_per_class : int, optional
        Default: half of the smallest class, rounded up.
    test_per_class : int, optional
        Default: what the smallest class has left.
    random_state : int, RandomState or None, default None

    Returns
    -------
    train, test : arrays of int
        Row numbers, sorted.

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
class Split:
    """A training part, from which everything is learned, and a test part; both scaled."""

    X_train: np.ndarray
    X_test: np.ndarray
    y_train: np.ndarray | None = None
    y_test: np.ndarray | None = None


def make_split(
    X, y=None, *, train_per_class=None, test_per_class=None, scale="minmax", random_state=None
):
    """Draw a balanced split (two random halves without ``y``) and scale both parts.

    The scaling is learned on the training part. The parameters are those of ``evaluate``.

    Returns
    -------
    Split

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> split = make_split(*load_wine(return_X_y=True), random_state=0)
    >>> split.X_train.shape, split.X_test.shape, float(split.X_train.max())
    ((72, 13), (72, 13), 1.0)
    """
    _check_choice("scale", scale, (*SCALES, None))
    X = check_array(X, accept_sparse="csr", ensure_min_samples=2)
    if y is None:
        rows = check_random_state(random_state).permutation(X.shape[0])
        half = -(-len(rows) // 2)
        train, test = np.sort(rows[:half]), np.sort(rows[half:])
        labels = (None, None)
    else:
        y = check_array(y, ensure_2d=False, dtype=None)
        check_consistent_length(X, y)
        train, test = balanced_split(y, train_per_class, test_per_class, random_state)
        labels = (y[train], y[test])
    return Split(*_scaled(X[train], X[test], scale), *labels)


def fit_on(estimator, X_train, random_state=None):
    """A fitted clone and the seconds it took; the estimator is left as it is.

    A ``random_state`` of None becomes the one given here, and CSR data become dense for methods
    that do not take them.
    """
    estimator = clone(estimator)
    if "random_state" in estimator.get_params() and estimator.random_state is None:
        estimator.set_params(random_state=random_state)
    if sp.issparse(X_train) and not get_tags(estimator).input_tags.sparse:
        X_train = X_train.toarray()
    start = time.perf_counter()
    estimator.fit(X_train)
    seconds = time.perf_counter() - start
    if not hasattr(estimator, "order_"):
        raise TypeError(
            f"{type(estimator).__name__} sets no order_ when fitted, a ranking of all features: "
            "evaluate scores the methods of graphsieve and others that set it"
        )
    return estimator, seconds


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
    """Score the first columns of ``order`` on a split, one row per share.

    The parameters are those of ``evaluate``; use this function when one split serves many fits.

    Returns
    -------
    pandas.DataFrame
        ``share``, ``n_features``, ``accuracy``, ``acc``, ``acc_std``, ``nmi``, ``nmi_std``,
        ``reconstruction``, ``redundancy``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> split = make_split(*load_wine(return_X_y=True), random_state=0)
    >>> table = score_order(np.arange(13), split, shares=[5, 1.0], metrics=["accuracy"])
    >>> table[["share", "n_features"]].round(2).values.tolist()
    [[0.38, 5.0], [1.0, 13.0]]
    """
    import pandas as pd

    _check_choice("cluster_on", cluster_on, ("test", "train"))
    for name in metrics:
        _check_choice("metrics", name, METRICS)
    counts = [count_features(share, len(order)) for share in shares]
    table = pd.DataFrame(
        {
            "share": [
                count / len(order) if isinstance(share, Integral) else float(share)
                for share, count in zip(shares, counts, strict=True)
            ],
            "n_features": counts,
        }
    )
    table[list(SCORES)] = np.nan
    if split.y_train is not None:
        # Columns in order, so that every share is a slice.
        X_train, X_test = _compact(split.X_train[:, order], split.X_test[:, order])
        on_test = cluster_on == "test"
        X, y = (X_test, split.y_test) if on_test else (X_train, split.y_train)
        if "accuracy" in metrics:
            table["accuracy"] = [
                classification_accuracy(X_train[:, :k], split.y_train, X_test[:, :k], split.y_test)
                for k in counts
            ]
        if "clustering" in metrics:
            runs = [clustering_scores(X[:, :k], y, n_repeats, random_state, n_jobs) for k in counts]
            table[["acc", "nmi"]] = [run.mean(axis=0) for run in runs]
            table[["acc_std", "nmi_std"]] = [run.std(axis=0) for run in runs]
    # Many products of middling size: threaded BLAS gains little, and loses much on a busy machine.
    with threadpool_limits(limits=1):
        if "reconstruction" in metrics:
            errors = reconstruction_path(split.X_train, split.X_test, order, counts)
            table["reconstruction"] = errors
        if "redundancy" in metrics:
            path = redundancy_path(split.X_train[:, order[: max(counts)]])
            table["redundancy"] = path[np.subtract(counts, 1)]
    return table


def evaluate(
    estimator,
    X,
    y=None,
    *,
    shares=SHARES,
    n_splits=1,
    train_per_class=None,
    test_per_class=None,
    scale="minmax",
    cluster_on="test",
    n_repeats=20,
    metrics=METRICS,
    all_features=True,
    random_state=0,
    n_jobs=None,
):
    """Score a method of feature selection at several shares of features.

    For each split: draw a balanced split, learn the scaling and choose the features on the
    training part alone, then score them. One fit serves all shares, through ``order_``.

    Parameters
    ----------
    estimator : FeatureRanker
        Any estimator whose ``fit`` sets ``order_``. It is cloned; where its ``random_state`` is
        None each split gives it a seed.
    X : array, data frame or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,), optional
        Classes, used to split and to score, never to select. Without them the split is two random
        halves, and only reconstruction and redundancy are scored.
    shares : sequence of float or int, default the paper's 12 shares from 2 to 80 %
        Shares of the features in (0, 1], or numbers of features.
    n_splits : int, default 1
    train_per_class, test_per_class : int, optional
        See ``balanced_split``; default: the halves of the smallest class.
    scale : {"minmax", "global", "standard", None}, default "minmax"
        How the data are scaled before anything else, learned on the training part: each column to
        [0, 1] (test values beyond its range are clipped), all columns by one range, each to mean 0
        and variance 1, or not at all. CSR data are not shifted, so that zeros stay zeros.
    cluster_on : {"test", "train"}, default "test"
        Rows on which the clusters are found.
    n_repeats : int, default 20
        Repetitions of k-means.
    metrics : sequence of str, default all
        Some of "accuracy", "clustering", "reconstruction" and "redundancy".
    all_features : bool, default True
        Add one row per split for all features.
    random_state : int, RandomState or None, default 0
        Decides splits, seeds of the estimator and of k-means. Splits do not depend on the
        estimator: two methods with the same ``random_state`` meet the same rows.
    n_jobs : int or None, default None
        Threads for k-means.

    Returns
    -------
    pandas.DataFrame
        One row per split and share: ``method``, ``split``, ``share``, ``n_features``,
        ``accuracy``, ``acc``, ``acc_std``, ``nmi``, ``nmi_std``, ``reconstruction``,
        ``redundancy``, ``fit_seconds``. The ``_std`` columns are the spread over the repetitions of
        k-means. What was not asked for, or needs missing classes, is NaN.

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

    tables = []
    for number, seed in enumerate(_seeds(random_state, n_splits)):
        split = make_split(
            X,
            y,
            train_per_class=train_per_class,
            test_per_class=test_per_class,
            scale=scale,
            random_state=seed,
        )
        score = partial(
            score_order,
            split=split,
            cluster_on=cluster_on,
            n_repeats=n_repeats,
            metrics=metrics,
            random_state=seed,
            n_jobs=n_jobs,
        )
        fitted, seconds = fit_on(estimator, split.X_train, seed)
        tables.append(
            score(fitted.order_, shares=shares).assign(
                method=type(estimator).__name__, split=number, fit_seconds=seconds
            )
        )
        if all_features:
            tables.append(
                score(np.arange(len(fitted.order_)), shares=[1.0]).assign(
                    method=ALL_FEATURES, split=number, fit_seconds=0.0
                )
            )
    columns = ["method", "split", "share", "n_features", *SCORES, "fit_seconds"]
    return pd.concat(tables, ignore_index=True)[columns]


def selection_stability(
    estimator, X, *, shares=SHARES, n_resamples=10, sample_share=0.8, random_state=0
):
    """How much the selection changes when the rows do: Nogueira's measure at every share.

    Parameters
    ----------
    estimator : FeatureRanker
    X : array, data frame or CSR matrix of shape (n_samples, n_features)
    shares : sequence of float or int
        Shares of the features in (0, 1], or numbers of features.
    n_resamples : int, default 10
        Fits, each on other rows.
    sample_share : float, default 0.8
        Share of the rows in each resample, drawn without replacement: repeated rows would be
        their own nearest neighbours.
    random_state : int, RandomState or None, default 0

    Returns
    -------
    pandas.DataFrame
        ``method``, ``share``, ``n_features``, ``stability``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphsieve import Variance
    >>> X = load_wine().data
    >>> selection_stability(Variance(), X, shares=[1, 2])["stability"].tolist()
    [1.0, 1.0]
    """
    import pandas as pd

    X = check_array(X, accept_sparse="csr", ensure_min_samples=3)
    rankings = []
    for seed in _seeds(random_state, n_resamples):
        rows = np.random.RandomState(seed).permutation(X.shape[0])
        rows = np.sort(rows[: max(2, round(sample_share * len(rows)))])
        fitted, _ = fit_on(estimator, X[rows], seed)
        rankings.append(np.argsort(fitted.order_))
    counts = [count_features(share, X.shape[1]) for share in shares]
    return pd.DataFrame(
        {
            "method": type(estimator).__name__,
            "share": np.divide(counts, X.shape[1]),
            "n_features": counts,
            "stability": [stability(np.array(rankings) < k) for k in counts],
        }
    )


def _scaled(X_train, X_test, scale):
    train = RowBlocks(X_train)
    offset, factor = column_scaling(train, scale)
    if scale == "minmax":
        # A column that is nearly constant in the training part may be a hundred times wider in the
        # test part, and would drown all others.
        X_test = _clip(X_test, *train.column_range())
    if sp.issparse(X_train):
        offset = np.zeros_like(offset)
    return tuple(
        RowBlocks(X, offset=offset, factor=factor, dtype=np.float64).whole()
        for X in (X_train, X_test)
    )


def _clip(X, low, high):
    if sp.issparse(X):
        data = np.clip(X.data, low[X.indices], high[X.indices])
        return sp.csr_array((data, X.indices, X.indptr), shape=X.shape)
    return np.clip(X, low, high)


def _compact(X_train, X_test):
    """Both as CSR where that is faster."""
    if not sp.issparse(X_train) and np.count_nonzero(X_train) < SPARSE_BELOW * X_train.size:
        return sp.csr_array(X_train), sp.csr_array(X_test)
    return X_train, X_test


def _seeds(random_state, n):
    """One seed per split or resample; the first ones stay the same when there are more."""
    return check_random_state(random_state).randint(2**31 - 1, size=n).tolist()


def _check_choice(name, value, choices):
    if value not in choices:
        raise ValueError(f"{name}={value!r} is unknown: use one of {', '.join(map(repr, choices))}")
