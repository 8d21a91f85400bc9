"""Graphs equal a plain double loop, with ties, duplicates, zero rows and odd input."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._graph.affinity import build_graph, check_affinity, degree, laplacian
from graphsieve._graph.neighbors import nearest_neighbors
from graphsieve._rows import RowBlocks
from graphsieve.methods import REGISTRY
from tests.helpers.ties import by_content


def plain_graph(X, k, affinity):
    """Neighbours sample by sample; among equals the sample that comes first."""
    n = len(X)
    norm = np.linalg.norm(X, axis=1)
    near = np.zeros((n, n), dtype=bool)
    closeness = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if affinity == "heat":
                closeness[i, j] = -np.linalg.norm(X[i] - X[j])
            elif norm[i] and norm[j]:
                closeness[i, j] = X[i] @ X[j] / (norm[i] * norm[j])
        others = sorted((-round(closeness[i, j], 8), j) for j in range(n) if j != i)
        near[i, [j for _, j in others[:k]]] = True
    if affinity == "heat":
        length = -closeness[near]
        spread = np.median(length) or np.median(length[length > 0])
        weight = np.maximum(np.exp(-(closeness**2) / (2 * spread**2)), 1e-6)
    else:
        weight = np.clip(closeness, 0, 1)
        if affinity == "binary":
            weight = (weight > 0).astype(float)
    return np.where(near | near.T, weight, 0.0)


def tables():
    rng = np.random.default_rng(3)
    random = rng.normal(size=(40, 6))
    with_ties = rng.integers(0, 2, size=(40, 5)) + np.array([1.0, 0, 0, 0, 0])
    duplicates = np.vstack([random[:8]] * 4)
    zero_rows = random.copy()
    zero_rows[[3, 9]] = 0
    return {"random": random, "ties": with_ties, "duplicates": duplicates, "zero rows": zero_rows}


@pytest.mark.filterwarnings("ignore:.*all zero")
@pytest.mark.parametrize("name", tables())
@pytest.mark.parametrize("affinity", ["cosine", "binary", "heat"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_graph_equals_double_loop(name, affinity, container):
    X = by_content(tables()[name])
    A = build_graph(RowBlocks(container(X)), affinity=affinity, n_neighbors=4).toarray()
    np.testing.assert_allclose(A, plain_graph(X, 4, affinity), atol=1e-6)


def test_graph_in_row_blocks(monkeypatch):
    X = tables()["random"]
    whole = build_graph(RowBlocks(X)).toarray()
    monkeypatch.setattr("graphsieve._graph.neighbors._BLOCK_ENTRIES", 3 * len(X))
    np.testing.assert_allclose(build_graph(RowBlocks(X)).toarray(), whole, atol=1e-15)


@pytest.mark.parametrize("outlier", [20.0, 1e3, 1e8, 1e75])
def test_heat_weights_of_an_outlier(outlier):
    """It neither changes the other weights nor loses its edges."""
    X = np.random.default_rng(0).normal(size=(300, 6))
    far = X.copy()
    far[7, 2] = outlier
    A, B = (build_graph(RowBlocks(data), affinity="heat").toarray() for data in (X, far))
    assert B[B > 0].min() > 0.99e-6
    assert (B[7] > 0).sum() >= 5
    others = np.delete(np.arange(len(X)), 7)
    near = (A > 0) & (B > 0)
    near[7] = near[:, 7] = False
    assert near.sum() > 0.8 * (A[np.ix_(others, others)] > 0).sum()
    np.testing.assert_allclose(B[near], A[near], atol=0.02)


@pytest.mark.parametrize("name", ["lap_score", "spec", "mcfs", "mrsf", "jfssl", "gsr_sfs", "dfsc"])
def test_an_offset_changes_no_scores_with_heat(rng, name):
    """In single precision, where squared norms would hide the distances."""
    X = (np.round(64 * rng.standard_normal((120, 8))) / 64).astype(np.float32)
    params = {"affinity": "heat", "n_jobs": 1, "random_state": 0}
    method = REGISTRY[name](3)
    method.set_params(**{key: params[key] for key in params if key in method.get_params()})
    expected = method.fit(X).scores_
    found = method.fit(X + np.float32(2**13)).scores_
    np.testing.assert_allclose(found, expected, atol=1e-2 * abs(expected).max())


def test_heat_weights_of_copies():
    """Most edges have length zero: the bandwidth is that of the others."""
    X = np.repeat([[0.0], [1.0], [1.5]], [8, 8, 1], axis=0)
    A = build_graph(RowBlocks(X), affinity="heat", n_neighbors=4).toarray()
    np.testing.assert_allclose(A[0, 1:5], 1)
    np.testing.assert_allclose(A[16, 8:12], np.exp(-0.5))


@pytest.mark.filterwarnings("ignore:.*all zero")
@pytest.mark.parametrize("name", tables())
@pytest.mark.parametrize("affinity", ["cosine", "binary", "heat"])
def test_laplacian_properties(name, affinity):
    A = build_graph(RowBlocks(tables()[name]), affinity=affinity)
    L = laplacian(A).toarray()
    assert (A.toarray() >= 0).all()
    assert (A.diagonal() == 0).all()
    np.testing.assert_array_equal(L, L.T)
    np.testing.assert_allclose(L.sum(axis=1), 0, atol=1e-12)
    assert np.linalg.eigvalsh(L).min() > -1e-10
    np.testing.assert_allclose(np.diag(L), degree(A))


def test_zero_rows_get_no_edges_and_a_warning():
    with pytest.warns(UserWarning, match="2 rows are all zero.*row 3"):
        A = build_graph(RowBlocks(tables()["zero rows"]))
    assert (degree(A)[[3, 9]] == 0).all()


def test_opposite_samples_have_no_edge():
    X = np.array([[1.0, 0.0], [-1.0, 0.1], [0.0, 1.0]])
    A = build_graph(RowBlocks(X), n_neighbors=2).toarray()
    assert A[0, 1] == 0
    assert A[1, 2] > 0


def test_more_neighbors_than_samples():
    X = np.random.default_rng(0).random((4, 3))
    with pytest.warns(UserWarning, match="n_neighbors=3"):
        A = build_graph(RowBlocks(X), n_neighbors=9)
    assert A.nnz == 12


def test_callable_and_precomputed():
    X = tables()["random"]
    A = build_graph(RowBlocks(X))
    for affinity in (A, A.toarray(), sp.csr_matrix(A), lambda given: build_graph(RowBlocks(given))):
        np.testing.assert_allclose(
            build_graph(RowBlocks(X), affinity=affinity).toarray(), A.toarray()
        )


def test_diagonal_of_a_given_affinity_does_not_count():
    A = check_affinity(np.array([[5.0, 1.0], [1.0, 5.0]]), 2)
    np.testing.assert_array_equal(A.toarray(), [[0, 1], [1, 0]])


def test_a_given_affinity_stays_as_it_was():
    # One entry stored in two parts, two stored zeros.
    entries, columns, starts = [0.0, 1.0, 2.0, 3.0, 0.0], [2, 1, 1, 0, 0], [0, 3, 4, 5]
    A = sp.csr_array((np.array(entries), columns, starts), shape=(3, 3))
    checked = check_affinity(A, 3)
    np.testing.assert_array_equal(checked.toarray(), [[0, 3, 0], [3, 0, 0], [0, 0, 0]])
    assert checked.nnz == 2
    assert A.data.tolist() == entries
    assert A.indices.tolist() == columns


@pytest.mark.parametrize(
    ("A", "message"),
    [
        (np.ones((3, 2)), "square"),
        (np.ones((4, 4)), "one row per sample"),
        (np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0.0]]), "symmetric"),
        (np.array([[0, -1, 0], [-1, 0, 0], [0, 0, 0.0]]), "negative"),
        (np.full((3, 3), np.nan), "NaN"),
    ],
)
def test_bad_affinity(A, message):
    with pytest.raises(ValueError, match=message):
        build_graph(RowBlocks(np.eye(3)), affinity=A)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_an_affinity_with_wrong_indices(kind):
    """SciPy would read and write outside its arrays."""
    A = sp.csr_array(np.ones((6, 6))).asformat(kind)
    index = A.coords[0] if kind == "coo" else A.indices
    index[3] = 10**6
    with pytest.raises(ValueError, match=f"affinity is not a valid {kind.upper()} matrix"):
        build_graph(RowBlocks(np.eye(6)), affinity=A)


@pytest.mark.parametrize("weight", [1e308, 1e-320])
def test_weights_that_overflow_or_vanish(weight):
    with pytest.raises(ValueError, match="largest entry of affinity"):
        build_graph(RowBlocks(np.eye(4)), affinity=np.full((4, 4), weight))


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("kind", ["continuous", "ties", "one row"])
def test_neighbors_of_many_samples(kind, metric):
    """Enough samples for the search by groups of columns; ties go by content."""
    rng = np.random.default_rng(5)
    X = {
        "continuous": rng.normal(size=(2100, 9)),
        "ties": 1.0 + rng.integers(0, 3, size=(2100, 3)),
        "one row": np.ones((2100, 2)),
    }[kind]
    X = by_content(X)
    i, j, similarity = nearest_neighbors(RowBlocks(X), 5, metric=metric, n_jobs=2)
    if metric == "cosine":
        X = X / np.linalg.norm(X, axis=1)[:, None]
        expected = X @ X.T
    else:
        expected = -((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(expected, -np.inf)
    nearest = np.argsort(-expected.round(9), axis=1, kind="stable")[:, :5]
    np.testing.assert_array_equal(i, np.repeat(np.arange(2100), 5))
    np.testing.assert_array_equal(j.reshape(2100, 5), np.sort(nearest, axis=1))
    np.testing.assert_allclose(similarity, expected[i, j], atol=1e-9)
