"""UDFS against its formula: neighbourhoods one by one, then dense d x d eigenproblems."""

import tracemalloc

import numpy as np
import pytest

from graphsieve import UDFS
from graphsieve._graph.neighbors import nearest_neighbors
from graphsieve._rows import RowBlocks
from graphsieve.methods.udfs import dense_problem, lanczos_problem, local_scatter
from tests.helpers.awkward import tables
from tests.helpers.textbook import without_momentum
from tests.helpers.ties import by_content

pytestmark = [
    pytest.mark.filterwarnings("ignore:UDFS gives only"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:n_neighbors"),
]
TABLES = tables()
TABLES["ties"] = by_content(TABLES["ties"] - TABLES["ties"].mean(axis=0))


def local_matrix(X, k, ridge):
    """sum_i P_i' C (G_i G_i' + ridge I)^-1 C P_i, one neighbourhood at a time."""
    n = len(X)
    C = np.eye(k + 1) - 1 / (k + 1)
    B = np.zeros((n, n))
    for i in range(n):
        distance = ((X - X[i]) ** 2).sum(axis=1)
        distance[i] = -1
        index = np.argsort(distance.round(9), kind="stable")[: k + 1]
        G = C @ X[index]
        B[np.ix_(index, index)] += C @ np.linalg.inv(G @ G.T + ridge * np.eye(k + 1)) @ C
    return B


def descend(M, norm, m, alpha, n_solves):
    """Reweighted eigenproblems as in the paper; row norms and objective of every solution."""
    eps, trace = 1e-6, []
    for _ in range(n_solves):
        u = 0.5 / np.sqrt(norm**2 + eps**2)
        W = np.linalg.eigh(M + alpha * np.diag(u))[1][:, :m]
        norm = np.linalg.norm(W, axis=1)
        trace.append(np.trace(W.T @ M @ W) + alpha * np.sqrt(norm**2 + eps**2).sum())
    return norm, np.array(trace)


def problem(X, m, ridge, k):
    """M of the columns that vary, and the row norms of the starts."""
    varying = X.std(axis=0) > 1e-12
    X = (X - X.mean(axis=0))[:, varying]
    M = X.T @ local_matrix(X, k, ridge) @ X
    spread = X.std(axis=0)
    unit = np.zeros(len(M))
    unit[np.argsort(np.diag(M), kind="stable")[:m]] = 1
    starts = [spread * np.sqrt(m / (spread**2).sum()), unit]
    if len(M) <= len(X):
        starts.append(np.full(len(M), np.sqrt(m / len(M))))
    return varying, M, starts


def reference(X, m, alpha, ridge, k, n_solves):
    varying, M, starts = problem(X, m, ridge, k)
    trials = [descend(M, norm, m, alpha, 6) for norm in starts]
    best = min(trials, key=lambda trial: trial[1][-1])[0]
    norm, trace = descend(M, best, m, alpha, n_solves)
    scores = np.zeros(len(varying))
    scores[varying] = norm
    return scores, trace


def check(X, m=3, alpha=1.0, ridge=1.0, k=4, max_iter=8):
    method = UDFS(
        n_components=m,
        alpha=alpha,
        ridge=ridge,
        n_neighbors=k,
        max_iter=max_iter,
        tol=0,
        scale=None,
    )
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


@pytest.mark.slow
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
    B = local_scatter(X, n_neighbors=4, ridge=1.0)
    inverse = np.tile(rng.uniform(0.01, 1, 200), 3)
    value = np.linalg.eigvalsh(X.T @ (B @ X) + np.diag(1 / inverse))
    gaps = np.flatnonzero(np.diff(value)[:12] > 1e-6) + 1
    assert len(gaps) > 4
    for m in gaps:
        (trace, squares), (expected_trace, expected) = (
            make(X, B, m)[1](inverse) for make in (lanczos_problem, dense_problem)
        )
        np.testing.assert_allclose(squares, expected, atol=1e-9)
        assert trace == pytest.approx(expected_trace, abs=1e-9)


@pytest.mark.slow
def test_equals_the_formula_on_yale(yale):
    check(yale, m=10, max_iter=4)


@pytest.mark.parametrize("shape", [(15, 600), (60, 20)])
def test_order_of_columns_and_samples_does_not_matter(rng, shape):
    X = rng.standard_normal(shape) * rng.uniform(0.5, 2, shape[1])
    columns, rows = rng.permutation(shape[1]), rng.permutation(shape[0])
    scores = UDFS(n_components=4, max_iter=10, scale=None).fit(X).scores_
    other = UDFS(n_components=4, max_iter=10, scale=None).fit(X[rows][:, columns])
    np.testing.assert_allclose(other.scores_, scores[columns], atol=1e-6)


def test_huge_alpha_concentrates_on_few_columns(rng):
    X = rng.standard_normal((60, 20)) * rng.uniform(0.5, 2, 20)
    scores = UDFS(n_components=3, alpha=1e6, max_iter=200, scale=None).fit(X).scores_
    np.testing.assert_allclose(np.sort(scores)[-3:], 1, atol=1e-3)
    assert np.sort(scores)[:-3].max() < 1e-3


def test_columns_on_which_neighbours_agree_come_first(rng):
    cluster = np.repeat(rng.standard_normal((6, 3)), 10, axis=0)
    noise = rng.standard_normal((60, 9)) * 0.3
    X = np.hstack([noise, cluster + 0.01 * rng.standard_normal(cluster.shape)])
    assert set(UDFS(n_components=3, ridge=1e-2, scale=None).fit(X).order_[:3]) == {9, 10, 11}


def test_few_columns_are_not_all_equal(rng):
    """As many directions as columns would give every column the score 1."""
    scores = UDFS(n_components=10, scale=None).fit(rng.standard_normal((30, 6))).scores_
    assert scores.max() > 1.5 * scores.min()


def test_no_d_by_d_matrix(rng):
    X = rng.standard_normal((20, 3000))
    tracemalloc.start()
    UDFS(n_components=2, max_iter=2, scale=None).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 3000**2 / 10


@pytest.mark.filterwarnings("error", "ignore:all columns of X are constant")
@pytest.mark.parametrize("unit", [1.0, 1e20, 4e54])
def test_all_columns_constant(unit):
    """What is left of such columns after centring are rounding errors, and no data."""
    method = UDFS(scale=None).fit(np.tile(unit * np.array([0.1, 0.3, 0.7, 0.9]), (9, 1)))
    np.testing.assert_array_equal(method.scores_, 0)
    assert method.converged_
    assert method.alpha_ > 0
    assert (method.objective_trace_ >= 0).all()


@pytest.mark.parametrize("alpha", [None, 1e-3, 1.0])
@pytest.mark.parametrize("name", TABLES)
def test_ends_no_higher_than_any_simple_start(name, alpha):
    X = TABLES[name]
    method = UDFS(n_components=3, alpha=alpha, ridge=1.0, n_neighbors=4, scale=None).fit(X)
    _, M, starts = problem(X, 3, 1.0, 4)
    for norm in starts:
        _, trace = descend(M, norm, 3, method.alpha_, 30)
        assert method.objective_trace_[-1] <= trace[0] * (1 + 1e-9)
        # Paths of the same problem may end in different local minima; this is the price.
        assert method.objective_trace_[-1] <= trace[-1] * 1.05


@pytest.mark.parametrize("name", TABLES)
def test_momentum_ends_no_higher_than_the_textbook_solver(name):
    X = TABLES[name]
    params = {"n_components": 3, "ridge": 1.0, "n_neighbors": 4}
    shipped = UDFS(scale=None, **params).fit(X)
    with without_momentum():
        textbook = UDFS(scale=None, **params, max_iter=2000, tol=1e-12).fit(X)
    # Where n < d the two may end in different local minima, 0.24 % apart on one table.
    assert shipped.objective_trace_[-1] <= textbook.objective_trace_[-1] * (1 + 5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Yale", "Isolet", "COIL20"])
def test_real_data_end_no_higher_than_unit_vectors(name, real_data):
    from scipy.io import loadmat

    X = loadmat(real_data / f"{name}.mat")["X"].astype(float)[:300]
    X = (X - X.min()) / np.ptp(X)
    method = UDFS(alpha=1.0, max_iter=5, scale=None).fit(X)
    _, M, starts = problem(X, 10, 1e3, 5)
    for norm in starts:
        assert method.objective_trace_[-1] <= descend(M, norm, 10, 1.0, 3)[1][-1] * (1 + 1e-6)


def test_alpha_is_relative_to_the_data(rng):
    """A change of units changes neither the number of non-zero scores nor the order.

    Next to a large ridge, M has squared units of the data. With an absolute alpha, all scores but
    those of ``n_components`` columns would be what the smoothing of the penalty leaves.
    """
    X = rng.standard_normal((60, 20)) * rng.uniform(0.5, 2, 20)
    small, large = (
        UDFS(ridge=1e3, scale=None).fit(2.0**-10 * X),
        UDFS(ridge=1e3, scale=None).fit(2.0**-5 * X),
    )
    np.testing.assert_allclose(large.scores_, small.scores_, atol=1e-4)
    assert small.scores_.min() > 1e-2


def test_warns_if_fewer_features_have_a_weight_than_are_wanted(rng):
    X = rng.standard_normal((60, 20))
    with pytest.warns(UserWarning, match="only 3 features a non-zero weight, and 10"):
        UDFS(10, n_components=3, alpha=1e6, max_iter=200, scale=None).fit(X)


@pytest.mark.parametrize("unit", [1e-10, 1e10, 1e50])
def test_ridge_that_is_lost_next_to_the_data(rng, unit):
    X = rng.standard_normal((40, 3)) * unit
    assert np.isfinite(UDFS(scale=None).fit(X).scores_).all()


def test_an_outlier_leaves_the_neighbours_of_the_others_alone(rng):
    X = rng.standard_normal((300, 10))
    far = X.copy()
    far[17, 3] = 1e6
    scores = UDFS(3, ridge=1.0, scale=None).fit(np.delete(X, 17, axis=0)).scores_
    assert np.corrcoef(UDFS(3, ridge=1.0, scale=None).fit(far).scores_, scores)[0, 1] > 0.99


def test_local_scatter_meets_its_formula(rng):
    X = rng.standard_normal((30, 4))
    _, j, _ = nearest_neighbors(RowBlocks(X), 3, metric="euclidean")
    B = local_scatter(X, n_neighbors=3, ridge=2.0).toarray()
    expected = np.zeros((30, 30))
    for i in range(30):
        index = [i, *j[3 * i : 3 * i + 3]]
        C = np.eye(4) - 1 / 4
        G = C @ X[index]
        expected[np.ix_(index, index)] += C @ np.linalg.inv(G @ G.T + 2.0 * np.eye(4)) @ C
    np.testing.assert_allclose(B, expected, atol=1e-12)
