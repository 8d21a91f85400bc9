"""StreamRows: rows that are read forwards, a batch at a time, from files or lazy arrays.

Statistics take one pass over the batches. Whoever needs rows more often than that gets them from
a temporary memory map, to which one pass copies them, scaled already.
"""

import operator
import shutil
import tempfile

import numpy as np
import scipy.sparse as sp

from .base import PASS_BYTES, Rows
from .rows import RowBlocks, scale_into


class StreamRows(Rows):
    """Rows of a stream: ParquetStream, ZarrStream or DaskStream.

    A stream has ``shape``, ``dtype`` and ``batches(n_rows)``, which yields arrays of about so many
    rows, in order.
    """

    def __init__(self, stream):
        self.stream = stream
        self.n_samples, self.n_features = stream.shape
        self.dtype = np.dtype(np.float32 if stream.dtype == np.float32 else np.float64)
        self._stored = None

    def reduce(self, function, *aligned, combine=operator.add, block_bytes=PASS_BYTES):
        total = None
        for rows, block in self._blocks(block_bytes):
            found = function(block, *(array[rows] for array in aligned))
            total = found if total is None else combine(total, found)
        return total

    def _blocks(self, block_bytes=PASS_BYTES):
        n_rows = max(1, int(block_bytes // (self.n_features * self.dtype.itemsize)))
        start = 0
        for batch in self.stream.batches(n_rows):
            rows = slice(start, start + len(batch))
            yield rows, batch.astype(self.dtype, copy=False)
            start = rows.stop

    def scaled(self, offset, factor, dtype):
        dtype = np.dtype(dtype)
        return RowBlocks(
            self._copy(dtype, lambda X: scale_into(np.empty(X.shape, dtype), X, offset, factor))
        )

    def stored(self):
        if self._stored is None:
            self._stored = RowBlocks(self._copy(self.dtype, lambda X: X))
        return self._stored

    def reduce_pairs(self, function, i, j, *aligned, combine=operator.add):
        return self.stored().reduce_pairs(function, i, j, *aligned, combine=combine)

    def parts(self, make, *aligned, workers):
        return self.stored().parts(make, *aligned, workers=workers)

    def whole(self):
        return np.concatenate([block for _, block in self._blocks()])

    def _copy(self, dtype, change):
        """A memory map of the changed rows in a file without a name: it goes when the map goes."""
        n_bytes = self.n_samples * self.n_features * dtype.itemsize
        folder = tempfile.gettempdir()
        if shutil.disk_usage(folder).free < n_bytes:
            raise OSError(
                f"a temporary copy of the data needs {n_bytes / 1e9:.1f} GB and {folder} has "
                f"{shutil.disk_usage(folder).free / 1e9:.1f} GB left: set TMPDIR to a folder on a "
                "larger disk"
            )
        with tempfile.TemporaryFile() as file:
            for _, block in self._blocks():
                file.write(np.ascontiguousarray(change(block), dtype=dtype).data)
            file.flush()
            return np.memmap(file, dtype, "r", shape=(self.n_samples, self.n_features))


class ParquetStream:
    """A ``pyarrow.parquet.ParquetFile``, row group by row group."""

    def __init__(self, file):
        import pyarrow as pa

        self.file = file
        schema = file.schema_arrow
        self.names = schema.names
        self.shape = file.metadata.num_rows, len(self.names)
        single = all(field.type == pa.float32() for field in schema)
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def batches(self, n_rows):
        # One call for all groups would keep in memory all that it has read.
        for group in range(self.file.num_row_groups):
            for batch in self.file.iter_batches(batch_size=n_rows, row_groups=[group]):
                yield self._array(batch)

    def columns(self, index):
        return self._array(self.file.read(columns=[self.names[j] for j in index]))

    def _array(self, table):
        out = np.empty((table.num_rows, table.num_columns), self.dtype)
        for j, column in enumerate(table.columns):
            # What is missing in integers comes out as NaN, and is complained about as such.
            out[:, j] = column.to_numpy(zero_copy_only=False)
        return out


class ZarrStream:
    """A ``zarr.Array`` of two dimensions, a row of chunks at a time."""

    def __init__(self, array):
        self.array = array
        self.shape, self.dtype = array.shape, array.dtype

    def batches(self, n_rows):
        # Whole chunks, as a part of one costs as much to read as all of it.
        step = max(1, n_rows // self.array.chunks[0]) * self.array.chunks[0]
        for start in range(0, self.shape[0], step):
            yield self.array[start : start + step]

    def columns(self, index):
        return self.array.oindex[:, np.asarray(index)]


class DaskStream:
    """A Dask array without a cluster, a chunk at a time."""

    def __init__(self, array):
        self.array = array
        self.shape, self.dtype = array.shape, array.dtype

    def batches(self, n_rows):
        for number in range(self.array.numblocks[0]):
            chunk = self.array.blocks[number].compute()
            chunk = chunk.toarray() if sp.issparse(chunk) else np.asarray(chunk)
            for start in range(0, len(chunk), n_rows):
                yield chunk[start : start + n_rows]
