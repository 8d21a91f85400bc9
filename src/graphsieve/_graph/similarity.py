"""How similar samples are: by the cosine, or by the distance."""

import warnings
from copy import copy
from functools import partial

import numpy as np
import scipy.sparse as sp

from .._rows import RowBlocks
from .._utils.warn import warn

# Sums of squares of larger numbers may overflow in single precision.
_LARGEST_SINGLE = 1e15


class Similarity:
    """Cosine, or minus the squared distance, between the rows of ``data``."""

    def __init__(self, data, metric):
        self.data = data
        self.metric = metric
        self.is_cosine = metric == "cosine"
        self.square = data.stack(_squared_norms).astype(data.dtype)
        if self.is_cosine:
            self.scale, zero = _inverse_norms(self.square)
            if zero.any():
                warn(
                    f"{zero.sum()} rows are all zero and have no cosine (first: row "
                    f"{int(zero.argmax())}): they get no edges"
                )
            top = 1.0
        else:
            top = max(float(self.square.max()), np.finfo(data.dtype).tiny)
        # Equal similarities differ by rounding; below this step they count as ties.
        self.step = top * (2.0**-33 if data.dtype == np.float64 else 2.0**-18)
        # Differences above this are certain. Rounding errors of a sum grow like a random walk.
        self.certain = 8 * top * np.finfo(data.dtype).eps * np.sqrt(data.n_features)

    def in_single_precision(self):
        """The same for a copy of dense double-precision data: products at twice the speed."""
        X = self.data.resident()
        if X is None or sp.issparse(X) or X.dtype == np.float32:
            return None
        if np.abs(self.data.column_range()).max() > _LARGEST_SINGLE:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said already
            return Similarity(RowBlocks(X.astype(np.float32)), self.metric)

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
        return largest(S, k, self.step)

    def clearly_nearest(self, number, k):
        """Columns of the k nearest samples, and whether no rounding can have decided on them."""
        if k + 1 >= self.data.n_samples:
            return self.nearest(number, k), np.ones(len(number), dtype=bool)
        S = self.to_all(number)
        S[np.arange(len(S)), number] = -np.inf
        j = largest(S, k + 1, step=0.0)  # ties are not clear, whoever wins them
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

    def of_pairs(self, i, j, workers):
        """Similarity of sample i[p] with sample j[p], for every p."""
        S = self.data.map_pairs(partial(_similarity_of_rows, self.is_cosine), i, j, workers)
        return S * self.scale[i] * self.scale[j] if self.is_cosine else S

    def clip(self, values):
        """Rounding takes no cosine out of [-1, 1] and makes no distance negative."""
        return np.clip(values, -1.0, 1.0) if self.is_cosine else np.minimum(values, 0.0)


def _similarity_of_rows(is_cosine, left, right):
    """Inner products, or minus the squared distances."""
    if is_cosine:
        return _row_products(left, right)
    return -_row_products(left - right, left - right)


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


def largest(S, k, step):
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
