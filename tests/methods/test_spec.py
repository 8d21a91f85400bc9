"""SPEC against the dense spectrum of the normalised Laplacian."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import SPEC, LaplacianScore
from tests.helpers.awkward import tables
from tests.helpers.dense_spectral import dense_graph, large_graph

TABLES = tables()


def reference(X, A, criterion, power, q):
    """All eigenpairs; multiple eigenvalues whole, so that their basis does not matter."""
    degree = A.sum(axis=1)
    root = np.sqrt(degree)
    on = degree > 0
    inverse = np.where(on, 1 / np.where(on, root, 1), 0)
    values, V = np.linalg.eigh(np.diag(on.astype(float)) - inverse[:, None] * A * inverse)
    # Isolated nodes have eigenvalue zero and no part in D^1/2 x.
    taking_part = abs(root @ abs(V)) > 1e-12
    values = np.where(abs(values) < 1e-12, 0, values)[taking_part]
    V = V[:, taking_part]
    trivial = root / np.linalg.norm(root)
    scores = []
    for x in X.T:
        f = root * x
        if not f.any():
            scores.append(0.0 if criterion == "phi3" else -(2.0**power))
            continue
        f = f / np.linalg.norm(f)
        energy = (V.T @ f) ** 2
        a_0 = (trivial @ f) ** 2
        if criterion == "phi1":
            scores.append(-(energy * values**power).sum())
        elif criterion == "phi2":
            without = ((f - trivial * (trivial @ f)) ** 2).sum()
            rough = (energy * values**power).sum()
            scores.append(-rough / without if without > 1e-12 else -(2.0**power))
        else:
            low = values <= values[min(q, len(values) - 1)] + 1e-8
            total = (energy[low] * (2.0**power - values[low] ** power)).sum()
            scores.append(total - 2.0**power * a_0)
    return np.array(scores)


def check(X, criterion, power, q=3, **params):
    method = SPEC(scale=None, criterion=criterion, power=power, n_components=q, **params)
    method.fit(X)
    expected = reference(X, dense_graph(X, **params), criterion, power, q)
    varies = np.ptp(X, axis=0) > 0
    np.testing.assert_allclose(method.scores_[varies], expected[varies], atol=1e-9)


@pytest.mark.parametrize("power", [1, 2, 3])
@pytest.mark.parametrize("criterion", ["phi1", "phi2", "phi3"])
@pytest.mark.parametrize("name", TABLES)
def test_equals_the_formula(name, criterion, power):
    check(TABLES[name], criterion, power, n_neighbors=4)


@pytest.mark.parametrize("q", [1, 2, 6, 100])
def test_phi3_on_a_graph_in_pieces(q):
    """Three clusters without edges between them, two of which are copies: double eigenvalues."""
    rng = np.random.default_rng(0)
    one = 1 + rng.random((8, 5))
    X = np.kron(np.eye(3), np.ones((8, 5))) * np.vstack(
        [np.tile(one, 3), np.tile(one, 3), np.tile(1 + rng.random((8, 5)), 3)]
    )
    check(X, "phi3", 2, q, n_neighbors=3)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["phi1", "phi2", "phi3"])
def test_equals_the_formula_on_yale(yale, criterion):
    check(yale, criterion, 2, q=10)


@pytest.mark.parametrize("criterion", ["phi1", "phi2", "phi3"])
def test_isolated_samples_take_no_part(criterion):
    X = np.vstack([TABLES["tall"], np.zeros((2, 11))])
    with pytest.warns(UserWarning, match="all zero"):
        check(X, criterion, 1)


@pytest.mark.parametrize("criterion", ["phi1", "phi2", "phi3"])
@pytest.mark.parametrize("power", [1, 3])
def test_sparse_equals_dense(criterion, power):
    X = TABLES["tall"] * (np.random.default_rng(0).random((40, 11)) > 0.6)
    X[:, 4] += 100.0
    method = SPEC(criterion=criterion, power=power, n_components=4, scale=None)
    dense = method.fit(X).scores_
    np.testing.assert_allclose(method.fit(sp.csr_array(X)).scores_, dense, atol=1e-9)


def test_first_function_of_an_eigenvector_is_its_eigenvalue():
    A = dense_graph(TABLES["tall"])
    root = np.sqrt(A.sum(axis=1))
    values, V = np.linalg.eigh(np.eye(len(A)) - A / np.outer(root, root))
    method = SPEC(criterion="phi1", power=3, affinity=A, scale=None).fit(V[:, 1:] / root[:, None])
    np.testing.assert_allclose(method.scores_, -(values[1:] ** 3), atol=1e-9)


@pytest.mark.parametrize("criterion", ["phi1", "phi2"])
def test_no_dense_graph(rng, criterion):
    n = 5000
    X = rng.random((n, 8))
    A = large_graph(n)
    tracemalloc.start()
    SPEC(criterion=criterion, power=3, affinity=A, scale=None).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * 8 * n**2


def test_default_is_not_the_laplacian_score():
    X = TABLES["tall"]
    default, laplacian = SPEC(scale=None).fit(X).scores_, LaplacianScore(scale=None).fit(X).scores_
    np.testing.assert_array_equal(
        SPEC(criterion="phi2", power=3, scale=None).fit(X).scores_, default
    )
    assert (np.argsort(default) != np.argsort(laplacian)).any()


def test_unknown_criterion_is_an_error():
    with pytest.raises(ValueError, match="criterion"):
        SPEC(criterion="phi4", scale=None).fit(TABLES["tall"])
