"""The nearest neighbours of every sample.

No n x n array is ever held: similarities are computed for a block of rows, and only the neighbours
are kept.
"""

import numpy as np

from .._utils.threads import Workers
from .._utils.warn import warn
from .approximate import approximate_pairs
from .exact import exact_pairs
from .points import Points

SEARCHES = ("auto", "exact", "approximate")

# Largest number of samples for which "auto" searches exactly: it takes half a minute on two cores.
_MOST_EXACT = 50_000

# Number of multiplications below which threads are not worth starting.
_FEW_PRODUCTS = 2**28


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

    Ties go to the sample that comes first. See ``build_graph`` for the other options.

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
