"""The nearest neighbours of every sample, by exact search.

No n x n array is ever held: inner products are computed for a block of rows, and only candidates
are kept. Single precision leaves a few candidates per sample: all samples that rounding does not
exclude. Their distances are then computed from differences in double precision. Neither an outlier
nor an offset of the data changes the result, and only distances that agree to their own rounding
error are ties, which go by content.
"""

from functools import cached_property, partial
from hashlib import blake2b

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms

from .._rows import BLOCK_BYTES, RowBlocks, chosen_rows, split_rows
from .._rows.scaling import column_medians
from .._utils.messages import warn
from .._utils.text import counted
from .._utils.threads import Workers

# Number of samples from which the search takes more than about a minute.
_MANY = 100_000
# The default everywhere: that few samples have fewer neighbours says little.
_DEFAULT_NEIGHBORS = 5
# Number of multiplications below which threads are not worth starting.
_FEW_PRODUCTS = 2**28
# Numbers in one block of inner products (rows of the block times all samples), and the fewest rows
# for which a block of their own is worthwhile.
_BLOCK_ENTRIES = 2**23
_FEWEST_ROWS = 128
# Candidates per sample above which it pays to look for copies of samples among them.
_MANY_CANDIDATES = 64
# Number of rows whose median is the centre of the points.
_CENTRE_ROWS = 32
# Rounds from columns to samples and back, after which columns are told apart.
_N_SIGNATURES = 3
# Points farther from the centre, relative to the median, would overflow in single precision.
_LARGEST_SPREAD = 2.0**55
_EPS = np.finfo(float).eps


def limit_neighbors(n_neighbors, n_samples):
    """``n_neighbors``, at most all other samples; a warning if it is more than the default."""
    if n_samples <= n_neighbors > _DEFAULT_NEIGHBORS:
        warn(
            f"n_neighbors={n_neighbors} is too large for {n_samples} samples: every sample is "
            f"joined to all others (n_neighbors={n_samples - 1}). A smaller number keeps the graph "
            "local"
        )
    return min(n_neighbors, n_samples - 1)


def nearest_neighbors(data, n_neighbors, *, metric, n_jobs=None):
    """Sample i, neighbour j and similarity of all pairs, by increasing i and then j.

    Every sample has ``n_neighbors`` of them, the nearest other ones, but rows of zeros, which have
    no cosine, have none. Ties go by content, not by the order of the samples. The similarity is the
    cosine for ``metric="cosine"`` and minus the squared distance for "euclidean".
    """
    data = data.stored()
    n = data.n_samples
    if n > _MANY:
        warn(
            f"the neighbour graph compares all pairs of {n:,} samples, which takes minutes or "
            "hours: fit a random sample of some ten thousand rows, or pass the graph as affinity"
        )
    points = Points(data, metric)
    is_small = n**2 * data.n_features < _FEW_PRODUCTS
    with Workers(1 if is_small else n_jobs) as workers:
        i, j = _exact_pairs(data, points, n_neighbors, workers)
        # Most pairs are neighbours both ways: each similarity is computed once.
        pairs, place = np.unique(np.minimum(i, j) * n + np.maximum(i, j), return_inverse=True)
        similarity = points.similarity(data, pairs // n, pairs % n, workers)[place]
    order = np.lexsort((j, i))
    return i[order], j[order], similarity[order]


class Points:
    """Where the rows of ``data`` are in Euclidean space, and how precisely that is known.

    For the cosine the points are the rows at unit length, as |u - v|^2 = 2 - 2 cos(u, v). Rounding
    errors of inner products grow with the distance from the origin, so dense points are relative
    to their centre: the median of some rows, which no outlier can move. Every row has a factor
    ``scale`` (0 for a row of zeros), a length ``norm`` after scaling and before centring, a squared
    distance ``square`` from the centre, and a ``place`` in the order in which samples win ties.
    """

    def __init__(self, data, metric):
        self.n_features = data.n_features
        self.is_cosine = metric == "cosine"
        self._data, self._norms = data, data.stack(lambda block: row_norms(_double(block)))
        self.norm = self._norms
        self.scale = np.ones(data.n_samples)
        if self.is_cosine:
            zero = self.norm == 0
            # Where all rows are zero, all columns are constant, and one column has no direction.
            if zero.any() and not zero.all() and data.n_features > 1:
                are = "is" if zero.sum() == 1 else "are"
                warn(
                    f"{counted(zero.sum(), 'row')} {are} all zero once the columns are scaled "
                    f"(first: row {int(zero.argmax())}). Such rows have no cosine and get no edges"
                )
            self.scale = np.where(zero, 0.0, 1 / np.where(zero, 1.0, self.norm))
            self.norm = np.where(zero, 0.0, 1.0)
        self._centre = None
        if not data.is_sparse:
            chosen = np.zeros(data.n_samples, dtype=bool)
            chosen[:: -(-data.n_samples // _CENTRE_ROWS)] = True
            rows = data.stack(chosen_rows, chosen)
            self._centre = column_medians(_times(rows, self.scale[chosen]))
        squared_norms = partial(_squared_norms, self._centre)
        self.square = data.stack(squared_norms, self.scale, block_bytes=BLOCK_BYTES)
        length = np.sqrt(self.square)
        typical = np.median(length) or length.max() or 1.0
        # Products of dense points are in single precision, unless they would overflow. Its range of
        # exponents is small: products should be about 1.
        is_single = not data.is_sparse and length.max() < _LARGEST_SPREAD * typical
        self.dtype = np.dtype(np.float32 if is_single else np.float64)
        self._shrink = 2.0 ** -np.round(np.log2(typical)) if is_single else 1.0
        self.square = self.square * self._shrink**2
        # Bound on the error of the computed |x - y|^2, relative to |x|^2 + |y|^2. The rounding
        # errors of a sum grow like a random walk.
        self._error = 8 * np.finfo(self.dtype).eps * np.sqrt(self.n_features)

    @cached_property
    def place(self):
        return _content_places(self._data, self._norms)

    def prepare(self, block, rows):
        """The points of these rows of the data, centred, in the precision of the products."""
        if sp.issparse(block):
            return _times(block, self.scale[rows])
        points = block * (self.scale[rows, None] * self._shrink)
        points -= self._centre * self._shrink
        return points.astype(self.dtype, copy=False)

    def score(self, left, columns, right, out):
        """2 <x_i, x_j> - |x_j|^2: in every row the largest belong to the nearest samples."""
        if sp.issparse(left):
            (2 * left @ right.T).toarray(out=out)
        else:
            np.matmul(2 * left, right.T, out=out)
        out -= self.square[columns].astype(out.dtype)

    def candidates(self, S, number, n_neighbors):
        """Row and column in S of all samples that may be among the nearest ones."""
        S[np.arange(len(S)), number] = -np.inf
        if self.is_cosine:
            S[:, self.norm == 0] = -np.inf
        # So many groups that few rows have two of their neighbours in one of them.
        nearest = _largest_of_groups(S, n_neighbors, max(256, 16 * n_neighbors**2))
        nearest = nearest.astype(np.float64)
        # Minus infinity marks what is no candidate, also where there are too few. Next to a large
        # offset rounding may exclude nothing: the bound is then below all numbers of this type.
        lowest = float(np.finfo(S.dtype).min)
        bound = np.full(len(S), lowest)
        enough = np.isfinite(nearest)
        bound[enough] = np.maximum(self._threshold(nearest[enough], number[enough]), lowest)
        # Several times faster than with rows and columns.
        return np.divmod(np.flatnonzero(bound[:, None].astype(S.dtype) <= S), S.shape[1])

    def similarity(self, data, i, j, workers):
        """Cosine, or minus the squared distance, of sample i[p] and sample j[p] for every p."""
        scales = self.scale[i], self.scale[j]
        if not self.is_cosine:
            return -data.map_pairs(_squared_of_scaled, i, j, *scales, workers=workers)
        product = data.map_pairs(_inner_products, i, j, workers=workers)
        return np.clip(product * scales[0] * scales[1], -1.0, 1.0)

    def _threshold(self, nearest, i):
        """Smallest score that a neighbour of sample i may have.

        The score of sample j is |x_i|^2 - |x_i - x_j|^2. At least ``n_neighbors`` samples have a
        computed score of ``nearest``. Their distance d satisfies |x_j| <= |x_i| + d, which bounds
        the error of their scores, and those of all nearer samples, by numbers of sample i alone.
        """
        square, c = self.square[i], self._error
        farthest = (np.maximum(square - nearest, 0) + 3 * c * square) / (1 - 2 * c)
        slack = c * (3 * square + 2 * farthest)
        # Twice the rounding error, because |x_j| <= |x_i| + d for the norms as well.
        length = 2 * self.norm[i] * self._shrink + np.sqrt(farthest)
        slack += 2 * self._rounding(farthest, length)
        return square - farthest - slack - np.finfo(self.dtype).tiny

    def _rounding(self, squared, length):
        """Error of squared distances from differences of numbers with their own rounding errors.

        The last term is that of copies: rows that were the same before they were rounded.
        """
        distance, own = np.sqrt(squared), 4 * _EPS * length
        return 4 * _EPS * np.sqrt(self.n_features) * squared + own * distance + own**2

    def nearest(self, i, j, squared, n_neighbors):
        """Mask of the pairs (i, j) with the ``n_neighbors`` smallest distances for every i.

        Of the neighbours whose distance equals the largest one to within its rounding error, those
        that come first in ``place`` are chosen.
        """
        order = np.lexsort((squared, i))
        start = np.flatnonzero(np.diff(i[order], prepend=-1))
        length = np.diff(start, append=len(i))
        group = np.repeat(np.arange(len(start)), length)
        last = start + np.minimum(n_neighbors, length) - 1
        excess = squared[order] - squared[order][last][group]
        rounding = self._rounding(squared, self.norm[i] + self.norm[j])[order]
        excess[abs(excess) <= rounding] = 0
        is_tied = np.count_nonzero(excess == 0) > len(start)  # places take several passes
        place = self.place[j[order]] if is_tied else excess
        order = order[np.lexsort((place, np.sign(excess), group))]
        mask = np.zeros(len(i), dtype=bool)
        mask[order[np.arange(len(i)) - start[group] < n_neighbors]] = True
        return mask


def _largest_of_groups(S, k, n_groups):
    """In every row the k-th largest of maxima of groups of columns: close to that of the row."""
    n = S.shape[1]
    top = S
    if n >= 2 * n_groups:
        top = S[:, :n_groups].copy()
        for start in range(n_groups, n, n_groups):
            group = S[:, start : start + n_groups]
            np.maximum(top[:, : group.shape[1]], group, out=top[:, : group.shape[1]])
    place = max(0, top.shape[1] - k)
    return np.partition(top, place, axis=1)[:, place]


def _exact_pairs(data, points, n_neighbors, workers):
    n = data.n_samples
    numbers = np.flatnonzero(points.norm) if points.is_cosine else np.arange(n)
    if not len(numbers):  # every row is zero
        return numbers, numbers
    X = data.resident()
    if X is None:
        slices = [rows for rows, _ in data]
    elif sp.issparse(X):
        slices, X = [slice(0, n)], RowBlocks(points.prepare(X, slice(None)))
    else:
        slices, dense = [slice(0, n)], np.empty(X.shape, points.dtype)
        for rows in data.slices(BLOCK_BYTES // 2):  # double precision in cache
            dense[rows] = points.prepare(data.rows(rows), rows)
        X = RowBlocks(dense)

    def prepared(rows):
        return points.prepare(data.rows(rows), rows) if X is None else X.rows(rows)

    def search(block):
        number = numbers[block]
        left, S = prepared(number), np.empty((len(number), n), points.dtype)
        for columns in slices:
            points.score(left, columns, prepared(columns), S[:, columns])
        row, j = points.candidates(S, number, n_neighbors)
        i, chosen = number[row], np.ones(len(j), dtype=bool)
        unclear = np.bincount(row, minlength=len(number))[row] > n_neighbors
        rivals = i[unclear], j[unclear]
        squared = _squared_distances(points, data, *rivals)
        chosen[unclear] = points.nearest(*rivals, squared, n_neighbors)
        return i[chosen], j[chosen]

    # Blocks for many threads, the same for any number of them.
    rows = min(_BLOCK_ENTRIES // n, max(_FEWEST_ROWS, -(-len(numbers) // 16)))
    found = workers.map(search, split_rows(len(numbers), max(1, rows)))
    return tuple(map(np.concatenate, zip(*found, strict=True)))


def _squared_distances(points, data, i, j):
    place = slice(None)
    if len(i) > _MANY_CANDIDATES * len(np.unique(i)):
        # Copies have the same distances: compute each only once.
        copies = _first_copies(data, i) * data.n_samples + _first_copies(data, j)
        _, first, place = np.unique(copies, return_index=True, return_inverse=True)
        i, j = i[first], j[first]
    scales = points.scale[i], points.scale[j]
    return data.map_pairs(_squared_of_scaled, i, j, *scales)[place]


def _first_copies(data, numbers):
    distinct, place = np.unique(numbers, return_inverse=True)
    first = {}
    copies = [first.setdefault(_digest(data.rows(slice(k, k + 1))), k) for k in distinct]
    return np.array(copies)[place]


def _digest(row):
    if not sp.issparse(row):
        return blake2b(np.ascontiguousarray(row), digest_size=16).digest()
    return blake2b(row.indices.tobytes() + row.data.tobytes(), digest_size=16).digest()


def _content_places(data, rows):
    """The place of every sample where ties go by what samples are, not by their position.

    Samples are ordered along one direction, whose coefficients are fixed numbers. They go to the
    columns in the order of a signature: sums over the samples, weighted by what these have in the
    columns. So the order of rows changes nothing, and that of columns only where these agree in
    their signatures. Copies of a sample are interchangeable. ``rows`` are the norms.
    """

    def along(direction):
        return data.stack(lambda block: _double(block) @ direction)

    largest = float(np.abs(data.column_range()).max())
    for _ in range(_N_SIGNATURES):
        weight = np.exp(_at_most_one(rows, largest))
        columns = data.reduce(lambda block, weight: _double(block).T @ weight, weight)
        signature = _at_most_one(columns, largest * weight.sum())
        rows = along(signature)
    # Columns that differ by rounding alone agree.
    order = np.argsort(np.round(signature, 9), kind="stable")
    direction = np.empty(data.n_features)
    direction[order] = np.random.RandomState(0).standard_normal(data.n_features)
    content = np.round(_at_most_one(along(direction), largest), 12)
    return np.argsort(np.argsort(content, kind="stable"))


def _at_most_one(values, size):
    """Values over the largest of them; 0 if all are rounding errors of sums of this size."""
    largest = np.abs(values).max()
    return values / largest if largest > 1e-12 * size else np.zeros_like(values)


def _times(block, scale):
    """The rows of a block in double precision, each multiplied by its own factor."""
    if sp.issparse(block):
        return sp.csr_array(sp.diags_array(scale) @ _double(block))
    return _double(block) * scale[:, None]


def _double(block):
    return block.astype(np.float64, copy=False)


def _squared_norms(centre, block, scale):
    points = _times(block, scale)
    if centre is not None:
        points -= centre
    return row_norms(points, squared=True)


def _squared_of_scaled(left, right, scale_left, scale_right):
    return row_norms(_times(left, scale_left) - _times(right, scale_right), squared=True)


def _inner_products(left, right):
    left, right = _double(left), _double(right)
    if sp.issparse(left):
        return np.asarray(left.multiply(right).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", left, right)
