"""Kept inner products against plain matrix products."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._linear.columns import Columns
from graphsieve._linear.inner_products import InnerProducts
from graphsieve._rows import RowBlocks


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
