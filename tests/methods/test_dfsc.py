"""DFSC against the formula that its documentation states."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import DFSC, GSRSFS
from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._rows import RowBlocks
from graphsieve.methods import dfsc as module
from graphsieve.methods.dfsc import solve_laplacian
from tests.helpers.awkward import tables
from tests.helpers.textbook import without_momentum

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
TABLES = tables()


def feature_laplacian(X, n_neighbors):
    """Each column joined to those of largest positive correlation, one column at a time."""
    X = X / np.linalg.norm(X, axis=0)
    S = np.rint(X.T @ X / 2.0**-33) * 2.0**-33
    A = np.zeros_like(S)
    for j, row in enumerate(S):
        row = row.copy()
        row[j] = -np.inf
        for k in np.argsort(-row, kind="stable")[:n_neighbors]:
            A[j, k] = A[k, j] = max(S[j, k], 0)
    return np.diag(A.sum(axis=0)) - A


def reference(X, L, graph_weight, feature_graph_weight, alpha, n_solves):
    """(X'X + graph_weight X'LX + feature_graph_weight L_f + alpha Q / 2) S = X'X."""
    varying = X.std(axis=0) > 1e-12
    X = (X - X.mean(axis=0))[:, varying]
    d = X.shape[1]
    L_f = feature_graph_weight * feature_laplacian(X, min(5, d - 1))
    q, eps, trace = np.full(d, 2.0), None, []
    for _ in range(n_solves):
        H = X.T @ X + graph_weight * X.T @ L @ X + L_f
        S = np.linalg.solve(H + alpha / 2 * np.diag(q), X.T @ X)
        norm = np.linalg.norm(S, axis=1)
        eps = 1e-6 * norm.max() if eps is None else eps
        q = 1 / np.sqrt(norm**2 + eps**2)
        fit = X @ S
        trace.append(
            ((X - fit) ** 2).sum()
            + graph_weight * np.trace(fit.T @ L @ fit)
            + np.trace(S.T @ L_f @ S)
            + alpha * np.sqrt(norm**2 + eps**2).sum()
        )
    scores = np.zeros(len(varying))
    scores[varying] = norm
    return scores, np.array(trace)


def check(X, max_iter=12, **params):
    with without_momentum():
        method = DFSC(scale=None, max_iter=max_iter, tol=0, **params).fit(X)
    L = laplacian(build_graph(RowBlocks(X))).toarray()
    weights = method.graph_weight, method.feature_graph_weight_, method.alpha_
    scores, trace = reference(X, L, *weights, max_iter + 1)
    np.testing.assert_allclose(method.scores_, scores, atol=1e-6)
    np.testing.assert_allclose(method.objective_trace_, trace, rtol=1e-9)
    assert (np.diff(method.objective_trace_) <= 1e-10 * trace[:-1]).all()


@pytest.fixture(params=["dense form", "sparse form"])
def form(request, monkeypatch):
    if request.param == "sparse form":
        monkeypatch.setattr(module, "_SMALL", 0)


@pytest.mark.parametrize("name", TABLES)
def test_equals_the_formula(name, form):
    check(TABLES[name])


@pytest.mark.parametrize("feature_graph_weight", [0.0, 10.0])
@pytest.mark.parametrize("name", ["wide", "tall"])
def test_other_weights(name, feature_graph_weight, form):
    check(TABLES[name], graph_weight=2.0, feature_graph_weight=feature_graph_weight)


@pytest.mark.slow
def test_equals_the_formula_on_yale(yale, form):
    check(yale, max_iter=4)


@pytest.mark.parametrize("name", ["wide", "tall"])
def test_without_feature_graph_it_is_gsr_sfs(name):
    X = TABLES[name]
    dfsc = DFSC(scale=None, graph_weight=0.4, feature_graph_weight=0.0).fit(X)
    gsr = GSRSFS(scale=None, graph_weight=0.2, alpha=dfsc.alpha_ / 2).fit(X)
    np.testing.assert_allclose(dfsc.scores_, gsr.scores_, rtol=1e-6)
    np.testing.assert_allclose(dfsc.objective_trace_, 2 * gsr.objective_trace_, rtol=1e-9)


def test_units_do_not_matter():
    X = TABLES["wide"]
    np.testing.assert_allclose(
        DFSC(scale=None).fit(100 * X).scores_, DFSC(scale=None).fit(X).scores_, rtol=1e-5
    )


def test_strong_feature_graph_gives_joined_features_like_scores():
    X = TABLES["wide"]
    loose, tight = (DFSC(scale=None, feature_graph_weight=w).fit(X).scores_ for w in (0.0, 1e3))
    assert tight.std() / tight.mean() < 0.5 * loose.std() / loose.mean()


def test_one_column_that_varies():
    X = np.column_stack([np.arange(6.0), np.ones(6)])
    assert DFSC(scale=None).fit(X).order_.tolist() == [0, 1]


def test_no_d_by_d_matrix(rng):
    X = rng.standard_normal((10, 3000))
    X[:, 1::2] = X[:, ::2] + 0.1 * rng.standard_normal((10, 1500))
    # The feature graph itself takes similarities a block of rows at a time.
    A = build_graph(RowBlocks(X))
    tracemalloc.start()
    build_graph(RowBlocks(X.T.copy()))
    of_graph = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    DFSC(scale=None, max_iter=2, affinity=A).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < of_graph + 8 * 3000**2 / 10


@pytest.mark.parametrize("name", TABLES)
def test_shipped_solver_ends_no_higher_than_the_textbook(name):
    X = TABLES[name]
    method = DFSC(scale=None).fit(X)
    assert method.converged_
    L = laplacian(build_graph(RowBlocks(X))).toarray()
    weights = method.graph_weight, method.feature_graph_weight_, method.alpha_
    _, trace = reference(X, L, *weights, 300)
    assert method.objective_trace_[-1] <= trace[-1] * (1 + 2e-4)


def graph_laplacian(rng, d):
    A = np.triu(rng.random((d, d)) * (rng.random((d, d)) < 0.1), k=1)
    A += A.T
    A[7] = A[:, 7] = 0  # an isolated node
    return np.diag(A.sum(axis=0)) - A


@pytest.mark.parametrize("weight", [1e-3, 0.1, 1.0, 100.0, 1e6])
@pytest.mark.parametrize("n_sides", [1, 64, 150])
def test_solves_the_system(rng, weight, n_sides):
    L = graph_laplacian(rng, 40)
    scale = weight * (0.1 + rng.random(40))
    scale[[3, 11]] = 1e-9, 1e-15
    B = rng.standard_normal((n_sides, 40)).T
    expected = np.linalg.solve(L + np.diag(1 / scale), B)
    X = solve_laplacian(sp.csr_array(L), scale, B)
    error = np.linalg.norm(X - expected, axis=1) / np.linalg.norm(expected, axis=1)
    assert error.max() < 1e-9


def test_factorises_only_where_the_laplacian_outweighs_the_diagonal(rng, monkeypatch):
    L, B = sp.csr_array(graph_laplacian(rng, 40)), rng.standard_normal((40, 3))
    used = []
    monkeypatch.setattr(module, "_factorise", lambda *args: used.append(args))
    solve_laplacian(L, np.full(40, 0.01), B)
    assert not used
    solve_laplacian(L, np.full(40, 1e4), B)
    assert used


def test_without_edges(rng):
    scale, B = rng.random(5), rng.standard_normal((5, 2))
    np.testing.assert_allclose(solve_laplacian(sp.csr_array((5, 5)), scale, B), scale[:, None] * B)
