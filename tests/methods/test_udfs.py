"""UDFS against its formula: neighbourhoods one by one, then dense d x d eigenproblems."""

import tracemalloc

import numpy as np
import pytest

from graphsieve import UDFS
from graphsieve.methods.udfs import _dense_step, _lanczos_step, local_scatter
from tests.helpers.awkward import tables
from tests.helpers.textbook import without_momentum

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:n_neighbors"),
]
TABLES = tables()


def local_matrix(X, k, ridge):
    """sum_i P_i' C (G_i G_i' + ridge I)^-1 C P_i, one neighbourhood at a time."""
    n = len(X)
    C = np.eye(k + 1) - 1 / (k + 1)
    B = np.zeros((n, n))
    for i in range(n):
        distance = ((X - X[i]) ** 2).sum(axis=1)
        distance[i] = -1
        index = np.argsort(distance, kind="stable")[: k + 1]
        G = C @ X[index]
        B[np.ix_(index, index)] += C @ np.linalg.inv(G @ G.T + ridge * np.eye(k + 1)) @ C
    return B


def reference(X, m, alpha, ridge, k, n_solves):
    varying = X.std(axis=0) > 1e-12
    X = (X - X.mean(axis=0))[:, varying]
    M = X.T @ local_matrix(X, k, ridge) @ X
    spread = X.std(axis=0)
    norm, eps, trace = spread * np.sqrt(m / (spread**2).sum()), 0.0, []
    for step in range(n_solves):
        u = 0.5 / np.sqrt(norm**2 + eps**2)
        W = np.linalg.eigh(M + alpha * np.diag(u))[1][:, :m]
        norm = np.linalg.norm(W, axis=1)
        if step == 0:
            eps = 1e-6 * norm.max()
        trace.append(np.trace(W.T @ M @ W) + alpha * np.sqrt(norm**2 + eps**2).sum())
    scores = np.zeros(len(varying))
    scores[varying] = norm
    return scores, np.array(trace)


def check(X, m=3, alpha=1.0, ridge=1.0, k=4, max_iter=8):
    method = UDFS(n_components=m, alpha=alpha, ridge=ridge, n_neighbors=k, max_iter=max_iter, tol=0)
    with without_momentum():
        method.fit(X)
    scores, trace = reference(X, m, alpha, ridge, k, max_iter + 1)
    np.testing.assert_allclose(method.scores_, scores, atol=1e-6)
    np.testing.assert_allclose(method.objective_trace_, trace, rtol=1e-8)
    assert (np.diff(method.objective_trace_) <= 1e-10 * trace[:-1]).all()


@pytest.mark.parametrize("name", TABLES)
def test_equals_the_formula(name):
    check(TABLES[name])


@pytest.mark.parametrize("alpha", [1e-6, 1e-3, 1e3, 1e9])
@pytest.mark.parametrize("name", ["wide", "tall"])
def test_other_weights(name, alpha):
    check(TABLES[name], alpha=alpha)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e3])
def test_without_d_by_d_matrix_equals_the_formula(rng, alpha):
    X = rng.standard_normal((20, 3)) @ rng.standard_normal((3, 600))
    X += rng.standard_normal(X.shape)
    X[:, 7] = 2.0
    check(X, alpha=alpha, max_iter=5)


def test_copies_without_d_by_d_matrix(rng):
    """Directions between copies are invisible to the data: Lanczos must find them all the same.

    Three copies of a column have two such directions with one eigenvalue. A number of directions
    that cuts through such a pair has no one answer.
    """
    X = np.tile(rng.standard_normal((15, 200)), 3)
    X -= X.mean(axis=0)
    B = local_scatter(X, 4, 1.0)
    inverse = np.tile(rng.uniform(0.01, 1, 200), 3)
    value = np.linalg.eigvalsh(X.T @ (B @ X) + np.diag(1 / inverse))
    gaps = np.flatnonzero(np.diff(value)[:12] > 1e-6) + 1
    assert len(gaps) > 4
    for m in gaps:
        (trace, squares), (expected_trace, expected) = (
            step(X, B, 1.0, m)(inverse) for step in (_lanczos_step, _dense_step)
        )
        np.testing.assert_allclose(squares, expected, atol=1e-9)
        assert trace == pytest.approx(expected_trace, abs=1e-9)


def test_equals_the_formula_on_yale(yale):
    check(yale, m=10, max_iter=4)


@pytest.mark.parametrize("shape", [(15, 600), (60, 20)])
def test_order_of_columns_and_samples_does_not_matter(rng, shape):
    X = rng.standard_normal(shape) * rng.uniform(0.5, 2, shape[1])
    columns, rows = rng.permutation(shape[1]), rng.permutation(shape[0])
    scores = UDFS(n_components=4, max_iter=10).fit(X).scores_
    other = UDFS(n_components=4, max_iter=10).fit(X[rows][:, columns])
    np.testing.assert_allclose(other.scores_, scores[columns], atol=1e-6)


def test_huge_alpha_concentrates_on_few_columns(rng):
    X = rng.standard_normal((60, 20)) * rng.uniform(0.5, 2, 20)
    scores = UDFS(n_components=3, alpha=1e6, max_iter=200).fit(X).scores_
    np.testing.assert_allclose(np.sort(scores)[-3:], 1, atol=1e-3)
    assert np.sort(scores)[:-3].max() < 1e-3


def test_columns_on_which_neighbours_agree_come_first(rng):
    cluster = np.repeat(rng.standard_normal((6, 3)), 10, axis=0)
    noise = rng.standard_normal((60, 9)) * 0.3
    X = np.hstack([noise, cluster + 0.01 * rng.standard_normal(cluster.shape)])
    assert set(UDFS(n_components=3, ridge=1e-2).fit(X).order_[:3]) == {9, 10, 11}


def test_few_columns_are_not_all_equal(rng):
    """As many directions as columns would give every column the score 1."""
    scores = UDFS(n_components=10).fit(rng.standard_normal((30, 6))).scores_
    assert scores.max() > 1.5 * scores.min()


def test_no_d_by_d_matrix(rng):
    X = rng.standard_normal((20, 3000))
    tracemalloc.start()
    UDFS(n_components=2, max_iter=2).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 3000**2 / 10


def test_all_columns_constant():
    np.testing.assert_array_equal(UDFS().fit(np.tile([1.0, 2.0], (8, 1))).scores_, 0)
