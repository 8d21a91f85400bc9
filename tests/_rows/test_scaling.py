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


@pytest.mark.parametrize("density", [0.05, 0.4, 0.8])
def test_auto_is_the_same_for_sparse_data_and_fills_few_zeros(rng, density):
    X = rng.normal(3, 1, (60, 8)) * (rng.random((60, 8)) < density)
    found = divide_columns(RowBlocks(sp.csr_array(X)), "auto").whole()
    np.testing.assert_allclose(found.toarray(), divided(X, "auto"), atol=1e-15)
    assert found.nnz <= 2 * np.count_nonzero(X)


def test_auto_knows_neither_unit_nor_origin(rng):
    X = rng.normal(size=(60, 4))
    expected = divided(X, "auto")
    other = X * [1e6, 1e-6, 1, 7] + [0, 1, 1e6, 0]
    np.testing.assert_allclose(divided(other, "auto"), expected, atol=1e-9)
    np.testing.assert_allclose(np.ptp(expected, axis=0), 1)


def test_auto_limits_an_outlier_among_many_rows(rng):
    """Among few rows the limit hardly acts: of 60, none is further than 7.7 deviations."""
    X = rng.normal(size=(2000, 1))
    X[0] = 100
    assert np.ptp(divided(X, "auto")[1:]) > 0.5
    assert np.ptp(divided(X, "minmax")[1:]) < 0.1


def test_auto_limits_errors_that_make_up_the_deviation(rng):
    """Codes for missing values, in a few rows, leave the unit and the order of the others alone."""
    x = rng.standard_normal(200)
    marked = np.where(np.arange(200) % 50 == 7, -999.0, x)
    found = divided(np.column_stack([x, marked]), "auto")
    ordinary = marked > -999
    ratio = np.ptp(found[ordinary], axis=0)
    assert 0.3 < ratio[1] / ratio[0] < 3
    assert found[:, 1].argmin() == 7


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
