"""The nearest neighbours of every sample.

No n x n array is ever held: similarities are computed for a block of rows, and only the neighbours
are kept. Neighbours are exact where that is affordable; the search for approximate ones is linear
in the number of samples, up to a logarithm.
"""

from functools import partial
from importlib.util import find_spec

import numpy as np
import scipy.sparse as sp

from .._rows import split_rows
from .._utils.threads import Workers
from .._utils.warn import warn
from .similarity import Similarity, largest

SEARCHES = ("auto", "exact", "approximate")

# From here on "auto" prefers approximate neighbours: exact ones take half a minute on two cores.
_MOST_EXACT = 50_000

# Numbers in one block of similarities (rows of the block times all samples).
_BLOCK_ENTRIES = 2**23

# Multiplications below which a search is over before threads have started.
_FEW_PRODUCTS = 2**28

# Rows that are worth a block of their own.
_FEWEST_ROWS = 128

# Neighbours that pynndescent refines at the least: with fewer it misses some of the nearest.
_FEWEST_CANDIDATES = 15

# Data that are not in memory are searched along so many of their principal axes, which so many of
# their rows tell; the best of so many times the neighbours are then chosen from the data.
_N_AXES = 64
_AXES_ROWS = 4096
_CANDIDATES = 4


def limit_neighbors(n_neighbors, n_samples):
    """``n_neighbors``, or all other samples, with a warning, when there are fewer."""
    if n_neighbors < n_samples:
        return n_neighbors
    warn(
        f"n_neighbors={n_neighbors} needs more than {n_neighbors} samples, there are {n_samples}: "
        f"using n_neighbors={n_samples - 1}"
    )
    return n_samples - 1


def nearest_neighbors(data, n_neighbors, *, metric, neighbors="auto", n_jobs=None):
    """The ``n_neighbors`` nearest other samples of every sample.

    Returns
    -------
    i, j : ndarray of shape (n_samples * n_neighbors,)
        Sample and neighbour, by increasing i and then j. An approximate search may find fewer.
    similarity : ndarray of the same shape
        Cosine for ``metric="cosine"``, minus the squared distance for ``"euclidean"``.
    """
    data = data.stored()
    similarity = Similarity(data, metric)
    is_small = data.n_samples**2 * data.n_features < _FEW_PRODUCTS
    with Workers(1 if is_small else n_jobs) as workers:
        if _is_approximate(neighbors, data.n_samples):
            i, j = _approximate(similarity, n_neighbors, workers)
        else:
            i, j = _exact(similarity, n_neighbors, workers)
        # Most pairs are neighbours both ways: each is looked at once.
        n = data.n_samples
        pairs, place = np.unique(np.minimum(i, j) * n + np.maximum(i, j), return_inverse=True)
        S = similarity.of_pairs(pairs // n, pairs % n, workers)
        return i, j, similarity.clip(S)[place]


def _is_approximate(neighbors, n_samples):
    if neighbors != "auto":
        return neighbors == "approximate"
    if n_samples <= _MOST_EXACT:
        return False
    if find_spec("pynndescent") is not None:
        return True
    warn(
        f"the exact neighbours of {n_samples} samples take long. pip install 'graphsieve[ann]' to "
        'have approximate ones found fast, or set neighbors="exact" to silence this'
    )
    return False


def _exact(similarity, n_neighbors, workers):
    """Sample and neighbour: the samples of largest similarity, block by block of samples."""
    n = similarity.data.n_samples
    found = similarity.data.fold_parts(_nearest_of_parts, similarity.without_data(), n_neighbors)
    if found is not None:
        j = np.concatenate([j for j, _ in found])
        return np.repeat(np.arange(n), n_neighbors), np.sort(j, axis=1).ravel()
    coarse = similarity.in_single_precision()
    if coarse is None:
        (j,) = _by_blocks(lambda number: (similarity.nearest(number, n_neighbors),), n, workers)
    else:
        # Single precision finds nearly all neighbours; where rounding could decide, double does.
        j, clear = _by_blocks(
            lambda number: coarse.clearly_nearest(number, n_neighbors), n, workers
        )
        unclear = np.flatnonzero(~clear)
        if unclear.size:
            (j[unclear],) = _by_blocks(
                lambda k: (similarity.nearest(unclear[k], n_neighbors),), unclear.size, workers, n
            )
    return np.repeat(np.arange(n), n_neighbors), j.ravel()


def _by_blocks(function, n_rows, workers, n_columns=None):
    """Arrays that ``function`` returns for blocks of row numbers, on the threads, joined."""
    # Blocks for many threads, the same for any number of them: so are then the last digits.
    block_rows = min(_BLOCK_ENTRIES // (n_columns or n_rows), max(_FEWEST_ROWS, -(-n_rows // 16)))
    blocks = split_rows(n_rows, max(1, block_rows))
    parts = workers.map(lambda rows: function(np.arange(rows.start, rows.stop)), blocks)
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


def _nearest_of_parts(best, part, rows, other, other_rows, similarity, k):
    """Columns and similarities of the k samples nearest to those of one part, so far."""
    found = []
    columns = np.arange(other_rows.start, other_rows.stop)
    for block in split_rows(part.n_samples, max(1, _BLOCK_ENTRIES // other.n_samples)):
        number = np.arange(rows.start, rows.stop)[block]
        S = part.rows(block) @ other.whole().T
        S = similarity.finish(S.toarray() if sp.issparse(S) else S, number, columns)
        S[number[:, None] == columns] = -np.inf
        j = largest(S, min(k, len(columns)), similarity.step)
        found.append((columns[j], np.take_along_axis(S, j, axis=1)))
    j, S = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    if best is None:
        return j, S
    j, S = np.hstack([best[0], j]), np.hstack([best[1], S])
    # Earlier parts have the lower numbers, so that ties go to the sample that comes first.
    order = np.argsort(-np.rint(S / similarity.step), axis=1, kind="stable")[:, :k]
    return np.take_along_axis(j, order, axis=1), np.take_along_axis(S, order, axis=1)


def _approximate(similarity, n_neighbors, workers):
    """Sample and neighbour by nearest-neighbour descent on the data."""
    X = similarity.data.resident()
    if X is None:
        return _approximate_by_axes(similarity, n_neighbors, workers)
    X = sp.csr_matrix(X) if sp.issparse(X) else X
    near = _descend(X, similarity.metric, max(n_neighbors, _FEWEST_CANDIDATES), workers)
    others = near >= 0
    others &= np.cumsum(others, axis=1) <= n_neighbors
    i, column = np.nonzero(others)
    j = near[i, column]
    return i, j[np.lexsort((j, i))]


def _approximate_by_axes(similarity, n_neighbors, workers):
    """Candidates from the data along their principal axes, the best of them from the data."""
    data = similarity.data
    axes = _principal_axes(similarity)
    X = data.stack(partial(_along, axes), similarity.row_scale())
    n_candidates = max(_CANDIDATES * n_neighbors, _FEWEST_CANDIDATES)
    near = _descend(X, "euclidean", n_candidates, workers)
    del X
    i, column = np.nonzero(near >= 0)
    j = near[i, column]
    S = similarity.of_pairs(i, j, workers)
    # By sample, then from the most similar on; ties go to the sample that comes first.
    order = np.lexsort((j, -np.rint(S / similarity.step), i))
    i, j = i[order], j[order]
    first = np.searchsorted(i, np.arange(data.n_samples))
    chosen = np.arange(len(i)) - first[i] < n_neighbors
    i, j = i[chosen], j[chosen]
    return i, j[np.lexsort((j, i))]


def _principal_axes(similarity):
    data = similarity.data
    chosen = np.zeros(data.n_samples, dtype=bool)
    chosen[:: -(-data.n_samples // _AXES_ROWS)] = True
    X = data.stack(_chosen_rows, chosen, similarity.row_scale())
    if not similarity.is_cosine:
        X -= X.mean(axis=0)
    return np.linalg.svd(X, full_matrices=False)[2][:_N_AXES].T.astype(np.float32)


def _chosen_rows(block, chosen, scale):
    block = block[chosen]
    return (block.toarray() if sp.issparse(block) else block) * scale[chosen, None]


def _along(axes, block, scale):
    return (block @ axes * scale[:, None]).astype(np.float32)


def _descend(X, metric, n_candidates, workers):
    """Nearest other samples, nearest first, -1 for none; a fixed seed makes them repeatable."""
    try:
        from pynndescent import NNDescent
    except ImportError as error:
        raise ImportError(
            'neighbors="approximate" needs pynndescent: pip install "graphsieve[ann]"'
        ) from error
    n = X.shape[0]
    n_candidates = min(n_candidates + 1, n)
    index = NNDescent(X, metric=metric, n_neighbors=n_candidates, random_state=0, n_jobs=workers.n)
    near = index.neighbor_graph[0].copy()
    # A sample is mostly, among copies not always, its own first neighbour.
    near[near == np.arange(n)[:, None]] = -1
    return near
