"""Decompositions of symmetric matrices, also where LAPACK's routines give up."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, eigh


def some_eigenpairs(A, first, last):
    """Eigenvalues and eigenvectors number ``first`` to ``last`` of a symmetric matrix, ascending.

    LAPACK's routine for a part of the spectrum (SYEVR) gives up on some matrices with multiple
    eigenvalues, such as those of binary data: it reports an internal error or returns fewer pairs
    than asked for. The whole spectrum is then computed by divide and conquer, which does not fail
    there.
    """
    try:
        values, vectors = eigh(A, subset_by_index=[first, last])
        if len(values) == last - first + 1:
            return values, vectors
    except LinAlgError:
        pass
    values, vectors = np.linalg.eigh(A)
    return values[first : last + 1], vectors[:, first : last + 1]


def largest_eigenvalue(A):
    """Largest eigenvalue of a symmetric matrix; see ``some_eigenpairs``."""
    last = len(A) - 1
    try:
        values = eigh(A, eigvals_only=True, subset_by_index=[last, last])
        if len(values):
            return values[0]
    except LinAlgError:
        pass
    return np.linalg.eigvalsh(A)[-1]


def factorise(A, *, lower=False):
    """``cho_factor(A, lower)`` for a positive definite A, shifted where rounding requires it.

    Columns that nearly depend on each other, or whose scales differ by many orders of magnitude,
    leave eigenvalues around zero with a rounding error of either sign. The smallest shift of a
    geometric series that makes the factorisation succeed is then added to the diagonal. ``A`` may
    be overwritten.
    """
    shift = 0.0
    while True:
        try:
            return cho_factor(A, lower=lower)
        except LinAlgError:
            larger = max(10 * shift, np.finfo(float).eps * np.abs(A.diagonal()).max())
            A.flat[:: len(A) + 1] += larger - shift
            shift = larger


def fix_signs(V):
    """``V`` with the first of the largest entries of every column made positive."""
    size = abs(V)
    first = (size >= (1 - 1e-6) * size.max(axis=0)).argmax(axis=0)
    return V * np.where(V[first, np.arange(V.shape[1])] < 0, -1.0, 1.0)
