"""Rows of data in blocks: the only package that knows how data are stored.

``open_rows`` turns the container of a user into Rows, on which everything above works:

=====================  =============  ==========================================================
container              Rows           where the rows are
=====================  =============  ==========================================================
array, CSR matrix      RowBlocks      in memory
memory map             RowBlocks      in its file, one block at a time in memory
Parquet file, Zarr     StreamRows     in their files, read forwards; a temporary memory map
                                      replaces them if rows are needed repeatedly
Dask array or frame    ClusterRows    on the workers of the connected cluster; without a cluster
                                      they are read forwards like a file (StreamRows)
=====================  =============  ==========================================================
"""

from .base import (
    BLOCK_BYTES,
    Moments,
    Rows,
    chosen_rows,
    fill_gaps,
    is_constant,
    split_rows,
    to_dense,
)
from .containers import (
    check_columns,
    check_container,
    check_entries,
    find_non_finite,
    first_rows,
    is_dask,
    is_lazy,
    known_frame,
    map_rows,
    non_numeric,
    numeric_frame,
    open_rows,
    row_pieces,
    take_columns,
    take_rows,
    view_columns,
)
from .memory import RowBlocks, transpose_csr
from .streams import HDF5Stream, ParquetStream, ZarrStream, is_numeric
