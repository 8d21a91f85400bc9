"""Excel sheets, whose cells have types of their own."""

import re
import zipfile
from contextlib import closing
from dataclasses import replace
from itertools import islice

import pandas as pd
import pyarrow as pa

from ..._utils.text import listed
from ..console import TableError
from .cells import find_layout, is_like_number, read_numbers
from .frames import frame_table
from .tables import default_names, unique_names

_MOST_ROWS, _MOST_COLUMNS = 2**20, 2**14
_SAMPLE_ROWS = 100


def read_excel(path, name, reading):
    import openpyxl

    with zipfile.ZipFile(path) as archive:
        reading.check_size(name, sum(info.file_size for info in archive.infolist()))
    with closing(openpyxl.load_workbook(path, read_only=True, data_only=True)) as book:
        sheets, read, notes = book.sheetnames, {}, ()
        if reading.key not in (None, *sheets):
            raise TableError(
                f"{name} has no sheet {reading.key!r}; choose one with --sheet: {listed(sheets)}"
            )
        for chosen in sheets if reading.key is None else [reading.key]:
            read[chosen] = rows = _rows(book[chosen], reading.skip_rows or 0)
            with_numbers = (row for row in rows if any(is_like_number(str(v)) for v in row))
            # A cover sheet, without two rows of numbers, is no table.
            if len(list(islice(with_numbers, 2))) == 2:
                break
        else:
            chosen, rows = next(iter(read.items()))
    if reading.key is None and len(sheets) > 1:
        notes = (f"sheet {chosen!r} of {len(sheets)} (choose another with --sheet)",)
    if not rows:
        raise TableError(f"{name} is empty: sheet {chosen!r} has no values")
    width = max(map(len, rows))
    rows = [(*row, *[None] * (width - len(row))) for row in rows]
    shown = [["" if v is None else str(v) for v in row] for row in rows[:_SAMPLE_ROWS]]
    header, first, found = find_layout(shown, reading, "row")
    if not rows[first:]:
        raise TableError(f"{name} is empty: it holds a header and no rows")
    return _table(header or default_names(width), rows[first:], reading, (*notes, *found))


def _rows(sheet, skip):
    # A sheet can declare a billion cells and hold one.
    sheet.reset_dimensions()
    rows = islice(sheet.iter_rows(values_only=True), skip, None)
    return [row for row in rows if any(value is not None for value in row)]


def _table(header, rows, reading, notes):
    frame = pd.DataFrame(rows, columns=range(len(header))).infer_objects()
    # Columns that were formatted and never filled are left out.
    used = [j for j, name in enumerate(header) if name != "" or frame[j].notna().any()]
    names, renamed = unique_names([header[j] for j in used])
    frame, columns = frame[used].set_axis(names, axis=1), {}
    for name, column in frame.items():
        words = [v for v in column if isinstance(v, str)] if column.dtype.kind == "O" else []
        if words:
            # Other formats have one type per column.
            frame[name] = column = column.map(str, na_action="ignore")
        # Digits are kept as text where they are no number, such as 007.
        is_code = any(re.match(r"0\d", word) for word in words)
        if not is_code and (words or reading.na):
            columns[name] = pa.array(column, from_pandas=True)
    table, odd, found = read_numbers(pa.table(columns), reading)
    for name, column in zip(table.column_names, table.columns, strict=True):
        frame[name] = column.to_pandas()
    return replace(frame_table(frame, (*notes, *found, *renamed)), odd=odd)


def write_excel(path, table):
    n_rows, n_columns = table.X.shape
    if n_rows >= _MOST_ROWS or n_columns > _MOST_COLUMNS:
        size = f"{n_rows:,} rows x {n_columns:,} columns"
        raise TableError(f"{size} do not fit in an Excel sheet; write .csv or .parquet")
    frame = pd.concat(table.frames(), ignore_index=True)
    frame.to_excel(path, sheet_name="selected", index=False)
