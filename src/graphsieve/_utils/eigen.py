"""Some of the eigenpairs of a symmetric matrix."""

import numpy as np
from scipy.linalg import LinAlgError, eigh


def some_eigenpairs(A, first, last):
    """Eigenvalues and eigenvectors of a symmetric matrix, in ascending order.

    LAPACK's routine for a part of the spectrum (SYEVR) gives up on some matrices with multiple
    eigenvalues, such as those of binary data: it reports an internal error or returns fewer pairs
    than asked for. The whole spectrum is then computed by divide and conquer, which does not fail
    there.

    Parameters
    ----------
    A : ndarray of shape (n, n)
    first, last : int
        Numbers of the first and the last pair, from 0 to n - 1.

    Returns
    -------
    values : ndarray of shape (last - first + 1,)
    vectors : ndarray of shape (n, last - first + 1)
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
