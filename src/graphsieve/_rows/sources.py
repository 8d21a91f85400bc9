"""Streams: tables in files and lazy arrays that are read forwards, some columns at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from .base import PASS_BYTES, split_rows, to_dense
from .memory import Pages


class Stream(ABC):
    """Some columns of a table that is read forwards; a lazy container for ``open_rows``.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
        Common type of the columns.
    names : list of str or None
    """

    shape: tuple[int, int]
    dtype: np.dtype
    names: list[str] | None

    @abstractmethod
    def take(self, columns: Any) -> Stream:
        """The stream of some of its columns, given by an array of positions."""

    @abstractmethod
    def batches(self, n_rows: int) -> Iterator[np.ndarray]:
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

    def __init__(self, file, index=None):
        self.file = file
        fields = list(file.schema_arrow)
        if len({field.name for field in fields}) < len(fields):
            raise ValueError("a Parquet file must not have two columns of the same name")
        stored = (file.schema_arrow.pandas_metadata or {}).get("index_columns", ())
        # Row labels written by pandas are not features.
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
                # Missing integers become NaN, which is reported with its row and column.
                out[:, j] = table.column(name).to_numpy(zero_copy_only=False)
            yield out

    def pieces(self):
        """Data frames, with the row labels as their index."""
        for table in self.tables(self._pass_rows):
            yield table.to_pandas().set_axis(self.names, axis=1)

    def non_numeric(self):
        schema = self.file.schema_arrow
        return {
            name: schema.field(name).type
            for name, dtype in self.types.items()
            if not is_numeric(dtype)
        }

    def tables(self, n_rows):
        """Arrow's record batches, with the row labels."""
        # A single call for all row groups would keep everything it has read in memory.
        for group in range(self.file.num_row_groups):
            columns = [*self.labels, *self.names]
            yield from self.file.iter_batches(n_rows, row_groups=[group], columns=columns)


def _numpy_type(kind):
    """NumPy type of an Arrow type, or the Arrow type itself if there is none."""
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
    """A ``zarr.Array`` or a memory map of two dimensions, with or without names."""

    def __init__(self, array, names=None, index=None):
        self.array, self.names = array, names
        self.index = np.arange(array.shape[1]) if index is None else index
        self.shape, self.dtype = (array.shape[0], len(self.index)), array.dtype

    def take(self, columns):
        names = None if self.names is None else [self.names[j] for j in columns]
        return type(self)(self.array, names, self.index[columns])


class ZarrStream(ArrayStream):
    """A ``zarr.Array``, read one row of chunks at a time."""

    def batches(self, n_rows):
        # Whole chunks, because reading a part of one costs as much as reading all of it.
        step = max(1, n_rows // self.array.chunks[0]) * self.array.chunks[0]
        for start in range(0, self.shape[0], step):
            try:
                batch = self.array.oindex[start : start + step, as_slice(self.index)]
            except Exception as error:
                # Every codec has its own errors for a damaged chunk.
                last = min(start + step, self.shape[0]) - 1
                what = f"rows {start} to {last} of the Zarr array"
                raise OSError(f"cannot read {what}: {error}") from error
            yield batch


class HDF5Stream(ArrayStream):
    """A ``h5py.Dataset`` of two dimensions, such as dense ``X`` of a backed AnnData."""

    def batches(self, n_rows):
        for rows in split_rows(self.shape[0], n_rows):
            # Selecting columns in h5py is slow unless they are consecutive.
            yield self.array[rows][:, as_slice(self.index)]


class MapStream(ArrayStream):
    """A memory map; its pages go back to the system as they are read."""

    def batches(self, n_rows):
        pages = Pages(self.array)
        # The pages of all columns are read, not only those of the chosen ones.
        row_bytes = self.array.shape[1] * self.dtype.itemsize
        for rows in split_rows(self.shape[0], min(n_rows, max(1, PASS_BYTES // row_bytes))):
            pages.count((rows.stop - rows.start) * row_bytes)
            yield self.array[rows][:, as_slice(self.index)]


class DaskStream:
    """A Dask array without a cluster, computed one chunk at a time."""

    def __init__(self, array):
        self.array = array
        self.shape, self.dtype = array.shape, array.dtype

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
