"""Files of data frames: Parquet, Feather, Excel and JSON lines."""

import json
import re
import zipfile
from collections.abc import Hashable
from dataclasses import replace
from datetime import date, time
from itertools import islice

from ..._rows import ParquetStream
from ..._utils.text import counted, listed
from ..console import TableError
from .cells import find_layout, is_like_number, read_numbers, without_marks
from .tables import STREAM_BYTES, Table, arrow_frame, default_names, unique_names
from .text import layout_notes, open_bytes, open_text, with_row_names

_EXCEL_ROWS, _EXCEL_COLUMNS = 2**20, 2**14
_SAMPLE_ROWS = 100


def frame_table(frame, notes=()):
    """Return the table of a data frame whose names may be of any type, and not unique."""
    names, renamed = unique_names(frame.columns)
    frame = frame.set_axis(names, axis=1)
    nested = [name for name in names if _is_nested(frame[name])]
    if nested:
        # Lists cannot be compared; as text they can be carried or dropped.
        frame = frame.assign(**{name: frame[name].map(str) for name in nested})
    return Table(frame, names, notes=(*notes, *renamed))


def _typed_table(table, reading):
    """Return the table of an Arrow table whose types are those of the file."""
    return frame_table(arrow_frame(without_marks(table, reading.marks)))


def _is_nested(column):
    if column.dtype.kind != "O":
        return False
    present = column.dropna()
    return len(present) > 0 and not isinstance(present.iloc[0], Hashable)


def read_parquet(path, name, reading):
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    n_bytes = _bytes_in_memory(file.metadata)
    if n_bytes <= STREAM_BYTES or reading.whole or reading.transpose:
        reading.check_size(name, n_bytes)
        return _typed_table(file.read(), reading)
    reading.check_size(name, n_bytes, streamed=True)
    stream = ParquetStream(file)
    groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
    n_rows = max(group.num_rows for group in groups)
    notes = [f"{counted(len(groups), 'row group')} of up to {n_rows:,} rows, one at a time"]
    if max(map(_bytes_in_memory, groups)) > STREAM_BYTES:
        notes.append(
            "each of which must fit in memory (if it does not, write the file with a smaller "
            "row_group_size)"
        )
    return Table(stream, stream.names, notes=tuple(notes))


def _bytes_in_memory(part):
    """Return what the numbers of a Parquet file or row group take as doubles."""
    return 8 * part.num_rows * part.num_columns


def write_parquet(path, table):
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.Schema.from_pandas(table.head().frame())
    with pq.ParquetWriter(path, schema) as writer:
        for piece in table.pieces():
            writer.write_table(pa.Table.from_pandas(piece.frame(), schema))


def read_feather(path, name, reading):
    import pyarrow as pa

    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
        reading.check_size(name, table.nbytes)
        return _typed_table(table, reading)


def write_feather(path, table):
    import pandas as pd
    from pyarrow import Table as ArrowTable
    from pyarrow import feather

    frame = pd.concat([with_row_names(piece.frame()) for piece in table.pieces()])
    feather.write_feather(ArrowTable.from_pandas(frame, preserve_index=False), path)


def read_excel(path, name, reading):
    import openpyxl

    with zipfile.ZipFile(path) as archive:
        reading.check_size(name, sum(info.file_size for info in archive.infolist()))
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    try:
        sheets = book.sheetnames
        if reading.key is not None and reading.key not in sheets:
            raise TableError(
                f"{name} has no sheet {reading.key!r}; choose one with --sheet: {listed(sheets)}"
            )
        wanted = sheets if reading.key is None else [reading.key]
        found = ((sheet, _sheet_rows(book[sheet], reading.skip_rows or 0)) for sheet in wanted)
        # A cover sheet, without two rows of numbers, is no table.
        chosen, rows = next((pair for pair in found if _is_table(pair[1])), (wanted[0], None))
        rows = _sheet_rows(book[chosen], reading.skip_rows or 0) if rows is None else rows
    finally:
        book.close()
    notes = ()
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
        top, first, units = find_layout(shown)
        notes = (*notes, *layout_notes(shown, top, units, "row"))
        header, rows = shown[top], rows[first:]
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
    """Read numbers from the columns of a sheet that hold text, as in a text file."""
    import pandas as pd
    import pyarrow as pa

    columns = {}
    for name, column in frame.items():
        words = [v for v in column.dropna() if isinstance(v, str)] if column.dtype == object else []
        # A spreadsheet keeps digits as text where they are no number, such as 007.
        if (words or reading.na) and not any(re.match(r"0\d", word) for word in words):
            cells = [None if pd.isna(v) else str(v) for v in column] if words else column
            columns[name] = pa.array(cells, from_pandas=True)
    table, odd, notes = read_numbers(pa.table(columns), reading)
    numbers = {
        name: column.to_pandas()
        for name, column in zip(table.column_names, table.columns, strict=True)
        if not pa.types.is_string(column.type)
    }
    return frame.assign(**numbers), odd, notes


def _is_table(rows):
    """Whether two rows of a sheet hold numbers."""
    with_numbers = (row for row in rows if any(is_like_number(str(value)) for value in row))
    return len(list(islice(with_numbers, 2))) == 2


def _sheet_rows(sheet, skip):
    """Return the rows of a sheet that are not empty, below the first ``skip``."""
    # A sheet can declare a billion cells and hold one.
    sheet.reset_dimensions()
    rows = islice(sheet.iter_rows(values_only=True), skip, None)
    return [row for row in rows if any(value is not None for value in row)]


def write_excel(path, table):
    import pandas as pd

    n_rows, n_columns = table.X.shape
    if n_rows >= _EXCEL_ROWS or n_columns > _EXCEL_COLUMNS:
        raise TableError(
            f"{n_rows:,} rows x {n_columns:,} columns do not fit in an Excel sheet; write .csv or "
            ".parquet"
        )
    frame = pd.concat([with_row_names(piece.frame()) for piece in table.pieces()])
    frame.to_excel(path, sheet_name="selected", index=False)


def read_json_lines(path, name, reading):
    import pyarrow as pa
    from pyarrow import json as arrow_json

    longest = _longest_line(path, name, reading)
    with open_bytes(path) as file:
        table = arrow_json.read_json(
            file,
            arrow_json.ReadOptions(block_size=min(max(2**20, 64 * longest), 2**30)),
        )
    if table.num_columns == 0:
        raise TableError(f"{name} is empty")
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return _typed_table(table, reading)


def _longest_line(path, name, reading):
    longest = n_bytes = 0
    with open_bytes(path) as file:
        for number, line in enumerate(file, start=1):
            longest, n_bytes = max(longest, len(line)), n_bytes + len(line)
            reading.check_size(name, n_bytes, what="the text")
            _check_line(number, line.strip())
    return longest


def _check_line(number, line):
    """Refuse a line that is no object, or is nested so deeply that pyarrow would crash."""
    is_flat = line.count(b"{") == line.count(b"}") == 1 and b"[" not in line
    if not line or (is_flat and line.startswith(b"{") and line.endswith(b"}")):
        return
    try:
        is_object = isinstance(json.loads(line), dict)
    except RecursionError:
        raise ValueError(f"line {number} is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"line {number} is not valid JSON: {error}") from None
    if not is_object:
        raise ValueError(f"line {number} is not a JSON object, with a value for every column")


def write_json_lines(path, table, packed=False):
    with open_text(path, packed) as file:
        for piece in table.pieces():
            frame = with_row_names(piece.frame())
            names = list(frame.columns)
            for row in _records(frame):
                record = dict(zip(names, map(_jsonable, row), strict=True))
                file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _records(frame):
    """Yield the rows as lists of Python values, None where one is missing."""
    missing = frame.isna()
    plain = frame.astype(object).where(~missing, None)
    yield from plain.itertuples(index=False, name=None)


def _jsonable(value):
    if hasattr(value, "item"):
        value = value.item()
    return value.isoformat() if isinstance(value, (date, time)) else value
