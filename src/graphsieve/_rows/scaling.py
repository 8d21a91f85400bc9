"""Scaling of columns, (X - offset) * factor: to a range, or by their spread alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

from .base import Rows, chosen_rows, is_constant, split_rows, to_dense

SCALES = ("minmax", "global", "standard")
# With a larger fraction of zeros than this, data count as mostly zero.
MOSTLY_ZERO = 0.9
# Entries further from the mean than so many standard deviations are moved there, so many times.
_MOST_DEVIATIONS = 5.0
_N_LIMITS = 3
# The range of 2,000 normal entries, in standard deviations.
_NORMAL_RANGE = 7.0
# Errors such as a misplaced decimal point bend the deviation itself: so many times as far from the
# median as all but this fraction of the entries on each side.
_FAR, _TAIL = 50.0, 0.05
# They are measured on at most so many rows.
MOST_ROWS = 2000
# Larger data are scaled to single precision: half the memory and half the time.
_LARGE = 2**22
# Entries that are scaled in double precision at a time, in the processor's cache.
_SCALE_ENTRIES = 2**16


@dataclass(frozen=True)
class Scaling:
    """(X - offset) * factor column by column, or its square root if ``root``, of negative ones 0.

    For sparse data a non-zero offset is allowed only in columns that store every entry.
    """

    offset: np.ndarray
    factor: np.ndarray
    root: bool = False

    def block(self, X: Any, dtype: Any) -> Any:
        """The scaled copy of a dense or CSR block."""
        if sp.issparse(X):
            entries = (X.data - self.offset[X.indices]) * self.factor[X.indices]
            entries = self._finished(entries).astype(dtype, copy=False)
            return sp.csr_array((entries, X.indices, X.indptr), shape=X.shape)
        out = np.empty(X.shape, dtype)
        if np.can_cast(X.dtype, dtype) and self.factor.max(initial=0) <= np.finfo(dtype).max:
            # Several times faster than in double precision.
            np.subtract(X, self.offset.astype(dtype), out=out, casting="unsafe")
            out *= self.factor.astype(dtype)
            return self._finished(out)
        # Only the results are sure to be in the range of single precision: X may be 1e60 or 1e-60.
        for rows in split_rows(len(X), max(1, _SCALE_ENTRIES // X.shape[1])):
            out[rows] = (X[rows] - self.offset) * self.factor
        return self._finished(out)

    def _finished(self, scaled):
        if self.root:
            np.maximum(scaled, 0, out=scaled)
            np.sqrt(scaled, out=scaled)
        return scaled


@dataclass(frozen=True)
class RobustScaling(Scaling):
    """(min(max(X, low), high) - offset) * factor column by column, of the square roots if ``root``.

    The offset is the median: zeros of sparse data are filled in only where few entries are zero.
    """

    low: np.ndarray = field(default_factory=lambda: np.array(-np.inf))
    high: np.ndarray = field(default_factory=lambda: np.array(np.inf))

    def block(self, X, dtype):
        if not sp.issparse(X):
            out = np.empty(X.shape, dtype)
            for rows in split_rows(len(X), max(1, _SCALE_ENTRIES // X.shape[1])):
                part = np.clip(self._rooted(X[rows]), self.low, self.high)  # a copy of doubles
                part -= self.offset
                np.multiply(part, self.factor, out=out[rows], casting="same_kind")
            return out
        zero = np.clip(0.0, self.low, self.high)
        low, high, own_zero = (np.take(edge, X.indices) for edge in (self.low, self.high, zero))
        entries = np.clip(self._rooted(X.data), low, high) - own_zero
        scaled = sp.csr_array((entries, X.indices, X.indptr), shape=X.shape)
        shift = zero - self.offset
        if shift.any():
            columns = np.flatnonzero(shift)
            rows = np.full((X.shape[0], len(columns)), shift[columns])
            starts = np.arange(X.shape[0] + 1) * len(columns)
            places = np.tile(columns, X.shape[0])
            scaled = scaled + sp.csr_array((rows.ravel(), places, starts), shape=X.shape)
        scaled.data *= self.factor[scaled.indices]
        return scaled.astype(dtype, copy=False)

    def _rooted(self, entries):
        return np.sqrt(np.maximum(entries, 0, dtype=np.float64)) if self.root else entries


def robust_scaling(
    data: Rows, chosen: np.ndarray, spread: str, *, counts: bool = True
) -> RobustScaling:
    """Columns in units of their spread, bent neither by outliers nor by dead columns.

    On the rows of the mask ``chosen``, three times in turn, entries beyond five standard deviations
    are moved there: a heavy-tailed column then has the spread of its bulk. Where a few entries are
    so far away that they make up the deviation, the distance of the other entries from the median
    replaces it at first. The median becomes 0.
    ``spread`` is what becomes 1: the standard deviation ("deviation"), the "range", or the range
    but at least seven deviations ("wide"), so that a flag has no more variance than a normal one.
    With ``counts``, take square roots first if more than 90 % of the entries are zero and none is
    negative: the variance of counts grows with their mean, and that of their roots does not.
    """
    X: Any = data.whole() if chosen.all() else data.stack(chosen_rows, chosen)
    X = X.tocsc() if sp.issparse(X) else X
    root = counts and data.column_range()[0].min() >= 0 and is_mostly_zero(data)
    # A few columns at a time, which stay in the processor's cache.
    blocks = split_rows(data.n_features, max(1, _SCALE_ENTRIES // X.shape[0]))
    found = [_limits(_sorted_columns(X[:, columns]), root) for columns in blocks]
    joined = map(np.concatenate, zip(*found, strict=True))
    median, low, high, least, most, deviation, constant = joined
    wide = np.maximum(most - least, _NORMAL_RANGE * deviation)
    unit = {"deviation": deviation, "range": most - least, "wide": wide}[spread]
    return RobustScaling(median, _inverse(unit, constant), root, low, high)


def _limits(ordered, root):
    """Of sorted columns: medians, limits, extremes and deviations within, which are constant."""
    if root:
        np.sqrt(ordered, out=ordered)
    lowest, highest = ordered[:, 0], ordered[:, -1]
    constant, median = is_constant(lowest, highest), _medians(ordered)
    # Entries far beyond the others are moved first.
    tail = max(1, int(_TAIL * ordered.shape[1]))
    bulk = np.maximum(ordered[:, -1 - tail] - median, median - ordered[:, tail])
    is_far = (bulk > 0) & (np.maximum(highest - median, median - lowest) > _FAR * bulk)
    reach = np.where(is_far, _MOST_DEVIATIONS * bulk, np.inf)
    low, high = median - reach, median + reach
    least, most, deviation = np.empty((3, len(ordered)))
    columns = np.arange(len(ordered))
    for _ in range(_N_LIMITS):
        values = ordered[columns]
        if np.isfinite(low[columns]).any():
            np.clip(values, low[columns, None], high[columns, None], out=values)
        least[columns], most[columns] = values[:, 0], values[:, -1]
        mean = values.mean(axis=1)
        values -= mean[:, None]
        deviation[columns] = np.sqrt(np.einsum("ij,ij->i", values, values) / values.shape[1])
        reach = _MOST_DEVIATIONS * deviation[columns]
        low[columns] = np.maximum(low[columns], mean - reach)
        high[columns] = np.minimum(high[columns], mean + reach)
        # In the others there is nothing to move: the next round would find the same.
        columns = columns[(low > least)[columns] | (high < most)[columns]]
    return median, low, high, least, most, deviation, constant


def column_medians(X: np.ndarray) -> np.ndarray:
    """Medians of the columns, without NaN, in a fifth to a third of the time of NumPy's."""
    return _medians(_sorted_columns(X))


def _sorted_columns(X):
    ordered = np.array(to_dense(X.T), dtype=np.float64, order="C")
    ordered.sort(axis=1)
    return ordered


def _medians(ordered):
    n = ordered.shape[1]
    return ordered[:, [(n - 1) // 2, n // 2]].mean(axis=1)


def chosen_sample(n_samples, most, rng):
    """Mask of at most ``most`` random rows."""
    chosen = np.ones(n_samples, dtype=bool)
    if n_samples > most:
        chosen[:] = False
        chosen[rng.choice(n_samples, most, replace=False)] = True
    return chosen


def scaled_type(data):
    """Float type of scaled data."""
    return np.float64 if data.n_samples * data.n_features <= _LARGE else np.float32


def column_scaling(data: Rows, scale: str | None) -> Scaling:
    """Scaling of every column; constant columns become 0, except under "global" and None.

    "minmax" maps every column to [0, 1], and so does "auto", which takes square roots under the
    conditions of ``robust_scaling``. "global" maps all columns with one common range, for pixels
    and counts. "standard" gives mean 0 and variance 1. None leaves the data unchanged.
    """
    if scale is None:
        return Scaling(np.zeros(data.n_features), np.ones(data.n_features))
    if scale == "standard":
        mean, variance = data.column_moments()
        offset, spread = mean, np.sqrt(variance)
    else:
        low, high = _range(data, scale)
        offset, spread = low, high - low
    if data.is_sparse and scale == "standard":
        raise ValueError(
            "standardising sparse data would make them dense: pass X.toarray() if it fits in "
            "memory, or use GraphSieve, which preserves zeros"
        )
    if data.is_sparse and (offset < 0).any():
        raise ValueError(
            f"X is sparse and has negative values (column {int((offset < 0).argmax())}): "
            f"scale={scale!r} would shift them and every zero of the column, and make X dense. "
            "Shift or drop these columns, pass X.toarray(), or use GraphSieve or GreedyCSS, which "
            "do not shift them"
        )
    # The rounding errors of a constant column must not be magnified to the full range.
    factor = _inverse(spread, is_constant(offset, offset + spread))
    return Scaling(offset, factor, scale == "auto" and offset.min() >= 0 and is_mostly_zero(data))


def divide_columns(data, scale, spread="range"):
    """Rows with every column divided by its spread, constant ones set to zero.

    "auto" is ``robust_scaling`` by ``spread``. The other scales do not shift columns that contain
    zero, so that sparse data stay sparse; those of one sign are shifted to touch zero, so that an
    offset does not hide differences in a cosine. A column whose gaps were filled gets the variance
    of its observed values.
    """
    if is_constant(*data.column_range()).all() or (scale is None and data.gaps is None):
        return data
    if scale == "auto":
        chosen = chosen_sample(data.n_samples, MOST_ROWS, np.random.RandomState(0))
        return data.scaled(robust_scaling(data, chosen, spread), scaled_type(data))
    present = np.ones(data.n_features)
    if data.gaps is not None:
        present = np.sqrt(np.maximum(data.gaps.present, 1 / data.n_samples))
    if scale is None:
        return data.scaled(Scaling(np.zeros_like(present), 1 / present), data.dtype)
    low, high = _range(data, scale)
    deviation = np.sqrt(data.column_moments()[1])
    spread = deviation if scale == "standard" else (high - low) * present
    factor = _inverse(spread, is_constant(low, high))
    offset = np.maximum(low, 0) + np.minimum(high, 0)
    return data.scaled(Scaling(offset, factor), np.float64)


def _inverse(spread, constant):
    """1 / spread, and 0 where that is 0 or the column constant."""
    constant = constant | (spread == 0)
    return np.where(constant, 0.0, 1 / np.where(constant, 1.0, spread))


def _range(data, scale):
    low, high = (np.asarray(edge, dtype=np.float64) for edge in data.column_range())
    if scale == "global":
        return np.full_like(low, low.min()), np.full_like(high, high.max())
    return low, high


def is_mostly_zero(data: Rows) -> bool:
    """Whether more than 90 % of the entries are zero."""
    n_entries = data.reduce(lambda X: X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X))
    return n_entries < (1 - MOSTLY_ZERO) * data.n_samples * data.n_features


def to_unit_interval(X_train, X_test):
    """Training and test rows in units of the training range, clipped to it; constant columns 0."""
    X_train, X_test = X_train.astype(np.float64), X_test.astype(np.float64)
    if sp.issparse(X_train):
        # Only a division, so that zeros stay zeros.
        scaler = MaxAbsScaler().fit(X_train)
        train, test = scaler.transform(X_train), scaler.transform(X_test)
        np.clip(test.data, -1, 1, out=test.data)
        return train, test
    scaler = MinMaxScaler(clip=True).fit(X_train)
    train, test = scaler.transform(X_train), scaler.transform(X_test)
    constant = is_constant(scaler.data_min_, scaler.data_max_)
    train[:, constant] = test[:, constant] = 0
    return train, test


def standardised(X):
    """Columns of mean 0 and variance 1 of an array, and their deviations; both 0 where constant."""
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    deviation[is_constant(X.min(axis=0), X.max(axis=0))] = 0
    return (X - mean) / np.where(deviation > 0, deviation, np.inf), deviation
