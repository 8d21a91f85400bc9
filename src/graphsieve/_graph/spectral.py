"""Spectral analysis of the sample graph: its smooth directions, and how rough a column is on it.

The normalised Laplacian is Lh = P - D^-1/2 A D^-1/2, with P the identity on the nodes that have an
edge; isolated nodes take no part. Its null space is written down, one vector D^1/2 1_C for each
component C, and the other eigenpairs are computed one component at a time, because Lanczos finds
only some copies of a multiple eigenvalue.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu
from sklearn.utils import check_random_state

from .._utils.linalg import fix_signs, some_eigenpairs
from .._utils.messages import warn
from .._utils.text import counted
from .._utils.threads import single_threaded_blas
from .affinity import degree

# Components up to this size are solved densely: there it is faster than Lanczos.
_DENSE_NODES = 300
# Eigenvectors that are known already are moved to minus this: below all others, which are at least
# -1. (-1 itself belongs to bipartite components, whose eigenvectors would mix with the known ones.)
_BELOW = 2.0
# The eigenvalues of a thin graph, such as that of a time series, are too close to each other for
# Lanczos, and its factors have few entries. Thin is a graph whose bandwidth over its number of
# nodes is below this: 20,000 points in three dimensions take 0.1 instead of 2.3 s. Beyond so many
# entries in the band, factors are not affordable.
_THIN = 1 / 32
_MOST_BAND_ENTRIES = 2**27
# Distance of the shift from the top eigenvalue.
_SHIFT = 1e-7
# Tolerance of Lanczos from this number of nodes on (below, full precision), and where neither way
# is open. With 1e-6, the directions of 20,000 points agree with exact ones to a cosine of 1 - 1e-7.
_LARGE = 10_000
_LARGE_TOL = 1e-6
_ROUGH = 1e-3
_MOST_RESTARTS = 1000
# The largest default: of so few samples, fewer directions are worth no warning.
_MOST_DEFAULT = 10
# Columns in one block, and dense numbers in it: their differences along edges should stay in cache.
_BLOCK_COLUMNS = 96
_BLOCK_ENTRIES = 2**17


@dataclass(frozen=True)
class NullSpace:
    """Samples of each component, the largest first, and their orthonormal null vectors ``basis``.

    ``share`` are the products of these with the trivial null vector, D^1/2 1 / |D^1/2 1|.
    """

    nodes: list
    basis: sp.csr_array
    share: np.ndarray

    def directions(self, n_directions):
        """Orthonormal null vectors orthogonal to the trivial one, (n, n_directions).

        The choice within the null space follows from the order of the components alone.
        """
        c = len(self.share)
        Q = np.linalg.qr(np.column_stack([self.share, np.eye(c, n_directions)]))[0]
        return self.basis @ Q[:, 1:]


def edge_weight(A):
    """The degree of every node; an error when the graph has no edge."""
    weight = degree(A.astype(np.float64))
    if not weight.any():
        raise ValueError(
            "the graph has no edges: no two samples are similar. Use another affinity, for "
            'instance affinity="heat"'
        )
    return weight


def null_space(A):
    weight = edge_weight(A)
    n_parts, label = sp.csgraph.connected_components(A, directed=False)
    size = np.bincount(label)
    volume = np.bincount(label, weight)
    # By size, then by weight, then by the first sample; isolated nodes are left out.
    order = np.lexsort((np.arange(n_parts), -volume, -size))
    order = order[volume[order] > 0]
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(size)[:-1])
    column = np.full(n_parts, -1)
    column[order] = np.arange(len(order))
    node = np.flatnonzero(weight)
    entries = np.sqrt(weight[node] / volume[label[node]])
    basis = sp.csr_array((entries, (node, column[label[node]])), shape=(len(weight), len(order)))
    return NullSpace([members[c] for c in order], basis, np.sqrt(volume[order] / volume.sum()))


def eigenpairs(A, components, n_pairs, random_state=0):
    """The smallest non-zero eigenvalues of the normalised Laplacian, ascending, and eigenvectors.

    These are orthonormal, with fixed signs. A small graph has less than ``n_pairs``.
    """
    random_state = check_random_state(random_state)
    weight = edge_weight(A)
    scale = _inverse_root(weight)
    S = sp.csr_array(sp.diags_array(scale) @ A @ sp.diags_array(scale))
    values, vectors, owner = [], [], []
    with single_threaded_blas():  # threads only slow down the many small products of Lanczos
        for nodes in components.nodes:
            k = min(n_pairs, len(nodes) - 1)
            null = np.sqrt(weight[nodes] / weight[nodes].sum())
            found, V = _largest_pairs(S[nodes][:, nodes], null, k, random_state)
            values.append(1 - found)
            vectors.extend(V.T)
            owner.extend([nodes] * k)
    values = np.concatenate(values)
    chosen = np.argsort(values, kind="stable")[:n_pairs]
    result = np.zeros((A.shape[0], len(chosen)))
    for column, i in enumerate(chosen):
        result[owner[i], column] = vectors[i]
    return np.clip(values[chosen], 0, 2), fix_signs(result)


def embedding(A, n_dims, random_state=0):
    """Solutions of L y = l D y with the smallest l after the constant one, (n, n_dims).

    y' D y = 1, and rows of isolated nodes are zero. The first columns separate the components.
    """
    components = null_space(A)
    n_nodes = sum(map(len, components.nodes))
    if n_dims >= n_nodes and max(n_dims, A.shape[0]) > _MOST_DEFAULT:
        number = counted(n_nodes - 1, "direction")
        warn(f"a graph that joins {n_nodes} samples has only {number}, used instead of {n_dims}")
    n_dims = min(n_dims, n_nodes - 1)
    n_null = min(len(components.nodes) - 1, n_dims)
    V = fix_signs(components.directions(n_null))
    if n_null < n_dims:
        V = np.hstack([V, eigenpairs(A, components, n_dims - n_null, random_state)[1]])
    return _inverse_root(edge_weight(A))[:, None] * V


def column_blocks(X):
    """(slice, float64 columns) of a dense or CSR matrix: ndarray or CSC, a few at a time."""
    X = X.tocsc() if sp.issparse(X) else X
    n_columns = max(1, min(_BLOCK_COLUMNS, _BLOCK_ENTRIES // X.shape[0]))
    for start in range(0, X.shape[1], n_columns):
        columns = slice(start, min(start + n_columns, X.shape[1]))
        yield columns, X[:, columns].astype(np.float64)


def edges(A):
    """Ends i < j and weight of every edge."""
    i = np.repeat(np.arange(A.shape[0], dtype=A.indices.dtype), np.diff(A.indptr))
    upper = i < A.indices
    return i[upper], A.indices[upper], A.data[upper].astype(np.float64)


def difference_operator(A):
    """Sparse B, one row per edge: (B x)_e = sqrt(A_ij) (x_i - x_j), so that B'B = L."""
    i, j, weight = edges(A)
    root = np.sqrt(weight)
    entries, ends = np.column_stack([root, -root]).ravel(), np.column_stack([i, j]).ravel()
    starts = 2 * np.arange(len(root) + 1)
    return sp.csr_array((entries, ends, starts), shape=(len(root), A.shape[0]))


def roughness(B, weight, X, power=1):
    """x' D^1/2 Lh^power D^1/2 x for every column x; x'Lx for power 1.

    As a sum of squares of differences along edges: it needs no centring and nothing cancels.
    """
    V = B @ X
    if power > 1:
        normalized = B @ sp.diags_array(_inverse_root(weight))
    for step in range(1, power):
        V = (normalized.T if step % 2 else normalized) @ V
    return (V * V).sum(axis=0) if sp.issparse(V) else np.einsum("ij,ij->j", V, V)


def _inverse_root(weight):
    positive = weight > 0
    return np.where(positive, 1 / np.sqrt(np.where(positive, weight, 1)), 0)


def _largest_pairs(S, null, k, random_state):
    """The k largest eigenpairs of S on the complement of its top eigenvector ``null``."""
    n = len(null)
    if n <= _DENSE_NODES or k > n // 4:
        below = S.toarray() - (1 + _BELOW) * np.outer(null, null)
        return some_eigenpairs(below, n - k, n - 1)
    place = np.argsort(sp.csgraph.reverse_cuthill_mckee(S, symmetric_mode=True))
    i, j = S.nonzero()
    bandwidth = 1 + abs(place[i] - place[j]).max()
    if bandwidth > _THIN * n:
        try:
            return _lanczos(S, null, k, random_state, _LARGE_TOL if n > _LARGE else 0)
        except ArpackNoConvergence:
            pass
    if n * bandwidth <= _MOST_BAND_ENTRIES:
        return _shift_invert(S, k, random_state)
    return _lanczos(S, null, k, random_state, _ROUGH)


def _lanczos(S, null, k, random_state, tol):
    n = len(null)

    def solve(known, k, tol):
        # The known eigenvectors keep their directions and get the eigenvalue -_BELOW.
        shift = _BELOW + np.einsum("ij,ij->j", known, S @ known)

        def product(v):
            return S @ v - known @ (shift * (known.T @ v))

        operator = LinearOperator((n, n), product, dtype=np.float64)
        start = random_state.uniform(-1, 1, n)
        return eigsh(operator, k=k, which="LA", v0=start, tol=tol, maxiter=_MOST_RESTARTS)

    known = null[:, None]
    values, V = solve(known, k, tol)
    while True:
        # Lanczos may miss copies of a multiple eigenvalue: look for one in what is left.
        (value,), v = solve(np.hstack([known, V]), 1, max(tol, 1e-6))
        if value <= values[0] + max(tol, 1e-9):
            return values, V
        (value,), v = solve(np.hstack([known, V]), 1, tol)
        order = np.argsort(np.append(values, value))[1:]
        values, V = np.append(values, value)[order], np.hstack([V, v])[:, order]


def _shift_invert(S, k, random_state):
    n, above = S.shape[0], 1 + _SHIFT
    shifted = sp.csc_array(S - above * sp.eye_array(n))
    symmetric = {"permc_spec": "MMD_AT_PLUS_A", "options": {"SymmetricMode": True}}
    factors = splu(shifted, diag_pivot_thresh=0, **symmetric)
    inverse = LinearOperator((n, n), factors.solve, dtype=np.float64)
    start = random_state.uniform(-1, 1, n)
    values, V = eigsh(S, k=k + 1, sigma=above, OPinv=inverse, v0=start)
    order = np.argsort(values)[:k]  # all but the top one, which is known
    return values[order], V[:, order]
