"""The map from kept to dropped columns is ridge regression, for every container."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge

from graphsieve import Variance
from graphsieve._linear.ridge import fit_reconstruction, ridge_penalty
from graphsieve._rows import RowBlocks


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_equals_ridge_regression(rng, container, shape):
    X = (5 + rng.random(shape)) * (rng.random(shape) < 0.5)
    kept = np.arange(shape[1]) % 2 == 0
    energy = ((X - X.mean(axis=0))[:, kept] ** 2).sum()
    expected = Ridge(alpha=ridge_penalty(energy, kept.sum(), len(X))).fit(X[:, kept], X[:, ~kept])
    rebuild = fit_reconstruction(RowBlocks(container(X)), kept)
    new = rng.random((4, kept.sum()))
    np.testing.assert_allclose(rebuild.predict(new), expected.predict(new), rtol=1e-8)


def test_units_do_not_matter(rng):
    X = rng.random((40, 3)) @ rng.random((3, 10))
    kept = np.arange(10) < 4
    plain, scaled = (
        fit_reconstruction(RowBlocks(unit * X), kept).predict(unit * X[:, kept]) / unit
        for unit in (1.0, 1e-6)
    )
    np.testing.assert_allclose(plain, scaled, rtol=1e-8)


def test_constant_columns_are_rebuilt_by_their_mean(rng):
    X = np.full((20, 5), 3.0)
    X[:, 4] = rng.random(20)
    rebuild = fit_reconstruction(RowBlocks(X), np.array([True, False, False, False, False]))
    np.testing.assert_allclose(rebuild.predict([[3.0]]), [[3, 3, 3, X[:, 4].mean()]])


def test_unseen_rows_when_as_many_columns_as_rows_are_kept(rng):
    """The error stays below that of the mean where least squares would explode."""
    code, noise = rng.normal(size=(120, 3)), rng.normal(size=(120, 80))
    X = code @ rng.normal(size=(3, 80)) + 0.5 * noise
    method = Variance(40).fit(X[:40])
    test = X[40:]
    error = ((method.reconstruct(method.transform(test)) - test) ** 2).sum()
    dropped = ~method.get_support()
    assert error < ((test - X[:40].mean(axis=0))[:, dropped] ** 2).sum()


def test_all_columns_kept(rng):
    X = rng.random((10, 4))
    method = Variance(4).fit(X)
    np.testing.assert_array_equal(method.reconstruct(method.transform(X)), X)


def test_wrong_number_of_columns(rng):
    method = Variance(2).fit(rng.random((10, 4)))
    with pytest.raises(ValueError, match="takes the 2 selected columns"):
        method.reconstruct(rng.random((3, 4)))


def test_large_data_are_learned_on_demand(rng):
    """Where the regression takes long, fit leaves it out, and reconstruct says how to get it."""
    X = rng.random((1000, 1200))
    method = Variance(500).fit(X)
    kept = method.transform(X)
    with pytest.raises(AttributeError, match=r"call learn_reconstruction\(X\)"):
        method.reconstruct(kept)
    rebuilt = method.learn_reconstruction(X).reconstruct(kept)
    error = ((rebuilt - X) ** 2).sum()
    assert error < ((X - X.mean(axis=0))[:, ~method.support_] ** 2).sum()
    with pytest.raises(ValueError, match="expecting 1200 features"):
        method.learn_reconstruction(X[:, 1:])


@pytest.mark.parametrize("n", [21, 300, 5000])
@pytest.mark.parametrize("value", [-2.4999989, 0.1, 1e6 / 3])
def test_constant_columns_of_sparse_data(rng, value, n):
    """Their variance is what rounding leaves of two large sums, and may be negative."""
    X = np.full((n, 4), value)
    X[:, 3] += rng.random(n)
    for n_kept in (1, 3):
        kept = np.arange(4) < n_kept
        rebuild = fit_reconstruction(RowBlocks(sp.csr_array(X)), kept)
        np.testing.assert_allclose(rebuild.predict(X[:, kept])[:, -1], X[:, 3].mean(), rtol=1e-6)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_columns_far_from_zero(rng, container):
    """The sparse products lose digits; the penalty keeps the system solvable, without a warning."""
    X = 1e7 + rng.random((60, 3)) @ rng.random((3, 8))
    method = Variance(5).fit(container(X))
    rebuilt = method.reconstruct(method.transform(X))
    dropped = ~method.support_
    worst = ((X - X.mean(axis=0))[:, dropped] ** 2).sum()
    assert ((rebuilt - X)[:, dropped] ** 2).sum() <= 1.01 * worst
