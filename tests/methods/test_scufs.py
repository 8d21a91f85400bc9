"""SCUFS against its formula: samples one by one, dense d x d regression."""

import numpy as np
import pytest

from graphsieve import SCUFS
from graphsieve.methods.scufs import first_clusters, first_representation, sweep_representation
from tests.helpers.awkward import tables

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:the clusters of SCUFS overlap"),
]
TABLES = tables()


def sweep(Z, X, F, graph_weight):
    """Row after row from the data themselves."""
    Z = Z.copy()
    for j, x in enumerate(X):
        if not x.any():
            Z[j] = 0
            continue
        v = (X - Z.T @ X + np.outer(Z[j], x)) @ x / (x @ x)
        distance = ((F - F[j]) ** 2).sum(axis=1)
        Z[j] = np.sign(v) * np.maximum(np.abs(v) - graph_weight * distance / (4 * x @ x), 0)
        Z[j, j] = 0
    return Z


def objective(X, Z, F, W, graph_weight, fit_weight, alpha, eps):
    A = (np.abs(Z) + np.abs(Z).T) / 2
    L = np.diag(A.sum(axis=1)) - A
    return (
        ((X.T - X.T @ Z) ** 2).sum()
        + graph_weight * np.trace(F.T @ L @ F)
        + 10 * ((F.T @ F - np.eye(F.shape[1])) ** 2).sum()
        + fit_weight * ((X @ W - F) ** 2).sum()
        + alpha * np.sqrt((W**2).sum(axis=1) + eps**2).sum()
    )


def descend(X, F, graph_weight, fit_weight, alpha, max_iter):
    """Row norms of W, F and the objective of every iteration, from the clusters F."""
    n, d = X.shape
    P = np.linalg.inv(X @ X.T + 1e-3 * np.eye(n))
    Z = np.eye(n) - P / np.diag(P)
    Z -= np.diag(np.diag(Z))

    def regress(F, c):
        return np.linalg.solve(fit_weight * X.T @ X + alpha * np.diag(1 / c), fit_weight * X.T @ F)

    W = regress(F, np.ones(d))
    eps = 1e-6 * np.linalg.norm(W, axis=1).max()
    weights = graph_weight, fit_weight, alpha, eps
    trace = [objective(X, Z, F, W, *weights)]
    for _ in range(max_iter):
        Z = sweep(Z, X, F, graph_weight)
        A = (np.abs(Z) + np.abs(Z).T) / 2
        fit = X @ W
        down = graph_weight * A @ F + fit_weight * fit.clip(0) + 20 * F
        up = graph_weight * np.diag(A.sum(axis=1)) @ F + fit_weight * (F + (-fit).clip(0))
        F = F * (down / (up + 20 * F @ F.T @ F)) ** 0.25
        W = regress(F, 2 * np.sqrt((W**2).sum(axis=1) + eps**2))
        trace.append(objective(X, Z, F, W, *weights))
    return np.linalg.norm(W, axis=1), F, np.array(trace)


def unit_rows(X):
    """Which columns vary, and those columns with rows of unit length."""
    varying = X.std(axis=0) > 1e-12
    X = X[:, varying]
    return varying, X / np.linalg.norm(X, axis=1, keepdims=True).clip(1e-300)


def reference(X, n_clusters, graph_weight, fit_weight, alpha, max_iter, seed):
    varying, X = unit_rows(X)
    weights = graph_weight, fit_weight, alpha
    starts = first_clusters(X, n_clusters, seed)
    best = min(starts, key=lambda F: descend(X, F, *weights, 5)[2][-1])
    norms, _, trace = descend(X, best, *weights, max_iter)
    scores = np.zeros(len(varying))
    scores[varying] = norms
    return scores, trace


def check(X, n_clusters=3, graph_weight=1.0, fit_weight=1.0, max_iter=10, seed=3):
    method = SCUFS(
        n_clusters=n_clusters,
        graph_weight=graph_weight,
        fit_weight=fit_weight,
        max_iter=max_iter,
        tol=0,
        random_state=seed,
        scale=None,
    ).fit(X)
    weights = graph_weight, fit_weight, method.alpha_
    scores, trace = reference(X, n_clusters, *weights, max_iter, seed)
    np.testing.assert_allclose(method.scores_, scores, atol=1e-6)
    np.testing.assert_allclose(method.objective_trace_, trace, rtol=1e-7)
    assert (np.diff(method.objective_trace_) <= 1e-10 * trace[:-1]).all()


@pytest.mark.parametrize("name", TABLES)
def test_equals_the_formula(name):
    check(TABLES[name])


@pytest.mark.parametrize("weights", [(0.0, 1.0), (100.0, 1.0), (1.0, 0.01), (1.0, 50.0)])
@pytest.mark.parametrize("name", ["wide", "tall"])
def test_other_weights(name, weights):
    check(TABLES[name], graph_weight=weights[0], fit_weight=weights[1])


def test_zero_rows():
    X = TABLES["wide"].copy()
    X[[2, 5]] = 0
    check(X)


@pytest.mark.slow
def test_equals_the_formula_on_yale(yale):
    check(yale, n_clusters=10, max_iter=3)


def test_sweep_over_many_blocks_equals_row_by_row(rng):
    X = rng.standard_normal((150, 40))
    F = rng.random((150, 4))
    K = X @ X.T
    Z = first_representation(K)
    expected = sweep(Z, X, F, 2.0)
    residual = K - K @ Z
    distance = ((F[:, None] - F) ** 2).sum(axis=2)
    sweep_representation(Z, residual, K, 2.0 / 4 * distance)
    np.testing.assert_allclose(Z, expected, atol=1e-10)
    np.testing.assert_allclose(residual, K - K @ Z, atol=1e-9)


def test_first_representation_is_the_ridge_minimum(rng):
    X = rng.standard_normal((6, 4))
    Z = first_representation(X @ X.T)
    for i in range(6):
        others = np.delete(np.arange(6), i)
        O = X[others]
        expected = np.linalg.solve(O @ O.T + 1e-3 * np.eye(5), O @ X[i])
        np.testing.assert_allclose(Z[others, i], expected, rtol=1e-6)
    np.testing.assert_array_equal(np.diag(Z), 0)


def test_columns_that_tell_the_subspaces_come_first(rng):
    X = 0.05 * rng.random((60, 12))
    for cluster in range(3):
        X[20 * cluster : 20 * cluster + 20, 2 * cluster : 2 * cluster + 2] += 0.5 + rng.random(
            (20, 2)
        )
    method = SCUFS(n_clusters=3, random_state=0, scale=None).fit(X)
    assert set(method.order_[:6]) == set(range(6))


def blobs(seed=0, n_clusters=4):
    """Clusters in different directions, and their labels."""
    rng = np.random.default_rng(seed)
    centres = np.abs(rng.standard_normal((n_clusters, 12))) * 3
    label = np.repeat(np.arange(n_clusters), 15)
    return np.abs(centres[label] + 0.3 * rng.standard_normal((len(label), 12))), label


@pytest.mark.slow
def test_blobs_end_as_low_as_from_the_true_labels():
    """Within 5 %, for twenty seeds; absolute normals alone end more than twice as high."""
    X, label = blobs()
    _, rows = unit_rows(X)
    truth = np.eye(4)[label] + 0.01
    truth /= np.linalg.norm(truth, axis=0)
    methods = [SCUFS(n_clusters=4, random_state=seed, scale=None).fit(X) for seed in range(20)]
    _, _, trace = descend(rows, truth, 1.0, 1.0, methods[0].alpha_, 60)
    assert max(method.objective_trace_[-1] for method in methods) <= 1.05 * trace[-1]


def test_seeds_agree_on_blobs():
    X, _ = blobs()
    first, second = (
        SCUFS(n_clusters=4, random_state=seed, scale=None).fit(X).scores_ for seed in (0, 1)
    )
    np.testing.assert_allclose(second, first, rtol=0.05, atol=0.02 * first.max())


@pytest.mark.parametrize("name", TABLES)
def test_ends_no_higher_than_any_simple_start(name):
    X = TABLES[name]
    method = SCUFS(n_clusters=3, random_state=0, scale=None).fit(X)
    _, rows = unit_rows(X)
    for F in first_clusters(rows, 3, 0):
        trace = descend(rows, F, 1.0, 1.0, method.alpha_, 5)[2]
        assert method.objective_trace_[-1] <= trace[-1] * (1 + 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wide", "tall"])
def test_result_at_the_default_tol_is_nearly_final(name):
    X = TABLES[name]
    method = SCUFS(n_clusters=3, random_state=0, scale=None).fit(X)
    final = SCUFS(n_clusters=3, random_state=0, max_iter=1500, tol=0, scale=None).fit(X)
    # Coordinate descent over Z is slow where samples are much alike.
    assert method.objective_trace_[-1] <= 1.03 * final.objective_trace_[-1]


@pytest.mark.parametrize("name", ["wide", "tall"])
def test_clusters_do_not_collapse(name):
    F = SCUFS(n_clusters=3, random_state=0, scale=None).fit(TABLES[name]).clusters_
    assert np.linalg.norm(F.T @ F - np.eye(3)) < 0.5


def test_warns_if_clusters_overlap():
    X, _ = blobs()
    with pytest.warns(UserWarning, match="clusters of SCUFS overlap"):
        SCUFS(n_clusters=4, fit_weight=1e3, random_state=0, scale=None).fit(X)


def test_more_clusters_than_samples_are_refused():
    with pytest.raises(ValueError, match="n_clusters=15 is larger than the number of samples, 14"):
        SCUFS(n_clusters=15, scale=None).fit(TABLES["wide"])


def test_large_data_are_refused_before_the_work(monkeypatch):
    """Several 20,000 x 20,000 matrices do not fit into 8 GB."""
    monkeypatch.setattr("graphsieve.base.available_memory", lambda: 8e9)
    with pytest.raises(MemoryError, match="SCUFS needs about"):
        SCUFS(scale=None).fit(np.random.default_rng(0).random((20_000, 3)))


def test_random_state(rng):
    X = TABLES["wide"]
    scores = [SCUFS(n_clusters=3, random_state=s, scale=None).fit(X).scores_ for s in (0, 0)]
    np.testing.assert_array_equal(scores[0], scores[1])


def test_order_of_columns_does_not_matter(rng):
    X = TABLES["tall"]
    columns = rng.permutation(X.shape[1])
    scores = SCUFS(random_state=0, scale=None).fit(X).scores_
    other = SCUFS(random_state=0, scale=None).fit(X[:, columns])
    np.testing.assert_allclose(other.scores_, scores[columns], atol=1e-6)


def test_equals_the_formula_on_counts(rng):
    """Wide tables with few entries go through sparse products."""
    X = rng.poisson(0.05, (20, 60)).astype(float)
    X[:, 0] += 1
    check(X)
