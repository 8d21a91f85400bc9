"""Plain references for the spectral methods: dense matrices and loops, from the formulas."""

import warnings

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from graphsieve._graph.affinity import build_graph
from graphsieve._rows import RowBlocks


def dense_graph(X, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build_graph(RowBlocks(X), **params).toarray()


def components(A):
    """Samples of every component with an edge, largest first, by walking along the edges."""
    left, found = set(range(len(A))), []
    while left:
        reached, border = set(), {min(left)}
        while border:
            reached |= border
            border = {j for i in border for j in np.flatnonzero(A[i])} - reached
        left -= reached
        if len(reached) > 1:
            found.append(sorted(int(i) for i in reached))
    return sorted(found, key=lambda nodes: (-len(nodes), -A[nodes].sum(), nodes[0]))


def dense_embedding(A, m):
    """Solutions of L y = l D y after the constant: indicators of components, then eigenvectors."""
    degree = A.sum(axis=1)
    on = degree > 0
    found = components(A)
    vectors = [on.astype(float)]
    for nodes in found[:-1]:
        indicator = np.zeros(len(A))
        indicator[nodes] = 1
        vectors.append(indicator)
    Y = np.zeros((len(A), len(vectors)))
    for q, y in enumerate(vectors):
        for earlier in Y[:, :q].T:
            y = y - earlier * (earlier @ (degree * y))
        Y[:, q] = y / np.sqrt(y @ (degree * y))
    Z = np.zeros((len(A), on.sum()))
    D = np.diag(degree[on])
    Z[on] = scipy.linalg.eigh(D - A[np.ix_(on, on)], D)[1]
    return np.hstack([Y[:, 1:], Z[:, len(found) :]])[:, :m]


def centred(X):
    return X - X.mean(axis=0)


def with_zero_rows_ranked(strength, misfit, norms):
    """Columns without weight below all others, by misfit / norm."""
    scores = strength.copy()
    zero = strength == 0
    pull = np.array([m / x if x > 0 else 0.0 for m, x in zip(misfit, norms, strict=True)])
    if zero.any() and pull[zero].max() > 0:
        smallest = strength[~zero].min() if (~zero).any() else 1.0
        scores[zero] = smallest / 2 * pull[zero] / pull[zero].max()
    return scores


def large_graph(n):
    """Sparse affinity: every sample has three random neighbours, and those that chose it."""
    rng = np.random.default_rng(0)
    i, j = np.repeat(np.arange(n), 3), rng.integers(0, n, 3 * n)
    A = sp.csr_array((rng.uniform(0.5, 1, 3 * n), (i, j)), shape=(n, n))
    return (A + A.T).tocsr()
