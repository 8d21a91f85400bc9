"""Classifiers against scikit-learn's, and on classes that are easy or impossible."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from graphsieve.evaluation import classification_accuracy, forest_accuracy, neighbor_accuracy
from tests.evaluation.conftest import blobs


def test_softmax_is_converged_logistic_regression(rng):
    X, y = blobs(rng, n=300, classes=5)
    X_test, y_test = X[1::2], y[1::2]
    exact = LogisticRegression(tol=1e-8, max_iter=10_000).fit(X[::2], y[::2])
    expected = np.mean(exact.predict(X_test) == y_test)
    assert classification_accuracy(X[::2], y[::2], X_test, y_test) == expected
    assert classification_accuracy(
        sp.csr_array(X[::2]), y[::2], sp.csr_array(X_test), y_test
    ) == pytest.approx(expected, abs=0.01)


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
