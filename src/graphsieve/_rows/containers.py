"""From what a user has to Rows, and the few things that are asked of a container itself."""

import sys

import numpy as np
import scipy.sparse as sp

from .memory import RowBlocks
from .stream import DaskStream, ParquetStream, Stream, StreamRows, ZarrStream


def open_rows(X):
    """Rows of a validated array, or of a lazy container as it is."""
    if is_dask(X):
        return _open_dask(X)
    if is_lazy(X):
        return StreamRows(_stream(X))
    if isinstance(X, np.ndarray) or sp.issparse(X):
        return RowBlocks(X)
    from .device import DeviceRows

    return DeviceRows(X)


def is_dask(X):
    """Whether ``X`` is a Dask array or data frame."""
    return _is(X, "dask.array", "Array") or _is_dask_frame(X)


def is_lazy(X):
    """Whether ``X`` is read piece by piece: a Parquet file, a Zarr array, a Stream of columns of
    one, or a Dask collection."""
    return is_dask(X) or _is_parquet(X) or _is_zarr(X) or isinstance(X, Stream)


def check_columns(X):
    """Number and names (or None) of the columns of a lazy container; an error unless all hold
    numbers."""
    if _is_parquet(X):
        X = _stream(X)
    if _is_dask_frame(X) or isinstance(X, ParquetStream):
        types = X.dtypes if _is_dask_frame(X) else X.types
        for name, dtype in types.items():
            if not is_numeric(dtype):
                raise ValueError(
                    f"column {name!r} does not hold numbers but {dtype}: leave it out, or turn it "
                    "into numbers first"
                )
    elif len(X.shape) != 2 or not is_numeric(X.dtype):
        raise ValueError(
            "X must hold numbers in two dimensions, samples by features; it has the shape "
            f"{X.shape} and holds {X.dtype}"
        )
    names = X.columns if _is_dask_frame(X) else getattr(X, "names", None)
    return X.shape[1], None if names is None else np.asarray(names, dtype=object)


def is_numeric(dtype):
    """Whether the entries of an array or a column of this type are numbers or truth values."""
    return getattr(dtype, "kind", "O") in "biuf"


def take_columns(X, index):
    """The columns ``index`` of a lazy container: lazy for Dask, else an array."""
    if _is_dask_frame(X):
        return X[[X.columns[j] for j in index]]
    if _is(X, "dask.array", "Array"):
        return X[:, index]
    return _stream(X).take(index).whole()


def map_rows(X, function, n_columns):
    """``function`` of all rows of a lazy container, in blocks: lazy for Dask, else an array."""
    if is_dask(X):
        array = _dask_array(X)
        chunks = array.chunks[0], (n_columns,)
        return array.map_blocks(function, chunks=chunks, dtype=np.float64, meta=np.empty((0, 0)))
    return open_rows(X).stack(function)


def _is(X, module, name):
    """Whether ``X`` is of a class of an optional library, without loading it."""
    library = sys.modules.get(module)
    return library is not None and isinstance(X, getattr(library, name))


def _is_dask_frame(X):
    return _is(X, "dask.dataframe", "DataFrame")


def _is_parquet(X):
    return _is(X, "pyarrow.parquet", "ParquetFile")


def _is_zarr(X):
    return _is(X, "zarr", "Array")


def _stream(X):
    """Stream of a Parquet file or a Zarr array; a Stream as it is."""
    if isinstance(X, Stream):
        return X
    return ParquetStream(X) if _is_parquet(X) else ZarrStream(X)


def _open_dask(X):
    array = _dask_array(X)
    if np.isnan(array.shape[0]):
        # Counting sets the sizes of the array itself, and this one is the user's.
        array = array.copy().compute_chunk_sizes()
    client = _connected_client()
    if client is not None:
        from .cluster import open_cluster

        return open_cluster(array, client)
    if sp.issparse(array._meta):
        # Sparse data are as small as they get: no temporary file would make them smaller.
        blocks = [array.blocks[k].compute() for k in range(array.numblocks[0])]
        return RowBlocks(sp.vstack(blocks, format="csr"))
    return StreamRows(DaskStream(array))


def _dask_array(X):
    """A Dask array of a Dask collection, chunked by rows only; it may not know how many."""
    if _is_dask_frame(X):
        return X.to_dask_array()
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _connected_client():
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        return get_client()
    except ValueError:
        return None
