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
                                      they are read forwards like a file
=====================  =============  ==========================================================
"""

from .base import (
    BLOCK_BYTES,
    PASS_BYTES,
    Rows,
    chosen_rows,
    is_constant,
    split_rows,
    to_dense,
)
from .checks import check_container, check_entries, find_non_finite
from .containers import (
    check_columns,
    first_rows,
    is_dask,
    is_lazy,
    is_xarray,
    known_frame,
    map_rows,
    non_numeric,
    open_rows,
    row_pieces,
    take_columns,
    take_rows,
    view_columns,
)
from .frames import numeric_frame
from .gaps import fill_gaps
from .memory import RowBlocks, transpose_csr
from .moments import Moments, column_moments
from .sources import HDF5Stream, ParquetStream, ZarrStream, is_numeric
