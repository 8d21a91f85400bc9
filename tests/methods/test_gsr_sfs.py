"""GSRSFS against its d x d formula."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import GSRSFS
from graphsieve._graph.affinity import build_graph
from graphsieve._rows import RowBlocks
from tests.helpers.awkward import tables
from tests.helpers.textbook import without_momentum

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
TABLES = tables()


def reference(X, A, graph_weight, alpha, n_solves):
    """(X'X + 2 graph_weight X'LX + alpha Q) W = X'X, and the objective by sums over edges."""
    L = np.diag(A.sum(axis=0)) - A
    X = X - X.mean(axis=0)
    d = X.shape[1]
    q, eps, trace = np.full(d, 2.0), None, []
    for _ in range(n_solves):
        H = X.T @ X + 2 * graph_weight * X.T @ L @ X
        W = np.linalg.solve(H + alpha * np.diag(q), X.T @ X)
        norm = np.linalg.norm(W, axis=1)
        eps = 1e-6 * norm.max() if eps is None else eps
        q = 1 / np.sqrt(norm**2 + eps**2)
        fit = X @ W
        edges = sum(
            A[i, j] * ((fit[i] - fit[j]) ** 2).sum() for i, j in zip(*A.nonzero(), strict=True)
        )
        penalty = np.sqrt(norm**2 + eps**2)[X.any(axis=0)].sum()
        trace.append(((X - fit) ** 2).sum() / 2 + graph_weight * edges / 2 + alpha * penalty)
    return norm, np.array(trace)


def check(X, graph_weight=0.1, max_iter=12, **graph):
    with without_momentum():
        method = GSRSFS(
            scale=None, graph_weight=graph_weight, max_iter=max_iter, tol=0, **graph
        ).fit(X)
    A = build_graph(RowBlocks(X), **graph).toarray()
    norm, trace = reference(X, A, graph_weight, method.alpha_, max_iter + 1)
    np.testing.assert_allclose(method.scores_, norm, atol=1e-6)
    np.testing.assert_allclose(method.objective_trace_, trace, rtol=1e-9)
    assert (np.diff(method.objective_trace_) <= 1e-10 * trace[:-1]).all()


@pytest.mark.parametrize("graph_weight", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("name", TABLES)
def test_equals_the_formula(name, graph_weight):
    check(TABLES[name], graph_weight)


@pytest.mark.parametrize("affinity", ["binary", "heat"])
def test_other_graphs(affinity):
    check(TABLES["wide"], affinity=affinity, n_neighbors=3)


def test_disconnected_graph_with_an_isolated_sample():
    X = TABLES["wide"]
    A = np.zeros((len(X), len(X)))
    A[:4, :4] = A[4:9, 4:9] = 1.0
    check(X, affinity=A - np.diag(np.diag(A)))


@pytest.mark.slow
def test_equals_the_formula_on_yale(yale):
    check(yale, max_iter=5)


def test_without_a_graph_it_does_not_matter():
    X = TABLES["wide"]
    empty = sp.csr_array((len(X), len(X)))
    np.testing.assert_allclose(
        GSRSFS(scale=None, graph_weight=5.0, affinity=empty).fit(X).scores_,
        GSRSFS(scale=None, graph_weight=0.0).fit(X).scores_,
        rtol=1e-8,
    )


@pytest.mark.parametrize("name", ["wide", "tall"])
def test_default_alpha_is_a_tenth_of_the_largest_useful_one(name):
    X = TABLES[name]
    largest = 10 * GSRSFS(scale=None).fit(X).alpha_
    settings = {"max_iter": 2000, "tol": 1e-12}
    assert GSRSFS(scale=None, alpha=1.1 * largest, **settings).fit(X).scores_.max() < 1e-4
    assert GSRSFS(scale=None, alpha=0.9 * largest, **settings).fit(X).scores_.max() > 1e-2


@pytest.mark.parametrize("name", ["wide", "tall"])
def test_order_of_columns_and_added_constant_do_not_matter(rng, name):
    X = TABLES[name]
    A = build_graph(RowBlocks(X))
    columns = rng.permutation(X.shape[1])
    scores = GSRSFS(scale=None, affinity=A).fit(X).scores_
    other = np.column_stack([X[:, columns], np.full(len(X), 9.0)])
    method = GSRSFS(scale=None, affinity=A).fit(other)
    np.testing.assert_allclose(method.scores_[:-1], scores[columns], rtol=1e-6)
    assert method.order_[-1] == X.shape[1]


def test_no_d_by_d_matrix(rng):
    X = rng.standard_normal((10, 3000))
    tracemalloc.start()
    GSRSFS(scale=None, max_iter=3).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 3000**2 / 10


@pytest.mark.slow
@pytest.mark.parametrize("graph_weight", [0.1, 10.0])
@pytest.mark.parametrize("name", TABLES)
def test_shipped_solver_ends_no_higher_than_the_textbook(name, graph_weight):
    X = TABLES[name]
    method = GSRSFS(scale=None, graph_weight=graph_weight).fit(X)
    assert method.converged_
    A = build_graph(RowBlocks(X)).toarray()
    _, trace = reference(X, A, graph_weight, method.alpha_, 300)
    assert method.objective_trace_[-1] <= trace[-1] * (1 + 2e-4)


@pytest.mark.parametrize("name", ["wide", "tall", "duplicate features"])
def test_optimality_conditions_at_the_default_tol(name):
    """The gradient of the smooth part has norm alpha in rows in use, at most alpha elsewhere."""
    X = TABLES[name]
    method = GSRSFS(scale=None).fit(X)
    A = build_graph(RowBlocks(X)).toarray()
    L = np.diag(A.sum(axis=0)) - A
    X = X - X.mean(axis=0)
    norm = method.scores_
    H = X.T @ X + 2 * method.graph_weight * X.T @ L @ X
    D = np.diag(method.alpha_ / np.maximum(norm, 1e-6 * norm.max()))
    W = np.linalg.solve(H + D, X.T @ X)
    pull = np.linalg.norm(H @ W - X.T @ X, axis=1) / method.alpha_
    assert pull.max() < 1.02
    np.testing.assert_allclose(pull[norm > 0.05 * norm.max()], 1, atol=0.02)


def test_scores_at_the_default_tol_are_those_of_the_optimum(yale):
    X = yale[:, ::8]
    default = GSRSFS(scale=None).fit(X)
    assert default.converged_
    optimum = GSRSFS(scale=None, tol=1e-10, max_iter=2000).fit(X).scores_
    assert abs(default.scores_ - optimum).max() < 0.05 * optimum.max()
