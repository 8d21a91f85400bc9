"""Decompositions of symmetric matrices, also where LAPACK's routines give up."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, eigh
from scipy.linalg.blas import get_blas_funcs
from scipy.linalg.lapack import get_lapack_funcs
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, svds

from .threads import single_threaded_blas

# Smaller matrices are decomposed by LAPACK.
_LARGE = 500
# Lanczos vectors beyond those that are wanted; SciPy's twice as many take longer to orthogonalise.
_MORE_VECTORS = 40
# Rows and columns from which a Gram matrix takes longer than 80 products with vectors.
_LARGE_GRAM = 1000


def some_eigenpairs(A, first, last):
    """Eigenvalues and eigenvectors number ``first`` to ``last`` of a symmetric matrix, ascending.

    LAPACK's routine for a part of the spectrum (SYEVR) gives up on some matrices with multiple
    eigenvalues, such as those of binary data; divide and conquer does not.
    """
    try:
        values, vectors = eigh(A, subset_by_index=[first, last])
        if len(values) == last - first + 1:
            return values, vectors
    except LinAlgError:
        pass
    values, vectors = np.linalg.eigh(A)
    return values[first : last + 1], vectors[:, first : last + 1]


@single_threaded_blas()
def leading_eigenpairs(A, k, tol=1e-8):
    """The k largest eigenvalues and eigenvectors of a symmetric matrix, ascending.

    Where few of many are wanted, Lanczos iterations, with relative error ``tol``, take a fraction
    of the time: 8 ms instead of 12 for 60 of 617, 22 instead of 98 for 29 of 1,554.
    """
    n = len(A)
    if n >= _LARGE and k <= n / 8:
        try:
            tol = max(tol, float(np.finfo(A.dtype).eps))
            operator = LinearOperator(A.shape, symmetric_product(A), dtype=A.dtype)
            start, ncv = _start(n, A.dtype), k + _MORE_VECTORS
            values, vectors = eigsh(operator, k, which="LA", v0=start, tol=tol, ncv=ncv)
            order = np.argsort(values)
            return values[order], vectors[:, order]
        except ArpackError:  # such as for a matrix of zeros
            pass
    return some_eigenpairs(A, n - k, n - 1)


@single_threaded_blas()
def count_above(A, limit):
    """Number of eigenvalues of a symmetric matrix above a limit: 32 ms for 1,943 rows."""
    # A - limit has as many positive ones as the blocks of its LDL' factorisation (Sylvester);
    # blocks of two rows have one of each sign.
    n = len(A)
    shifted = A.copy()
    shifted.flat[:: n + 1] -= limit
    factors, pivot, _ = get_lapack_funcs("sytrf", (A,))(shifted.T, lwork=64 * n, overwrite_a=True)
    positive = np.diagonal(factors)[pivot > 0] > 0
    return int(positive.sum() + (pivot < 0).sum() // 2)


def symmetric_product(A):
    """v -> A v, which reads half of A: 0.10 and not 0.18 ms for 1,943 rows in single precision."""
    product = get_blas_funcs("symv", (A,))
    A = A.T if A.flags.c_contiguous else A  # as BLAS stores matrices
    return lambda v: product(1.0, A, v.ravel())


def _start(n, dtype):
    return np.random.default_rng(0).normal(size=n).astype(dtype)  # always the same


@single_threaded_blas()
def largest_singular_value(Z):
    """Largest singular value of a matrix, to four digits or more."""
    n = min(Z.shape)
    if n >= _LARGE_GRAM and Z.any():
        v0 = _start(n, Z.dtype)  # the tolerance below is that of squares
        return svds(Z, 1, tol=1e-2, v0=v0, return_singular_vectors=False)[0]
    G = Z @ Z.T if len(Z) <= Z.shape[1] else Z.T @ Z
    return np.sqrt(max(leading_eigenpairs(G, 1, 1e-4)[0][0], 0.0))


def factorise(A):
    """``cho_factor(A)`` for a positive definite A, shifted where rounding requires it.

    Columns that nearly depend on each other leave eigenvalues around zero of either sign. The
    smallest shift of a geometric series that helps is added to the diagonal, also of ``A`` itself.
    """
    shift = 0.0
    while True:
        try:
            return cho_factor(A)
        except LinAlgError:
            larger = max(10 * shift, np.finfo(float).eps * np.abs(A.diagonal()).max())
            A.flat[:: len(A) + 1] += larger - shift
            shift = larger


def fix_signs(V):
    """``V`` with the first of the largest entries of every column made positive."""
    size = abs(V)
    first = (size >= (1 - 1e-6) * size.max(axis=0)).argmax(axis=0)
    return V * np.where(V[first, np.arange(V.shape[1])] < 0, -1.0, 1.0)
