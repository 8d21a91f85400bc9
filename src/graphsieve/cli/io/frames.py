"""Files of data frames: Parquet, Feather, JSON lines and Excel sheets."""

import json
import re
import zipfile
from collections.abc import Hashable
from contextlib import closing
from dataclasses import replace
from itertools import islice

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..._rows import ParquetStream
from ..._utils.names import unique_names
from ..._utils.text import counted, listed
from ..console import TableError
from .cells import find_decimal, find_layout, is_like_number, read_numbers
from .tables import STREAM_BYTES, Table, arrow_frame, default_names
from .text import open_bytes

# JSON objects that are in memory at once.
_BLOCK_LINES = 10_000
# Rows of a sheet that show where its table begins.
_SAMPLE_ROWS = 100


def frame_table(frame, notes=()):
    """Return the table of a data frame whose names may be of any type, and not unique."""
    names, renamed = unique_names(frame.columns)
    frame = frame.set_axis(names, axis=1)
    for name in names:
        present = frame[name].dropna() if frame[name].dtype.kind == "O" else ()
        if len(present) and not isinstance(present.iloc[0], Hashable):
            # Lists cannot be compared; as text they can be carried or dropped.
            frame = frame.assign(**{name: frame[name].map(str)})
    return Table(frame, names, notes=(*notes, *renamed))


def _typed_table(table, reading):
    table, odd, found = read_numbers(table, reading, is_typed=True)
    return replace(frame_table(arrow_frame(table), found), odd=odd)


def read_parquet(path, name, reading):
    file = pq.ParquetFile(path)
    stored = file.metadata
    n_bytes = 8 * stored.num_rows * stored.num_columns  # as doubles
    is_whole = n_bytes <= STREAM_BYTES or reading.whole or reading.transpose
    reading.check_size(name, n_bytes, streamed=not is_whole)
    if is_whole:
        return _typed_table(file.read(), reading)
    stream = ParquetStream(file)
    n_rows = max(stored.row_group(j).num_rows for j in range(stored.num_row_groups))
    groups = counted(stored.num_row_groups, "row group")
    notes = [f"{groups} of up to {n_rows:,} rows, one at a time"]
    if 8 * n_rows * stored.num_columns > STREAM_BYTES:
        cure = "if it does not, write the file with a smaller row_group_size"
        notes.append(f"each of which must fit in memory ({cure})")
    return Table(stream, stream.names, notes=tuple(notes))


def write_parquet(path, table):
    schema = pa.Schema.from_pandas(table.head().frame())
    with pq.ParquetWriter(path, schema) as writer:
        for piece in table.pieces():
            writer.write_table(pa.Table.from_pandas(piece.frame(), schema))


def read_feather(path, name, reading):
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
        reading.check_size(name, table.nbytes)
        return _typed_table(table, reading)


def read_json_lines(path, name, reading):
    records, tables = _json_records(path, name, reading), []
    while block := list(islice(records, _BLOCK_LINES)):
        tables.append(pa.Table.from_struct_array(pa.array(block)))
    if not tables:
        raise TableError(f"{name} is empty")
    table = pa.concat_tables(tables, promote_options="permissive")
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return _typed_table(table, reading)


def _json_records(path, name, reading):
    n_bytes = 0
    with open_bytes(path) as file:
        for number, line in enumerate(file, start=1):
            n_bytes += len(line)
            reading.check_size(name, n_bytes, what="the text")
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except RecursionError:
                raise ValueError(f"line {number} is nested too deeply") from None
            except ValueError as error:
                raise ValueError(f"line {number} is not valid JSON: {error}") from None
            if not isinstance(record, dict):
                what = "not a JSON object, with a value for every column"
                raise ValueError(f"line {number} is {what}")
            yield record


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
            book[chosen].reset_dimensions()  # it can declare a billion cells and hold one
            rows = islice(book[chosen].iter_rows(values_only=True), reading.skip_rows or 0, None)
            read[chosen] = rows = [row for row in rows if any(v is not None for v in row)]
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
    return _sheet_table(header or default_names(width), rows[first:], reading, (*notes, *found))


def _sheet_table(header, rows, reading, notes):
    frame = pd.DataFrame(rows, columns=range(len(header))).infer_objects()
    # Columns that were formatted and never filled are left out.
    used = [j for j, name in enumerate(header) if name != "" or frame[j].notna().any()]
    names, renamed = unique_names([header[j] for j in used])
    frame, columns = frame[used].set_axis(names, axis=1), {}
    for name, column in frame.items():
        present = column.dropna() if column.dtype.kind == "O" else ()
        if set(map(type, present)) == {bool}:
            frame[name] = column = column.astype("boolean")
        words = [v for v in present if isinstance(v, str)]
        if words:
            # Other formats have one type per column.
            frame[name] = column = column.map(str, na_action="ignore")
        # Digits are kept as text where they are no number, such as 007.
        is_code = any(re.match(r"0\d", word) for word in words)
        if not is_code and (words or reading.na):
            columns[name] = pa.array(column, from_pandas=True)
    text = [[v if isinstance(v, str) else "" for v in row] for row in rows]
    decimal, assumed = find_decimal(text, reading)
    table, odd, found = read_numbers(pa.table(columns), reading, decimal)
    for name, column in arrow_frame(table).items():
        frame[name] = column
    return replace(frame_table(frame, (*notes, *assumed, *found, *renamed)), odd=odd)


def write_excel(path, table):
    frame = pd.concat(table.frames(), ignore_index=True)
    frame.to_excel(path, sheet_name="selected", index=False)
