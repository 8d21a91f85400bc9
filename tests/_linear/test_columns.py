"""Products of centred columns against plain matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from graphsieve import GreedyCSS
from graphsieve._linear import columns as module
from graphsieve._linear.columns import Columns, compact_rows
from graphsieve._rows import RowBlocks
from graphsieve._utils.threads import Workers
from graphsieve.methods import css


@pytest.fixture(params=[1, 3])
def workers(request):
    with Workers(request.param) as workers:
        yield workers


def counts(rng, n, d, rate):
    X = rng.poisson(rate, (n, d)).astype(float)
    X[:, 2] = 0
    X[:, 5] += 1000.0  # a column that stores every entry
    return X


@pytest.mark.parametrize("rate", [0.05, 0.6])
@pytest.mark.parametrize("container", [np.asarray, np.float32, sp.csr_array])
@pytest.mark.parametrize("shape", [(12, 30), (30, 12)])
@pytest.mark.parametrize("may_fill", [True, False])
def test_products_of_columns_that_vary(rng, workers, container, shape, rate, may_fill):
    X = counts(rng, *shape, rate)
    columns = Columns.varying(RowBlocks(container(X)), workers, may_fill=may_fill)
    varying = X.std(axis=0) > 0
    Xc = (X - X.mean(axis=0))[:, varying]
    n, d = Xc.shape
    assert columns.is_wide == (n <= d)
    np.testing.assert_array_equal(columns.index, np.flatnonzero(varying))
    np.testing.assert_allclose(columns.dense(), Xc, atol=1e-12)
    np.testing.assert_allclose(columns.norms(), np.linalg.norm(Xc, axis=0))
    np.testing.assert_allclose(columns.take([3, 1]), Xc[:, [3, 1]], atol=1e-12)
    weight, scale = rng.random(n), rng.random(d)
    for k in (1, 2, 4):
        V = rng.standard_normal((n, k))
        np.testing.assert_allclose(columns.products(V), Xc.T @ V, atol=1e-11)
        np.testing.assert_allclose(columns.squares(V), ((V.T @ Xc) ** 2).sum(axis=0), atol=1e-11)
    K = Xc @ Xc.T
    np.testing.assert_allclose(columns.gram(), K, atol=1e-11)
    np.testing.assert_allclose(columns.root @ columns.root.T, K, atol=1e-11)
    expected = np.linalg.norm(Xc.T * weight @ Xc, axis=0)
    np.testing.assert_allclose(columns.correlation(weight), expected, atol=1e-11)
    if columns.is_wide:
        np.testing.assert_allclose(columns.gram(scale), Xc * scale @ Xc.T, atol=1e-11)
        W = rng.standard_normal((d, 3))
        np.testing.assert_allclose(columns.times(W), Xc @ W, atol=1e-11)
    elif not columns.is_sparse:
        W = rng.standard_normal((d, d))
        np.testing.assert_allclose(columns.feature_gram(weight), Xc.T * weight @ Xc, atol=1e-11)
        expected = ((Xc - Xc @ W) ** 2).sum(axis=1)
        np.testing.assert_allclose(columns.residual_squares(W), expected, rtol=1e-10)
    assert columns.expand(scale)[2] == 0
    np.testing.assert_array_equal(columns.expand(scale)[varying], scale)


def test_storage_follows_the_fraction_of_zeros(rng):
    few, many = rng.poisson(0.05, (60, 90)) * 1.0, rng.random((60, 90))
    for X, mostly_zero in ((few, True), (many, False)):
        dense, sparse = RowBlocks(X), RowBlocks(sp.csr_array(X))
        assert Columns.varying(dense).is_sparse == mostly_zero
        assert compact_rows(dense).is_sparse == mostly_zero
        np.testing.assert_array_equal(compact_rows(dense).dense(slice(None)), X)
        assert Columns.varying(sparse).is_sparse
        assert Columns.varying(sparse, may_fill=True).is_sparse == mostly_zero
    assert not Columns.varying(RowBlocks(sp.csr_array(few.T)), may_fill=True).is_sparse


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_offsets_cancel_before_the_products(rng, container):
    """Also in sparse data, where a column without zeros gives up its mean."""
    X = rng.standard_normal((50, 80))
    expected = Columns.varying(RowBlocks(X)).gram()
    found = Columns.varying(RowBlocks(container(X + 1e6))).gram()
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.fixture(params=["dense", "csr"])
def table(request, rng):
    X = rng.random((700, 300)) * (rng.random((700, 300)) < 0.3) + 0.5 * (request.param == "dense")
    return X, RowBlocks(X if request.param == "dense" else sp.csr_array(X))


@pytest.mark.parametrize("k", [1, 2, 9])
def test_products_meet_the_definition(table, rng, k):
    X, data = table
    Z = X - X.mean(axis=0)
    columns = Columns(data)
    V, W = rng.normal(size=(700, k)), rng.normal(size=(300, k))
    np.testing.assert_allclose(columns.products(V), Z.T @ V, atol=1e-10)
    np.testing.assert_allclose(columns.times(W), Z @ W, atol=1e-10)
    np.testing.assert_allclose(columns.column(7), Z[:, 7], atol=1e-12)
    np.testing.assert_allclose(columns.square_norms, (Z**2).sum(axis=0))


def test_products_of_a_sparse_column_read_the_rows_it_has_entries_in(rng):
    X = rng.random((200, 30)) * (rng.random((200, 30)) < np.linspace(0, 1, 30))
    X[:, 3] = 1000 + rng.random(200)
    Z = X - X.mean(axis=0)
    columns = Columns(RowBlocks(sp.csr_array(X)))
    n_found = 0
    for j in range(30):
        np.testing.assert_allclose(columns.column(j), Z[:, j], atol=1e-12)
        if (found := columns.products_of_column(j)) is not None:
            np.testing.assert_allclose(found, Z[:, j] @ Z, atol=1e-9)
            n_found += 1
    assert 4 < n_found < 12  # those with at most 50 entries
    assert Columns(RowBlocks(X)).products_of_column(1) is None


@pytest.mark.parametrize(("k", "tolerance"), [(2, 1e-13), (9, 1e-5)])
def test_few_products_of_sparse_single_precision_are_in_double(rng, k, tolerance):
    X = (rng.random((700, 40)) * (rng.random((700, 40)) < 0.3)).astype(np.float32)
    columns = Columns(RowBlocks(sp.csr_array(X)))
    Z = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    V, W = rng.random((700, k)), rng.random((40, k))
    np.testing.assert_allclose(columns.products(V), Z.T @ V, atol=300 * tolerance)
    np.testing.assert_allclose(columns.times(W), Z @ W, atol=300 * tolerance)


def test_result_does_not_depend_on_threads(table, rng, monkeypatch):
    monkeypatch.setattr(module, "_LARGE", 0)
    monkeypatch.setattr(module, "_SPARSE_BYTES", {"few": 2**12, "many": 2**12})
    monkeypatch.setattr(module, "BLOCK_BYTES", 2**12)
    V = rng.normal(size=(700, 2))
    one, three = (Columns(table[1], n_jobs=n).products(V) for n in (1, 3))
    np.testing.assert_array_equal(one, three)


def test_kept_threads_change_no_product(table, rng, monkeypatch):
    monkeypatch.setattr(module, "_LARGE", 0)
    columns = Columns(table[1], n_jobs=2)
    V, W = rng.normal(size=(700, 2)), rng.normal(size=(300, 1))
    products, combined = columns.products(V), columns.times(W)
    with columns.threads():
        np.testing.assert_array_equal(columns.products(V), products)
        np.testing.assert_array_equal(columns.times(W), combined)
    np.testing.assert_array_equal(columns.products(V), products)


def test_picks_have_all_threads_while_blas_has_one(rng, monkeypatch):
    monkeypatch.setattr(module, "_LARGE", 0)
    monkeypatch.setattr(css, "MOST_SQUARE", 10)
    opened = []

    class Noted(Workers):
        def __init__(self, n_jobs):
            super().__init__(n_jobs)
            opened.append(self.n)

    monkeypatch.setattr(module, "Workers", Noted)
    X = sp.random_array((60, 40), density=0.3, format="csr", rng=rng)
    with threadpool_limits(3, user_api="openmp"):  # what n_jobs=None stands for
        GreedyCSS(3).fit(X)
    assert opened[-1] == 3  # the targets of so small data are computed on one thread
