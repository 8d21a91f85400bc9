"""Excel sheets, whose cells have types of their own."""

import re
import zipfile
from dataclasses import replace
from itertools import islice

from ..._utils.text import listed
from ..console import TableError
from .cells import find_layout, is_like_number, read_numbers
from .frames import frame_table, whole_frame
from .tables import default_names, unique_names

_MOST_ROWS, _MOST_COLUMNS = 2**20, 2**14
_SAMPLE_ROWS = 100


def read_excel(path, name, reading):
    import openpyxl

    with zipfile.ZipFile(path) as archive:
        reading.check_size(name, sum(info.file_size for info in archive.infolist()))
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    try:
        sheets, notes = book.sheetnames, ()
        if reading.key is not None and reading.key not in sheets:
            raise TableError(
                f"{name} has no sheet {reading.key!r}; choose one with --sheet: {listed(sheets)}"
            )
        for chosen in sheets if reading.key is None else [reading.key]:
            rows = _sheet_rows(book[chosen], reading.skip_rows or 0)
            with_numbers = (row for row in rows if any(is_like_number(str(v)) for v in row))
            # A cover sheet, without two rows of numbers, is no table.
            if len(list(islice(with_numbers, 2))) == 2:
                break
        else:
            chosen = reading.key or sheets[0]
            rows = _sheet_rows(book[chosen], reading.skip_rows or 0)
    finally:
        book.close()
    if reading.key is None and len(sheets) > 1:
        notes = (f"sheet {chosen!r} of {len(sheets)} (choose another with --sheet)",)
    if not rows:
        raise TableError(f"{name} is empty: sheet {chosen!r} has no values")
    return _excel_table(name, rows, reading, notes)


def _excel_table(name, rows, reading, notes):
    import pandas as pd

    width = max(map(len, rows))
    rows = [(*row, *[None] * (width - len(row))) for row in rows]
    header = default_names(width)
    if not reading.no_header:
        shown = [["" if v is None else str(v) for v in row] for row in rows[:_SAMPLE_ROWS]]
        top, first, found = find_layout(shown, reading, "row")
        notes, header, rows = (*notes, *found), shown[top], rows[first:]
    if not rows:
        raise TableError(f"{name} is empty: it holds a header and no rows")
    frame = pd.DataFrame(rows, columns=range(width)).infer_objects()
    # Columns that were formatted and never filled.
    used = [j for j in range(width) if header[j] != "" or frame[j].notna().any()]
    names, renamed = unique_names([header[j] for j in used])
    frame = frame[used].set_axis(names, axis=1)
    frame, odd, found = _read_words(frame, reading)
    return replace(frame_table(frame, (*notes, *found, *renamed)), odd=odd)


def _read_words(frame, reading):
    """Read numbers from the columns of a sheet that hold text, as in a text file.

    Columns of words and numbers become text: other formats have one type per column.
    """
    import pandas as pd
    import pyarrow as pa

    columns, codes = {}, {}
    for name, column in frame.items():
        words = [v for v in column.dropna() if isinstance(v, str)] if column.dtype == object else []
        if words:
            cells = pa.array([None if pd.isna(v) else str(v) for v in column])
            # A spreadsheet keeps digits as text where they are no number, such as 007.
            is_code = any(re.match(r"0\d", word) for word in words)
            (codes if is_code else columns)[name] = cells
        elif reading.na:
            columns[name] = pa.array(column, from_pandas=True)
    table, odd, notes = read_numbers(pa.table(columns), reading)
    read = dict(zip(table.column_names, table.columns, strict=True)) | codes
    return frame.assign(**{name: column.to_pandas() for name, column in read.items()}), odd, notes


def _sheet_rows(sheet, skip):
    """Return the rows of a sheet that are not empty, below the first ``skip``."""
    # A sheet can declare a billion cells and hold one.
    sheet.reset_dimensions()
    rows = islice(sheet.iter_rows(values_only=True), skip, None)
    return [row for row in rows if any(value is not None for value in row)]


def write_excel(path, table):
    n_rows, n_columns = table.X.shape
    if n_rows >= _MOST_ROWS or n_columns > _MOST_COLUMNS:
        raise TableError(
            f"{n_rows:,} rows x {n_columns:,} columns do not fit in an Excel sheet; write .csv or "
            ".parquet"
        )
    whole_frame(table).to_excel(path, sheet_name="selected", index=False)
