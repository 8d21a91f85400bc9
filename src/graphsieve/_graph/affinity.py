"""Nearest-neighbour graphs of the samples, and their Laplacian.

A graph is a sparse, symmetric, non-negative matrix ``A`` with a zero diagonal. Two samples are
joined when either is among the nearest neighbours of the other.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from .._rows import check_container
from .neighbors import limit_neighbors, nearest_neighbors

AFFINITIES = ("cosine", "binary", "heat")

# Relative to the bandwidth, the length above which heat weights no longer decrease: 1e-6 is the
# smallest. Divided by the degree of an outlier, anything would be huge otherwise.
_LONGEST = np.sqrt(2 * np.log(1e6))
# Smallest value of the largest weight in a given matrix, and the inverse of its largest value.
_LEAST_WEIGHT = 1e-30


def build_graph(data, *, n_neighbors=5, affinity="cosine", n_jobs=None):
    """Affinity matrix of the rows of ``data``, a CSR array of shape (n_samples, n_samples).

    "cosine" joins the neighbours of largest cosine, with the cosine as weight (negative ones have
    no edge); "binary" gives the same edges the weight 1; "heat" joins Euclidean neighbours with the
    weight ``exp(-d^2 / (2 s^2))``, where s is the median length of the edges, but at least 1e-6. A
    callable gets the data and returns the matrix; a matrix is used as it is.
    """
    if not isinstance(affinity, str):
        A = affinity(data.whole()) if callable(affinity) else affinity
        return check_affinity(A, data.n_samples)
    n_neighbors = limit_neighbors(n_neighbors, data.n_samples)
    metric = "euclidean" if affinity == "heat" else "cosine"
    i, j, similarity = nearest_neighbors(data, n_neighbors, metric=metric, n_jobs=n_jobs)
    A = sp.csr_array(
        (_weights(affinity, similarity), (i, j)), shape=(data.n_samples, data.n_samples)
    )
    A = A.maximum(A.T).tocsr()
    A.eliminate_zeros()
    A.sort_indices()
    return A


def _weights(affinity, similarity):
    if affinity == "cosine":
        return np.maximum(similarity, 0.0)
    if affinity == "binary":
        return (similarity > 0).astype(np.float64)
    length = np.sqrt(-similarity)
    # A single outlier can make the mean arbitrarily large. If half of the edges join copies, the
    # median of the others counts.
    bandwidth = np.median(length)
    if bandwidth == 0 and length.any():
        bandwidth = np.median(length[length > 0])
    length = np.minimum(length / (bandwidth or 1.0), _LONGEST)
    return np.exp(-0.5 * length**2)


def check_affinity(A, n_samples):
    """A user's affinity matrix as a CSR array without diagonal; raises an error if invalid."""
    check_container(A, "affinity")
    A = check_array(A, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="affinity")
    if A.shape != (n_samples, n_samples):
        raise ValueError(
            f"affinity must be square with one row per sample: expected "
            f"{(n_samples, n_samples)}, got {A.shape}"
        )
    A = sp.csr_array(A, copy=True)
    A.sum_duplicates()
    A.eliminate_zeros()
    if A.nnz and A.data.min() < 0:
        raise ValueError(f"affinity must not be negative: its smallest entry is {A.data.min():g}")
    if A.nnz and not _LEAST_WEIGHT <= A.data.max() <= 1 / _LEAST_WEIGHT:
        raise ValueError(
            f"the largest entry of affinity is {A.data.max():g}: products of such numbers overflow "
            "or vanish in floating point. Divide the matrix by its largest entry"
        )
    if A.nnz and abs(A - A.T).max() > 1e-6 * A.data.max():
        raise ValueError("affinity must be symmetric: use (A + A.T) / 2 or A.maximum(A.T)")
    diagonal = A.diagonal()
    return (A - sp.diags_array(diagonal)).tocsr() if diagonal.any() else A


def degree(A):
    return np.asarray(A.sum(axis=1)).ravel()


def laplacian(A):
    """L = D - A: symmetric, positive semidefinite, with L 1 = 0."""
    return sp.csgraph.laplacian(A).tocsr()
