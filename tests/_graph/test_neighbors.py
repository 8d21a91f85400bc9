"""Exact neighbours are exact: with outliers, offsets, copies, ties and numbers of any size."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._graph.neighbors import nearest_neighbors
from graphsieve._rows import RowBlocks, open_rows
from tests.helpers.mapped import mapped
from tests.helpers.ties import by_content

CONTAINERS = {"dense": np.asarray, "sparse": sp.csr_array, "mapped": mapped}


def true_neighbors(X, k, metric):
    """From differences in extended precision, sample by sample."""
    X = X.astype(np.longdouble)
    if metric == "cosine":
        X = X / np.sqrt((X**2).sum(axis=1, keepdims=True))
    found = []
    for i, x in enumerate(X):
        distance = ((X - x) ** 2).sum(axis=1)
        distance[i] = np.inf
        found.append(np.sort(np.argsort(distance, kind="stable")[:k]))
    return np.array(found)


def found_neighbors(X, k, metric, container=np.asarray, **params):
    _, j, _ = nearest_neighbors(RowBlocks(container(X)), k, metric=metric, **params)
    return j.reshape(len(X), k)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("outlier", [1e4, 1e6, 1e8])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_outlier_changes_no_other_neighbours(rng, dtype, outlier, container):
    X = rng.standard_normal((300, 10)).astype(dtype)
    X[17, 3] = outlier
    np.testing.assert_array_equal(
        found_neighbors(X, 5, "euclidean", CONTAINERS[container]), true_neighbors(X, 5, "euclidean")
    )


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("offset", [1e3, 1e4, 1e5])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_an_offset_changes_no_neighbours(rng, metric, dtype, offset, container):
    X = (rng.standard_normal((300, 10)) + offset).astype(dtype)
    np.testing.assert_array_equal(
        found_neighbors(X, 5, metric, CONTAINERS[container]), true_neighbors(X, 5, metric)
    )


@pytest.mark.slow
@pytest.mark.parametrize("offset", [0, 300])
@pytest.mark.parametrize("n_features", [3, 400])
def test_cosine_in_single_precision(rng, n_features, offset):
    X = (rng.standard_normal((500, n_features)) + offset).astype(np.float32)
    np.testing.assert_array_equal(found_neighbors(X, 5, "cosine"), true_neighbors(X, 5, "cosine"))


@pytest.mark.parametrize("unit", [1e-75, 1e-30, 1e30, 1e75])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.filterwarnings("error")
def test_units_do_not_matter(rng, metric, unit):
    X = rng.random((80, 6))
    np.testing.assert_array_equal(
        found_neighbors(unit * X, 4, metric), true_neighbors(X, 4, metric)
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("outlier", [1e15, 1e25, 1e75])
def test_a_huge_outlier(rng, outlier):
    """Its own neighbours are a matter of rounding. Estimators refuse larger entries."""
    X = rng.standard_normal((80, 6))
    others = np.delete(np.arange(80), 7)
    X[7, 2] = outlier
    expected = others[true_neighbors(X[others], 4, "euclidean")]
    np.testing.assert_array_equal(found_neighbors(X, 4, "euclidean")[others], expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("container", CONTAINERS)
def test_equal_samples_of_huge_entries(container):
    """The rounding errors of such entries have squares beyond single precision."""
    found = found_neighbors(np.full((5, 3), 4e54), 2, "euclidean", CONTAINERS[container])
    np.testing.assert_array_equal(found, [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]])


@pytest.mark.parametrize("container", CONTAINERS)
def test_outlier_in_many_blocks_and_threads(rng, container, monkeypatch):
    X = rng.standard_normal((300, 10))
    X[3, 3] = 1e8
    expected = true_neighbors(X, 5, "euclidean")
    monkeypatch.setattr("graphsieve._graph.neighbors._BLOCK_ENTRIES", 7 * len(X))
    monkeypatch.setattr("graphsieve._graph.neighbors._FEW_PRODUCTS", 0)
    for n_jobs in (1, 3):
        found = found_neighbors(X, 5, "euclidean", CONTAINERS[container], n_jobs=n_jobs)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_copies", [2, 40, 300])
@pytest.mark.parametrize("container", CONTAINERS)
def test_copies_far_from_the_origin(rng, container, n_copies):
    """All copies have distance zero: the first ones are chosen."""
    X = np.tile(rng.standard_normal((300 // n_copies, 4)) + 1e4, (n_copies, 1))
    np.testing.assert_array_equal(
        found_neighbors(X, 3, "euclidean", CONTAINERS[container]), true_neighbors(X, 3, "euclidean")
    )


def test_nearly_equal_distances_are_no_ties(rng):
    """Sample 2 is nearer by a relative 1e-12, far more than the rounding error."""
    X = np.array([[0.0], [1.0], [-1.0 + 1e-12], [5.0]]) + 0.0
    assert found_neighbors(X, 1, "euclidean")[0] == 2


def test_rows_of_one_direction_are_ties(rng):
    """Their cosines are 1, whatever rounding makes of it: the first by content win."""
    X = by_content(rng.random((40, 1)) * rng.random(7))
    found = np.asarray(found_neighbors(X, 3, "cosine")).reshape(40, 3)
    wanted = [[k for k in range(40) if k != sample][:3] for sample in range(40)]
    assert np.sort(found, axis=1).tolist() == wanted


def test_distances_equal_up_to_rounding_are_ties():
    """0.3 - 0.2 and 0.2 - 0.1 differ in the last digit only."""
    X = np.array([[0.1], [0.2], [0.3], [1.0]])
    first = found_neighbors(X, 1, "euclidean")[1]
    assert first in (0, 2)
    assert found_neighbors(X[::-1].copy(), 1, "euclidean")[2] == 3 - first


def test_rows_of_zeros_are_in_no_pair():
    X = np.vstack([np.zeros((2, 3)), np.eye(3), np.ones((1, 3))])
    with pytest.warns(UserWarning, match="2 rows are all zero"):
        i, j, _ = nearest_neighbors(open_rows(X), 2, metric="cosine")
    assert min(i.min(), j.min()) == 2
    with pytest.warns(UserWarning, match="1 row is all zero"):
        nearest_neighbors(open_rows(X[1:]), 2, metric="cosine")
