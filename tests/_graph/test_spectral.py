"""Eigenpairs of the sample graph against dense solvers, and the corners where they mislead."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from graphsieve._graph import spectral
from graphsieve._graph.affinity import build_graph, degree
from graphsieve._rows import Moments, RowBlocks
from graphsieve.methods.spec import low_eigenpairs


def cycle(n):
    i = np.arange(n)
    A = sp.csr_array((np.ones(n), (i, (i + 1) % n)), shape=(n, n))
    return (A + A.T).tocsr()


def torus(n):
    """n x n grid that closes on itself: eigenvalues of multiplicity 4 and 8."""
    eye = sp.eye_array(n)
    return sp.csr_array(sp.kron(cycle(n), eye) + sp.kron(eye, cycle(n)))


def clusters(sizes, seed=0):
    """Nearest-neighbour graphs of random points side by side, without edges between them."""
    rng = np.random.default_rng(seed)
    parts = [build_graph(RowBlocks(rng.random((n, 6)))) for n in sizes]
    return sp.csr_array(sp.block_diag(parts))


def with_isolated(A, n):
    return sp.csr_array(sp.block_diag([A, sp.csr_array((n, n))]))


GRAPHS = {
    "connected": clusters([60]),
    "large enough for Lanczos": clusters([700]),
    "three components": clusters([20, 350, 30]),
    "isolated nodes": with_isolated(clusters([40, 25]), 3),
    "copies": sp.csr_array(sp.block_diag([clusters([30])] * 3)),
}


def dense_values(A):
    """Eigenvalues of L y = l D y on the nodes that have an edge."""
    A = A.toarray()
    on = A.sum(axis=1) > 0
    A = A[np.ix_(on, on)]
    D = np.diag(A.sum(axis=1))
    return scipy.linalg.eigh(D - A, D, eigvals_only=True)


def normalised_laplacian(A):
    weight = degree(A)
    scale = np.where(weight > 0, 1 / np.sqrt(np.where(weight > 0, weight, 1)), 0)
    return np.diag((weight > 0).astype(float)) - scale[:, None] * A.toarray() * scale


@pytest.mark.parametrize("name", GRAPHS)
def test_eigenpairs_equal_dense_ones(name):
    A = GRAPHS[name]
    components = spectral.null_space(A)
    values, V = spectral.eigenpairs(A, components, 9, random_state=0)
    n_null = len(components.nodes)
    np.testing.assert_allclose(values, dense_values(A)[n_null : n_null + 9], atol=1e-12)
    np.testing.assert_allclose(V.T @ V, np.eye(9), atol=1e-10)
    np.testing.assert_allclose(normalised_laplacian(A) @ V, V * values, atol=1e-10)
    np.testing.assert_allclose(components.basis.T @ V, 0, atol=1e-10)


@pytest.mark.parametrize("name", GRAPHS)
def test_null_space_is_orthonormal_and_in_order_of_size(name):
    A = GRAPHS[name]
    components = spectral.null_space(A)
    c = len(components.nodes)
    N = components.basis.toarray()
    np.testing.assert_allclose(N.T @ N, np.eye(c), atol=1e-14)
    np.testing.assert_allclose(normalised_laplacian(A) @ N, 0, atol=1e-14)
    trivial = np.sqrt(degree(A) / A.sum())
    np.testing.assert_allclose(N.T @ trivial, components.share, atol=1e-14)
    assert (np.diff([len(nodes) for nodes in components.nodes]) <= 0).all()


@pytest.mark.parametrize("n_dims", [1, 2, 8])
@pytest.mark.parametrize("name", GRAPHS)
def test_embedding_solves_the_generalised_problem(name, n_dims):
    A = GRAPHS[name]
    weight = degree(A)
    Y = spectral.embedding(A, n_dims, random_state=0)
    L = np.diag(weight) - A.toarray()
    values = dense_values(A)[1 : n_dims + 1]
    np.testing.assert_allclose(L @ Y, weight[:, None] * Y * values, atol=1e-9)
    np.testing.assert_allclose(Y.T @ (weight[:, None] * Y), np.eye(n_dims), atol=1e-9)
    np.testing.assert_allclose(weight @ Y, 0, atol=1e-9)
    assert (Y[weight == 0] == 0).all()


def test_first_directions_tell_the_components_apart():
    """Largest against the rest, then the second largest against what is left."""
    Y = spectral.embedding(GRAPHS["three components"], 2)
    parts = [Y[20:370], Y[370:], Y[:20]]
    for part in parts:
        np.testing.assert_allclose(part, np.tile(part[0], (len(part), 1)), atol=1e-12)
    largest, second, third = (part[0] for part in parts)
    np.testing.assert_allclose(second[0], third[0])
    assert largest[0] * second[0] < 0
    np.testing.assert_allclose(largest[1], 0, atol=1e-12)
    assert second[1] * third[1] < 0


def test_no_copy_of_a_multiple_eigenvalue_is_missed():
    """Lanczos alone finds only some of the copies here."""
    A = torus(24)
    values, _ = spectral.eigenpairs(A, spectral.null_space(A), 24, random_state=0)
    wave = np.cos(2 * np.pi * np.arange(24) / 24)
    expected = np.sort(1 - np.add.outer(wave, wave).ravel() / 2)[1:25]
    np.testing.assert_allclose(values, expected, atol=1e-10)


def bipartite():
    """Graphs without odd cycles: the normalised Laplacian has the eigenvalue 2."""
    edge = np.array([[0.0, 3.0], [3.0, 0.0]])
    star = np.zeros((6, 6))
    star[0, 1:] = star[1:, 0] = [1, 2, 3, 4, 5]
    return {"edge": edge, "star": star, "even cycle": cycle(8).toarray(), "large": cycle(600)}


@pytest.mark.parametrize("name", bipartite())
@pytest.mark.parametrize("n_isolated", [0, 2])
def test_bipartite_components(name, n_isolated):
    """Their last eigenvector must not mix with the null vector."""
    A = with_isolated(bipartite()[name], n_isolated)
    components = spectral.null_space(A)
    n_pairs = 8 if name == "large" else len(components.nodes[0]) - 1
    values, V = spectral.eigenpairs(A, components, n_pairs, random_state=0)
    np.testing.assert_allclose(normalised_laplacian(A) @ V, V * values, atol=1e-10)
    np.testing.assert_allclose(components.basis.T @ V, 0, atol=1e-10)
    if name != "large":
        assert values[-1] == pytest.approx(2)


@pytest.mark.parametrize("n_pairs", [1, 2, 3, 7, 10_000])
def test_low_eigenpairs_do_not_cut_a_multiple_eigenvalue(n_pairs):
    A = cycle(21)
    values, V = low_eigenpairs(A, spectral.null_space(A), n_pairs)
    assert len(values) == V.shape[1] == min(20, n_pairs + n_pairs % 2)
    np.testing.assert_allclose(values[::2], values[1::2], atol=1e-12)


def path(n):
    A = sp.diags_array([np.ones(n - 1)], offsets=[1])
    return sp.csr_array(A + A.T)


def test_long_path():
    """Eigenvalues 1 - cos(pi i / (n - 1)), too close together for Lanczos."""
    n = 5_000
    A = path(n)
    values, V = spectral.eigenpairs(A, spectral.null_space(A), 4, 0)
    np.testing.assert_allclose(values, 1 - np.cos(np.pi * np.arange(1, 5) / (n - 1)), rtol=1e-5)
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-10)


def test_close_eigenvalues_of_a_graph_that_is_not_thin(monkeypatch):
    """They only take Lanczos longer; the factors of such a graph are nearly full."""
    monkeypatch.setattr(spectral, "_shift_invert", None)
    n, rng = 8_000, np.random.default_rng(0)
    A = sp.csr_array((np.ones(3 * n), rng.integers(n, size=(2, 3 * n))), shape=(n, n))
    A = sp.csr_array(A + A.T + path(n))
    values, V = spectral.eigenpairs(A, spectral.null_space(A), 10, 0)
    scale = sp.diags_array(1 / np.sqrt(degree(A)))
    np.testing.assert_allclose(V - scale @ A @ scale @ V, values * V, atol=1e-10)


def test_slow_graph_without_cheap_factors(monkeypatch):
    """Where neither way is open, the directions are smooth, if not the smoothest."""
    monkeypatch.setattr(spectral, "_MOST_BAND_ENTRIES", 0)
    A = path(5_000)
    values, V = spectral.eigenpairs(A, spectral.null_space(A), 4, 0)
    assert values.max() < 1e-3
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-4)


def test_directions_of_large_graphs(monkeypatch):
    """Not to full precision, and not as rough as where nothing converges."""
    A = build_graph(RowBlocks(np.random.default_rng(0).normal(size=(1_500, 4))))
    exact = spectral.eigenpairs(A, spectral.null_space(A), 5, 0)[1]
    monkeypatch.setattr(spectral, "_LARGE", 1_000)
    monkeypatch.setattr(spectral, "_MOST_BAND_ENTRIES", 0)
    monkeypatch.setattr(spectral, "_ROUGH", np.inf)
    V = spectral.eigenpairs(A, spectral.null_space(A), 5, 0)[1]
    assert np.linalg.svd(exact.T @ V, compute_uv=False).min() > 0.999
    assert not np.allclose(V, exact, atol=1e-12)


def test_large_thin_graphs_are_exact(monkeypatch):
    """A time series is solved with factors, as where it is short."""
    monkeypatch.setattr(spectral, "_LARGE", 1_000)
    test_long_path()


def test_signs_and_repeats():
    A = GRAPHS["large enough for Lanczos"]
    Y = spectral.embedding(A, 6, random_state=3)
    np.testing.assert_array_equal(spectral.embedding(A, 6, random_state=3), Y)
    np.testing.assert_allclose(spectral.embedding(A, 6, random_state=4), Y, atol=1e-9)
    V = np.sqrt(degree(A))[:, None] * Y
    assert (V[abs(V).argmax(axis=0), np.arange(6)] > 0).all()


def test_sign_of_a_tie_is_that_of_the_first_entry():
    V = np.array([[-1.0, 1.0], [1.0 + 1e-12, -1.0 - 1e-12]])
    np.testing.assert_array_equal(spectral.fix_signs(V)[0], [1.0, 1.0])


def test_more_directions_than_there_are():
    A = GRAPHS["isolated nodes"]
    with pytest.warns(UserWarning, match="has only 64 directions"):
        Y = spectral.embedding(A, 500)
    assert Y.shape == (68, 64)


def test_graph_without_edges():
    with pytest.raises(ValueError, match="no edges"):
        spectral.embedding(sp.csr_array((5, 5)), 2)


@pytest.mark.parametrize("power", [1, 2, 3, 4])
@pytest.mark.parametrize("container", [np.asarray, sp.csc_array])
def test_roughness_is_a_quadratic_form(power, container, rng):
    A = GRAPHS["isolated nodes"]
    X = rng.random((A.shape[0], 5)) * (rng.random((A.shape[0], 5)) > 0.5) + np.array(
        [0, 0, 0, 0, 1e4]
    )
    root = np.sqrt(degree(A))[:, None]
    form = np.linalg.matrix_power(normalised_laplacian(A), power)
    expected = np.diag((root * X).T @ form @ (root * X))
    found = spectral.roughness(spectral.difference_operator(A), degree(A), container(X), power)
    np.testing.assert_allclose(found[:4], expected[:4], rtol=1e-10)
    # Here the reference is the one that loses digits.
    np.testing.assert_allclose(found[4], expected[4], rtol=1e-5)


@pytest.mark.parametrize("container", [np.asarray, sp.csc_array])
def test_weighted_moments_survive_a_large_origin(container, rng):
    X = rng.random((50, 3)) + np.array([0, 0, 1e6])
    weight = rng.random(50)
    moments = Moments.of(container(X), weight)
    mean, spread = moments.mean, moments.spread
    expected = np.average(X, axis=0, weights=weight)
    np.testing.assert_allclose(mean, expected, rtol=1e-14)
    np.testing.assert_allclose(spread, weight @ (X - expected) ** 2, rtol=1e-7)
