"""MRSF against coordinate descent on a dense spectral embedding, and its optimality conditions."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from graphsieve import MCFS, MRSF
from graphsieve.evaluation import redundancy
from tests.helpers.awkward import tables
from tests.helpers.dense_spectral import (
    centred,
    dense_embedding,
    dense_graph,
    large_graph,
    with_zero_rows_ranked,
)
from tests.helpers.row_sparse_reference import check_optimal, coordinate_descent

TABLES = tables()


def test_copies_are_not_excluded_and_the_documentation_says_so():
    X = load_breast_cancer().data
    assert redundancy(X[:, MRSF().fit(X).order_[:6]]) > 0.8
    assert "copies are not excluded" in MRSF.__doc__


def embedded(X, n_components, **graph):
    return centred(X), centred(dense_embedding(dense_graph(X, **graph), n_components))


def check(X, n_components=3, n_nonzero=4, **graph):
    method = MRSF(scale=None, n_components=n_components, n_nonzero=n_nonzero, **graph).fit(X)
    X, Y = embedded(X, n_components, **graph)
    W = coordinate_descent(X, Y, method.alpha_)
    strength = np.linalg.norm(W, axis=1)
    misfit = np.linalg.norm(X.T @ (Y - X @ W), axis=1)
    expected = with_zero_rows_ranked(strength, misfit, np.linalg.norm(X, axis=0))
    np.testing.assert_allclose(method.scores_, expected, atol=1e-6 * strength.max())
    return method


@pytest.mark.parametrize("name", [name for name in TABLES if name != "duplicate features"])
def test_equals_the_formula(name):
    method = check(TABLES[name], n_neighbors=4)
    assert method.converged_
    assert (np.diff(method.objective_trace_) <= 1e-12 * method.objective_trace_[0]).all()


@pytest.mark.slow
def test_equals_the_formula_on_yale(yale):
    check(yale[:, ::4], n_components=10, n_nonzero=15)


@pytest.mark.parametrize("n_components", [10, 40])
def test_is_optimal_on_yale(yale, n_components):
    method = MRSF(scale=None, n_components=n_components).fit(yale)
    X, Y = embedded(yale, n_components)
    # The signs of the embedding are free: compare with the signs that fit the weights best.
    Y = Y * np.sign(np.einsum("iq,iq->q", X @ method.coef_, Y))
    check_optimal(X, Y, method.coef_, method.alpha_, tol=1e-6)
    assert np.count_nonzero(method.coef_.any(axis=1)) >= 100


def test_path_stops_at_the_first_penalty_with_enough_columns():
    X = TABLES["wide"]
    method = MRSF(scale=None, n_components=3, n_nonzero=8).fit(X)
    before = method.alpha_ * 1000 ** (1 / 99)
    active = [
        np.count_nonzero(MRSF(scale=None, n_components=3, alpha=alpha).fit(X).coef_.any(axis=1))
        for alpha in (before, method.alpha_)
    ]
    assert active[0] < 8 <= active[1]


def test_largest_penalty_leaves_no_weights_but_a_ranking():
    X, Y = embedded(TABLES["tall"], 3)
    limit = 2 * np.linalg.norm(X.T @ Y, axis=1).max()
    method = MRSF(scale=None, n_components=3, alpha=limit).fit(TABLES["tall"])
    assert not method.coef_.any()
    match = np.linalg.norm(X.T @ Y, axis=1) / np.linalg.norm(X, axis=0)
    np.testing.assert_array_equal(method.order_, np.argsort(-match))
    assert MRSF(scale=None, n_components=3, alpha=0.99 * limit).fit(TABLES["tall"]).coef_.any()


def test_copies_of_a_feature_share_its_weight():
    X = TABLES["duplicate features"]
    params = {"n_components": 3, "affinity": dense_graph(X), "alpha": 0.05}
    both = MRSF(scale=None, **params).fit(X)
    alone = MRSF(scale=None, **params).fit(X[:, :9])
    assert alone.coef_.any()
    np.testing.assert_allclose(both.coef_[:9] + both.coef_[9:], alone.coef_, atol=1e-6)


def test_one_direction_is_the_lasso_of_mcfs():
    X = TABLES["tall"]
    lasso = MCFS(scale=None, n_components=1, n_nonzero=4).fit(X)
    centred_X, Y = embedded(X, 1)
    Y = Y * np.sign(centred_X @ lasso.coef_[:, 0] @ Y[:, 0])
    alpha = 2 * abs(centred_X.T @ (Y - centred_X @ lasso.coef_)).max()
    method = MRSF(scale=None, n_components=1, alpha=alpha).fit(X)
    np.testing.assert_allclose(method.coef_, lasso.coef_, atol=1e-7)


def test_sparse_equals_dense():
    rng = np.random.default_rng(0)
    X = rng.random((60, 30)) * (rng.random((60, 30)) > 0.7)
    method = MRSF(scale=None, n_nonzero=12)
    dense = method.fit(X).scores_
    np.testing.assert_allclose(method.fit(sp.csr_array(X)).scores_, dense, rtol=1e-6)


def test_order_of_columns_and_samples_does_not_matter():
    X = TABLES["tall"]
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    method = MRSF(scale=None, n_components=3, n_nonzero=5)
    expected = method.fit(X).scores_
    found = method.fit(X[np.ix_(rows, columns)]).scores_
    np.testing.assert_allclose(found, expected[columns], rtol=1e-7)


def test_too_few_iterations_give_a_warning():
    with pytest.warns(
        ConvergenceWarning, match="MRSF stopped after 1 iterations: it reached max_iter"
    ):
        MRSF(scale=None, max_iter=1).fit(TABLES["wide"])


def test_no_dense_graph(rng):
    n = 5000
    X = rng.random((n, 8))
    A = large_graph(n)
    tracemalloc.start()
    MRSF(scale=None, n_components=2, affinity=A).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * 8 * n**2
