"""Products of centred columns against plain matrices."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._linear.columns import Columns, compact_rows
from graphsieve._rows import RowBlocks
from graphsieve._utils.threads import Workers


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
    expected = Columns(X).gram()
    found = Columns(container(X + 1e6)).gram()
    np.testing.assert_allclose(found, expected, atol=1e-8)
