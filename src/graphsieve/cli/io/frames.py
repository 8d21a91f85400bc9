"""Files of data frames: Parquet, Feather and JSON lines."""

import json
from collections.abc import Hashable

from ..._rows import ParquetStream
from ..._utils.text import counted
from ..console import TableError
from .cells import without_marks
from .tables import STREAM_BYTES, Table, arrow_frame, unique_names
from .text import open_bytes, open_text, with_row_names


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
    whole_frame(table).to_feather(path)


def whole_frame(table):
    """Return a table in memory as a frame, with the names of the rows in a column."""
    import pandas as pd

    pieces = [with_row_names(piece.frame()) for piece in table.pieces()]
    return pd.concat(pieces, ignore_index=True)


def read_json_lines(path, name, reading):
    import pyarrow as pa
    from pyarrow import json as arrow_json

    longest = n_bytes = 0
    with open_bytes(path) as file:
        for number, line in enumerate(file, start=1):
            longest, n_bytes = max(longest, len(line)), n_bytes + len(line)
            reading.check_size(name, n_bytes, what="the text")
            _check_line(number, line.strip())
    with open_bytes(path) as file:
        options = arrow_json.ReadOptions(block_size=min(max(2**20, 64 * longest), 2**30))
        table = arrow_json.read_json(file, options)
    if table.num_columns == 0:
        raise TableError(f"{name} is empty")
    while any(pa.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    return _typed_table(table, reading)


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


def write_json_lines(path, table):
    with open_text(path) as file:
        for piece in table.pieces():
            frame = with_row_names(piece.frame())
            rows = frame.astype(object).where(frame.notna(), None)
            for row in rows.itertuples(index=False, name=None):
                record = dict(zip(frame.columns, row, strict=True))
                file.write(json.dumps(record, ensure_ascii=False, default=_jsonable) + "\n")


def _jsonable(value):
    """What JSON has no type for: values of NumPy, dates and times."""
    return value.item() if hasattr(value, "item") else value.isoformat()
