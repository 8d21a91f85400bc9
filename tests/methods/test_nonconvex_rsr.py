"""NonconvexRSR against its d x d formula."""

import tracemalloc

import numpy as np
import pytest

from graphsieve import RSR, NonconvexRSR
from tests.helpers.awkward import tables
from tests.helpers.textbook import without_momentum

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:alpha is so small"),
]
TABLES = tables()


def reference(X, alpha, p, n_solves):
    """Textbook updates, d x d: first with p = 1 until little changes, then with p from there."""
    X = X - X.mean(axis=0)
    length = np.linalg.norm(X, axis=1)
    eps_e, eps_w = 1e-6 * length.max(), 1e-6
    norm, residual = np.full(X.shape[1], 0.5), length
    for power in (1.0, p):
        objective = np.inf
        for _ in range(n_solves):
            g = 0.5 / np.sqrt(residual**2 + eps_e**2)
            c = 2 / power * (norm**2 + eps_w**2) ** (1 - power / 2)
            M = c[:, None] * (X.T @ (g[:, None] * X))
            W = np.linalg.solve(M + alpha * np.eye(len(c)), M)
            norm = np.linalg.norm(W, axis=1)
            residual = np.linalg.norm(X - X @ W, axis=1)
            before, objective = objective, residual.sum() + alpha * norm.sum()
            if power == 1 and before - objective < 1e-3 * objective:
                break
    return norm


def check(X, p, max_iter, alpha=None):
    with without_momentum():
        method = NonconvexRSR(scale=None, p=p, alpha=alpha, max_iter=max_iter, tol=0).fit(X)
    expected = reference(X, method.alpha_, p, max_iter + 1)
    np.testing.assert_allclose(method.scores_, expected, atol=1e-6)
    trace = method.objective_trace_
    assert (np.diff(trace) <= 1e-10 * trace[:-1]).all()


@pytest.mark.parametrize("p", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("name", TABLES)
def test_equals_the_formula(name, p):
    check(TABLES[name], p, max_iter=10)


@pytest.mark.slow
def test_equals_the_formula_on_yale(yale):
    check(yale, 0.5, max_iter=6)


@pytest.mark.parametrize("name", ["wide", "tall"])
def test_power_one_is_rsr(name):
    X = TABLES[name]
    settings = {"max_iter": 3000, "tol": 1e-10}
    rsr = RSR(scale=None, **settings).fit(X)
    np.testing.assert_allclose(
        NonconvexRSR(scale=None, p=1.0, **settings).fit(X).scores_, rsr.scores_, atol=1e-3
    )


@pytest.mark.parametrize("name", ["wide", "tall"])
def test_power_near_one_is_near_rsr(name):
    X = TABLES[name]
    one, near = (NonconvexRSR(scale=None, p=p, tol=1e-8).fit(X).scores_ for p in (1.0, 0.999))
    np.testing.assert_allclose(near, one, atol=0.02)


def test_fewer_rows_than_rsr():
    X = TABLES["wide"]
    settings = {"max_iter": 1000, "tol": 1e-9}
    convex, sparse = (
        RSR(scale=None, **settings).fit(X),
        NonconvexRSR(scale=None, p=0.5, **settings).fit(X),
    )
    assert (sparse.scores_ > 1e-3).sum() < (convex.scores_ > 1e-3).sum()


def test_exact_fit_is_said(rng):
    with pytest.warns(UserWarning, match="alpha is so small"):
        NonconvexRSR(scale=None, alpha=1e-6).fit(rng.standard_normal((40, 6)))


def test_no_d_by_d_matrix(rng):
    X = rng.standard_normal((10, 3000))
    tracemalloc.start()
    NonconvexRSR(scale=None, max_iter=3).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 3000**2 / 10


@pytest.mark.parametrize("p", [0, -0.5, 1.5])
def test_impossible_power(p):
    with pytest.raises(ValueError, match="'p'"):
        NonconvexRSR(scale=None, p=p).fit(TABLES["tall"])


@pytest.mark.parametrize("name", TABLES)
def test_shipped_solver_ends_no_higher_than_the_textbook(name):
    """Only the start has momentum; it may lead to another minimum, but to no worse one."""
    X = TABLES[name]
    method = NonconvexRSR(scale=None, max_iter=400).fit(X)
    with without_momentum():  # which equals the formula, as tested above
        settings = {"alpha": method.alpha_, "max_iter": 400, "tol": 0}
        textbook = NonconvexRSR(scale=None, **settings).fit(X)
    assert method.objective_trace_[-1] <= textbook.objective_trace_[-1] * 1.01
