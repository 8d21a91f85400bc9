"""The lasso and row-sparse solvers against coordinate descent and their optimality conditions."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._linear.columns import Columns
from graphsieve._linear.row_sparse import (
    InnerProducts,
    penalty_limit,
    penalty_path,
    row_sparse,
    row_sparse_path,
)
from graphsieve._rows import RowBlocks
from graphsieve._utils.monitor import Monitor
from graphsieve.methods.jfssl import interpolate
from graphsieve.methods.mcfs import lasso
from tests.helpers.row_sparse_reference import check_optimal, coordinate_descent

SHAPES = [(15, 40), (25, 25), (60, 12)]


def problem(n, d, m=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5)) @ rng.random((5, d)) + rng.random((n, d))
    Y = rng.normal(size=(n, m))
    return X - X.mean(axis=0), Y - Y.mean(axis=0)


def products_of(X):
    return InnerProducts(Columns.varying(RowBlocks(X)))


def solve(X, Y, alpha, max_iter=200, callback=None):
    XtY = X.T @ Y
    monitor = Monitor(max_iter=max_iter, tol=1e-9, callback=callback)
    return row_sparse(products_of(X), XtY, np.vdot(Y, Y), alpha, np.zeros_like(XtY), monitor)


def solve_path(X, Y, alphas, callback=None, **params):
    monitor = Monitor(max_iter=100, tol=1e-9, callback=callback)
    return row_sparse_path(products_of(X), X.T @ Y, np.vdot(Y, Y), alphas, monitor, **params)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("share", [0.5, 0.1, 0.03])
def test_row_sparse_equals_coordinate_descent(shape, share):
    X, Y = problem(*shape)
    alpha = share * penalty_limit(X.T @ Y)
    result = solve(X, Y, alpha)
    np.testing.assert_allclose(result.x, coordinate_descent(X, Y, alpha), atol=1e-6)
    check_optimal(X, Y, result.x, alpha, tol=1e-7)
    assert result.converged
    objective = ((Y - X @ result.x) ** 2).sum() + alpha * np.linalg.norm(result.x, axis=1).sum()
    np.testing.assert_allclose(result.trace[-1], objective, rtol=1e-10)
    assert (np.diff(result.trace) <= 1e-12 * result.trace[0]).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_limit_is_where_the_first_row_appears(shape):
    X, Y = problem(*shape)
    limit = penalty_limit(X.T @ Y)
    assert not solve(X, Y, limit).x.any()
    assert solve(X, Y, 0.999 * limit).x.any(axis=1).sum() == 1


def test_copies_of_a_column_share_one_weight():
    X, Y = problem(30, 8)
    alpha = 0.1 * penalty_limit(X.T @ Y)
    alone = solve(X, Y, alpha).x
    both = solve(np.hstack([X, X]), Y, alpha)
    assert both.converged
    np.testing.assert_allclose(both.x[:8] + both.x[8:], alone, atol=1e-7)


def test_result_does_not_depend_on_the_start():
    X, Y = problem(25, 25)
    alpha = 0.05 * penalty_limit(X.T @ Y)
    rng = np.random.default_rng(1)
    start = rng.normal(size=(25, 4)) * (rng.random((25, 1)) > 0.5)
    monitor = Monitor(max_iter=200, tol=1e-9)
    result = row_sparse(products_of(X), X.T @ Y, np.vdot(Y, Y), alpha, start, monitor)
    np.testing.assert_allclose(result.x, solve(X, Y, alpha).x, atol=1e-7)
    assert (np.diff(result.trace) <= 1e-12 * result.trace[0]).all()


def test_too_few_iterations_are_said():
    X, Y = problem(15, 40)
    result = solve(X, Y, 0.01 * penalty_limit(X.T @ Y), max_iter=2)
    assert result.status == "max_iter"
    assert result.n_iter == 2


def test_path_ends_at_the_first_penalty_with_enough_rows():
    X, Y = problem(15, 40)
    alphas = penalty_path(penalty_limit(X.T @ Y))
    result, alpha = solve_path(X, Y, alphas, n_nonzero=10)
    counts = [solve(X, Y, a).x.any(axis=1).sum() for a in alphas[alphas >= alpha]]
    assert counts[-1] >= 10
    assert max(counts[:-1]) < 10
    np.testing.assert_allclose(result.x, solve(X, Y, alpha).x, atol=1e-8)


def test_callback_sees_every_step_and_stops_the_solver():
    X, Y = problem(15, 40)
    alpha = 0.01 * penalty_limit(X.T @ Y)
    seen = []
    result = solve(X, Y, alpha, callback=lambda step, value: seen.append((step, value)))
    assert seen == list(enumerate(result.trace))[1:]
    result = solve(X, Y, alpha, callback=lambda step, value: step == 2)
    assert (result.status, result.n_iter) == ("stopped", 2)


def test_callback_ends_the_path():
    X, Y = problem(15, 40)
    alphas = penalty_path(penalty_limit(X.T @ Y))
    result, alpha = solve_path(X, Y, alphas, n_nonzero=10, callback=lambda step, value: True)
    assert result.status == "stopped"
    assert alpha == alphas[1]  # at the first, W = 0 needs no step


def test_path_to_a_penalty():
    path = penalty_path(8.0, 1.0)
    assert path[0] == pytest.approx(8.0)
    assert path[-1] == 1.0
    assert (np.diff(path) < 0).all()
    assert penalty_path(8.0, 9.0).tolist() == [9.0]


@pytest.mark.parametrize("share", [0.3, 0.01])
def test_only_the_end_of_a_path_to_a_penalty_is_exact(share):
    X, Y = problem(15, 40)
    limit = penalty_limit(X.T @ Y)
    alpha = share * limit
    result, reached = solve_path(X, Y, penalty_path(limit, alpha))
    assert result.converged
    assert reached == alpha
    check_optimal(X, Y, result.x, alpha, tol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_nonzero", [1, 4, 10])
def test_lasso_is_optimal_and_cannot_spare_more_penalty(shape, n_nonzero):
    X, Y = problem(*shape, m=1)
    w = lasso(products_of(X), X.T @ Y[:, 0], n_nonzero)
    assert np.count_nonzero(w) == n_nonzero
    alpha = 2 * abs(X.T @ (Y[:, 0] - X @ w)).max()
    check_optimal(X, Y, w[:, None], alpha, tol=1e-7)
    # A little less penalty, and one weight more is needed.
    assert np.count_nonzero(coordinate_descent(X, Y, 0.9999 * alpha)) == n_nonzero + 1


def test_lasso_equals_coordinate_descent_where_weights_come_and_go():
    """With many correlated columns some weights fall back to zero along the way."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 30)) + rng.normal(size=(40, 1))
    y = X @ np.where(np.arange(30) < 10, rng.normal(size=30), 0) + rng.normal(size=40)
    X, y = X - X.mean(axis=0), y - y.mean()
    products = products_of(X)
    for n_nonzero in (3, 8, 13, 18, 23, 28):
        w = lasso(products, X.T @ y, n_nonzero)
        alpha = 2 * abs(X.T @ (y - X @ w)).max()
        np.testing.assert_allclose(
            w, coordinate_descent(X, y[:, None], alpha)[:, 0], atol=1e-6, err_msg=str(n_nonzero)
        )


def test_lasso_takes_one_of_two_copies():
    X, Y = problem(30, 8, m=1)
    alone = lasso(products_of(X), X.T @ Y[:, 0], 5)
    X = np.hstack([X, -X])
    w = lasso(products_of(X), X.T @ Y[:, 0], 5)
    np.testing.assert_allclose(w[:8], alone, atol=1e-10)
    assert not w[8:].any()


def test_lasso_stops_when_all_is_explained():
    X, _ = problem(30, 8)
    w = lasso(products_of(X), X.T @ X[:, 3], 8)
    np.testing.assert_allclose(w, np.arange(8) == 3, atol=1e-8)


def test_lasso_of_nothing():
    X, _ = problem(30, 8)
    assert not lasso(products_of(X), np.zeros(8), 3).any()


@pytest.mark.parametrize("n_targets", [1, 3])
def test_interpolation_has_no_duality_gap(n_targets):
    """Sum |W_j| equals the dual value of a feasible point, so W is the minimiser."""
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.normal(size=(50, 12)))[0]
    T = rng.normal(size=(12, n_targets))
    result = interpolate(V, T, Monitor(max_iter=5000, tol=1e-12))
    multiplier = np.linalg.solve(V.T @ (result.x[:, None] * V), T)
    multiplier /= np.linalg.norm(V @ multiplier, axis=1).max()
    np.testing.assert_allclose(np.vdot(multiplier, T), result.x.sum(), rtol=1e-4)
    assert (np.diff(result.trace) <= 1e-12 * result.trace[0]).all()


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_equal_plain_products(container, rng):
    X = rng.random((20, 40)) * (rng.random((20, 40)) > 0.5) + 3.0
    C = X - X.mean(axis=0)
    products = InnerProducts(Columns.varying(RowBlocks(container(X))))
    some = np.array([7, 2, 30])
    np.testing.assert_allclose(products.gram(some), C[:, some].T @ C[:, some], atol=1e-10)
    np.testing.assert_allclose(products.with_column(4, np.ones(40)), C.T @ C[:, 4], atol=1e-10)
    products.keep(np.arange(25))
    W = rng.normal(size=(3, 2))
    np.testing.assert_allclose(products.combine(some, W), C.T @ C[:, some] @ W, atol=1e-10)
    full = np.zeros((40, 2))
    full[some] = W
    XtY = C.T @ rng.normal(size=(20, 2))
    expected = XtY - C.T @ C @ full
    np.testing.assert_allclose(products.residual_products(XtY, full), expected, atol=1e-10)
