"""Redundancy against NumPy's correlation matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._linear.redundancy import redundancy, redundancy_path


def mean_correlation(X):
    pairs = np.triu_indices(X.shape[1], 1)
    return np.abs(np.corrcoef(X, rowvar=False))[pairs].mean()


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_redundancy_of_every_prefix(rng, container):
    X = rng.random((30, 3)) @ rng.random((3, 9)) + 0.3 * rng.random((30, 9))
    path = redundancy_path(container(X))
    assert path[0] == 0
    np.testing.assert_allclose(
        path[1:], [mean_correlation(X[:, :k]) for k in range(2, 10)], rtol=1e-4
    )
    assert redundancy(container(X)) == path[-1]


def test_redundancy_crosses_blocks_of_columns(rng):
    X = rng.random((12, 700))
    np.testing.assert_allclose(redundancy(X), mean_correlation(X), rtol=1e-4)


def test_constant_columns_have_no_redundancy(rng):
    X = np.column_stack([rng.random(10), np.full(10, 0.1)])
    assert redundancy(X) == 0
