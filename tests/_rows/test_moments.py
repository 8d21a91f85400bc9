"""Means and variances are sums in double precision, in one pass, for every kind of matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import Variance
from graphsieve._rows import Moments, RowBlocks

CONTAINERS = [np.asarray, sp.csr_array, sp.csc_array, sp.csr_matrix]


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_moments(rng, container, weighted):
    X = (3 + rng.random((50, 6))) * (rng.random((50, 6)) < 0.7)
    weight = rng.random(50) if weighted else None
    found = Moments.of(container(X), weight)
    expected = np.average(X, axis=0, weights=weight)
    np.testing.assert_allclose(found.mean, expected, rtol=1e-12)
    spread = np.average((X - expected) ** 2, axis=0, weights=weight)
    np.testing.assert_allclose(found.spread / found.weight, spread, rtol=1e-12)


@pytest.mark.parametrize("container", CONTAINERS)
def test_groups_of_rows_add_up(rng, container):
    X = 100 + rng.random((60, 4))
    weight = rng.random(60)
    weight[20:40] = 0  # a group without any weight
    groups = [slice(0, 20), slice(20, 40), slice(40, 60)]
    first, second, third = (Moments.of(container(X[rows]), weight[rows]) for rows in groups)
    together = first + second + third
    whole = Moments.of(container(X), weight)
    assert together.weight == pytest.approx(whole.weight)
    np.testing.assert_allclose(together.mean, whole.mean, rtol=1e-14)
    np.testing.assert_allclose(together.spread, whole.spread, rtol=1e-10)
    empty = second + second
    assert empty.weight == 0
    np.testing.assert_array_equal(empty.mean, 0)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_single_precision_is_added_in_double(rng, container):
    """Added in single precision, the variance would be 71 % too large."""
    X = (1000 + rng.normal(size=(300_000, 2))).astype(np.float32)
    scores = Variance(1).fit(container(X)).scores_
    np.testing.assert_allclose(scores, X.var(axis=0, dtype=np.float64), rtol=1e-6)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_a_large_offset_does_not_spoil_the_variance(rng, container):
    X = 1e8 + rng.random((50_000, 30))  # several blocks
    data = RowBlocks(container(X))
    mean, variance = data.column_moments()
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(variance, X.var(axis=0), rtol=1e-6)
