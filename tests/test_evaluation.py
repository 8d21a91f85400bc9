"""Scores against definitions, and `evaluate`, which selects without the test part."""

import warnings
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from graphsieve import RandomRanker, Variance
from graphsieve.base import FeatureRanker
from graphsieve.evaluation import (
    ALL_FEATURES,
    SCORES,
    SHARES,
    classification_accuracy,
    clustering_accuracy,
    clustering_scores,
    evaluate,
    nmi,
)
from tests.helpers.classes import blobs, unequal


def test_softmax_is_converged_logistic_regression(rng):
    X, y = blobs(rng, n=300, classes=5)
    X_test, y_test = X[1::2], y[1::2]
    exact = LogisticRegression(tol=1e-8, max_iter=10_000).fit(X[::2], y[::2])
    expected = np.mean(exact.predict(X_test) == y_test)
    assert classification_accuracy(X[::2], y[::2], X_test, y_test) == expected
    assert classification_accuracy(
        sp.csr_array(X[::2]), y[::2], sp.csr_array(X_test), y_test
    ) == pytest.approx(expected, abs=0.01)


def accuracy_by_permutations(y, clusters):
    """Try every one-to-one map of clusters to classes; spare classes stand for "no class"."""
    names = sorted(set(clusters))
    classes = sorted(set(y)) + [-1 - i for i in range(len(names))]
    return max(
        np.mean(
            [
                dict(zip(names, chosen, strict=True))[c] == g
                for g, c in zip(y, clusters, strict=True)
            ]
        )
        for chosen in permutations(classes, len(names))
    )


# How long a test takes depends on the machine.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(0, 2), min_size=n, max_size=n)] * 2)
    )
)
def test_clustering_accuracy_is_the_best_over_all_permutations(labels):
    assert clustering_accuracy(*labels) == pytest.approx(accuracy_by_permutations(*labels))


def test_nmi_from_the_definition():
    y, clusters = np.array([0, 0, 0, 1, 1, 2]), np.array([5, 5, 3, 3, 3, 3])
    information = sum(
        (p := np.mean((y == a) & (clusters == b)))
        and p * np.log(p / np.mean(y == a) / np.mean(clusters == b))
        for a in set(y)
        for b in set(clusters)
    )
    entropy = [
        -sum(p * np.log(p) for p in np.bincount(x)[np.bincount(x) > 0] / 6) for x in (y, clusters)
    ]
    assert nmi(y, clusters) == pytest.approx(information / max(entropy))


def test_names_of_clusters_do_not_matter():
    y, clusters = list("aabbcc"), np.array([2, 2, 0, 0, 1, 0])
    renamed = np.array(["x", "y", "z"])[clusters]
    assert clustering_accuracy(y, clusters) == clustering_accuracy(y, renamed) == 5 / 6
    assert nmi(y, clusters) == nmi(y, renamed)


def test_labels_of_other_lengths_are_an_error():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clustering_accuracy([0, 1, 1], [0, 1])


def test_clustering_scores_are_repeatable_and_vary_between_repetitions(rng):
    X, y = blobs(rng)
    scores = clustering_scores(X, y, n_repeats=20, random_state=3)
    assert scores.shape == (20, 2)
    assert scores.std(axis=0).max() > 0
    np.testing.assert_array_equal(scores, clustering_scores(X, y, random_state=3))
    np.testing.assert_array_equal(scores[:5], clustering_scores(X, y, 5, random_state=3))


def test_equal_rows_give_a_low_score_and_no_warning():
    X, y = np.zeros((6, 2)), np.repeat([0, 1, 2], 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = clustering_scores(X, y, 3)
    np.testing.assert_allclose(scores, [[1 / 3, 0]] * 3)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_scores_of_scikit_learns_kmeans_from_random_samples(rng, container):
    X, y = blobs(rng)
    starts = np.random.RandomState(5)
    expected = []
    for _ in range(3):
        start = X[starts.permutation(60)[:3]]
        clusters = KMeans(3, init=start, n_init=1).fit(X).labels_
        expected.append((clustering_accuracy(y, clusters), nmi(y, clusters)))
    np.testing.assert_allclose(clustering_scores(container(X), y, 3, 5), expected)


FITS = []


@pytest.fixture
def data(rng):
    return unequal(rng)


class Spy(FeatureRanker):
    """Ranks by variance and remembers what it saw."""

    _parameter_constraints = {**FeatureRanker._parameter_constraints, "random_state": [None, int]}

    def __init__(self, n_features_to_select=None, *, random_state=None):
        super().__init__(n_features_to_select)
        self.random_state = random_state

    def _rank(self, data):
        FITS.append((data.whole().copy(), self.random_state))
        return data.column_moments()[1]


@pytest.fixture
def fits():
    FITS.clear()
    return FITS


def test_methods_without_sparse_support_get_dense_data(data, fits):
    evaluate(Spy(), sp.csr_array(data[0]), data[1], shares=[0.5], metrics=["redundancy"])
    assert isinstance(fits[0][0], np.ndarray)


def test_evaluate_has_a_row_per_split_and_share_from_one_fit_each(data, fits):
    table = evaluate(Spy(), *data, shares=[0.2, 0.6], n_splits=3, n_repeats=4)
    assert len(fits) == 3
    assert len(table) == 3 * (2 + 1)
    ours = table[table["method"] == "Spy"]
    assert ours["n_features"].tolist() == [3, 9] * 3
    assert not table.isna().any(axis=None)
    assert table["accuracy"].between(0, 1).all()
    all_features = table[table["method"] == ALL_FEATURES]
    assert (all_features["share"] == 1).all()
    assert (all_features["reconstruction"] == 0).all()


def test_all_features_do_not_depend_on_the_method(data):
    tables = [evaluate(m, *data, shares=[0.2]) for m in (Variance(), RandomRanker())]
    pd.testing.assert_series_equal(*[t.iloc[-1].drop("fit_seconds") for t in tables])


def test_default_shares_are_those_of_the_paper(data):
    table = evaluate(Variance(), *data, metrics=["redundancy"], all_features=False)
    assert tuple(table["share"]) == SHARES
    assert len(SHARES) == 12


@pytest.fixture
def fixed_rows(monkeypatch, data):
    """The same rows in every split, whatever the labels are."""
    rows = train_test_split(np.arange(len(data[1])), test_size=0.5, random_state=0)
    monkeypatch.setattr("graphsieve.evaluation.train_test_split", lambda *_, **__: rows)
    return rows


def test_every_class_is_divided_in_the_same_proportion(data, fits, monkeypatch):
    labels = []
    monkeypatch.setattr(
        "graphsieve.evaluation.classification_accuracy",
        lambda X_train, y_train, X_test, y_test: labels.append((y_train, y_test)) or 1.0,
    )
    options = {"shares": [0.5], "metrics": ["accuracy"], "all_features": False, "n_splits": 2}
    evaluate(Spy(), *data, **options)
    evaluate(Spy(), *data, **options, test_size=0.25)
    assert [np.bincount(train).tolist() for train, _ in labels[:2]] == [[10, 12, 15]] * 2
    assert [len(test) for _, test in labels] == [37, 37, 19, 19]
    assert (fits[0][0] != fits[1][0]).any()


@pytest.mark.usefixtures("fixed_rows")
@pytest.mark.parametrize("spoil", ["rows", "labels", "values"])
def test_the_test_part_changes_no_selection(data, fixed_rows, fits, rng, spoil):
    X, y = (part.copy() for part in data)
    first = evaluate(Spy(), X, y, shares=[0.2], n_repeats=3)
    test = fixed_rows[1]
    if spoil == "rows":
        X[test] = X[rng.permutation(test)]
    elif spoil == "labels":
        y[test] = rng.permutation(y[test])
    else:
        X[test] = 1e6 * rng.random(X[test].shape)
    second = evaluate(Spy(), X, y, shares=[0.2], n_repeats=3)
    (seen_first, _), (seen_second, _) = fits
    np.testing.assert_array_equal(seen_first, seen_second)
    assert len(seen_first) == len(fixed_rows[0])
    assert (first["accuracy"] != second["accuracy"]).any(), "the test part was not used at all"


def test_methods_never_see_labels(data):
    class Peeking(Variance):
        def fit(self, X, y=None):
            assert y is None
            return super().fit(X)

    evaluate(Peeking(), *data, shares=[0.2], metrics=["redundancy"])


def test_seeds_belong_to_the_split_and_not_to_the_method(data, fits):
    evaluate(Spy(), *data, shares=[0.2], n_splits=2, metrics=["redundancy"])
    evaluate(Spy(random_state=5), *data, shares=[0.2], n_splits=3, metrics=["redundancy"])
    (rows, seed), (_, other), (same_rows, fixed), *_ = fits
    assert seed != other
    assert fixed == 5
    np.testing.assert_array_equal(rows, same_rows)


def test_the_estimator_is_left_alone(data):
    method = RandomRanker()
    evaluate(method, *data, shares=[0.2], metrics=["redundancy"])
    assert method.random_state is None
    assert not hasattr(method, "order_")


def test_without_labels_only_the_data_are_scored(data):
    table = evaluate(Variance(), pd.DataFrame(data[0]), shares=[3, 0.5])
    assert table[["accuracy", "acc", "nmi"]].isna().all(axis=None)
    assert (table["reconstruction"].iloc[:2] > 0).all()
    assert table["share"].tolist() == [0.2, 0.5, 1.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "log"}, "scale='log' is unknown: use one of 'minmax'"),
        ({"metrics": ["speed"]}, "metrics='speed' is unknown: use one of 'accuracy'"),
        ({"shares": [1.5]}, "not a fraction"),
    ],
)
def test_bad_options_are_named(data, options, message):
    with pytest.raises(ValueError, match=message):
        evaluate(Variance(), *data, **options)


def test_an_estimator_without_a_ranking_is_refused(data):
    with pytest.raises(TypeError, match="PCA does not set order_"):
        evaluate(PCA(), *data)


@pytest.mark.slow
def test_every_metric_has_its_columns(data):
    table = evaluate(Variance(), *data, shares=[0.2, 0.6], metrics=list(SCORES), n_repeats=3)
    expected = [column for columns in SCORES.values() for column in columns]
    assert table.columns.tolist()[4:-1] == expected
    assert not table.isna().any(axis=None)
    assert table["neighborhood"].iloc[-1] == 1
