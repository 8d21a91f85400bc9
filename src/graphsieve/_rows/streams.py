"""Rows that are read forwards, a batch at a time, from files or lazy arrays.

Computations that need rows more than once copy them, already scaled, to a temporary memory map.
Dask's own readers take twice the memory and 1.7 times as long for Parquet, and two to six times as
long for some columns of an HDF5 file.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from operator import add
from typing import Any

import numpy as np

from .base import PASS_BYTES, Rows, fill_block, split_rows, to_dense
from .memory import Pages, RowBlocks


class Stream:
    """Some columns of a table that is read forwards, with or without names."""

    shape: tuple[int, int]
    dtype: np.dtype
    names: list[str] | None

    def take(self, columns):
        """The stream of some of its columns, given by an array of positions."""

    def batches(self, n_rows):
        """Arrays of about ``n_rows`` rows, in order."""

    def pieces(self) -> Iterator[Any]:
        """All rows in order, as arrays or data frames of moderate size."""
        yield from self.batches(self._pass_rows)

    def non_numeric(self) -> dict[str, Any]:
        """Name and type of the columns that do not hold numbers."""
        return {}

    @property
    def _pass_rows(self):
        return max(1, PASS_BYTES // (self.shape[1] * self.dtype.itemsize))

    def whole(self) -> np.ndarray:
        """All rows in one array, in the type in which they are stored."""
        out, start = np.empty(self.shape, self.dtype), 0
        for batch in self.batches(self._pass_rows):
            out[start : start + len(batch)] = batch
            start += len(batch)
        return out


class ParquetStream(Stream):
    """A ``pyarrow.parquet.ParquetFile``, read one row group at a time."""

    def __init__(self, file, names=None):
        self.file, schema = file, file.schema_arrow
        if len(set(schema.names)) < len(schema.names):
            raise ValueError("a Parquet file must not have two columns of the same name")
        stored = (schema.pandas_metadata or {}).get("index_columns", ())
        # Row labels written by pandas are not features.
        self.labels = [name for name in schema.names if name in stored]
        self.names = names or [name for name in schema.names if name not in stored]
        self.types = {name: _numpy_type(schema.field(name).type) for name in self.names}
        self.shape = file.metadata.num_rows, len(self.names)
        single = all(kind == np.float32 for kind in self.types.values())
        self.dtype = np.dtype(np.float32 if single else np.float64)

    def take(self, columns):
        return ParquetStream(self.file, [self.names[j] for j in columns])

    def batches(self, n_rows):
        for table in self.tables(n_rows):
            out = np.empty((table.num_rows, len(self.names)), self.dtype)
            for j, name in enumerate(self.names):
                # Missing integers become NaN, which is reported with its row and column.
                out[:, j] = table.column(name).to_numpy(zero_copy_only=False)
            yield out

    def pieces(self):
        """Data frames, with the row labels as their index."""
        for table in self.tables(self._pass_rows):
            yield table.to_pandas().set_axis(self.names, axis=1)

    def non_numeric(self):
        schema = self.file.schema_arrow
        others = [name for name, dtype in self.types.items() if not is_numeric(dtype)]
        return {name: schema.field(name).type for name in others}

    def tables(self, n_rows):
        """Arrow's record batches, with the row labels."""
        # A single call for all row groups would keep everything it has read in memory.
        columns = [*self.labels, *self.names]
        for group in range(self.file.num_row_groups):
            yield from self.file.iter_batches(n_rows, row_groups=[group], columns=columns)


def _numpy_type(kind):
    try:
        return np.dtype(kind.to_pandas_dtype())
    except NotImplementedError:
        return kind


def is_numeric(dtype: Any) -> bool:
    """Whether an array or a column of this type holds numbers or booleans."""
    return getattr(dtype, "kind", "O") in "biuf"


def as_slice(columns):
    """Consecutive columns as a slice: it makes no copy, and a memory map stays one."""
    if len(columns) and np.array_equal(columns, np.arange(columns[0], columns[-1] + 1)):
        return slice(columns[0], columns[-1] + 1)
    return columns


class ArrayStream(Stream):
    """An array of two dimensions, such as a ``h5py.Dataset``, with or without names."""

    def __init__(self, array, names=None, index=None):
        self.array, self.names = array, names
        self.index = np.arange(array.shape[1]) if index is None else index
        self.shape, self.dtype = (array.shape[0], len(self.index)), array.dtype

    def take(self, columns):
        names = None if self.names is None else [self.names[j] for j in columns]
        return type(self)(self.array, names, self.index[columns])

    def batches(self, n_rows):
        for rows in split_rows(self.shape[0], n_rows):
            # Selecting columns in h5py is slow unless they are consecutive.
            yield self.array[rows][:, as_slice(self.index)]


class ZarrStream(ArrayStream):
    """A ``zarr.Array``, read one row of chunks at a time."""

    def batches(self, n_rows):
        # Whole chunks, because reading a part of one costs as much as reading all of it.
        step = max(1, n_rows // self.array.chunks[0]) * self.array.chunks[0]
        for start in range(0, self.shape[0], step):
            try:
                batch = self.array.oindex[start : start + step, as_slice(self.index)]
            except Exception as error:  # every codec has its own for a damaged chunk
                last = min(start + step, self.shape[0]) - 1
                raise OSError(
                    f"cannot read rows {start} to {last} of the Zarr array: {error}"
                ) from error
            yield batch


class MapStream(ArrayStream):
    """A memory map; its pages go back to the system as they are read."""

    def batches(self, n_rows):
        pages = Pages(self.array)
        # The pages of all columns are read, not only those of the chosen ones.
        row_bytes = self.array.shape[1] * self.dtype.itemsize
        for batch in super().batches(min(n_rows, max(1, PASS_BYTES // row_bytes))):
            pages.count(len(batch) * row_bytes)
            yield batch


class DaskStream(ArrayStream):
    """All of a Dask array without a cluster, computed one chunk of rows at a time."""

    def batches(self, n_rows):
        for number, n_chunk in enumerate(self.array.chunks[0]):
            chunk = check_chunk(self.array.blocks[number].compute(), n_chunk, self.shape[1])
            chunk = np.asarray(to_dense(chunk))
            for start in range(0, len(chunk), n_rows):
                yield chunk[start : start + n_rows]


def check_chunk(chunk, n_rows: int, n_columns: int):
    """A computed chunk of a Dask array, or an error if it is not what the metadata promise."""
    shape, dtype = np.shape(chunk), getattr(chunk, "dtype", None)
    if shape != (n_rows, n_columns) or not is_numeric(dtype):
        raise ValueError(
            f"a chunk of the Dask array holds {dtype} of shape {shape}, but the metadata of the "
            f"array promise numbers of shape {(n_rows, n_columns)}. Pass the right chunks, dtype "
            "and meta where the array is made, for example to map_blocks or from_delayed"
        )
    return chunk


class StreamRows(Rows):
    """Rows of a Stream, with the numbers ``fill`` in place of NaN if they are given."""

    def __init__(self, stream, fill=None):
        self.stream, self.fill = stream, fill
        self.n_samples, self.n_features = stream.shape
        self.dtype = np.dtype(np.float32 if stream.dtype == np.float32 else np.float64)

    def reduce(
        self, function, *aligned, combine=add, block_bytes=PASS_BYTES, dense=False, workers=None
    ):
        blocks = self._blocks(block_bytes)  # which are dense
        results = (function(block, *(array[rows] for array in aligned)) for rows, block in blocks)
        return functools.reduce(combine, results)

    def _blocks(self, block_bytes=PASS_BYTES):
        n_rows = max(1, int(block_bytes // (self.n_features * self.dtype.itemsize)))
        start = 0
        for batch in self.stream.batches(n_rows):
            rows = slice(start, start + len(batch))
            block = batch.astype(self.dtype, copy=False)
            yield rows, block if self.fill is None else fill_block(block, self.fill)
            start = rows.stop

    def scaled(self, scaling, dtype):
        dtype = np.dtype(dtype)
        blocks = (scaling.block(block, dtype) for _, block in self._blocks())
        return RowBlocks(self.mapped(blocks, dtype))

    def filled(self, value):
        return StreamRows(self.stream, value)

    def stored(self):
        return self._stored

    @functools.cached_property
    def _stored(self):
        return RowBlocks(self.mapped((block for _, block in self._blocks()), self.dtype))

    def whole(self):
        return np.concatenate([block for _, block in self._blocks()])
