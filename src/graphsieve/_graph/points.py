"""Samples as points whose Euclidean distances decide which samples are neighbours."""

from __future__ import annotations

from copy import copy
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms

from .._rows import RowBlocks
from .._utils.warn import warn

# Number of rows whose median is the centre of the points.
_CENTRE_ROWS = 256

# Sums of squares of numbers between these limits neither overflow nor vanish.
_SAFE_RANGE = 2.0**-450, 2.0**500

# Rounds from columns to samples and back, after which columns are told apart.
_N_SIGNATURES = 3

# Points that are farther from the centre than this, relative to the median, would overflow in
# single precision.
_LARGEST_SPREAD = 2.0**55


class Points:
    """The rows of ``data`` as points in Euclidean space.

    For the cosine the points are the rows at unit length, because |u - v|^2 = 2 - 2 cos(u, v).
    Distances do not change with the origin, but the rounding errors of inner products grow with
    the distance from it, so dense points are stored relative to their centre: the median of some
    rows, which no outlier can move.

    For every row there are its factor ``scale`` (0 for a row of zeros, which has no cosine), its
    length ``norm`` after scaling and before centring, and its squared distance ``square`` from the
    centre. ``place`` is the order in which samples win ties.
    """

    def __init__(self, data, metric):
        self.data = data
        self.n_features = data.n_features
        self.is_cosine = metric == "cosine"
        self._unit = _safe_unit(float(np.abs(data.column_range()).max()))
        self.norm = data.stack(partial(_norms, self._unit))
        self.scale = np.full(data.n_samples, self._unit)
        if self.is_cosine:
            zero = self.norm == 0
            if zero.any():
                warn(
                    f"{zero.sum()} rows are all zero (first: row {int(zero.argmax())}). "
                    "They have no cosine and get no edges, so they do not influence the graph"
                )
            self.scale = np.where(zero, 0.0, self._unit / np.where(zero, 1.0, self.norm))
            self.norm = np.where(zero, 0.0, 1.0)
        self._centre = None if data.is_sparse else self._median()
        self.square = data.stack(partial(_squared_norms, self._centre), self.scale)
        self._set_precision()
        self.place = np.arange(data.n_samples)

    def _median(self):
        chosen = np.zeros(self.data.n_samples, dtype=bool)
        chosen[:: -(-self.data.n_samples // _CENTRE_ROWS)] = True
        return np.median(self.data.stack(_chosen_rows, chosen, self.scale), axis=0)

    def _set_precision(self):
        """Single precision for the products of dense points, unless they would overflow."""
        length = np.sqrt(self.square)
        typical = np.median(length) or length.max() or 1.0
        is_single = not self.data.is_sparse and length.max() < _LARGEST_SPREAD * typical
        self.dtype = np.dtype(np.float32 if is_single else np.float64)
        # Single precision has a small range of exponents: products should be about 1.
        self._shrink = 2.0 ** -np.round(np.log2(typical)) if is_single else 1.0
        self.square = self.square * self._shrink**2
        # Bound on the error of the computed |x - y|^2, relative to |x|^2 + |y|^2. The rounding
        # errors of a sum grow like a random walk.
        self.error = 8 * np.finfo(self.dtype).eps * np.sqrt(self.n_features)

    @property
    def searched(self):
        """Numbers of the samples that have neighbours."""
        return np.flatnonzero(self.norm) if self.is_cosine else np.arange(len(self.norm))

    def place_by_content(self):
        """Let ties go by what samples are, not by their position.

        Samples are ordered along one direction, whose coefficients are fixed numbers. They go to
        the columns in the order of a signature: sums over the samples, weighted by what these have
        in the columns. So the order of rows changes nothing, and that of columns only where these
        agree in their signatures. Copies of a sample are interchangeable.
        """
        largest = float(np.abs(self.data.column_range()).max()) * self._unit
        rows = self.data.stack(partial(_norms, self._unit))
        for _ in range(_N_SIGNATURES):
            weight = np.exp(_at_most_one(rows, largest))
            columns = self.data.reduce(_weighted_sums, weight * self._unit)
            signature = _at_most_one(columns, largest * weight.sum())
            rows = self.data.stack(partial(_along, signature * self._unit))
        # Columns that differ by rounding alone agree.
        order = np.argsort(np.round(signature, 9), kind="stable")
        direction = np.empty(self.n_features)
        direction[order] = np.random.RandomState(0).standard_normal(self.n_features)
        content = self.data.stack(partial(_along, direction * self._unit))
        content = np.round(_at_most_one(content, largest), 12)
        self.place = np.argsort(np.argsort(content, kind="stable"))

    def without_data(self):
        """A copy that is small enough to be sent to other processes."""
        light = copy(self)
        light.data = None
        vars(light).pop("resident", None)
        return light

    def prepare(self, block, rows):
        """The points of these rows of the data, centred, in the precision of the products."""
        if sp.issparse(block):
            return _times(block, self.scale[rows])
        points = block * self.scale[rows, None]
        points -= self._centre
        points *= self._shrink
        return points.astype(self.dtype, copy=False)

    @cached_property
    def resident(self):
        """RowBlocks of all points if the data are in memory, else None."""
        X = self.data.resident()
        if X is None:
            return None
        if sp.issparse(X):
            return RowBlocks(self.prepare(X, slice(None)))
        points = np.empty(X.shape, self.dtype)
        for rows, block in self.data:
            points[rows] = self.prepare(block, rows)
        return RowBlocks(points)

    def rows(self, rows):
        """The points with these numbers."""
        if self.resident is not None:
            return self.resident.rows(rows)
        return self.prepare(self.data.rows(rows), rows)

    def blocks(self):
        """(slice, points) that cover all samples."""
        if self.resident is not None:
            yield slice(0, len(self.norm)), self.resident.whole()
            return
        for rows, block in self.data:
            yield rows, self.prepare(block, rows)

    def stack(self, function, *aligned):
        """Concatenate the arrays ``function(points, *rows of aligned)`` of blocks of points."""
        of_points = partial(_of_points, self.without_data(), function)
        return self.data.stack(of_points, np.arange(len(self.norm)), *aligned)

    def threshold(self, nearest, i):
        """Smallest score that a neighbour of sample i may have.

        The score of sample j is 2 <x_i, x_j> - |x_j|^2 = |x_i|^2 - |x_i - x_j|^2. At least
        ``n_neighbors`` samples have a computed score of ``nearest``. Their distance d satisfies
        |x_j| <= |x_i| + d, which bounds the error of their scores, and those of all nearer samples,
        by numbers of sample i alone.
        """
        square, c = self.square[i], self.error
        farthest = (np.maximum(square - nearest, 0) + 3 * c * square) / (1 - 2 * c)
        slack = c * (3 * square + 2 * farthest)
        # Twice the rounding error, because |x_j| <= |x_i| + d for the norms as well.
        length = 2 * self.norm[i] * self._shrink + np.sqrt(farthest)
        slack += 2 * _rounding(farthest, length, self.n_features)
        return square - farthest - slack - np.finfo(self.dtype).tiny

    def rounding(self, i, j, squared):
        """Rounding error of the squared distances between samples i and j.

        Distances that differ by less cannot be distinguished.
        """
        return _rounding(squared, self.norm[i] + self.norm[j], self.n_features)

    def nearest(self, i, j, squared, n_neighbors):
        """Mask of the pairs (i, j) with the ``n_neighbors`` smallest distances for every i.

        Of the neighbours whose distance equals the largest one to within its rounding error, those
        that come first in ``place`` are chosen.
        """
        order = np.lexsort((squared, i))
        start, group, rank = _groups(i[order])
        last = np.minimum(start + n_neighbors, np.append(start[1:], len(i))) - 1
        excess = squared[order] - squared[order][last][group]
        is_tie = np.abs(excess) <= self.rounding(i, j, squared)[order]
        order = order[
            np.lexsort((self.place[j[order]], np.where(is_tie, 0, np.sign(excess)), group))
        ]
        mask = np.zeros(len(i), dtype=bool)
        mask[order[rank < n_neighbors]] = True
        return mask

    def similarity(self, i, j, workers):
        """Cosine, or minus the squared distance, of sample i[p] and sample j[p] for every p.

        Where squared distances would overflow or vanish (data beyond 1e135 or below 1e-135) they
        are divided by a power of two, the same for all pairs.
        """
        if self.is_cosine:
            product = self.data.map_pairs(partial(_inner_products, self._unit), i, j, workers)
            product *= self.scale[i] / self._unit
            product *= self.scale[j] / self._unit
            return np.clip(product, -1.0, 1.0)
        return -self.data.map_pairs(partial(_squared_differences, self._unit), i, j, workers)


def _groups(i):
    """Start of every run of equal numbers; for every entry its run and its place there."""
    start = np.flatnonzero(np.diff(i, prepend=-1))
    length = np.diff(start, append=len(i))
    group = np.repeat(np.arange(len(start)), length)
    return start, group, np.arange(len(i)) - start[group]


def _of_points(points, function, block, number, *aligned):
    return function(points.prepare(block, number), *aligned)


def _rounding(squared, length, n_features):
    """Error of squared distances from differences of numbers with their own rounding errors.

    The last term is that of copies: rows that were the same before they were rounded.
    """
    distance, own = np.sqrt(squared), 4 * np.finfo(float).eps * length
    return 4 * np.finfo(float).eps * np.sqrt(n_features) * squared + own * distance + own**2


def squared_distances(left, right, scale_left, scale_right):
    """Squared distance of every row of ``left`` to the same row of ``right``, by differences."""
    return row_norms(_times(left, scale_left) - _times(right, scale_right), squared=True)


def maxima_of_groups(S, n_groups):
    """Entries of every row whose k-th largest is close to that of all entries, and no larger.

    Maxima of groups of columns are different entries. The k-th largest of them takes a fraction
    of the time of partitioning the row.
    """
    n = S.shape[1]
    if n < 4 * n_groups:
        return S
    top = S[:, :n_groups].copy()
    for start in range(n_groups, n, n_groups):
        group = S[:, start : start + n_groups]
        np.maximum(top[:, : group.shape[1]], group, out=top[:, : group.shape[1]])
    return top


def _times(block, scale):
    """The rows of a block in double precision, each multiplied by its own factor."""
    if sp.issparse(block):
        return sp.csr_array(sp.diags_array(scale) @ block.astype(np.float64, copy=False))
    return block * scale[:, None]


def _double(block, unit):
    block = block.astype(np.float64, copy=False)
    return block if unit == 1 else block * unit


def _squared_differences(unit, left, right):
    return row_norms(_double(left, unit) - _double(right, unit), squared=True)


def _inner_products(unit, left, right):
    left, right = _double(left, unit), _double(right, unit)
    if sp.issparse(left):
        return np.asarray(left.multiply(right).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", left, right)


def _along(direction, block):
    return block.astype(np.float64, copy=False) @ direction


def _weighted_sums(block, weight):
    return block.astype(np.float64, copy=False).T @ weight


def _at_most_one(values, size):
    """Values over the largest of them; 0 if all are rounding errors of sums of this size."""
    largest = np.abs(values).max()
    return values / largest if largest > 1e-12 * size else np.zeros_like(values)


def _norms(unit, block):
    return row_norms(_double(block, unit))


def _squared_norms(centre, block, scale):
    points = _times(block, scale)
    return row_norms(points if centre is None else points - centre, squared=True)


def _chosen_rows(block, chosen, scale):
    return _times(block[chosen], scale[chosen])


def _safe_unit(largest):
    """Power of two that brings the data into a range in which they can be squared."""
    low, high = _SAFE_RANGE
    if low < largest < high or largest == 0:
        return 1.0
    # Other entries may be much smaller than the largest one, and should not vanish either.
    return (high if largest >= high else 1.0) * 2.0 ** -np.ceil(np.log2(largest))
