"""Files of data frames: Parquet, Feather and JSON lines."""

import json
from collections.abc import Hashable
from itertools import islice

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..._rows import ParquetStream
from ..._utils.text import counted
from ..console import TableError
from .cells import without_marks
from .tables import STREAM_BYTES, Table, arrow_frame, unique_names
from .text import open_bytes, open_text

# JSON objects that are in memory at once.
_BLOCK_LINES = 10_000


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
    """Return the table of an Arrow table whose types are those of the file."""
    return frame_table(arrow_frame(without_marks(table, reading.marks)))


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


def write_feather(path, table):
    pd.concat(table.frames(), ignore_index=True).to_feather(path)


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


def write_json_lines(path, table):
    with open_text(path) as file:
        for frame in table.frames():
            # NumPy's values become those of Python; dates and times have no type in JSON.
            rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
            for row in rows:
                text = json.dumps(row, ensure_ascii=False, default=lambda value: value.isoformat())
                file.write(text + "\n")
