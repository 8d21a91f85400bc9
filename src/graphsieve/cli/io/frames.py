"""Files of columns with names: CSV, TSV and Parquet."""

from ..._rows import ParquetStream
from .tables import STREAM_BYTES, Table, TableError, counted, default_names, warn


def read_text(separator):
    def read(path, key, header):
        import pandas as pd

        try:
            # In one piece, so that a column has one type.
            frame = pd.read_csv(path, sep=separator, header=0 if header else None, low_memory=False)
        except pd.errors.EmptyDataError:
            raise TableError(f"{path} is empty") from None
        if header:
            _check_header(path, _first_line(path, separator))
        else:
            frame.columns = default_names(frame.shape[1])
        return _frame_table(frame)

    return read


def _check_header(path, cells):
    """An error or a warning where the first line is not what a header looks like."""
    if len(cells) == 1 and any(separator in cells[0] for separator in ";,\t|"):
        raise TableError(
            f"{path} has a single column, {cells[0]!r}: CSV needs commas between the columns, "
            "TSV tabulators"
        )
    if _looks_like_data(cells):
        warn(
            f"the first line of {path} holds only numbers and was taken for the names of the "
            "columns; if it is data, add --no-header"
        )
    if not cells[0]:
        warn(
            f"the first column of {path} has no name and was taken for a feature; if it numbers "
            "the rows, add --drop 0"
        )


def _first_line(path, separator):
    """Cells of the first line as they stand: pandas makes the names of columns unique."""
    import pandas as pd

    line = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False)
    return line.iloc[0].tolist()


def write_text(separator):
    def write(path, table):
        with open(path, "w", encoding="utf-8", newline="") as file:
            for number, piece in enumerate(table.pieces()):
                piece.frame().to_csv(file, sep=separator, index=False, header=number == 0)

    return write


def read_parquet(path, key, header):
    import pandas as pd
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    if _bytes_in_memory(file.metadata) <= STREAM_BYTES:
        return _frame_table(pd.read_parquet(path))
    stream = ParquetStream(file)
    groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
    n_rows = max(group.num_rows for group in groups)
    if max(map(_bytes_in_memory, groups)) > STREAM_BYTES:
        warn(
            f"a row group of {path} has {n_rows:,} rows and must fit in memory; if it does not, "
            "write the file with smaller ones"
        )
    how = f"{counted(len(groups), 'row group')} of up to {n_rows:,} rows, one at a time"
    return Table(stream, stream.names, how=how)


def _bytes_in_memory(part):
    """What the numbers of a Parquet file or row group take as doubles, from its metadata."""
    return 8 * part.num_rows * part.num_columns


def write_parquet(path, table):
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.Schema.from_pandas(table.head().frame())
    with pq.ParquetWriter(path, schema) as writer:
        for piece in table.pieces():
            writer.write_table(pa.Table.from_pandas(piece.frame()))


def _frame_table(frame):
    names = [str(name) for name in frame.columns]
    return Table(frame.set_axis(names, axis=1), names)


def _looks_like_data(cells):
    """Whether all cells are numbers, but not those that stand for positions (0, 1, 2, ...)."""
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        return False
    return [value - values[0] for value in values] != list(range(len(values)))
