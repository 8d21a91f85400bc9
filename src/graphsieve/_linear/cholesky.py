"""Cholesky factors of matrices that rounding may have made indefinite."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor


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
