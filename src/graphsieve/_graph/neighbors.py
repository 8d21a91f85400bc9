"""The nearest neighbours of every sample, and the exact search for them.

No n x n array is ever held: similarities are computed for a block of rows, and only the neighbours
are kept. In the exact search, inner products in single precision leave a few candidates per sample:
all samples that rounding does not exclude. Where these are more than the neighbours wanted, their
distances are computed from differences in double precision. Neither an outlier nor an offset of the
data changes the result, and only distances that agree to their own rounding error are ties.
"""

from hashlib import blake2b

import numpy as np
import scipy.sparse as sp

from .._rows import split_rows
from .._utils.threads import Workers
from .._utils.warn import warn
from .approximate import approximate_pairs
from .points import Points, maxima_of_groups, squared_distances

SEARCHES = ("auto", "exact", "approximate")

# Largest number of samples for which "auto" searches exactly: it takes half a minute on two cores.
_MOST_EXACT = 50_000

# Number of multiplications below which threads are not worth starting.
_FEW_PRODUCTS = 2**28

# Numbers in one block of similarities (rows of the block times all samples).
_BLOCK_ENTRIES = 2**23

# Fewest rows for which a block of their own is worthwhile.
_FEWEST_ROWS = 128

# Candidates per sample above which it pays to look for copies of samples among them.
_MANY_CANDIDATES = 64


def limit_neighbors(n_neighbors, n_samples):
    """``n_neighbors``, reduced with a warning if there are not that many other samples."""
    if n_neighbors < n_samples:
        return n_neighbors
    warn(
        f"n_neighbors={n_neighbors} is too large for {n_samples} samples. Every sample is joined "
        f"to all others (n_neighbors={n_samples - 1}); set a smaller n_neighbors to keep the "
        "graph local"
    )
    return n_samples - 1


def nearest_neighbors(data, n_neighbors, *, metric, neighbors="auto", n_jobs=None):
    """The ``n_neighbors`` nearest other samples of every sample.

    Ties go by content, not by the order of the samples. See ``build_graph`` for the other options.

    Returns
    -------
    i, j : ndarray of shape (n_pairs,)
        Sample and neighbour, by increasing i and then j. There are ``n_neighbors`` pairs for
        every sample, except that an approximate search may find fewer, and that rows of zeros
        have no cosine and occur in no pair.
    similarity : ndarray of shape (n_pairs,)
        Cosine for ``metric="cosine"``, minus the squared distance for ``"euclidean"``.
    """
    points = Points(data.stored(), metric)
    n = data.n_samples
    is_small = n**2 * data.n_features < _FEW_PRODUCTS
    with Workers(1 if is_small else n_jobs) as workers:
        find = approximate_pairs if _is_approximate(neighbors, n) else exact_pairs
        i, j = find(points, n_neighbors, workers)
        # Most pairs are neighbours both ways: each distance is computed once.
        pairs, place = np.unique(np.minimum(i, j) * n + np.maximum(i, j), return_inverse=True)
        return i, j, points.similarity(pairs // n, pairs % n, workers)[place]


def _is_approximate(neighbors, n_samples):
    return neighbors == "approximate" or (neighbors == "auto" and n_samples > _MOST_EXACT)


def exact_pairs(points, n_neighbors, workers):
    """Sample and neighbour, for the ``n_neighbors`` nearest samples of every sample.

    Returns two arrays i and j, by increasing i and then j.
    """
    points.place_by_content()
    states = points.data.fold_parts(_fold, points.without_data(), n_neighbors)
    if states is None:
        numbers = points.searched
        n = points.data.n_samples
        # Blocks for many threads, the same for any number of them.
        rows = min(_BLOCK_ENTRIES // n, max(_FEWEST_ROWS, -(-len(numbers) // 16)))
        blocks = split_rows(len(numbers), max(1, rows))
        _ = points.resident  # once, not once per thread
        states = workers.map(lambda block: _nearest(points, numbers[block], n_neighbors), blocks)
    if not states:  # every row is zero
        return np.empty(0, dtype=int), np.empty(0, dtype=int)
    i, j = (np.concatenate(arrays) for arrays in zip(*(s[:2] for s in states), strict=True))
    order = np.lexsort((j, i))
    return i[order], j[order]


def _nearest(points, number, n_neighbors):
    """Pairs (i, j) of the samples ``number`` and their neighbours among all samples."""
    left = points.rows(number)
    S = np.empty((len(number), points.data.n_samples), points.dtype)
    for columns, right in points.blocks():
        _scores(points, left, columns, right, S[:, columns])
    row, j = _candidates(points, S, number, slice(0, S.shape[1]), n_neighbors)
    i = number[row]
    unclear = np.bincount(row, minlength=len(number))[row] > n_neighbors
    rivals = i[unclear], j[unclear]
    squared = _direct(points, points.data, points.data, *rivals, *rivals)
    chosen = np.ones(len(i), dtype=bool)
    chosen[unclear] = points.nearest(*rivals, squared, n_neighbors)
    return i[chosen], j[chosen]


def _fold(best, part, rows, other, columns, points, n_neighbors):
    """Pairs and squared distances of the neighbours found so far of the samples in one part."""
    right = points.prepare(other.whole(), columns)
    found = [] if best is None else [best]
    for block in split_rows(part.n_samples, max(1, _BLOCK_ENTRIES // other.n_samples)):
        number = np.arange(rows.start, rows.stop)[block]
        S = np.empty((len(number), other.n_samples), points.dtype)
        _scores(points, points.prepare(part.rows(block), number), columns, right, S)
        row, column = _candidates(points, S, number, columns, n_neighbors)
        i, j = number[row], columns.start + column
        found.append((i, j, _direct(points, part, other, i - rows.start, column, i, j)))
    i, j, squared = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    chosen = points.nearest(i, j, squared, n_neighbors)
    return i[chosen], j[chosen], squared[chosen]


def _scores(points, left, columns, right, out):
    """2 <x_i, x_j> - |x_j|^2: in every row the largest belong to the nearest samples."""
    if sp.issparse(left):
        (2 * left @ right.T).toarray(out=out)
    else:
        np.matmul(2 * left, right.T, out=out)
    out -= points.square[columns].astype(out.dtype)


def _candidates(points, S, number, columns, n_neighbors):
    """Row and column in S of all samples that may be among the nearest ones."""
    own = (number >= columns.start) & (number < columns.stop)
    S[own, number[own] - columns.start] = -np.inf
    if points.is_cosine:
        S[points.norm[number] == 0] = -np.inf
        S[:, points.norm[columns] == 0] = -np.inf
    # So many groups that few rows have two of their neighbours in one of them.
    top = maxima_of_groups(S, max(256, 16 * n_neighbors**2))
    place = max(0, top.shape[1] - n_neighbors)
    nearest = np.partition(top, place, axis=1)[:, place].astype(np.float64)
    # Minus infinity marks what is no candidate, also where there are too few. Next to a large
    # offset rounding may exclude nothing: the bound is then below all numbers of this precision.
    lowest = float(np.finfo(S.dtype).min)
    bound = np.full(len(S), lowest)
    enough = np.isfinite(nearest)
    bound[enough] = np.maximum(points.threshold(nearest[enough], number[enough]), lowest)
    return np.nonzero(bound[:, None].astype(S.dtype) <= S)


def _direct(points, left, right, row, column, i, j):
    """Squared distances of samples i and j, rows of ``left`` and ``right``, from differences."""
    if not len(i):
        return np.empty(0)
    if len(i) > _MANY_CANDIDATES * len(np.unique(row)):
        # Copies have the same distances: compute each only once.
        row, column = _first_copies(left, row), _first_copies(right, column)
        _, first, place = np.unique(
            row * right.n_samples + column, return_index=True, return_inverse=True
        )
        row, column, i, j = row[first], column[first], i[first], j[first]
    else:
        place = slice(None)
    squared = left.reduce_pairs_with(
        right,
        squared_distances,
        row,
        column,
        points.scale[i],
        points.scale[j],
        combine=_append,
    )
    return squared[place]


def _append(one, other):
    return np.concatenate([one, other])


def _first_copies(data, numbers):
    """For every sample the first one, among those given, whose row is the same."""
    distinct, place = np.unique(numbers, return_inverse=True)
    first = {}
    copies = [first.setdefault(_digest(data.rows(slice(k, k + 1))), k) for k in distinct]
    return np.array(copies)[place]


def _digest(row):
    if not sp.issparse(row):
        return blake2b(np.ascontiguousarray(row), digest_size=16).digest()
    return blake2b(row.indices.tobytes() + row.data.tobytes(), digest_size=16).digest()
