"""MCFS against scikit-learn's lasso path on a dense spectral embedding."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import loadmat
from sklearn.linear_model import lars_path

from graphsieve import MCFS
from graphsieve._graph.affinity import build_graph
from graphsieve._graph.spectral import embedding
from graphsieve._rows import RowBlocks
from tests.helpers.awkward import tables
from tests.helpers.dense_spectral import (
    centred,
    dense_embedding,
    dense_graph,
    large_graph,
    with_zero_rows_ranked,
)

TABLES = tables()


def lasso_with(X, y, n_nonzero):
    """The point of the path at which one weight too many would enter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = lars_path(X, y, method="lasso", eps=1e-12)[2]
    for before, after in zip(path.T[:-1], path.T[1:], strict=True):
        if np.count_nonzero((before != 0) | (after != 0)) > n_nonzero:
            return before
    return path[:, -1]


def reference_weights(X, n_components, n_nonzero, **graph):
    Y = centred(dense_embedding(dense_graph(X, **graph), n_components))
    return np.column_stack([lasso_with(centred(X), y, n_nonzero) for y in Y.T]), Y


def check(X, n_components=3, n_nonzero=5, **graph):
    method = MCFS(scale=None, n_components=n_components, n_nonzero=n_nonzero, **graph).fit(X)
    W, Y = reference_weights(X, n_components, n_nonzero, **graph)
    X = centred(X)
    misfit = abs(X.T @ (Y - X @ W)).max(axis=1)
    norms = np.linalg.norm(X, axis=0)
    expected = with_zero_rows_ranked(abs(W).max(axis=1), misfit, norms)
    np.testing.assert_allclose(abs(method.coef_), abs(W), atol=1e-6 * abs(W).max())
    np.testing.assert_allclose(method.scores_, expected, atol=1e-6 * abs(W).max())


@pytest.mark.parametrize("name", [name for name in TABLES if name != "duplicate features"])
def test_equals_the_formula(name):
    check(TABLES[name], n_neighbors=4)


@pytest.mark.slow
def test_equals_the_formula_on_yale(yale):
    check(yale, n_components=5, n_nonzero=20)


def test_copies_of_a_feature_do_not_change_the_fit():
    """The weight of a column goes to one of its copies; the other comes right after the chosen."""
    X = TABLES["duplicate features"]
    params = {"n_components": 3, "n_nonzero": 4, "affinity": dense_graph(X)}
    both = MCFS(scale=None, **params).fit(X)
    alone = MCFS(scale=None, **params).fit(X[:, :9])
    np.testing.assert_allclose(both.coef_[:9], alone.coef_, atol=1e-9)
    assert not both.coef_[9:].any()


def test_more_components_than_directions():
    X = np.kron(np.eye(4), np.ones((7, 3))) * (1 + np.random.default_rng(0).random((28, 12)))
    check(X, n_components=2, n_nonzero=3, n_neighbors=3)


def test_isolated_samples():
    X = np.vstack([TABLES["tall"], np.zeros((2, 11))])
    with pytest.warns(UserWarning, match="all zero"):
        check(X)


def test_sparse_equals_dense():
    rng = np.random.default_rng(0)
    X = rng.random((60, 30)) * (rng.random((60, 30)) > 0.7)
    method = MCFS(scale=None, n_nonzero=8)
    dense = method.fit(X).scores_
    np.testing.assert_allclose(method.fit(sp.csr_array(X)).scores_, dense, rtol=1e-6)


def test_every_direction_has_the_weights_asked_for():
    X = np.random.default_rng(0).random((60, 90))
    for n_nonzero in (1, 7, 40):
        W = MCFS(scale=None, n_components=4, n_nonzero=n_nonzero).fit(X).coef_
        np.testing.assert_array_equal(np.count_nonzero(W, axis=0), n_nonzero)


def test_negative_weights_count():
    """scikit-feature ranks by the largest weight, not by the largest size."""
    X = TABLES["tall"]
    method = MCFS(scale=None, n_components=3, n_nonzero=5)
    flipped = X * np.where(np.arange(X.shape[1]) % 2, -1, 1)
    A = dense_graph(X)
    np.testing.assert_allclose(
        method.set_params(affinity=A).fit(flipped).scores_, method.fit(X).scores_, rtol=1e-8
    )


def test_order_of_columns_and_samples_does_not_matter():
    X = TABLES["tall"]
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    method = MCFS(scale=None, n_components=3, n_nonzero=5)
    expected = method.fit(X).scores_
    found = method.fit(X[np.ix_(rows, columns)]).scores_
    np.testing.assert_allclose(found, expected[columns], rtol=1e-8)


def test_no_dense_graph(rng):
    n = 5000
    X = rng.random((n, 8))
    A = large_graph(n)
    tracemalloc.start()
    MCFS(scale=None, n_components=2, affinity=A).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * 8 * n**2


@pytest.mark.filterwarnings("ignore:.*have no cosine")
def test_words_that_depend_on_each_other(real_data):
    """In few texts many counts are sums of others, to the last digit."""
    X = loadmat(real_data / "PCMAC.mat")["X"][:50].astype(np.float64)
    method = MCFS(scale=None).fit(X)
    Y = embedding(build_graph(RowBlocks(X)), method.n_components, 0)
    Z, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    for w, y in zip(method.coef_.T, Y.T, strict=True):
        correlation = Z.T @ (y - Z @ w)
        largest = abs(correlation).max()
        assert np.count_nonzero(w) > 10
        expected = largest * np.sign(w[w != 0])
        np.testing.assert_allclose(correlation[w != 0], expected, atol=1e-8 * abs(Z.T @ y).max())
