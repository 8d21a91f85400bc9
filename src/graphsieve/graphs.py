"""Nearest-neighbour graphs of the samples, and their Laplacian.

Every graph method takes the same ``affinity`` and ``n_neighbors`` and gets the same sparse,
symmetric, non-negative matrix ``A`` with a zero diagonal. Two samples are joined when either is
among the nearest neighbours of the other. No n x n array is ever held: similarities are computed
for a block of rows, and only the neighbours are kept.
"""

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from .blocks import split_rows

AFFINITIES = ("cosine", "binary", "heat")

# Numbers in one block of similarities (rows of the block times all samples).
_BLOCK_ENTRIES = 2**22


def build_graph(data, *, affinity="cosine", n_neighbors=5):
    """Affinity matrix of the rows of ``data``.

    Parameters
    ----------
    data : RowBlocks
    affinity : {"cosine", "binary", "heat"}, callable, array or sparse matrix
        "cosine" joins the neighbours of largest cosine with that cosine as the weight (negative
        ones have no edge); "binary" gives the same edges the weight 1; "heat" joins Euclidean
        neighbours with ``exp(-d^2 / (2 s^2))``, s the mean length of the edges. A callable gets
        the data and returns the matrix; a matrix is taken as it is.
    n_neighbors : int
        Ties go to the sample that comes first.

    Returns
    -------
    A : CSR array of shape (n_samples, n_samples)
    """
    if callable(affinity):
        return check_affinity(affinity(data.whole()), data.n_samples)
    if not isinstance(affinity, str):
        return check_affinity(affinity, data.n_samples)
    n_neighbors = limit_neighbors(n_neighbors, data.n_samples)
    metric = "euclidean" if affinity == "heat" else "cosine"
    i, j, similarity = nearest_neighbors(data, n_neighbors, metric=metric)
    weight = _weights(affinity, similarity)
    A = sp.csr_array((weight, (i, j)), shape=(data.n_samples, data.n_samples))
    A = A.maximum(A.T).tocsr()
    A.eliminate_zeros()
    A.sort_indices()
    return A


def limit_neighbors(n_neighbors, n_samples):
    """``n_neighbors``, or all other samples, with a warning, when there are fewer."""
    if n_neighbors < n_samples:
        return n_neighbors
    warnings.warn(
        f"n_neighbors={n_neighbors} needs more than {n_neighbors} samples, there are {n_samples}: "
        f"using n_neighbors={n_samples - 1}",
        UserWarning,
        stacklevel=2,
    )
    return n_samples - 1


def degree(A):
    """Sum of the weights at every node."""
    return np.asarray(A.sum(axis=1)).ravel()


def laplacian(A):
    """L = D - A: symmetric, positive semidefinite, with L 1 = 0."""
    return (sp.diags_array(degree(A)) - A).tocsr()


def check_affinity(A, n_samples):
    """A user's affinity matrix as a CSR array without diagonal, or an error that says why not."""
    A = check_array(A, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="affinity")
    if A.shape != (n_samples, n_samples):
        raise ValueError(
            f"affinity must be square with one row per sample: expected "
            f"{(n_samples, n_samples)}, got {A.shape}"
        )
    A = sp.csr_array(A)
    if A.nnz and A.data.min() < 0:
        raise ValueError(f"affinity must not be negative: its smallest entry is {A.data.min():g}")
    largest = A.data.max() if A.nnz else 0.0
    if abs(A - A.T).max() > 1e-6 * largest:
        raise ValueError("affinity must be symmetric: use (A + A.T) / 2 or A.maximum(A.T)")
    A = A - sp.diags_array(A.diagonal())
    A.eliminate_zeros()
    return A.tocsr()


def nearest_neighbors(data, n_neighbors, *, metric):
    """The ``n_neighbors`` nearest other samples of every sample.

    Returns
    -------
    i, j : ndarray of shape (n_samples * n_neighbors,)
        Sample and neighbour, by increasing i and then j.
    similarity : ndarray of the same shape
        Cosine for ``metric="cosine"``, minus the squared distance for ``"euclidean"``.
    """
    square = _squared_norms(data)
    if metric == "cosine":
        scale, zero = _inverse_norms(square)
        if zero.any():
            warnings.warn(
                f"{zero.sum()} rows are all zero and have no cosine (first: row "
                f"{int(zero.argmax())}): they get no edges",
                UserWarning,
                stacklevel=3,
            )
        largest = 1.0
    else:
        largest = max(float(square.max()), np.finfo(data.dtype).tiny)
    # Equal similarities differ by rounding; below this step they count as ties.
    step = largest * (2.0**-33 if data.dtype == np.float64 else 2.0**-18)

    found = []
    block_rows = max(1, _BLOCK_ENTRIES // data.n_samples)
    for rows in split_rows(data.n_samples, block_rows):
        S = _products(data, rows)
        if metric == "cosine":
            S *= scale[rows, None]
            S *= scale
            np.clip(S, -1.0, 1.0, out=S)
        else:
            S *= 2
            S -= square[rows, None]
            S -= square
            np.minimum(S, 0.0, out=S)
        S[np.arange(len(S)), np.arange(rows.start, rows.stop)] = -np.inf
        i, j = np.nonzero(_largest(np.rint(S / step), n_neighbors))
        found.append((i + rows.start, j, S[i, j]))
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))


def _weights(affinity, similarity):
    if affinity == "cosine":
        return np.maximum(similarity, 0.0)
    if affinity == "binary":
        return (similarity > 0).astype(np.float64)
    mean_length = np.sqrt(-similarity).mean()
    if mean_length == 0:
        return np.ones_like(similarity)
    return np.exp(similarity / (2 * mean_length**2))


def _products(data, rows):
    """Inner products of the given rows with all rows, (len(rows), n_samples)."""
    left = data.rows(rows)
    if data.is_sparse:
        return (left @ data.whole().T).toarray()
    S = np.empty((left.shape[0], data.n_samples), data.dtype)
    for columns, right in data:
        np.matmul(left, right.T, out=S[:, columns])
    return S


def _squared_norms(data):
    square = np.empty(data.n_samples)
    for rows, block in data:
        if data.is_sparse:
            square[rows] = block.multiply(block).sum(axis=1)
        else:
            square[rows] = np.einsum("ij,ij->i", block, block)
    return square.astype(data.dtype)


def _inverse_norms(square):
    zero = square == 0
    return np.where(zero, 0, 1 / np.sqrt(np.where(zero, 1, square))), zero


def _largest(S, k):
    """Mask of the k largest entries of every row; among equals the first ones."""
    kth = np.partition(S, S.shape[1] - k, axis=1)[:, [S.shape[1] - k]]
    mask = kth <= S
    surplus = np.flatnonzero(mask.sum(axis=1) > k)
    if surplus.size:
        tied = S[surplus] == kth[surplus]
        above = mask[surplus] & ~tied
        room = k - above.sum(axis=1, keepdims=True)
        mask[surplus] = above | (tied & (np.cumsum(tied, axis=1) <= room))
    return mask
