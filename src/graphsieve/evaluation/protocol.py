"""The protocol of the GAFS paper: split, select on the training rows, score."""

import time
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_random_state, get_tags

from .scoring import METRICS, SCORES, SHARES, score_order
from .splits import make_split

ALL_FEATURES = "all features"


def fit_on(estimator, X_train, random_state=None):
    """Fit a clone of an estimator, and measure the time.

    Parameters
    ----------
    estimator : FeatureRanker
        Any estimator whose ``fit`` sets ``order_``. It is not changed.
    X_train : array-like or CSR matrix of shape (n_samples, n_features)
        Training rows. They are made dense for estimators that do not accept sparse data.
    random_state : int, optional
        Replaces a `random_state` of None.

    Returns
    -------
    fitted : FeatureRanker
        The fitted clone.
    seconds : float
        Duration of the fit.
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
            f"{type(estimator).__name__} does not set order_, the ranking of all features, when "
            "it is fitted: evaluate needs a method of graphsieve, or another one that sets it"
        )
    return estimator, seconds


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
    """Score a feature selection method at several fractions of features.

    For each split, a balanced split is drawn, the scaling is learned and the features are
    selected on the training rows alone, and the selection is scored. One fit serves all
    fractions, through ``order_``.

    Parameters
    ----------
    estimator : FeatureRanker
        Any estimator whose ``fit`` sets ``order_``. It is cloned. If its `random_state` is None,
        each split sets a seed.
    X : array-like, data frame or CSR matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,), optional
        Classes, used to split and to score, never to select. Without them, the split is two
        random halves, and the scores that need classes are NaN.
    shares : sequence of float or int, default the 12 fractions of the paper, 2 to 80 %
        Fractions of the features in (0, 1], or numbers of features.
    n_splits : int, default=1
        Number of random splits.
    train_per_class, test_per_class : int, optional
        See `balanced_split`; default: the halves of the smallest class.
    scale : {"minmax", "global", "standard", None}, default="minmax"
        Scaling of the data before anything else, learned on the training rows: each column to
        [0, 1] (test values beyond its range are clipped), all columns by one range, each column
        to mean 0 and variance 1, or none. CSR data are not shifted, so that zeros stay zeros.
    cluster_on : {"test", "train"}, default="test"
        Rows that are clustered.
    n_repeats : int, default=20
        Repetitions of k-means.
    metrics : sequence of str, default=("accuracy", "clustering", "reconstruction", "redundancy")
        What to measure; further metrics are "neighbors", "neighborhood" and "forest".
    all_features : bool, default=True
        Add one row per split for all features.
    random_state : int, RandomState or None, default=0
        Random seed of splits, estimator and k-means. Splits do not depend on the estimator: two
        methods with the same `random_state` get the same rows.
    n_jobs : int or None, default=None
        Threads for k-means.

    Returns
    -------
    pandas.DataFrame
        One row per split and fraction: ``method``, ``split``, ``share``, ``n_features``, the
        columns of the metrics, and ``fit_seconds``. The metrics and their columns:

        - "accuracy": ``accuracy`` of a softmax classifier on the test rows.
        - "clustering": ``acc``, ``acc_std``, ``nmi``, ``nmi_std``, mean and standard deviation
          over the repetitions of k-means.
        - "reconstruction": ``reconstruction``, see `reconstruction_error`.
        - "redundancy": ``redundancy``, see `redundancy`.
        - "neighbors": ``neighbor_accuracy`` of the nearest training row on the test rows.
        - "neighborhood": ``neighborhood``, the fraction of the 5 nearest neighbours among the
          test rows that the selected features preserve.
        - "forest": ``forest``, cross-validated accuracy of a random forest on the test rows.

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
    for number, seed in enumerate(draw_seeds(random_state, n_splits)):
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
    scores = [column for name in metrics for column in SCORES[name]]
    columns = ["method", "split", "share", "n_features", *scores, "fit_seconds"]
    return pd.concat(tables, ignore_index=True)[columns]


def draw_seeds(random_state, n):
    """One seed per split or resample; the first ones stay the same when there are more."""
    return check_random_state(random_state).randint(2**31 - 1, size=n).tolist()
