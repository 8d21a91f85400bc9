"""k-means from several starts at once, against scikit-learn's k-means from each of them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans

from experiments import kmeans as module
from experiments.kmeans import lloyd


def assert_like_scikit_learn(X, starts, container):
    X = X.astype(np.float32)
    for clusters, start in zip(lloyd(container(X), starts), starts, strict=True):
        expected = KMeans(len(start), init=X[start], n_init=1).fit(X).labels_
        np.testing.assert_array_equal(clusters, expected)


@pytest.fixture(params=["dense", "small sparse", "large sparse"])
def container(request, monkeypatch):
    if request.param == "large sparse":
        monkeypatch.setattr(module, "_SMALL", 0)
    return np.asarray if request.param == "dense" else sp.csr_array


def test_clusters_are_those_of_scikit_learn(rng, container, monkeypatch):
    # Several blocks of rows.
    monkeypatch.setattr(module, "_BLOCK", 200)
    X = rng.normal(size=(150, 8)) * (rng.random((150, 8)) < 0.6)
    starts = np.array([rng.permutation(150)[:4] for _ in range(6)])
    assert_like_scikit_learn(X, starts, container)


def test_an_empty_cluster_moves_to_the_farthest_row(rng, container):
    X = np.concatenate([np.ones((4, 3)), rng.normal(size=(40, 3))])
    # The first two centres are equal: the second gets no rows.
    assert_like_scikit_learn(X, np.array([[0, 1, 9], [2, 3, 20]]), container)


def test_a_start_does_not_depend_on_the_others(rng):
    X = rng.normal(size=(60, 5)).astype(np.float32)
    starts = np.array([rng.permutation(60)[:3] for _ in range(5)])
    alone = np.concatenate([lloyd(X, start[None]) for start in starts])
    np.testing.assert_array_equal(lloyd(X, starts), alone)


@pytest.mark.parametrize("n_clusters", [1, 4, 300])
def test_ties_go_to_the_first_centre(rng, n_clusters):
    X = rng.integers(0, 3, size=(50, 2)).astype(np.float32)
    centres = rng.integers(0, 3, size=(2, n_clusters, 2)).astype(np.float32)
    distance = ((X[:, None, None] - centres) ** 2).sum(axis=3)
    np.testing.assert_array_equal(module._nearest(X, centres), distance.argmin(axis=2).T)
