"""Samples as combinations of other samples, X' = X'Z with zero diagonal, for subspace clustering.

Everything goes through K = XX', so the cost does not depend on the number of features.
"""

import numpy as np

from .._rows import split_rows

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
    rows follow one another. They do so in blocks, and the residual of a block takes up what has
    changed before it by one matrix product; within a block a row asks for what it needs.
    """
    blocks = split_rows(len(Z), _BLOCK_ROWS)
    change = -Z
    for rows in blocks:
        start = rows.start
        residual[rows] -= K[rows, :start] @ change[:start]
        for j in range(start, rows.stop):
            square = K[j, j]
            row = np.zeros(len(Z))
            if square > 0:
                free = residual[j] + square * Z[j]
                free -= K[j, start:j] @ change[start:j]
                row = np.abs(free)
                row -= threshold[j]
                np.maximum(row, 0, out=row)
                row /= square
                np.copysign(row, free, out=row)
                row[j] = 0
            change[j] += row
            Z[j] = row
    for rows in blocks:
        residual[rows] -= K[rows, rows.start :] @ change[rows.start :]
