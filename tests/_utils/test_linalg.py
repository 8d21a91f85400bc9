"""Some eigenpairs are those of the whole spectrum, also where LAPACK's subset routine fails."""

import numpy as np
import pytest

from graphsieve._utils.linalg import (
    count_above,
    largest_singular_value,
    leading_eigenpairs,
    some_eigenpairs,
    symmetric_product,
)


def one_entry_per_column(seed, n, d):
    """Inner products of the rows of binary data: the routine fails on about one in a hundred."""
    rng = np.random.default_rng(seed)
    X = np.eye(n, d)
    X = rng.permuted(X, axis=0)
    X /= np.linalg.norm(X, axis=1, keepdims=True).clip(1)
    X -= X.mean(axis=0)
    return X @ X.T if n <= d else X.T @ X


@pytest.mark.parametrize("shape", [(24, 28), (28, 18), (24, 24)])
def test_multiple_eigenvalues(shape):
    for seed in range(100):
        A = one_entry_per_column(seed, *shape)
        expected = np.linalg.eigvalsh(A)
        n = len(A)
        for first, last in ((0, 2), (n - 3, n - 1)):
            values, vectors = some_eigenpairs(A, first, last)
            np.testing.assert_allclose(values, expected[first : last + 1], atol=1e-12)
            np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-10)
            np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-10)
        gap = np.diff(expected).argmax()
        assert count_above(A, expected[gap : gap + 2].mean()) == n - 1 - gap


@pytest.mark.parametrize("kind", ["zero", "blocks", "pairs", "repeated"])
def test_leading_pairs_of_multiple_eigenvalues(rng, kind):
    X = np.repeat(rng.normal(size=(300, 80)), 2, axis=0)
    A = {
        "zero": np.zeros((600, 600)),
        "blocks": np.kron(np.eye(25), np.ones((24, 24))),
        "pairs": np.diag(np.repeat(np.arange(300.0), 2)),
        "repeated": X @ X.T,
    }[kind]
    values, vectors = leading_eigenpairs(A, 21)
    expected = np.linalg.eigvalsh(A)[-21:]
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-6 * max(expected[-1], 1))
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(21), atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_counts_and_products_of_symmetric_matrices(rng, dtype):
    X = rng.normal(size=(40, 60)).astype(dtype)
    A, v = X @ X.T, rng.normal(size=40).astype(dtype)
    before = A.copy()
    for limit in (0, 10, 60, 1e3):
        assert count_above(A, limit) == (np.linalg.eigvalsh(A) > limit).sum()
    for matrix in (A, np.asfortranarray(A)):
        np.testing.assert_allclose(symmetric_product(matrix)(v), A @ v, rtol=1e-4)
    np.testing.assert_array_equal(A, before)


@pytest.mark.parametrize("shape", [(30, 50), (50, 30), (1100, 1000), (1000, 1100)])
def test_largest_singular_value(rng, shape):
    Z = rng.normal(size=shape)
    assert largest_singular_value(Z) == pytest.approx(np.linalg.norm(Z, 2), rel=1e-4)
    assert largest_singular_value(np.zeros(shape)) == 0
