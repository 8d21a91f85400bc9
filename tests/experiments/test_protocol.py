"""The protocol: splits that are balanced or have all rows, and scores of many rankings on one."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from experiments.protocol import (
    SCORES,
    all_rows,
    balanced_split,
    forest_accuracy,
    make_split,
    neighbor_accuracy,
    score_order,
)
from graphsieve.evaluation import clustering_scores
from tests.helpers.classes import blobs, unequal


@pytest.fixture
def data(rng):
    return unequal(rng)


def test_balanced_split_takes_as_many_rows_of_every_class(data):
    y = data[1]
    train, test = balanced_split(y, 6, 5, random_state=0)
    assert np.bincount(y[train]).tolist() == [6] * 3
    assert np.bincount(y[test]).tolist() == [5] * 3
    assert not set(train) & set(test)


def test_balanced_split_halves_the_smallest_class_by_default():
    train, test = balanced_split(np.repeat(["a", "b"], [11, 20]), random_state=0)
    assert (len(train), len(test)) == (12, 10)


def test_balanced_split_repeats_with_its_seed_only(data):
    y = data[1]
    first, again, other = (balanced_split(y, random_state=seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_fewer_test_rows_are_a_part_of_them_and_keep_the_training_rows(data):
    (train, test), (same, part) = (balanced_split(data[1], 6, n, random_state=0) for n in (5, 2))
    np.testing.assert_array_equal(train, same)
    assert set(part) < set(test)


@pytest.mark.parametrize(("n_train", "n_test"), [(15, 6), (0, 3), (3, 0), (20, None)])
def test_impossible_splits_are_errors_that_name_the_class(data, n_train, n_test):
    with pytest.raises(ValueError, match="class 0 has 20 rows"):
        balanced_split(data[1], n_train, n_test)


def test_scaling_is_learned_on_the_training_part(data):
    X, y = data
    train, test = balanced_split(y, random_state=0)
    X[test[0]] = 100
    split = make_split(X, y, random_state=0)
    np.testing.assert_array_equal(split.X_train.min(axis=0), 0)
    np.testing.assert_allclose(split.X_train.max(axis=0), 1)
    np.testing.assert_allclose(split.X_test[0], 1)
    low, high = X[train].min(axis=0), X[train].max(axis=0)
    np.testing.assert_allclose(split.X_train, (X[train] - low) / (high - low))


def test_columns_constant_in_training_stay_out(data):
    X, y = data
    train, _ = balanced_split(y, random_state=0)
    X[:, 0] = np.arange(len(X))
    X[train, 0] = 7
    split = make_split(X, y, random_state=0)
    assert not split.X_train[:, 0].any()
    assert not split.X_test[:, 0].any()


def test_sparse_test_rows_are_clipped_and_zeros_stay(data):
    X, y = data
    X[np.median(X) > X] = 0
    _, test = balanced_split(y, random_state=0)
    X[test[0], 0] = 1e3
    split = make_split(sp.csr_array(X), y, random_state=0)
    assert split.X_test.max() <= 1
    assert split.X_test.nnz == np.count_nonzero(X[test])


def test_all_rows_are_used_unscaled(data):
    X, y = data
    split = all_rows(X, y)
    np.testing.assert_array_equal(split.X_train, X)
    np.testing.assert_array_equal(split.y_test, y)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_nearest_neighbour_by_brute_force(rng, container):
    X, y = blobs(rng)
    train, test = np.arange(60) % 2 == 0, np.arange(60) % 2 == 1
    distances = ((X[test][:, None] - X[train]) ** 2).sum(axis=2)
    expected = np.mean(y[train][distances.argmin(axis=1)] == y[test])
    accuracy = neighbor_accuracy(container(X[train]), y[train], container(X[test]), y[test])
    assert accuracy == pytest.approx(expected)


def test_forest_knows_classes_from_noise(rng):
    X, y = blobs(rng)
    assert forest_accuracy(X, y, n_trees=20) > 0.9
    assert forest_accuracy(X, rng.permutation(y), n_trees=20) < 0.6
    first, again, other = (
        forest_accuracy(X[:, :1], y, n_trees=20, random_state=seed) for seed in (0, 0, 1)
    )
    assert first == again != other


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


def test_clusters_are_found_where_asked(data):
    split, order = make_split(*data, random_state=0), np.arange(15)
    train, test = (
        score_order(order, split, shares=[0.5], metrics=["clustering"], cluster_on=part)
        for part in ("train", "test")
    )
    assert (train["acc"] != test["acc"]).any()
    assert "accuracy" not in train
    with pytest.raises(ValueError, match="cluster_on='all' is unknown"):
        score_order(order, split, cluster_on="all")


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
    monkeypatch.setattr("experiments.protocol.lloyd", None)
    monkeypatch.setattr("graphsieve.evaluation.classification_accuracy", None)
    order[:4] = order[3::-1]
    pd.testing.assert_frame_equal(score_order(order, split, **options), first)
    with pytest.raises(TypeError):
        # Another number of repetitions is another score.
        score_order(order, split, **options, n_repeats=3)


def test_clusters_are_those_of_the_library(data):
    split = make_split(*data, random_state=0)
    table = score_order(np.arange(15), split, shares=[4], metrics=["clustering"], n_repeats=6)
    runs = clustering_scores(split.X_test[:, :4], split.y_test, n_repeats=6)
    np.testing.assert_allclose(table[["acc", "nmi"]], [runs.mean(axis=0)])
    np.testing.assert_allclose(table[["acc_std", "nmi_std"]], [runs.std(axis=0)])
