"""Splits: balanced, scaled by the training rows, or all rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve.evaluation import all_rows, balanced_split, make_split


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
