"""RSR against its d x d formula, its optimality conditions, and its known corners."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import RSR
from tests.helpers.awkward import tables
from tests.helpers.textbook import without_momentum

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:alpha is so small"),
]
TABLES = tables()


def reference(X, alpha, n_solves):
    """Textbook update: (C X'GX + alpha I) W = C X'GX, d x d."""
    X = X - X.mean(axis=0)
    length = np.linalg.norm(X, axis=1)
    eps_e, eps_w = 1e-6 * length.max(), 1e-6
    g = 0.5 / np.sqrt(length**2 + eps_e**2)
    c = 2 * np.sqrt(np.full(X.shape[1], 0.25) + eps_w**2)
    varying = X.any(axis=0)
    trace = []
    for _ in range(n_solves):
        M = c[:, None] * (X.T @ (g[:, None] * X))
        W = np.linalg.solve(M + alpha * np.eye(len(c)), M)
        residual = np.sqrt(((X - X @ W) ** 2).sum(axis=1) + eps_e**2)
        norm = np.sqrt((W**2).sum(axis=1) + eps_w**2)
        g, c = 0.5 / residual, 2 * norm
        trace.append(residual.sum() + alpha * norm[varying].sum())
    return W, np.array(trace)


def check(X, alpha=None, max_iter=15):
    with without_momentum():
        rsr = RSR(scale=None, alpha=alpha, max_iter=max_iter, tol=0).fit(X)
    W, trace = reference(X, rsr.alpha_, max_iter + 1)
    np.testing.assert_allclose(rsr.scores_, np.linalg.norm(W, axis=1), atol=1e-6)
    np.testing.assert_allclose(rsr.objective_trace_, trace, rtol=1e-8)
    assert (np.diff(rsr.objective_trace_) <= 1e-10 * trace[:-1]).all()
    assert rsr.n_iter_ == max_iter


@pytest.mark.parametrize("share", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("name", TABLES)
def test_equals_the_formula(name, share):
    X = TABLES[name]
    check(X, share * RSR(scale=None, max_iter=1).fit(X).alpha_)


@pytest.mark.slow
def test_equals_the_formula_on_yale(yale):
    check(yale, max_iter=10)


@pytest.mark.parametrize("shape", [(20, 50), (60, 12)])
def test_optimality_conditions(rng, shape):
    """|sum_i x_ij e_i / |e_i|| is alpha for rows in use and at most alpha for the others."""
    X = rng.standard_normal((shape[0], 3)) @ rng.standard_normal((3, shape[1]))
    X += rng.standard_normal(shape)
    alpha = 5 * RSR(scale=None, max_iter=1).fit(X).alpha_
    rsr = RSR(scale=None, alpha=alpha, max_iter=4000, tol=1e-13).fit(X)
    W, _ = reference(X, alpha, 4000)
    np.testing.assert_allclose(rsr.scores_, np.linalg.norm(W, axis=1), atol=1e-3)
    X = X - X.mean(axis=0)
    E = X - X @ W
    pull = np.linalg.norm(X.T @ (E / np.linalg.norm(E, axis=1, keepdims=True)), axis=1)
    used = rsr.scores_ > 1e-3
    assert 0 < used.sum() < len(used)
    np.testing.assert_allclose(pull[used], alpha, rtol=1e-3)
    assert (pull <= alpha * (1 + 1e-3)).all()


@pytest.mark.parametrize("shape", [(20, 50), (60, 12)])
def test_default_alpha_is_a_tenth_of_the_largest_useful_one(rng, shape):
    X = rng.standard_normal(shape)
    largest = 10 * RSR(scale=None, max_iter=1).fit(X).alpha_
    above = RSR(scale=None, alpha=1.1 * largest, max_iter=2000, tol=1e-12).fit(X)
    below = RSR(scale=None, alpha=0.9 * largest, max_iter=2000, tol=1e-12).fit(X)
    assert above.scores_.max() < 1e-4
    assert below.scores_.max() > 1e-2


def test_exact_fit_of_tall_data_is_said(rng):
    X = rng.standard_normal((60, 8))
    with pytest.warns(UserWarning, match="rounding noise"):
        rsr = RSR(scale=None, alpha=1e-2).fit(X)
    np.testing.assert_allclose(rsr.scores_, 1, atol=1e-3)


def test_exact_fit_of_wide_data_is_said(rng):
    X = rng.standard_normal((10, 40))
    with pytest.warns(UserWarning, match="no longer depend on alpha"):
        small = RSR(scale=None, alpha=1e-3, max_iter=2000, tol=1e-12).fit(X)
    with pytest.warns(UserWarning, match="no longer depend on alpha"):
        smaller = RSR(scale=None, alpha=1e-4, max_iter=2000, tol=1e-12).fit(X)
    np.testing.assert_allclose(small.scores_, smaller.scores_, atol=1e-2)


def test_no_warning_when_the_fit_is_not_exact(rng):
    X = TABLES["wide"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", "RSR reached")
        RSR(scale=None).fit(X)


def test_units_do_not_matter():
    X = TABLES["wide"]
    np.testing.assert_allclose(
        RSR(scale=None).fit(1000 * X + 7).scores_, RSR(scale=None).fit(X).scores_, rtol=1e-5
    )


@pytest.mark.parametrize("name", ["wide", "tall"])
def test_order_of_samples_and_columns_does_not_matter(rng, name):
    X = TABLES[name]
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    scores = RSR(scale=None).fit(X).scores_
    np.testing.assert_allclose(
        RSR(scale=None).fit(X[rows][:, columns]).scores_, scores[columns], rtol=1e-6
    )


def test_copies_share_their_weight():
    scores = RSR(scale=None).fit(TABLES["duplicate features"]).scores_
    np.testing.assert_allclose(scores[:9], scores[9:], rtol=1e-6)


@pytest.mark.parametrize("rate", [0.05, 0.3])
@pytest.mark.parametrize("shape", [(30, 80), (80, 30)])
def test_counts(rng, shape, rate):
    X = rng.poisson(rate, shape).astype(float)
    check(X)
    dense, sparse = (
        RSR(scale=None, max_iter=20).fit(X),
        RSR(scale=None, max_iter=20).fit(sp.csr_array(X)),
    )
    np.testing.assert_allclose(sparse.scores_, dense.scores_, rtol=1e-6, atol=1e-10)


@pytest.mark.filterwarnings("ignore:all columns of X are constant")
def test_all_columns_constant():
    rsr = RSR(scale=None).fit(np.tile([1.0, 2.0, 0.1], (5, 1)))
    np.testing.assert_array_equal(rsr.scores_, 0)
    assert rsr.converged_


def test_no_d_by_d_matrix(rng):
    X = rng.standard_normal((10, 3000))
    tracemalloc.start()
    RSR(scale=None, max_iter=3).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 3000**2 / 10


@pytest.mark.parametrize("alpha", [0, -1.0, "large"])
def test_impossible_alpha(alpha):
    with pytest.raises(ValueError, match="alpha"):
        RSR(scale=None, alpha=alpha).fit(TABLES["tall"])


@pytest.mark.parametrize("name", TABLES)
def test_shipped_solver_ends_no_higher_than_the_textbook(name):
    X = TABLES[name]
    rsr = RSR(scale=None).fit(X)
    assert rsr.converged_
    _, trace = reference(X, rsr.alpha_, 1000)
    assert rsr.objective_trace_[-1] <= trace[-1] * (1 + 2e-4)


def test_default_alpha_does_not_lead_to_the_warning(rng):
    """Normal numbers, n > d: a tenth of the largest alpha would fit exactly."""
    X = rng.standard_normal((300, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        rsr = RSR(max_iter=400).fit(X)
    assert rsr.scores_.max() < 0.99
    with pytest.warns(UserWarning, match="alpha is so small"):
        RSR(alpha=0.1 * rsr.alpha_).fit(X)
