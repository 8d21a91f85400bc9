"""Nearest-neighbour graphs of the samples, and their Laplacian.

Every graph method takes the same ``affinity`` and ``n_neighbors`` and gets the same sparse,
symmetric, non-negative matrix ``A`` with a zero diagonal. Two samples are joined when either is
among the nearest neighbours of the other. No n x n array is ever held: similarities are computed
for a block of rows, and only the neighbours are kept. Neighbours are exact where that is
affordable; the search for approximate ones is linear in the number of samples, up to a logarithm.
"""

import warnings
from copy import copy
from functools import partial
from importlib.util import find_spec

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from .blocks import RowBlocks, split_rows
from .threads import Workers

AFFINITIES = ("cosine", "binary", "heat")
SEARCHES = ("auto", "exact", "approximate")

# From here on "auto" prefers approximate neighbours: exact ones take half a minute on two cores.
_MOST_EXACT = 50_000

# Numbers in one block of similarities (rows of the block times all samples).
_BLOCK_ENTRIES = 2**23

# Multiplications below which a search is over before threads have started.
_FEW_PRODUCTS = 2**28

# Rows, or pairs of rows, that are worth a block of their own.
_FEWEST_ROWS = 128

# Neighbours that pynndescent refines at the least: with fewer it misses some of the nearest.
_FEWEST_CANDIDATES = 15

# Data that are not in memory are searched along so many of their principal axes, which so many of
# their rows tell; the best of so many times the neighbours are then chosen from the data.
_N_AXES = 64
_AXES_ROWS = 4096
_CANDIDATES = 4


def build_graph(data, *, affinity="cosine", n_neighbors=5, neighbors="auto", n_jobs=None):
    """Affinity matrix of the rows of ``data``.

    Parameters
    ----------
    data : Rows
    affinity : {"cosine", "binary", "heat"}, callable, array or sparse matrix
        "cosine" joins the neighbours of largest cosine with that cosine as the weight (negative
        ones have no edge); "binary" gives the same edges the weight 1; "heat" joins Euclidean
        neighbours with ``exp(-d^2 / (2 s^2))``, s the mean length of the edges. A callable gets
        the data and returns the matrix; a matrix is taken as it is.
    n_neighbors : int
        Ties go to the sample that comes first.
    neighbors : {"auto", "exact", "approximate"}
        How neighbours are found. "approximate" misses a few in a hundred and needs pynndescent
        (extra ``ann``); it repeats for the same number of threads. Data that are not in memory are
        searched along their principal axes, and miss a few more. "auto" is "approximate" for more
        than 50,000 samples where pynndescent is installed.
    n_jobs : int or None

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
    i, j, similarity = nearest_neighbors(
        data, n_neighbors, metric=metric, neighbors=neighbors, n_jobs=n_jobs
    )
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
    diagonal = A.diagonal()
    A = A - sp.diags_array(diagonal) if diagonal.any() else A.copy()
    A.sum_duplicates()
    A.eliminate_zeros()
    return A.tocsr()


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
    similarity = _Similarity(data, metric)
    is_small = data.n_samples**2 * data.n_features < _FEW_PRODUCTS
    with Workers(1 if is_small else n_jobs) as workers:
        if _is_approximate(neighbors, data.n_samples):
            find = _approximate if data.in_memory else _approximate_by_axes
        else:
            find = _exact_across if data.is_distributed else _exact
        i, j = find(similarity, n_neighbors, workers)
        # Most pairs are neighbours both ways: each is looked at once.
        n = data.n_samples
        pairs, place = np.unique(np.minimum(i, j) * n + np.maximum(i, j), return_inverse=True)
        S = _of_pairs(similarity, pairs // n, pairs % n, workers)
        return i, j, similarity.clip(S)[place]


def _is_approximate(neighbors, n_samples):
    if neighbors != "auto":
        return neighbors == "approximate"
    if n_samples <= _MOST_EXACT:
        return False
    if find_spec("pynndescent") is not None:
        return True
    warnings.warn(
        f"the exact neighbours of {n_samples} samples take long. pip install 'graphsieve[ann]' to "
        'have approximate ones found fast, or set neighbors="exact" to silence this',
        UserWarning,
        stacklevel=4,
    )
    return False


def _exact(similarity, n_neighbors, workers):
    """Sample and neighbour: the samples of largest similarity, block by block of samples."""
    n = similarity.data.n_samples
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


def _exact_across(similarity, n_neighbors, workers):
    """The same for data on a cluster, part against part."""
    data = similarity.data
    found = data.fold(_nearest_of_parts, similarity.without_data(), n_neighbors)
    j = np.concatenate([j for j, _ in found])
    return np.repeat(np.arange(data.n_samples), n_neighbors), np.sort(j, axis=1).ravel()


def _nearest_of_parts(best, part, rows, other, other_rows, similarity, k):
    """Columns and similarities of the k samples nearest to those of one part, so far."""
    found = []
    columns = np.arange(other_rows.start, other_rows.stop)
    for block in split_rows(part.n_samples, max(1, _BLOCK_ENTRIES // other.n_samples)):
        number = np.arange(rows.start, rows.stop)[block]
        S = part.rows(block) @ other.whole().T
        S = similarity.finish(S.toarray() if sp.issparse(S) else S, number, columns)
        S[number[:, None] == columns] = -np.inf
        j = _largest(S, min(k, len(columns)), similarity.step)
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
    data = similarity.data
    X = data.whole()
    X = sp.csr_matrix(X) if data.is_sparse else X
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
    S = _of_pairs(similarity, i, j, workers)
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


def _of_pairs(similarity, i, j, workers):
    """Similarity of sample i[p] with sample j[p], for every p."""
    data = similarity.data
    if data.is_distributed:
        of_pairs = partial(_numbered_similarity, similarity.is_cosine)
        position = np.arange(len(i))
        numbers, S = data.reduce_pairs(of_pairs, i, j, position, combine=_append)
        S = S[np.argsort(numbers)]
    else:
        of_pairs = partial(_similarity_of_rows, similarity.is_cosine)
        parts = split_rows(len(i), max(_FEWEST_ROWS, -(-len(i) // 16)))
        S = workers.map(
            lambda part: data.reduce_pairs(of_pairs, i[part], j[part], combine=_append_one), parts
        )
        S = np.concatenate(S) if parts else np.empty(0, data.dtype)
    return S * similarity.scale[i] * similarity.scale[j] if similarity.is_cosine else S


def _similarity_of_rows(is_cosine, left, right):
    """Inner products, or minus the squared distances."""
    if is_cosine:
        return _row_products(left, right)
    return -_row_products(left - right, left - right)


def _numbered_similarity(is_cosine, left, right, position):
    return position, _similarity_of_rows(is_cosine, left, right)


def _append_one(one, other):
    return np.concatenate([one, other])


def _append(one, other):
    return tuple(map(_append_one, one, other))


class _Similarity:
    """Cosine, or minus the squared distance, between the rows of ``data``."""

    def __init__(self, data, metric):
        self.data = data
        self.metric = metric
        self.is_cosine = metric == "cosine"
        self.square = data.stack(_squared_norms).astype(data.dtype)
        if self.is_cosine:
            self.scale, zero = _inverse_norms(self.square)
            if zero.any():
                warnings.warn(
                    f"{zero.sum()} rows are all zero and have no cosine (first: row "
                    f"{int(zero.argmax())}): they get no edges",
                    UserWarning,
                    stacklevel=4,
                )
            largest = 1.0
        else:
            largest = max(float(self.square.max()), np.finfo(data.dtype).tiny)
        # Equal similarities differ by rounding; below this step they count as ties.
        self.step = largest * (2.0**-33 if data.dtype == np.float64 else 2.0**-18)
        # Differences above this are certain. Rounding errors of a sum grow like a random walk.
        self.certain = 8 * largest * np.finfo(data.dtype).eps * np.sqrt(data.n_features)

    def in_single_precision(self):
        """The same for a copy of dense double-precision data: products at twice the speed."""
        data = self.data
        if data.is_sparse or not data.in_memory or data.dtype == np.float32:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said already
            return _Similarity(RowBlocks(data.whole().astype(np.float32)), self.metric)

    def without_data(self):
        """The same with the numbers only that ``finish`` needs."""
        light = copy(self)
        light.data = None
        return light

    def row_scale(self):
        """What brings every row to the length that counts: 1 for cosines."""
        return self.scale if self.is_cosine else np.ones_like(self.square)

    def nearest(self, number, k):
        """Columns of the k samples nearest to the samples with these numbers."""
        S = self.to_all(number)
        S[np.arange(len(S)), number] = -np.inf
        return _largest(S, k, self.step)

    def clearly_nearest(self, number, k):
        """Columns of the k nearest samples, and whether no rounding can have decided on them."""
        if k + 1 >= self.data.n_samples:
            return self.nearest(number, k), np.ones(len(number), dtype=bool)
        S = self.to_all(number)
        S[np.arange(len(S)), number] = -np.inf
        j = _largest(S, k + 1, step=0.0)  # ties are not clear, whoever wins them
        S = np.take_along_axis(S, j, axis=1)
        order = np.argsort(S, axis=1)
        last, next_to_last = np.take_along_axis(S, order[:, :2], axis=1).T
        j = np.take_along_axis(j, order[:, 1:], axis=1)
        return np.sort(j, axis=1), next_to_last - last > self.certain

    def to_all(self, rows):
        """Similarities of the given rows with all rows, (len(rows), n_samples)."""
        data = self.data
        left = data.rows(rows)
        if data.is_sparse:
            S = (left @ data.whole().T).toarray()
            return self.finish(S, rows, slice(None))
        S = np.empty((len(left), data.n_samples), data.dtype)
        for columns, right in data:
            np.matmul(left, right.T, out=S[:, columns])
            self.finish(S[:, columns], rows, columns)
        return S

    def finish(self, S, rows, columns):
        """From inner products to similarities, in place."""
        if self.is_cosine:
            S *= self.scale[rows, None]
            S *= self.scale[columns]
        else:
            S *= 2
            S -= self.square[rows, None]
            S -= self.square[columns]
        return S

    def clip(self, values):
        """Rounding takes no cosine out of [-1, 1] and makes no distance negative."""
        return np.clip(values, -1.0, 1.0) if self.is_cosine else np.minimum(values, 0.0)


def _weights(affinity, similarity):
    if affinity == "cosine":
        return np.maximum(similarity, 0.0)
    if affinity == "binary":
        return (similarity > 0).astype(np.float64)
    mean_length = np.sqrt(-similarity).mean()
    if mean_length == 0:
        return np.ones_like(similarity)
    return np.exp(similarity / (2 * mean_length**2))


def _row_products(left, right):
    """Inner product of every row of ``left`` with the same row of ``right``."""
    if sp.issparse(left):
        return np.asarray(left.multiply(right).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", left, right)


def _squared_norms(block):
    return _row_products(block, block).astype(np.float64)


def _inverse_norms(square):
    zero = square == 0
    return np.where(zero, 0, 1 / np.sqrt(np.where(zero, 1, square))), zero


def _largest(S, k, step):
    """Columns of the k largest entries of every row, in order; among equals the first ones.

    The k-th largest of all is the bound that mostly just k entries reach, and a comparison finds
    them at the speed of memory; sorting or partitioning positions costs as much as the products
    that the entries come from.
    """
    top = _maxima_of_groups(S, k)
    bound = np.partition(top, top.shape[1] - k, axis=1)[:, top.shape[1] - k]
    mask = (bound - 2 * step)[:, None] <= S  # whatever may round to the same step
    clear = np.count_nonzero(mask, axis=1) == k
    found = np.empty((len(S), k), dtype=np.intp)
    found[clear] = np.nonzero(mask[clear])[1].reshape(-1, k)
    found[~clear] = _largest_of_rounded(S[~clear], k, step)
    return found


def _maxima_of_groups(S, k):
    """Entries of every row among which the k-th largest is close to that of all, and no larger.

    The maxima of groups of columns are different entries.
    """
    n = S.shape[1]
    n_groups = max(256, 16 * k**2)  # so many that few rows have two of their k in one group
    if n < 4 * n_groups:
        return S
    top = S[:, :n_groups].copy()
    for start in range(n_groups, n, n_groups):
        group = S[:, start : start + n_groups]
        np.maximum(top[:, : group.shape[1]], group, out=top[:, : group.shape[1]])
    return top


def _largest_of_rounded(S, k, step):
    # Steps are whole numbers; less than one of them decides between equals, in double precision.
    n = S.shape[1]
    rank = np.rint(S / step) - np.arange(n) / n if step else S
    return np.sort(np.argpartition(rank, n - k, axis=1)[:, n - k :], axis=1)
