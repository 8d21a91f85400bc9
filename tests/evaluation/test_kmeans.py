"""Repeated k-means against scikit-learn's from the same starts."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from graphsieve.evaluation.kmeans import repeated_kmeans


def starts(n_samples, n_clusters, n_repeats, seed):
    rng = np.random.RandomState(seed)
    return [rng.permutation(n_samples)[:n_clusters] for _ in range(n_repeats)]


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_same_clusters_as_scikit_learn(rng, container):
    X = rng.random((5, 12))[rng.integers(5, size=1500)] + 0.4 * rng.random((1500, 12))
    labels = repeated_kmeans(container(X), 5, n_repeats=4, random_state=7, tol=0)
    for run, rows in zip(labels.T, starts(1500, 5, 4, 7), strict=True):
        reference = KMeans(5, init=X[rows], n_init=1, tol=0).fit(X)
        assert adjusted_rand_score(reference.labels_, run) > 0.99


def test_threads_change_nothing(rng):
    X = rng.random((3000, 6))
    one, two = (repeated_kmeans(X, 7, n_repeats=3, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_no_cluster_stays_empty():
    # Two of the three starts coincide, so that one cluster gets no sample at first.
    X = np.array([[0.0]] * 10 + [[1.0], [5.0]])
    for run in repeated_kmeans(X, 3, n_repeats=20).T:
        assert len(np.unique(run)) == 3


def test_more_clusters_than_samples_is_an_error(rng):
    with pytest.raises(ValueError, match="n_clusters=5 is not between 1 and 4 samples"):
        repeated_kmeans(rng.random((4, 2)), 5)
