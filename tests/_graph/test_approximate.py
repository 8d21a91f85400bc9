"""Approximate neighbours: recall, repeatability, and data that break careless searches."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._graph.affinity import build_graph, degree
from graphsieve._graph.neighbors import nearest_neighbors
from graphsieve._rows import RowBlocks
from tests.helpers.mapped import mapped


def groups(n_samples=1500, n_features=20, seed=0):
    """Clouds of points around a few centres, with two zero rows and some copies."""
    rng = np.random.default_rng(seed)
    centres = 3 * rng.random((12, n_features))
    X = centres[rng.integers(0, 12, n_samples)] + rng.normal(size=(n_samples, n_features))
    X = np.abs(X) * (rng.random(X.shape) < 0.7)
    X[100:110] = X[0]
    X[[7, 70]] = 0
    return X


def recall(X, metric="euclidean", **params):
    n = X.shape[0]
    edges = []
    for neighbors in ("exact", "approximate"):
        i, j, _ = nearest_neighbors(RowBlocks(X), 5, metric=metric, neighbors=neighbors, **params)
        edges.append(i * n + j)
    return np.isin(*edges).mean()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*all zero")
@pytest.mark.parametrize("n_features", [20, 300])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, mapped])
def test_graph_is_nearly_the_exact_one(container, n_features):
    data = RowBlocks(container(groups(n_features=n_features)))
    exact = build_graph(data, neighbors="exact")
    first, second = (build_graph(data, neighbors="approximate", n_jobs=n) for n in (1, 2))
    assert abs(first - second).max() == 0
    assert abs(first - first.T).max() == 0
    assert (first.diagonal() == 0).all()
    assert degree(first)[[7, 70]].max() == 0
    common = (first > 0).multiply(exact > 0)
    assert common.nnz >= 0.95 * exact.nnz
    assert abs(first - exact).multiply(common).max() < 1e-12


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_recall_with_an_outlier_and_an_offset(rng, metric):
    X = rng.standard_normal((2000, 5)) + 1000
    X[7, 2] = 1e8
    assert recall(X, metric) > 0.95


def test_recall_is_kept_where_cells_do_not_help(rng):
    """The neighbours of points without any structure are in many cells."""
    assert recall(rng.standard_normal((2000, 30))) > 0.95


@pytest.mark.parametrize("n_copies", [3, 500, 3000])
def test_copies(rng, n_copies):
    """Copies are found as neighbours, without a look at all pairs of them."""
    X = np.tile(rng.standard_normal((3000 // n_copies, 4)), (n_copies, 1))
    i, _, similarity = nearest_neighbors(
        RowBlocks(X), 2, metric="euclidean", neighbors="approximate"
    )
    np.testing.assert_array_equal(np.bincount(i), 2)
    np.testing.assert_array_equal(similarity, 0)


@pytest.mark.parametrize("n_samples", [2, 3, 9])
def test_few_samples(rng, n_samples):
    X = rng.standard_normal((n_samples, 3))
    assert recall(X[:, :2]) > 0 if n_samples > 6 else True
    i, j, _ = nearest_neighbors(RowBlocks(X), 1, metric="cosine", neighbors="approximate")
    assert (i != j).all()


def test_auto_is_exact_for_few_samples_only(monkeypatch):
    data = RowBlocks(groups(300)[8:69])
    exact = build_graph(data, neighbors="exact")
    assert abs(build_graph(data) - exact).max() == 0
    monkeypatch.setattr("graphsieve._graph.neighbors._MOST_EXACT", 30)
    approximate = build_graph(data, neighbors="approximate")
    assert abs(build_graph(data) - approximate).max() == 0
