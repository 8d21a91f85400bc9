"""Reconstruction against scikit-learn's ridge regression, column by column."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge

from graphsieve._linear.reconstruction import (
    ReconstructionErrors,
    reconstruction_error,
    reconstruction_path,
)


def ridge_error(X_train, X_test, selected):
    """The same with scikit-learn, column by column."""
    rest = np.setdiff1d(np.arange(X_train.shape[1]), selected)
    A = X_train[:, selected]
    ridge = Ridge(alpha=0.3 * min(A.shape) * A.var(axis=0).mean()).fit(A, X_train[:, rest])
    predicted = np.array(X_test)
    predicted[:, rest] = ridge.predict(X_test[:, selected])
    return ((X_test - predicted) ** 2).sum() / ((X_test - X_train.mean(axis=0)) ** 2).sum()


@pytest.mark.parametrize("n_train", [12, 40])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_reconstruction_is_ridge_regression(rng, n_train, container):
    X = rng.random((60, 4)) @ rng.random((4, 20)) + 0.1 * rng.random((60, 20))
    train, test = X[:n_train], X[n_train:]
    order, counts = rng.permutation(20), [7, 1, 15, 7, 20]
    path = reconstruction_path(container(train), container(test), order, counts)
    expected = [ridge_error(train, test, order[:k]) for k in counts[:4]]
    np.testing.assert_allclose(path[:4], expected, rtol=1e-8)
    assert path[4] == pytest.approx(0, abs=1e-12)
    assert reconstruction_error(train, test, order[:7]) == pytest.approx(path[0])


def test_constant_columns_explain_nothing(rng):
    X = np.column_stack([np.ones(10), rng.random(10)])
    assert reconstruction_error(X, X, [0]) == pytest.approx(1)
    assert reconstruction_error(np.ones((4, 3)), np.ones((2, 3)), [0]) == 0


@pytest.mark.parametrize("n_train", [12, 40])
def test_one_set_of_inner_products_serves_many_rankings(rng, n_train):
    X = rng.random((60, 20))
    train, test = X[:n_train], X[n_train:]
    products = ReconstructionErrors(train, test)
    for _ in range(3):
        order = rng.permutation(20)
        expected = reconstruction_path(train, test, order, [2, 9])
        np.testing.assert_allclose(products.path(order, [2, 9]), expected)
