"""StreamRows: rows that are read forwards, a batch at a time, from files or lazy arrays.

Statistics take one pass over the batches. Computations that need rows more often read them from a
temporary memory map, which is written, already scaled, in one pass.
"""

from __future__ import annotations

import functools
import operator
import shutil
import tempfile

import numpy as np

from .base import PASS_BYTES, IndirectRows
from .gaps import fill_block
from .memory import RowBlocks


class StreamRows(IndirectRows):
    """Rows of a Stream or of a DaskStream."""

    def __init__(self, stream):
        self.stream = stream
        self.n_samples, self.n_features = stream.shape
        self.dtype = np.dtype(np.float32 if stream.dtype == np.float32 else np.float64)
        self._stored = None

    def reduce(
        self, function, *aligned, combine=operator.add, block_bytes=PASS_BYTES, workers=None
    ):
        return functools.reduce(
            combine,
            (
                function(block, *(array[rows] for array in aligned))
                for rows, block in self._blocks(block_bytes)
            ),
        )

    def _blocks(self, block_bytes=PASS_BYTES):
        n_rows = max(1, int(block_bytes // (self.n_features * self.dtype.itemsize)))
        start = 0
        for batch in self.stream.batches(n_rows):
            rows = slice(start, start + len(batch))
            yield rows, batch.astype(self.dtype, copy=False)
            start = rows.stop

    def scaled(self, scaling, dtype):
        dtype = np.dtype(dtype)
        return RowBlocks(self._copy(dtype, lambda X: scaling.block(X, dtype)))

    def filled(self, value):
        return StreamRows(_FilledStream(self.stream, value))

    def stored(self):
        if self._stored is None:
            self._stored = RowBlocks(self._copy(self.dtype, lambda X: X))
        return self._stored

    def take(self, rows):
        return self.stored().take(rows)

    def parts(self, make, *aligned, workers):
        return self.stored().parts(make, *aligned, workers=workers)

    def whole(self):
        return np.concatenate([block for _, block in self._blocks()])

    def _copy(self, dtype, change):
        """Memory map of the changed rows; its file has no name and is freed with the map."""
        n_bytes = self.n_samples * self.n_features * dtype.itemsize
        folder = tempfile.gettempdir()
        if shutil.disk_usage(folder).free < n_bytes:
            raise OSError(
                f"a temporary copy of the data needs {n_bytes / 1e9:.1f} GB, but {folder} has only "
                f"{shutil.disk_usage(folder).free / 1e9:.1f} GB left: set TMPDIR to a folder on a "
                "larger disk"
            )
        with tempfile.TemporaryFile() as file:
            for _, block in self._blocks():
                file.write(np.ascontiguousarray(change(block), dtype=dtype).data)
            file.flush()
            return np.memmap(file, dtype, "r", shape=(self.n_samples, self.n_features))


class _FilledStream:
    """A stream of floats with ``value[j]`` in place of NaN in column j."""

    def __init__(self, stream, value):
        self.stream, self.value = stream, value
        self.shape, self.dtype = stream.shape, stream.dtype

    def batches(self, n_rows):
        for batch in self.stream.batches(n_rows):
            yield fill_block(batch, self.value)
