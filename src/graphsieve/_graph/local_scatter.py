"""Scatter of the samples around their neighbours, for UDFS."""

import numpy as np
import scipy.sparse as sp

from .._rows import BLOCK_BYTES, RowBlocks, split_rows
from .._utils.threads import single_threaded_blas
from .neighbors import nearest_neighbors


def local_scatter(X, *, n_neighbors, ridge, neighbors="auto", n_jobs=None):
    """sum_i P_i' C (G_i G_i' + ridge I)^-1 C P_i, a sparse n x n matrix.

    P_i picks sample i and its neighbours, C centres them, and G_i = C P_i X. The matrix is positive
    semidefinite, and the sum of every row is zero.
    """
    n = len(X)
    i, j, _ = nearest_neighbors(
        RowBlocks(X), n_neighbors, metric="euclidean", neighbors=neighbors, n_jobs=n_jobs
    )
    # An approximate search may find fewer neighbours: samples with equally many go together.
    count = np.bincount(i, minlength=n)
    start = np.cumsum(count) - count
    B = sp.csr_array((n, n))
    with single_threaded_blas():  # the matrices are small
        for n_found in np.unique(count[count > 0]):
            samples = np.flatnonzero(count == n_found)
            others = j[start[samples, None] + np.arange(n_found)]
            B += _scatter_of_groups(X, np.column_stack([samples, others]), ridge)
    return B


def _scatter_of_groups(X, groups, ridge):
    """The sum over groups of equal size; each row holds the numbers of a group."""
    n_groups, size = groups.shape
    local = np.empty((n_groups, size, size))
    centring = np.eye(size) - 1 / size
    for rows in split_rows(n_groups, max(1, BLOCK_BYTES // (8 * size * X.shape[1]))):
        G = X[groups[rows]]
        G -= G.mean(axis=1, keepdims=True)
        # Not by an inverse: a Gram matrix of centred rows is singular, and next to large data
        # the ridge is lost in rounding. The null vector 1 drops out by centring.
        value, vector = np.linalg.eigh(G @ G.transpose(0, 2, 1))
        vector /= np.sqrt(np.maximum(value, 0) + ridge)[:, None, :]
        vector = centring @ vector
        local[rows] = vector @ vector.transpose(0, 2, 1)
    i, j = np.repeat(groups, size, axis=1), np.tile(groups, size)
    return sp.csr_array((local.ravel(), (i.ravel(), j.ravel())), shape=(len(X), len(X)))
