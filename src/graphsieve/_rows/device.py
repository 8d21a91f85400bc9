"""DeviceRows: rows in an array of another library, such as torch or CuPy, on its device."""

from __future__ import annotations

import functools
import operator

import numpy as np

from .._utils.sklearn_private import array_namespace, to_numpy
from .base import PASS_BYTES, IndirectRows, split_rows
from .memory import RowBlocks
from .parts import LocalParts


class DeviceRows(IndirectRows):
    """Rows of an array that follows the array API standard.

    Statistics and graphs are computed on the host from blocks of rows; the passes of the
    autoencoder, which take most of the time, run on the device of the array.
    """

    def __init__(self, X, dtype=None):
        self.xp, self.device = array_namespace(X)
        self.n_samples, self.n_features = X.shape
        if dtype is None:
            dtype = np.float32 if X.dtype == self.xp.float32 else np.float64
        self.dtype = np.dtype(dtype)
        self._X = self.xp.astype(X, getattr(self.xp, self.dtype.name), copy=False)

    def to_device(self, array):
        """Copy a NumPy array to the device."""
        return self.xp.asarray(np.ascontiguousarray(array), device=self.device)

    def to_host(self, array):
        """Copy an array of the device to a NumPy array."""
        return to_numpy(array, self.xp)

    def on_device(self, rows):
        """Rows as an array on the device."""
        return self._X[rows, :]

    def take(self, rows):
        if not isinstance(rows, slice):
            rows = self.to_device(rows)
            return DeviceRows(self.xp.take(self._X, rows, axis=0), self.dtype)
        return DeviceRows(self._X[rows, :], self.dtype)

    def slices(self, block_bytes):
        """Row slices of at most about ``block_bytes`` each."""
        row_bytes = self.n_features * self.dtype.itemsize
        return split_rows(self.n_samples, max(1, int(block_bytes // row_bytes)))

    def reduce(
        self, function, *aligned, combine=operator.add, block_bytes=PASS_BYTES, workers=None
    ):
        return functools.reduce(
            combine,
            (
                function(self.to_host(self._X[rows, :]), *(array[rows] for array in aligned))
                for rows in self.slices(block_bytes)
            ),
        )

    def scaled(self, scaling, dtype):
        kind = getattr(self.xp, np.dtype(dtype).name)
        X = self.xp.astype(self._X, kind, copy=False)
        columns = scaling.offset, scaling.factor
        offset, factor = (self.to_device(v.astype(dtype)) for v in columns)
        X = (X - offset) * factor
        return DeviceRows(self.xp.sqrt(self.xp.where(X > 0, X, 0 * X)) if scaling.root else X)

    def filled(self, value):
        value = self.to_device(value.astype(self.dtype))
        return DeviceRows(self.xp.where(self.xp.isnan(self._X), value, self._X))

    def parts(self, make, *aligned, workers):
        return LocalParts(self, make, aligned, workers)

    def stored(self):
        return RowBlocks(self.whole())

    def whole(self):
        return self.to_host(self._X)
