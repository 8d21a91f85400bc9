"""Columns divided by their spread."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._rows import RowBlocks
from graphsieve._rows.scaling import divide_columns


def divided(X, scale, **params):
    result = divide_columns(RowBlocks(X), scale, **params).whole()
    return result.toarray() if sp.issparse(result) else result


@pytest.fixture
def X(rng):
    X = rng.standard_normal((30, 5)) * [1, 10, 100, 1, 1] + [0, 0, 0, 1000, -50]
    return np.column_stack([X, np.full(30, 7.0)])


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_spread_is_one_and_columns_of_one_sign_touch_zero(X, container):
    minmax = divided(container(X), "minmax")
    np.testing.assert_allclose(np.ptp(minmax, axis=0), [1, 1, 1, 1, 1, 0])
    np.testing.assert_allclose(divided(container(X), "standard").std(axis=0), [1, 1, 1, 1, 1, 0])
    np.testing.assert_allclose(minmax[:, :3], X[:, :3] / np.ptp(X[:, :3], axis=0))
    assert minmax[:, 3].min() == 0
    assert minmax[:, 4].max() == 0
    assert not minmax[:, 5].any()


def test_one_range_for_all_columns(X):
    found = divided(X, "global")
    np.testing.assert_allclose(found, X / np.ptp(X))
    np.testing.assert_allclose(divided(X + 2000, "global").min(), 0)


def test_data_in_the_unit_interval_keep_every_digit_under_global(rng):
    X = rng.random((20, 4))
    X[0], X[1] = 0, 1
    np.testing.assert_array_equal(divided(X, "global"), X)


@pytest.mark.parametrize("auto", ["minmax", "standard"])
def test_auto_leaves_data_of_mostly_zeros(rng, auto):
    X = rng.random((50, 8))
    np.testing.assert_array_equal(divided(X, "auto", auto=auto), divided(X, auto))
    X *= rng.random(X.shape) < 0.05
    np.testing.assert_array_equal(divided(X, "auto", auto=auto), X)
    np.testing.assert_array_equal(divided(sp.csr_array(X), "auto", auto=auto), X)


@pytest.mark.parametrize("scale", ["auto", "standard", "minmax", "global", None])
def test_constant_data_are_left_alone(scale):
    X = np.tile([0.1, 5.0], (6, 1))
    np.testing.assert_array_equal(divided(X, scale), X)


def test_zeros_of_sparse_data_stay_implicit(rng):
    X = sp.random_array((40, 30), density=0.2, rng=rng, format="csr")
    X.data -= 0.5
    for scale in ("minmax", "standard", "global"):
        found = divide_columns(RowBlocks(X), scale).whole()
        assert found.nnz == X.nnz
