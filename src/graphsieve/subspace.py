"""Samples as combinations of other samples, X' = X'Z with zero diagonal, for subspace clustering.

Everything goes through K = XX', so the cost does not depend on the number of features.
"""

import numpy as np

from .blocks import split_rows

# Rows of Z per matrix product in a sweep.
_BLOCK_ROWS = 64


def first_representation(K):
    """Minimiser of |X' - X'Z|_F^2 + 1e-3 |Z|_F^2 with zero diagonal, in closed form.

    Coordinate descent alone is slow at this part, because samples are much alike.
    """
    Z = np.linalg.inv(K + 1e-3 * np.eye(len(K)))
    Z /= -np.diag(Z).copy()
    np.fill_diagonal(Z, 0)
    return Z


def sweep_representation(Z, residual, K, threshold):
    """One sweep of coordinate descent over the rows of Z, in place; ``residual`` is K - KZ.

    Row j minimises |X' - X'Z|_F^2 + 2 sum_i threshold_ji |Z_ji| with the other rows fixed, so the
    rows follow one another. The residual is kept up to date row by row only inside a small block
    of rows, and elsewhere by one matrix product per block.
    """
    for rows in split_rows(len(Z), _BLOCK_ROWS):
        before, local = Z[rows].copy(), residual[rows].copy()
        for i, j in enumerate(range(rows.start, rows.stop)):
            row = np.zeros(len(Z))
            if K[j, j] > 0:
                free = local[i] + K[j, j] * Z[j]
                row = np.sign(free) * np.maximum(np.abs(free) - threshold[j], 0) / K[j, j]
                row[j] = 0
            local[i + 1 :] -= np.outer(K[j + 1 : rows.stop, j], row - Z[j])
            Z[j] = row
        residual -= K[:, rows] @ (Z[rows] - before)
