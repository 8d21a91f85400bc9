"""Agreement of clusters and classes, against brute force over permutations and definitions."""

import warnings
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from graphsieve.evaluation import clustering_accuracy, clustering_scores, nmi
from tests.evaluation.conftest import blobs


def accuracy_by_permutations(y, clusters):
    """Try every one-to-one map of clusters to classes; spare classes stand for "no class"."""
    names = sorted(set(clusters))
    classes = sorted(set(y)) + [-1 - i for i in range(len(names))]
    return max(
        np.mean(
            [
                dict(zip(names, chosen, strict=True))[c] == g
                for g, c in zip(y, clusters, strict=True)
            ]
        )
        for chosen in permutations(classes, len(names))
    )


# How long a test takes depends on the machine.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(0, 2), min_size=n, max_size=n)] * 2)
    )
)
def test_clustering_accuracy_is_the_best_over_all_permutations(labels):
    assert clustering_accuracy(*labels) == pytest.approx(accuracy_by_permutations(*labels))


def test_nmi_from_the_definition():
    y, clusters = np.array([0, 0, 0, 1, 1, 2]), np.array([5, 5, 3, 3, 3, 3])
    information = sum(
        (p := np.mean((y == a) & (clusters == b)))
        and p * np.log(p / np.mean(y == a) / np.mean(clusters == b))
        for a in set(y)
        for b in set(clusters)
    )
    entropy = [
        -sum(p * np.log(p) for p in np.bincount(x)[np.bincount(x) > 0] / 6) for x in (y, clusters)
    ]
    assert nmi(y, clusters) == pytest.approx(information / max(entropy))


def test_names_of_clusters_do_not_matter():
    y, clusters = list("aabbcc"), np.array([2, 2, 0, 0, 1, 0])
    renamed = np.array(["x", "y", "z"])[clusters]
    assert clustering_accuracy(y, clusters) == clustering_accuracy(y, renamed) == 5 / 6
    assert nmi(y, clusters) == nmi(y, renamed)


def test_labels_of_other_lengths_are_an_error():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clustering_accuracy([0, 1, 1], [0, 1])


def test_clustering_scores_are_repeatable_and_vary_between_repetitions(rng):
    X, y = blobs(rng)
    scores = clustering_scores(X, y, n_repeats=20, random_state=3)
    assert scores.shape == (20, 2)
    assert scores.std(axis=0).max() > 0
    np.testing.assert_array_equal(scores, clustering_scores(X, y, random_state=3, n_jobs=1))
    np.testing.assert_array_equal(scores[:5], clustering_scores(X, y, 5, random_state=3))


def test_equal_rows_give_a_low_score_and_no_warning():
    X, y = np.zeros((6, 2)), np.repeat([0, 1, 2], 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = clustering_scores(X, y, 3)
    np.testing.assert_allclose(scores, [[1 / 3, 0]] * 3)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_scores_of_scikit_learns_kmeans_from_random_samples(rng, container):
    X, y = blobs(rng)
    starts = np.random.RandomState(5)
    expected = []
    for _ in range(3):
        start = X[starts.permutation(60)[:3]]
        clusters = KMeans(3, init=start, n_init=1).fit(X).labels_
        expected.append((clustering_accuracy(y, clusters), nmi(y, clusters)))
    np.testing.assert_allclose(clustering_scores(container(X), y, 3, 5), expected)
