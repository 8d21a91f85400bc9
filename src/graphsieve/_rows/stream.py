"""StreamRows: rows that are read forwards, a batch at a time, from files or lazy arrays.

Statistics take one pass over the batches. Whoever needs rows more often than that gets them from
a temporary memory map, to which one pass copies them, scaled already.
"""

import functools
import operator
import shutil
import tempfile

import numpy as np
import scipy.sparse as sp

from .base import PASS_BYTES, Rows, split_rows
from .memory import Pages, RowBlocks, scale_into


class StreamRows(Rows):
    """Rows of a Stream or of a DaskStream."""

    def __init__(self, stream):
        self.stream = stream
        self.n_samples, self.n_features = stream.shape
        self.dtype = np.dtype(np.float32 if stream.dtype == np.float32 else np.float64)
        self._stored = None

    def reduce(self, function, *aligned, combine=operator.add, block_bytes=PASS_BYTES):
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


class Stream:
    """Some columns of a table that is read forwards: lazy data of its own, for ``open_rows``.

    A subclass has ``shape``, ``dtype``, ``names`` (or None), ``take`` and ``batches``.
    """

    def take(self, columns):
        """The stream of these columns of it, an array of positions."""
        raise NotImplementedError

    def batches(self, n_rows):
        """Arrays of about so many rows, in order."""
        raise NotImplementedError

    @property
    def pass_rows(self):
        """Rows of a batch for a pass over all of them."""
        return max(1, PASS_BYTES // (self.shape[1] * self.dtype.itemsize))

    def whole(self):
        """All rows in one array, in the type in which they are stored."""
        out, start = np.empty(self.shape, self.dtype), 0
        for batch in self.batches(self.pass_rows):
            out[start : start + len(batch)] = batch
            start += len(batch)
        return out


class ParquetStream(Stream):
    """A ``pyarrow.parquet.ParquetFile``, row group by row group."""

    def __init__(self, file, index=None):
        self.file = file
        fields = list(file.schema_arrow)
        if len({field.name for field in fields}) < len(fields):
            raise ValueError("columns of a Parquet file need different names to be told apart")
        stored = (file.schema_arrow.pandas_metadata or {}).get("index_columns", ())
        # What pandas takes for labels of the rows are no features.
        self.labels = [field.name for field in fields if field.name in stored]
        if index is None:
            index = [j for j, field in enumerate(fields) if field.name not in self.labels]
        self.index = np.asarray(index, dtype=int)
        self.types = {fields[j].name: _numpy_type(fields[j].type) for j in self.index}
        self.names = list(self.types)
        self.shape = file.metadata.num_rows, len(self.names)
        single = all(kind == np.float32 for kind in self.types.values())
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def take(self, columns):
        return ParquetStream(self.file, self.index[columns])

    def batches(self, n_rows):
        for table in self.tables(n_rows):
            out = np.empty((table.num_rows, len(self.names)), self.dtype)
            for j, name in enumerate(self.names):
                # What is missing in integers comes out as NaN, and is complained about as such.
                out[:, j] = table.column(name).to_numpy(zero_copy_only=False)
            yield out

    def tables(self, n_rows):
        """Batches of Arrow's own, with the labels of the rows."""
        # One call for all groups would keep in memory all that it has read.
        for group in range(self.file.num_row_groups):
            columns = [*self.labels, *self.names]
            yield from self.file.iter_batches(n_rows, row_groups=[group], columns=columns)


def _numpy_type(kind):
    """The NumPy type of a type of Arrow, or that itself where there is none."""
    try:
        return np.dtype(kind.to_pandas_dtype())
    except NotImplementedError:
        return kind


def as_slice(columns):
    """The same columns as a slice where they are neighbours: no copy, and a map stays a map."""
    if len(columns) and np.array_equal(columns, np.arange(columns[0], columns[-1] + 1)):
        return slice(columns[0], columns[-1] + 1)
    return columns


class ArrayStream(Stream):
    """A ``zarr.Array`` or a memory map of two dimensions, with or without names."""

    def __init__(self, array, names=None, index=None):
        self.array, self.names = array, names
        self.index = np.arange(array.shape[1]) if index is None else index
        self.shape, self.dtype = (array.shape[0], len(self.index)), array.dtype

    def take(self, columns):
        names = None if self.names is None else [self.names[j] for j in columns]
        return type(self)(self.array, names, self.index[columns])


class ZarrStream(ArrayStream):
    """A row of chunks at a time."""

    def batches(self, n_rows):
        # Whole chunks, as a part of one costs as much to read as all of it.
        step = max(1, n_rows // self.array.chunks[0]) * self.array.chunks[0]
        for start in range(0, self.shape[0], step):
            try:
                batch = self.array.oindex[start : start + step, as_slice(self.index)]
            except Exception as error:
                # Every codec has errors of its own for a damaged chunk.
                last = min(start + step, self.shape[0]) - 1
                what = f"rows {start} to {last} of the Zarr array"
                raise OSError(f"cannot read {what}: {error}") from error
            yield batch


class MapStream(ArrayStream):
    """Pages of the file go back to the system as they are read."""

    def batches(self, n_rows):
        pages = Pages(self.array)
        # All columns come into memory, whichever are taken.
        row_bytes = self.array.shape[1] * self.dtype.itemsize
        for rows in split_rows(self.shape[0], min(n_rows, max(1, PASS_BYTES // row_bytes))):
            pages.count((rows.stop - rows.start) * row_bytes)
            yield self.array[rows][:, as_slice(self.index)]


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
