"""From the containers of users to Rows, and what must be true of containers and their entries."""

import sys
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from .base import Rows, fill_gaps, marked
from .memory import RowBlocks, is_mapped
from .streams import (
    DaskStream,
    MapStream,
    ParquetStream,
    Stream,
    StreamRows,
    ZarrStream,
    as_slice,
    is_numeric,
)

_DASK_ARRAY, _DASK_FRAME = "dask.array.Array", "dask.dataframe.DataFrame"
_PARQUET, _ZARR = "pyarrow.parquet.ParquetFile", "zarr.Array"
# Columns without numbers that a message names.
_SHOWN = 5
# What they hold, from pandas' names for it.
_KINDS = {
    "string": "text",
    "categorical": "categories",
    "complex": "complex numbers",
    **dict.fromkeys(("datetime64", "datetime", "date", "period"), "dates"),
    **dict.fromkeys(("timedelta64", "timedelta"), "durations"),
}
# Fourth powers of smaller numbers, which greedy selection needs, are not in double precision.
_SMALLEST = np.finfo(np.float64).tiny ** 0.25


def open_rows(X: Any) -> Rows:
    """Rows of a validated array or of a lazy container."""
    if is_dask(X):
        return _open_dask(X)
    if is_lazy(X):
        return StreamRows(_stream(X))
    # With scikit-learn's array_api_dispatch, X may be an array of another library.
    return RowBlocks(X if sp.issparse(X) else np.asanyarray(X))


def is_dask(X: Any) -> bool:
    return _is(X, _DASK_ARRAY, _DASK_FRAME)


def is_lazy(X: Any) -> bool:
    """Whether ``X`` is a Parquet file, a Zarr array, a Stream or a Dask collection."""
    return isinstance(X, Stream) or is_dask(X) or _is(X, _PARQUET, _ZARR)


def known_frame(X: Any) -> Any:
    """``X`` in a container whose names scikit-learn sees; masked entries become NaN.

    Polars 2 no longer has the interchange protocol through which scikit-learn 1.8 reads names.
    """
    if isinstance(X, np.ma.MaskedArray):
        if not np.ma.is_masked(X):
            return X.data
        return np.ma.filled(X.astype(np.result_type(X, np.float32)), np.nan)
    if _is(X, "polars.LazyFrame"):
        raise TypeError("X is a Polars LazyFrame, which holds no data yet: pass X.collect()")
    if _is(X, "xarray.DataArray"):
        return X.to_pandas() if X.ndim == 2 and X.dims[1] in X.indexes else X.to_numpy()
    if _is(X, "pandas.DataFrame") and not X.columns.is_unique:
        name = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"X has several columns named {name!r}: rename them")
    unseen = hasattr(X, "column_names") or not hasattr(X, "__dataframe__")
    return X.to_pandas() if unseen and hasattr(X, "columns") and hasattr(X, "to_pandas") else X


def check_columns(X: Any) -> tuple[int, np.ndarray | None]:
    """Number and names (or None) of the columns of a lazy container, which must hold numbers."""
    X, is_frame = _stream(X) if _is(X, _PARQUET) else X, _is(X, _DASK_FRAME)
    types = X.dtypes if is_frame else getattr(X, "types", {})
    for name, dtype in types.items():
        if not is_numeric(dtype):
            raise ValueError(
                f"column {name!r} holds {dtype} instead of numbers: leave it out, or convert it to "
                "numbers first"
            )
    if not is_frame and (len(X.shape) != 2 or not is_numeric(X.dtype)):
        raise ValueError(
            "X must hold numbers in two dimensions, samples by features; it has the shape "
            f"{X.shape} and holds {X.dtype}"
        )
    names = X.columns if is_frame else getattr(X, "names", None)
    return X.shape[1], None if names is None else np.asarray(names, dtype=object)


def take_columns(X: Any, index: Sequence[int] | np.ndarray) -> Any:
    """The columns ``index`` of a lazy container: lazy for Dask, else an array."""
    if _is(X, _DASK_FRAME):
        return X[[X.columns[j] for j in index]]
    if _is(X, _DASK_ARRAY):
        return X[:, index]
    return _stream(X).take(index).whole()


def view_columns(X: Any, columns: Sequence[int], names: Sequence[str]) -> Any:
    """Some columns of an array, CSR matrix, memory map, Stream or Dask data; reads no file."""
    if is_lazy(X):
        return take_columns(X, columns) if is_dask(X) else _stream(X).take(columns)
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


def row_pieces(X: Any) -> Iterator[Any]:
    """The rows of ``X`` in order, in pieces that fit in memory; ``X`` itself if it is there."""
    X = MapStream(X) if is_mapped(X) else X
    return X.pieces() if isinstance(X, Stream) else iter([X])


def map_rows(X: Any, function: Callable, n_columns: int) -> Any:
    """``function`` of all rows of a lazy container, in blocks: lazy for Dask, else an array."""
    if is_dask(X):
        array = _dask_array(X)
        chunks = array.chunks[0], (n_columns,)
        return array.map_blocks(function, chunks=chunks, dtype=np.float64, meta=np.empty((0, 0)))
    return open_rows(X).stack(function)


def _is(X, *kinds):
    for module, _, name in (kind.rpartition(".") for kind in kinds):
        library = sys.modules.get(module)
        if library is not None and isinstance(X, getattr(library, name)):
            return True
    return False


def _stream(X):
    if isinstance(X, Stream):
        return X
    return ParquetStream(X) if _is(X, _PARQUET) else ZarrStream(X)


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
    if _is(X, _DASK_FRAME):
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

        client = get_client()
    except (ImportError, ValueError):
        return None
    if client.asynchronous:
        raise RuntimeError(
            "the connected Dask client is asynchronous, and fit would have to wait for it. "
            "Connect with Client(address, asynchronous=False), or call fit in another thread"
        )
    return client


def numeric_frame(X: Any) -> Any:
    """A pandas data frame with NumPy's types, or an error that names columns without numbers."""
    if not (hasattr(X, "columns") and hasattr(X, "iloc") and hasattr(X, "dtypes")):
        return X
    if all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in X.dtypes):
        return X
    kinds = {name: _kind(column) for name, column in X.items()}
    bad = [f"{name!r} ({kind})" for name, kind in kinds.items() if kind]
    if bad:
        more = f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
        raise ValueError(
            f"{len(bad)} of the {X.shape[1]} columns do not hold numbers: "
            f"{', '.join(bad[:_SHOWN])}{more}. Leave them out, or encode them: X, column_groups = "
            "graphsieve.encode(X), and GraphSieve keeps the codes of a column together if it is "
            "given these column_groups"
        )
    if any(str(dtype).startswith("Sparse") for dtype in X.dtypes):
        return X
    # Column by column: as a whole, such a frame becomes an array of objects with pandas.NA in it.
    columns = [column.to_numpy(dtype=np.float64, na_value=np.nan) for _, column in X.items()]
    return type(X)(np.column_stack(columns), index=X.index, columns=X.columns)


def _kind(column):
    from pandas.api.types import infer_dtype

    if column.dtype.kind in "biuf":
        return None
    kind = infer_dtype(column, skipna=True)
    if kind in _KINDS:
        return _KINDS[kind]
    try:
        column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        return "text" if any(isinstance(entry, str) for entry in column) else "other objects"
    return None


def check_container(X: Any, name: str = "X") -> None:
    """Refuse what is no table, complex numbers, dates, and sparse matrices with invalid indices.

    SciPy's routines read outside their arrays if an index is out of range. scikit-learn counts
    dates among the numbers.
    """
    if X is None or (isinstance(X, str | PathLike | dict) and not sp.issparse(X)):  # DOK is a dict
        advice = "pass an array or a data frame"
        if isinstance(X, str | PathLike):
            advice = "read the file first, for example with pandas.read_csv"
        raise TypeError(f"{name} must be a table, got {type(X).__name__}: {advice}")
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind == "c":
        raise ValueError(f"Complex data not supported: {name} holds {X.dtype}, not real numbers")
    if kind in ("M", "m"):
        raise ValueError(
            f"{name} holds dates or durations ({X.dtype}), not numbers: convert them, for example "
            'to days with (X - X.min()) / numpy.timedelta64(1, "D")'
        )
    if sp.issparse(X) and X.format in ("csr", "csc", "bsr", "coo"):
        try:
            if X.format == "coo":
                sp.coo_array((X.data, X.coords), shape=X.shape)
            else:  # of a copy, because check_format may replace the index arrays
                X._with_data(X.data, copy=False).check_format(full_check=True)
        except ValueError as error:
            raise ValueError(
                f"{name} is not a valid {X.format.upper()} matrix: {error}. Build it again, for "
                "example from its row and column numbers with scipy.sparse.coo_array"
            ) from error


def check_entries(
    data: Rows, column_name: Callable[[int], Any], *, allow_gaps: bool = False
) -> Rows:
    """Refuse infinity, and numbers whose squares overflow or vanish, and name the place.

    NaN is refused, too, or with ``allow_gaps`` filled by ``fill_gaps``.
    """
    if not np.isfinite(np.stack(data.column_range())).all():
        gaps, infinite = data.reduce(
            lambda block: np.array(
                [marked(found, block).sum(axis=0) for found in (np.isnan, np.isinf)]
            )
        )
        if infinite.any() or not allow_gaps:
            raise ValueError(_describe_gaps(data, gaps, infinite, column_name, allow_gaps))
        data = fill_gaps(data)
    low, high = data.column_range()
    largest = np.maximum(abs(low), abs(high))
    n_entries = float(data.n_samples * data.n_features)
    # The largest entry whose fourth powers have sums, and squares in the type of the data.
    fourth_powers = (np.finfo(np.float64).max / n_entries**2) ** 0.25
    squares = (float(np.finfo(data.dtype).max) / n_entries) ** 0.5
    if largest.max() > min(fourth_powers, squares):
        column = int(largest.argmax())
        raise ValueError(
            f"column {column_name(column)} has values up to {largest[column]:.1e}, whose sums of "
            f"squares overflow in {data.dtype}. Rescale this column, for example with "
            "sklearn.preprocessing.StandardScaler, or remove the entry if it is an error"
        )
    if 0 < largest.max() < _SMALLEST:
        raise ValueError(
            f"the largest absolute value of X is {largest.max():.1e}: products of such numbers "
            "are too small for double precision. Multiply X by a constant"
        )
    return data


def _describe_gaps(data, gaps, infinite, column_name, allow_gaps):
    if infinite.any():
        # Missing values may be allowed: the first infinity is what has to be mended.
        row, column = find_first(data, np.isinf)
        fill = ', and fill NaN with sklearn.impute.SimpleImputer(strategy="median")'
        found, advice = ("infinity", "") if allow_gaps else ("infinity or NaN", fill)
        return (
            f"X contains {found}: {infinite.sum():,} infinite and {gaps.sum():,} missing "
            f"values, the first infinity at row {row}, column {column_name(column)}. Replace "
            f"infinite values by numbers or NaN{advice}"
        )
    row, column = find_first(data, np.isnan)
    n_columns = np.count_nonzero(gaps)
    worst = np.argsort(-gaps, kind="stable")[: min(3, n_columns)]
    listed = ", ".join(f"{column_name(j)}: {gaps[j]:,}" for j in worst)
    more = ", ..." if n_columns > len(worst) else ""
    return (
        f"X contains NaN: {gaps.sum():,} missing values in {n_columns:,} of {data.n_features:,} "
        f"columns ({listed}{more}), the first at row {row}, column {column_name(column)}. Fill "
        'them, for example with sklearn.impute.SimpleImputer(strategy="median") or, on the command '
        "line, --impute median; leave out these columns; or use a method that accepts missing "
        "values: GraphSieve, GAFS, GreedyCSS, DropRedundant or Variance"
    )


def find_first(data: Rows, is_bad: Callable) -> tuple[int, int] | None:
    """(row, column) of the first bad entry, or None."""

    def first(block, number):
        row, column = marked(is_bad, block).nonzero()
        return (int(number[row[0]]), int(column[0])) if len(row) else None

    numbers = np.arange(data.n_samples)
    return data.reduce(first, numbers, combine=lambda one, other: other if one is None else one)
