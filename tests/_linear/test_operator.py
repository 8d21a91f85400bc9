"""Products with centred columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from graphsieve import GreedyCSS
from graphsieve._linear import data_target, operator
from graphsieve._linear.operator import ColumnOperator
from graphsieve._rows import RowBlocks
from graphsieve._utils.threads import Workers


@pytest.fixture(params=["dense", "csr"])
def table(request, rng):
    X = rng.random((700, 300)) * (rng.random((700, 300)) < 0.3) + 0.5 * (request.param == "dense")
    return X, RowBlocks(X if request.param == "dense" else sp.csr_array(X))


@pytest.mark.parametrize("k", [1, 2, 9])
def test_products_meet_the_definition(table, rng, k):
    X, data = table
    Z = X - X.mean(axis=0)
    columns = ColumnOperator(data)
    V, W = rng.normal(size=(k, 700)), rng.normal(size=(300, k))
    np.testing.assert_allclose(columns.products(V), V @ Z, atol=1e-10)
    np.testing.assert_allclose(columns.combine(W), Z @ W, atol=1e-10)
    np.testing.assert_allclose(columns.column(7), Z[:, 7], atol=1e-12)
    np.testing.assert_allclose(columns.squares, (Z**2).sum(axis=0))


def test_products_of_a_sparse_column_read_the_rows_it_has_entries_in(rng):
    X = rng.random((200, 30)) * (rng.random((200, 30)) < np.linspace(0, 1, 30))
    X[:, 3] = 1000 + rng.random(200)
    Z = X - X.mean(axis=0)
    columns = ColumnOperator(RowBlocks(sp.csr_array(X)))
    n_found = 0
    for j in range(30):
        np.testing.assert_allclose(columns.column(j), Z[:, j], atol=1e-12)
        if (found := columns.products_of_column(j)) is not None:
            np.testing.assert_allclose(found, Z[:, j] @ Z, atol=1e-9)
            n_found += 1
    assert 4 < n_found < 12  # those with at most 50 entries
    assert ColumnOperator(RowBlocks(X)).products_of_column(1) is None


@pytest.mark.parametrize(("k", "tolerance"), [(2, 1e-13), (9, 1e-5)])
def test_few_products_of_sparse_single_precision_are_in_double(rng, k, tolerance):
    X = (rng.random((700, 40)) * (rng.random((700, 40)) < 0.3)).astype(np.float32)
    columns = ColumnOperator(RowBlocks(sp.csr_array(X)))
    Z = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    V, W = rng.random((k, 700)), rng.random((40, k))
    np.testing.assert_allclose(columns.products(V), V @ Z, atol=300 * tolerance)
    np.testing.assert_allclose(columns.combine(W), Z @ W, atol=300 * tolerance)


def test_result_does_not_depend_on_threads(table, rng, monkeypatch):
    monkeypatch.setattr(operator, "_LARGE", 0)
    monkeypatch.setattr(operator, "_SPARSE_BYTES", {"few": 2**12, "many": 2**12})
    monkeypatch.setattr(operator, "BLOCK_BYTES", 2**12)
    V = rng.normal(size=(2, 700))
    one, three = (ColumnOperator(table[1], n_jobs=n).products(V) for n in (1, 3))
    np.testing.assert_array_equal(one, three)


def test_kept_threads_change_no_product(table, rng, monkeypatch):
    monkeypatch.setattr(operator, "_LARGE", 0)
    columns = ColumnOperator(table[1], n_jobs=2)
    V, W = rng.normal(size=(2, 700)), rng.normal(size=(300, 1))
    products, combined = columns.products(V), columns.combine(W)
    with columns.threads():
        np.testing.assert_array_equal(columns.products(V), products)
        np.testing.assert_array_equal(columns.combine(W), combined)
    np.testing.assert_array_equal(columns.products(V), products)


def test_picks_have_all_threads_while_blas_has_one(rng, monkeypatch):
    monkeypatch.setattr(operator, "_LARGE", 0)
    monkeypatch.setattr(data_target, "MOST_SQUARE", 10)
    opened = []

    class Noted(Workers):
        def __init__(self, n_jobs):
            super().__init__(n_jobs)
            opened.append(self.n)

    monkeypatch.setattr(operator, "Workers", Noted)
    X = sp.random_array((60, 40), density=0.3, format="csr", rng=rng)
    with threadpool_limits(3, user_api="openmp"):  # what n_jobs=None stands for
        GreedyCSS(3).fit(X)
    assert set(opened) == {3}
