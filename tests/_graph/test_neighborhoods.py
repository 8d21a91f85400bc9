"""Neighbourhoods against brute force."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._graph.neighborhoods import nearest_rows, neighborhood_preservation


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_fraction_of_neighbours_kept(rng, container):
    X = rng.random((40, 6))

    def neighbors(X):
        distances = ((X[:, None] - X) ** 2).sum(axis=2)
        np.fill_diagonal(distances, np.inf)
        return [set(row[:4]) for row in distances.argsort(axis=1)]

    expected = np.mean(
        [len(a & b) / 4 for a, b in zip(neighbors(X), neighbors(X[:, :2]), strict=True)]
    )
    kept = neighborhood_preservation(nearest_rows(container(X), 4), container(X[:, :2]))
    assert kept == pytest.approx(expected)


def test_all_columns_keep_all_neighbours(rng):
    X = rng.random((30, 5))
    assert neighborhood_preservation(nearest_rows(X), X) == 1


def test_few_rows_have_few_neighbours(rng):
    assert nearest_rows(rng.random((3, 2))).shape == (3, 2)
