"""From the containers of users to Rows, and the few questions about the containers themselves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.sklearn_private import to_numpy
from .base import Rows
from .memory import RowBlocks, is_mapped
from .sources import DaskStream, MapStream, ParquetStream, Stream, ZarrStream, as_slice, is_numeric
from .stream import StreamRows


def open_rows(X: Any) -> Rows:
    """Rows of a validated array or of a lazy container."""
    if is_dask(X):
        return _open_dask(X)
    if is_lazy(X):
        return StreamRows(_stream(X))
    if isinstance(X, np.ndarray) or sp.issparse(X):
        return RowBlocks(X)
    return RowBlocks(to_numpy(X))  # with scikit-learn's array_api_dispatch


def is_dask(X: Any) -> bool:
    """Whether ``X`` is a Dask array or data frame."""
    return _is(X, "dask.array", "Array") or _is_dask_frame(X)


def is_lazy(X: Any) -> bool:
    """Whether ``X`` is read in pieces: a Parquet file, a Zarr array, a Stream or a Dask
    collection."""
    return is_dask(X) or _is_parquet(X) or _is_zarr(X) or isinstance(X, Stream)


def known_frame(X: Any) -> Any:
    """``X`` in a container that scikit-learn understands.

    A frame whose names scikit-learn would not see becomes a pandas data frame: Polars 2 no longer
    has the interchange protocol through which scikit-learn 1.8 reads the names of columns, those of
    a pyarrow table come with lists of its columns, and those of an xarray are coordinates. Masked
    entries, whose mask NumPy's functions drop without a warning, become NaN.
    """
    if isinstance(X, np.ma.MaskedArray):
        if not np.ma.is_masked(X):
            return X.data
        return np.ma.filled(X.astype(np.result_type(X, np.float32)), np.nan)
    if _is(X, "polars", "LazyFrame"):
        raise TypeError("X is a Polars LazyFrame, which holds no data yet: pass X.collect()")
    if _is(X, "xarray", "Dataset"):
        raise TypeError(
            "X is an xarray Dataset, whose variables may have different dimensions: pass an array, "
            'such as X.to_dataarray("feature").transpose(..., "feature")'
        )
    if is_xarray(X):
        return _labelled(X)
    unseen = hasattr(X, "column_names") or not hasattr(X, "__dataframe__")
    return X.to_pandas() if unseen and hasattr(X, "columns") and hasattr(X, "to_pandas") else X


def is_xarray(X: Any) -> bool:
    """Whether ``X`` is an xarray with named dimensions."""
    return _is(X, "xarray", "DataArray")


def check_columns(X: Any) -> tuple[int, np.ndarray | None]:
    """Number and names (or None) of the columns of a lazy container.

    Raises an error unless all columns hold numbers.
    """
    if _is_parquet(X):
        X = _stream(X)
    if _is_dask_frame(X) or isinstance(X, ParquetStream):
        types = X.dtypes if _is_dask_frame(X) else X.types
        for name, dtype in types.items():
            if not is_numeric(dtype):
                raise ValueError(
                    f"column {name!r} holds {dtype} instead of numbers: leave it out, or convert "
                    "it to numbers first"
                )
    elif len(X.shape) != 2 or not is_numeric(X.dtype):
        raise ValueError(
            "X must hold numbers in two dimensions, samples by features; it has the shape "
            f"{X.shape} and holds {X.dtype}"
        )
    names = X.columns if _is_dask_frame(X) else getattr(X, "names", None)
    return X.shape[1], None if names is None else np.asarray(names, dtype=object)


def take_columns(X: Any, index: Sequence[int] | np.ndarray) -> Any:
    """The columns ``index`` of a lazy container: lazy for Dask, else an array."""
    if _is_dask_frame(X):
        return X[[X.columns[j] for j in index]]
    if _is(X, "dask.array", "Array"):
        return X[:, index]
    return _stream(X).take(index).whole()


def view_columns(X: Any, columns: Sequence[int], names: Sequence[str]) -> Any:
    """Some columns of an array, CSR matrix, memory map, Stream or Dask data; reads no file."""
    if is_dask(X):
        return take_columns(X, columns)
    if isinstance(X, Stream):
        return X.take(columns)
    columns = as_slice(columns)
    if is_mapped(X) and not isinstance(columns, slice):
        # Indexing would copy these columns of the map to memory.
        return MapStream(X, names).take(columns)
    return X[:, columns]


def take_rows(X: Any, chosen: np.ndarray) -> Any:
    """Rows given by a mask: lazy for Dask arrays, else in memory."""
    if not isinstance(X, Stream):
        return X[chosen]
    parts, start = [], 0
    for piece in row_pieces(X):
        parts.append(piece[chosen[start : start + len(piece)]])
        start += len(piece)
    return np.concatenate(parts)


def first_rows(X: Any, n_rows: int) -> Any:
    """The first rows of an array, CSR matrix, Stream or Dask array, in memory."""
    return X[:n_rows].compute() if is_dask(X) else next(row_pieces(X))[:n_rows]


def row_pieces(X: Any) -> Iterator[Any]:
    """The rows of ``X`` in order, in pieces that fit in memory; ``X`` itself if it is there."""
    if is_mapped(X):
        X = MapStream(X)
    if isinstance(X, Stream):
        yield from X.pieces()
    else:
        yield X


def non_numeric(X: Any) -> dict[str, Any]:
    """Name and type of the columns of a Stream that do not hold numbers; empty for arrays."""
    return X.non_numeric() if isinstance(X, Stream) else {}


def map_rows(X: Any, function: Callable, n_columns: int) -> Any:
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


def _labelled(X):
    """A DataArray as a data frame, or as an array if its columns have no coordinates."""
    if X.ndim != 2:
        raise ValueError(
            f"X is an xarray with the dimensions {X.dims}, but two are needed, samples and "
            f"features: join the others, for example X.stack(feature={X.dims[1:]})"
        )
    rows, columns = (X.indexes.get(dim) for dim in X.dims)
    if columns is None:
        return X.to_numpy()
    import pandas as pd

    return pd.DataFrame(X.to_numpy(), index=rows, columns=columns)


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
        # Counting sets the chunk sizes of the array itself, and this array is the user's.
        array = array.copy().compute_chunk_sizes()
    if array.shape[0] == 0:
        raise ValueError(
            "X has no rows: 0 samples, while a minimum of 2 is required. Check the conditions by "
            "which its rows were selected"
        )
    client = _connected_client()
    if client is not None:
        from .cluster import open_cluster

        return open_cluster(array, client)
    if sp.issparse(array._meta):
        # Sparse data are compact: a temporary file would not make them smaller.
        blocks = [array.blocks[k].compute() for k in range(array.numblocks[0])]
        return RowBlocks(sp.vstack(blocks, format="csr"))
    return StreamRows(DaskStream(array))


def _dask_array(X):
    """A Dask array of a Dask collection, chunked by rows only; its length may be unknown."""
    if _is_dask_frame(X):
        # Nullable types (Int64, Float64, boolean) come with pandas.NA: it becomes NaN, which is
        # reported with its row and column.
        nullable = {
            name: "float64" for name, dtype in X.dtypes.items() if not isinstance(dtype, np.dtype)
        }
        return (X.astype(nullable) if nullable else X).to_dask_array()
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _connected_client():
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        client = get_client()
    except ValueError:
        return None
    if client.asynchronous:
        raise RuntimeError(
            "the connected Dask client is asynchronous, and fit would have to wait for it. "
            "Connect with Client(address, asynchronous=False), or call fit in another thread"
        )
    return client
