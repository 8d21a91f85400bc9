"""Rows of data a block at a time: the only package that knows how data are stored.

``open_rows`` takes whatever a user has and returns Rows, which everything above works on:

=====================  =============  ==========================================================
container              Rows           where the rows are
=====================  =============  ==========================================================
array, CSR matrix      RowBlocks      in memory
memory map             RowBlocks      in its file, one block at a time in memory
Parquet file, Zarr     StreamRows     in their files, read forwards; a temporary memory map
                                      takes their place where rows are needed again and again
Dask array or frame    ClusterRows    on the workers of the cluster that is connected; without
                                      one they are read forwards like a file
array API (torch ...)  DeviceRows     on their device
=====================  =============  ==========================================================
"""

from .base import BLOCK_BYTES, Rows, find_non_finite, is_constant, split_rows
from .containers import (
    check_columns,
    is_dask,
    is_lazy,
    is_numeric,
    map_rows,
    open_rows,
    take_columns,
)
from .memory import RowBlocks, is_mapped
from .stream import MapStream, ParquetStream, Stream, ZarrStream, as_slice

__all__ = [
    "BLOCK_BYTES",
    "MapStream",
    "ParquetStream",
    "RowBlocks",
    "Rows",
    "Stream",
    "ZarrStream",
    "as_slice",
    "check_columns",
    "find_non_finite",
    "is_constant",
    "is_dask",
    "is_lazy",
    "is_mapped",
    "is_numeric",
    "map_rows",
    "open_rows",
    "split_rows",
    "take_columns",
]
