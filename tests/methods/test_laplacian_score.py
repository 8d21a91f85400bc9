"""LaplacianScore against loops over its formula."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import loadmat
from scipy.linalg import eigh

from graphsieve import SPEC, LaplacianScore
from tests.helpers.awkward import tables
from tests.helpers.dense_spectral import dense_graph, large_graph

TABLES = tables()


def reference(X, A):
    D = np.diag(A.sum(axis=1))
    one = np.ones(len(A))
    scores = []
    for x in X.T:
        f = x - (x @ D @ one) / (one @ D @ one)
        below = f @ D @ f
        scores.append(-(f @ (D - A) @ f) / below if below > 1e-12 * (x @ D @ x) else -2.0)
    return np.array(scores)


def check(X, **params):
    method = LaplacianScore(scale=None, **params).fit(X)
    varies = np.ptp(X, axis=0) > 0
    expected = reference(X, dense_graph(X, **params))
    np.testing.assert_allclose(method.scores_[varies], expected[varies], atol=1e-10)


@pytest.mark.parametrize("affinity", ["cosine", "binary", "heat"])
@pytest.mark.parametrize("name", TABLES)
def test_equals_the_formula(name, affinity):
    check(TABLES[name], affinity=affinity, n_neighbors=4)


@pytest.mark.slow
def test_equals_the_formula_on_yale(yale):
    check(yale)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["PCMAC", "BASEHOCK", "RELATHE"])
def test_sparse_text_equals_dense(name, real_data):
    X = sp.csr_array(loadmat(real_data / f"{name}.mat")["X"].astype(float))
    A = LaplacianScore(scale=None).fit(X)
    B = LaplacianScore(scale=None).fit(X.toarray())
    np.testing.assert_allclose(A.scores_, B.scores_, atol=1e-10)


def test_sparse_data_stay_sparse():
    n, d = 1500, 20_000
    X = sp.random_array((n, d), density=1e-3, format="csr", rng=np.random.default_rng(0))
    A = large_graph(n)
    tracemalloc.start()
    LaplacianScore(affinity=A, scale=None).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * 8 * n * d


def test_no_dense_graph(rng):
    n = 5000
    X = rng.random((n, 8))
    A = large_graph(n)
    tracemalloc.start()
    LaplacianScore(affinity=A, scale=None).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * 8 * n**2


def test_units_and_origins_do_not_matter():
    X = TABLES["tall"]
    A = dense_graph(X)
    rng = np.random.default_rng(1)
    moved = X * rng.uniform(-5, 5, X.shape[1]) + rng.uniform(-1e3, 1e3, X.shape[1])
    np.testing.assert_allclose(
        LaplacianScore(affinity=A, scale=None).fit(moved).scores_,
        LaplacianScore(affinity=A, scale=None).fit(X).scores_,
        rtol=1e-6,
    )


def test_eigenvectors_score_their_eigenvalues():
    A = dense_graph(TABLES["tall"])
    D = np.diag(A.sum(axis=1))
    values, Y = eigh(D - A, D)
    method = LaplacianScore(affinity=A, scale=None).fit(Y[:, 1:])
    np.testing.assert_allclose(method.scores_, -values[1:], atol=1e-10)


def test_is_the_second_function_of_spec():
    X = TABLES["wide"]
    np.testing.assert_allclose(
        LaplacianScore(scale=None).fit(X).scores_,
        SPEC(scale=None, criterion="phi2", power=1).fit(X).scores_,
        atol=1e-12,
    )


def test_order_of_samples_does_not_matter():
    X = TABLES["tall"]
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_allclose(
        LaplacianScore(scale=None).fit(X[order]).scores_,
        LaplacianScore(scale=None).fit(X).scores_,
        atol=1e-12,
    )


def test_column_that_varies_on_isolated_samples_only_is_worst():
    X = np.vstack([np.random.default_rng(0).random((20, 4)), np.zeros((1, 4))])
    X[:-1, 2] = 1.0
    with pytest.warns(UserWarning, match="all zero"):
        method = LaplacianScore(scale=None).fit(X)
    assert method.scores_[2] == -2
    assert method.order_[-1] == 2


def test_graph_without_edges_is_an_error():
    with pytest.raises(ValueError, match="no edges"):
        LaplacianScore(n_neighbors=1, scale=None).fit(np.eye(4))


def test_a_few_rows_give_one_warning_about_their_neighbours():
    """No two of these rows have a positive cosine, so the graph is made a second time."""
    with pytest.warns(UserWarning, match="n_neighbors=6 is too large") as caught:
        LaplacianScore(1, n_neighbors=6).fit(np.eye(4))
    assert len(caught) == 1
