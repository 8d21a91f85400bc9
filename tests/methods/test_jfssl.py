"""JFSSL against textbook updates in both of its forms."""

import numpy as np
import pytest

from graphsieve import JFSSL, MRSF
from tests.helpers.awkward import tables
from tests.helpers.dense_spectral import centred, dense_embedding, dense_graph
from tests.helpers.row_sparse_reference import coordinate_descent
from tests.helpers.textbook import without_momentum

TABLES = tables()
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def embedded(X, n_components, **graph):
    return centred(X), centred(dense_embedding(dense_graph(X, **graph), n_components))


def reweighted(X, Y, n_iter):
    """W = C X'(X C X')^+ Y with C = diag |W_j|, from the solution of least norm."""
    norms = np.linalg.norm(np.linalg.pinv(X, rcond=1e-10) @ Y, axis=1)
    eps = 1e-6 * norms.max()
    for _ in range(n_iter):
        weight = np.sqrt(norms**2 + eps**2)
        W = weight[:, None] * X.T @ np.linalg.pinv((X * weight) @ X.T, rcond=1e-12) @ Y
        norms = np.linalg.norm(W, axis=1)
    return norms


def exact_tables():
    rng = np.random.default_rng(0)
    wide = rng.random((14, 31))
    constant = rng.random((12, 30))
    constant[:, 7] = 2.0
    return {
        "wide": wide,
        "just wide enough": rng.random((16, 15)),
        "duplicate features": np.hstack([wide[:, :20]] * 2),
        "constant feature": constant,
        "ties": rng.integers(0, 3, (12, 40)).astype(float),
        "two far clusters": np.kron(np.eye(2), np.ones((9, 20))) * (1 + rng.random((18, 40))),
    }


EXACT = exact_tables()


@pytest.mark.parametrize("name", EXACT)
def test_exact_form_equals_the_formula(name):
    X = EXACT[name]
    with without_momentum():
        method = JFSSL(scale=None, n_components=3, n_neighbors=4, max_iter=20, tol=0).fit(X)
    assert method.alpha_ == 0
    expected = reweighted(*embedded(X, 3, n_neighbors=4), 20)
    np.testing.assert_allclose(method.scores_, expected, atol=1e-6 * expected.max())
    assert (np.diff(method.objective_trace_) <= 1e-12 * method.objective_trace_[0]).all()


def test_exact_form_equals_the_formula_on_yale(yale):
    with without_momentum():
        method = JFSSL(scale=None, max_iter=10, tol=0).fit(yale)
    expected = reweighted(*embedded(yale, 10), 10)
    np.testing.assert_allclose(method.scores_, expected, atol=1e-6 * expected.max())


def test_exact_form_is_optimal_on_yale(yale):
    """The sum of the norms meets the value of a feasible point of the dual problem."""
    method = JFSSL(scale=None, tol=1e-10, max_iter=2000).fit(yale)
    X, Y = embedded(yale, 10)
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    rank = np.count_nonzero(s > 1e-10 * s[0])
    V, T = Vt[:rank].T, U[:, :rank].T @ Y / s[:rank, None]
    multiplier = np.linalg.solve(V.T @ (method.scores_[:, None] * V), T)
    multiplier /= np.linalg.norm(V @ multiplier, axis=1).max()
    np.testing.assert_allclose(np.vdot(multiplier, T), method.scores_.sum(), rtol=1e-3)


def test_exact_form_is_the_limit_of_the_penalised_one():
    X = EXACT["wide"]
    params = {"n_components": 3, "tol": 1e-10, "max_iter": 5000}
    exact = JFSSL(scale=None, **params).fit(X).scores_
    far, near = (
        abs(JFSSL(scale=None, alpha=alpha, **params).fit(X).scores_ - exact).max()
        for alpha in (1e-3, 1e-6)
    )
    assert near < 1e-3 * exact.max() < far


@pytest.mark.parametrize("name", ["tall", "ties", "duplicate samples", "constant feature"])
def test_penalised_form_equals_the_formula(name):
    X = TABLES[name]
    limit = 2 * np.linalg.norm(np.einsum("ij,iq->jq", *embedded(X, 3)), axis=1).max()
    method = JFSSL(scale=None, n_components=3, alpha=0.05 * limit, tol=1e-9).fit(X)
    W = coordinate_descent(*embedded(X, 3), method.alpha_)
    expected = np.linalg.norm(W, axis=1)
    np.testing.assert_allclose(method.scores_, expected, atol=1e-6 * expected.max())
    assert (np.diff(method.objective_trace_) <= 1e-12 * method.objective_trace_[0]).all()


def test_default_penalty_is_a_hundredth_of_the_limit():
    X = TABLES["tall"]
    centred_X, Y = embedded(X, 10)
    limit = 2 * np.linalg.norm(centred_X.T @ Y, axis=1).max()
    assert JFSSL(scale=None).fit(X).alpha_ == pytest.approx(limit / 100)


def test_duplicate_samples_have_no_exact_solution():
    """Equal rows cannot meet different targets: the penalised form takes over."""
    rng = np.random.default_rng(0)
    X = rng.random((10, 60))
    X = np.vstack([X, X[:1]])
    A = dense_graph(rng.random((11, 4)))
    assert JFSSL(scale=None, n_components=3, affinity=A).fit(X).alpha_ > 0
    assert JFSSL(scale=None, n_components=3, affinity=A[:10, :10]).fit(X[:10]).alpha_ == 0


def test_given_penalty_equals_mrsf():
    X = TABLES["tall"]
    params = {"n_components": 3, "alpha": 0.05, "tol": 1e-10}
    mrsf = MRSF(scale=None, **params).fit(X)
    norms = np.linalg.norm(mrsf.coef_, axis=1)
    np.testing.assert_allclose(JFSSL(scale=None, **params).fit(X).scores_, norms, atol=1e-9)


def test_order_of_columns_and_samples_does_not_matter():
    X = EXACT["wide"]
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    method = JFSSL(scale=None, n_components=3)
    expected = method.fit(X).scores_
    found = method.fit(X[np.ix_(rows, columns)]).scores_
    np.testing.assert_allclose(found, expected[columns], atol=1e-8)


@pytest.mark.parametrize("name", EXACT)
def test_shipped_solver_ends_no_higher_than_the_textbook(name):
    X = EXACT[name]
    method = JFSSL(scale=None, n_components=3, n_neighbors=4).fit(X)
    assert method.converged_
    expected = reweighted(*embedded(X, 3, n_neighbors=4), 400)
    assert method.scores_.sum() <= expected.sum() * (1 + 2e-4)
