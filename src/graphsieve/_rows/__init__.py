"""Rows of data in blocks: the only package that knows how data are stored, see ``open_rows``."""

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
    find_first,
    is_dask,
    is_lazy,
    known_frame,
    map_rows,
    numeric_frame,
    open_rows,
    row_pieces,
    take_columns,
    take_rows,
    view_columns,
)
from .memory import RowBlocks, transpose_csr
from .streams import ArrayStream, ParquetStream, ZarrStream, is_numeric
