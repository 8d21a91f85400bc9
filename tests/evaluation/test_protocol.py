"""The protocol: balanced, one fit for all shares, and no look at the test part."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

from graphsieve import RandomRanker, Variance
from graphsieve.base import FeatureRanker
from graphsieve.evaluation import (
    ALL_FEATURES,
    SCORES,
    SHARES,
    balanced_split,
    evaluate,
    make_split,
    score_order,
)

FITS = []


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


@pytest.mark.parametrize("scale", ["minmax", "global", None])
def test_sparse_data_stay_sparse_and_score_alike(data, scale):
    X, y = data
    X = np.maximum(X - np.median(X, axis=0), 0)
    dense = make_split(X, y, scale=scale, random_state=0)
    sparse = make_split(sp.csr_array(X), y, scale=scale, random_state=0)
    assert sp.issparse(sparse.X_train)
    order = np.arange(X.shape[1])
    tables = [score_order(order, s, shares=[0.4, 1.0]) for s in (dense, sparse)]
    pd.testing.assert_frame_equal(*tables, rtol=1e-3)


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
    rows = balanced_split(data[1], random_state=0)
    monkeypatch.setattr("graphsieve.evaluation.splits.balanced_split", lambda *_: rows)
    return rows


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


def test_clusters_are_found_where_asked(data):
    train, test = (
        evaluate(Variance(), *data, shares=[0.5], metrics=["clustering"], cluster_on=part)
        for part in ("train", "test")
    )
    assert (train["acc"] != test["acc"]).any()
    assert "accuracy" not in train


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "log"}, "scale='log' is unknown: use one of 'minmax'"),
        ({"cluster_on": "all"}, "cluster_on='all' is unknown"),
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


def test_metrics_do_not_depend_on_those_measured_with_them(data):
    split = make_split(*data, random_state=0)
    order = np.arange(15)[::-1]
    together = score_order(order, split, shares=[4, 9], metrics=list(SCORES), n_repeats=3)
    for name, columns in SCORES.items():
        alone = score_order(order, split, shares=[4, 9], metrics=[name], n_repeats=3)
        pd.testing.assert_frame_equal(alone[[*columns]], together[[*columns]])


def test_a_set_of_features_is_scored_once_whatever_its_order(data, monkeypatch):
    split = make_split(*data, random_state=0)
    order = np.arange(data[0].shape[1])
    options = {"shares": [4], "metrics": ["accuracy", "clustering"]}
    first = score_order(order, split, **options)
    monkeypatch.setattr("graphsieve.evaluation.scoring.clustering_scores", None)
    monkeypatch.setattr("graphsieve.evaluation.scoring.classification_accuracy", None)
    order[:4] = order[3::-1]
    pd.testing.assert_frame_equal(score_order(order, split, **options), first)
    with pytest.raises(TypeError):
        # Another number of repetitions is another score.
        score_order(order, split, **options, n_repeats=3)
