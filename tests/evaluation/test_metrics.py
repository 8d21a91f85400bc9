"""Metrics against brute force over permutations, scikit-learn, and plain formulas."""

from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import normalized_mutual_info_score

from graphsieve.evaluation import (
    classification_accuracy,
    clustering_accuracy,
    clustering_scores,
    nmi,
    reconstruction_error,
    reconstruction_path,
    redundancy,
    redundancy_path,
    stability,
)

pairs_of_labels = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)


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


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.tuples(*[st.lists(st.integers(0, 2), min_size=n, max_size=n)] * 2)
    )
)
def test_clustering_accuracy_is_the_best_over_all_permutations(labels):
    assert clustering_accuracy(*labels) == pytest.approx(accuracy_by_permutations(*labels))


@given(pairs_of_labels)
def test_nmi_is_scikit_learns_with_max_normalisation(labels):
    expected = normalized_mutual_info_score(*labels, average_method="max")
    assert nmi(*labels) == pytest.approx(expected, abs=1e-12)


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
    with pytest.raises(ValueError, match="3 classes and 2 clusters"):
        clustering_accuracy([0, 1, 1], [0, 1])


def blobs(rng, n=60, d=8, classes=3):
    y = np.repeat(np.arange(classes), n // classes)
    return rng.random((classes, d))[y] + 0.15 * rng.standard_normal((n, d)), y


def test_softmax_is_converged_logistic_regression(rng):
    X, y = blobs(rng, n=300, classes=5)
    X_test, y_test = X[1::2], y[1::2]
    exact = LogisticRegression(tol=1e-8, max_iter=10_000).fit(X[::2], y[::2])
    expected = np.mean(exact.predict(X_test) == y_test)
    assert classification_accuracy(X[::2], y[::2], X_test, y_test) == expected
    assert classification_accuracy(
        sp.csr_array(X[::2]), y[::2], sp.csr_array(X_test), y_test
    ) == pytest.approx(expected, abs=0.01)


def test_clustering_scores_are_repeatable_and_vary_between_repetitions(rng):
    X, y = blobs(rng)
    scores = clustering_scores(X, y, n_repeats=20, random_state=3)
    assert scores.shape == (20, 2)
    assert scores.std(axis=0).max() > 0
    np.testing.assert_array_equal(scores, clustering_scores(X, y, random_state=3, n_jobs=1))
    np.testing.assert_array_equal(scores[:5], clustering_scores(X, y, 5, random_state=3))


def mean_correlation(X):
    pairs = np.triu_indices(X.shape[1], 1)
    return np.abs(np.corrcoef(X, rowvar=False))[pairs].mean()


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_redundancy_of_every_prefix(rng, container):
    X = rng.random((30, 3)) @ rng.random((3, 9)) + 0.3 * rng.random((30, 9))
    path = redundancy_path(container(X))
    assert path[0] == 0
    np.testing.assert_allclose(
        path[1:], [mean_correlation(X[:, :k]) for k in range(2, 10)], rtol=1e-4
    )
    assert redundancy(container(X)) == path[-1]


def test_redundancy_crosses_blocks_of_columns(rng):
    X = rng.random((12, 700))
    np.testing.assert_allclose(redundancy(X), mean_correlation(X), rtol=1e-4)


def test_constant_columns_have_no_redundancy(rng):
    X = np.column_stack([rng.random(10), np.full(10, 0.1)])
    assert redundancy(X) == 0


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


def test_stability_from_the_definition(rng):
    Z = rng.random((6, 9)) < 0.4
    M, d = Z.shape
    p = Z.mean(axis=0)
    spread = (M / (M - 1) * p * (1 - p)).sum() / d
    q = Z.sum() / M / d
    assert stability(Z) == pytest.approx(1 - spread / (q * (1 - q)))


def test_stability_at_its_ends(rng):
    same = np.tile(rng.random(20) < 0.5, (5, 1))
    assert stability(same) == 1
    by_chance = [rng.permutation(2000) < 200 for _ in range(20)]
    assert abs(stability(by_chance)) < 0.02
    assert np.isnan(stability(np.ones((3, 4))))
    with pytest.raises(ValueError, match="at least 2 resamples"):
        stability([[True, False]])
