"""Systems with a Laplacian against dense linear algebra."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve.methods import dfsc as module
from graphsieve.methods.dfsc import solve_laplacian


def graph_laplacian(rng, d):
    A = np.triu(rng.random((d, d)) * (rng.random((d, d)) < 0.1), k=1)
    A += A.T
    A[7] = A[:, 7] = 0  # an isolated node
    return np.diag(A.sum(axis=0)) - A


@pytest.mark.parametrize("weight", [1e-3, 0.1, 1.0, 100.0, 1e6])
@pytest.mark.parametrize("n_sides", [1, 64, 150])
def test_solves_the_system(rng, weight, n_sides):
    L = graph_laplacian(rng, 40)
    scale = weight * (0.1 + rng.random(40))
    scale[[3, 11]] = 1e-9, 1e-15
    B = rng.standard_normal((n_sides, 40)).T
    expected = np.linalg.solve(L + np.diag(1 / scale), B)
    X = solve_laplacian(sp.csr_array(L), scale, B)
    error = np.linalg.norm(X - expected, axis=1) / np.linalg.norm(expected, axis=1)
    assert error.max() < 1e-9


def test_factorises_only_where_the_laplacian_outweighs_the_diagonal(rng, monkeypatch):
    L, B = sp.csr_array(graph_laplacian(rng, 40)), rng.standard_normal((40, 3))
    used = []
    monkeypatch.setattr(module, "_factorise", lambda *args: used.append(args))
    solve_laplacian(L, np.full(40, 0.01), B)
    assert not used
    solve_laplacian(L, np.full(40, 1e4), B)
    assert used


def test_without_edges(rng):
    scale, B = rng.random(5), rng.standard_normal((5, 2))
    np.testing.assert_allclose(solve_laplacian(sp.csr_array((5, 5)), scale, B), scale[:, None] * B)
