"""Text tables: CSV and TSV, plain or compressed."""

import gzip

from ..._utils.text import counted
from .dialect import find_dialect, is_packed, open_bytes, rows_of
from .tables import Table, TableError, arrow_frame, unique_names

# Rows per block that Arrow parses: with fewer, wide tables spend their time on bookkeeping.
_BLOCK_ROWS = 64
# What R, pandas, MATLAB and spreadsheets write for a missing value.
_MISSING = ["", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "null", "NULL"]
_MISSING += ["None", "<NA>", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"]


def text_reader(separator):
    """Return a reader of text files whose columns are usually separated like this."""

    def read(path, name, reading):
        dialect = find_dialect(path, name, reading, separator)
        frame, skipped = _parse_quickly(path, name, dialect)
        if _is_empty(frame, -1) and dialect.names[-1].startswith("Unnamed: "):
            # Every line ends with a separator.
            frame = frame.iloc[:, :-1]
        notes = dialect.notes
        if skipped:
            notes += (f"{counted(len(skipped), 'comment line')} between the rows skipped",)
        return Table(
            frame,
            list(frame),
            notes=notes,
            verbatim=lambda names: _parse(path, dialect, [], as_text=names),
        )

    return read


def _is_empty(frame, column):
    return frame.shape[1] > 1 and len(frame) > 0 and frame.iloc[:, column].isna().all()


def _parse_quickly(path, name, dialect):
    """Return a data frame, and the comments that were skipped between its rows.

    Arrow keeps the text of a column until it is sure of the type. Where the first rows show the
    type, it is assumed first: 500,000 x 30 numbers then take 160 MB instead of 550.
    """
    for floats in (dialect.floats, ()) if dialect.floats else ((),):
        skipped = []
        try:
            return _parse(path, dialect, skipped, floats=floats), skipped
        except ValueError as error:
            reason = error
    raise _explain(path, name, dialect, reason) from reason


def _parse(path, dialect, skipped, floats=(), as_text=()):
    """Return a data frame; of some columns only, as text, if they are given."""
    if dialect.separator == " ":
        return _parse_spaces(path, dialect, as_text)
    import pyarrow as pa
    from pyarrow import csv

    def comment(row):
        if not row.text.lstrip().startswith("#"):
            return "error"
        skipped.append(row)
        return "skip"

    table = csv.read_csv(
        # Arrow reads a plain file by itself, in parallel.
        open_bytes(path) if is_packed(path) else str(path),
        csv.ReadOptions(
            column_names=dialect.names,
            skip_rows=dialect.skip,
            encoding=dialect.encoding.removesuffix("-sig"),
            block_size=min(max(2**20, _BLOCK_ROWS * dialect.line_bytes), 2**30),
        ),
        csv.ParseOptions(
            delimiter=dialect.separator,
            newlines_in_values=dialect.has_quotes,
            invalid_row_handler=comment,
        ),
        csv.ConvertOptions(
            decimal_point=dialect.decimal,
            null_values=[] if as_text else _MISSING,
            strings_can_be_null=True,
            include_columns=as_text or None,
            column_types=dict.fromkeys(floats, pa.float64()) | dict.fromkeys(as_text, pa.string()),
        ),
    )
    return arrow_frame(table)


def _parse_spaces(path, dialect, as_text):
    """Columns that are aligned by spaces: Arrow has no separator of variable length."""
    import pandas as pd

    return pd.read_csv(
        path,
        sep=r"\s+",
        header=None,
        names=dialect.names,
        skiprows=dialect.skip,
        usecols=as_text or None,
        dtype=str if as_text else None,
        na_filter=not as_text,
        encoding=dialect.encoding,
        decimal=dialect.decimal,
        comment="#",
        compression="gzip" if is_packed(path) else None,
        **exact_numbers(),
    )


def exact_numbers():
    """Options with which ``pandas.read_csv`` rounds exactly, as it does by itself from 3.1 on."""
    import pandas as pd

    version = tuple(int(part) for part in pd.__version__.split(".")[:2])
    return {} if version >= (3, 1) else {"float_precision": "round_trip"}


def _explain(path, name, dialect, error):
    """Name the line that does not fit, or repeat what the parser says."""
    n_names = len(dialect.names)
    for line, cells in rows_of(path, dialect):
        if len(cells) != n_names:
            return TableError(
                f"{name}: line {line} has {counted(len(cells), 'value')} where the table has "
                f"{counted(n_names, 'column')}; correct the line, give the separator with --sep, "
                "or remove lines before the header"
            )
    return TableError(f"cannot read {name} as text: {str(error).splitlines()[0]}")


def text_writer(separator):
    """Return a writer of text files."""

    def write(path, table, packed=False):
        with _open_text(path, packed) as file:
            for number, piece in enumerate(table.pieces()):
                _write_rows(file, with_row_names(piece.frame()), separator, header=number == 0)

    return write


def _write_rows(file, frame, separator, header):
    if any(dtype.kind not in "iuf" for dtype in frame.dtypes):
        frame.to_csv(file, sep=separator, index=False, header=header)
        return
    import pyarrow as pa
    from pyarrow import csv

    if header:
        frame.head(0).to_csv(file, sep=separator, index=False)
    file.flush()
    # Ten times as fast for numbers; other types would look different.
    options = csv.WriteOptions(include_header=False, delimiter=separator)
    csv.write_csv(pa.Table.from_pandas(frame, preserve_index=False), file.buffer, options)


def _open_text(path, packed):
    if packed:
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return open(path, "w", encoding="utf-8", newline="")


def with_row_names(frame):
    """Return the frame with its index as a column, unless the index only numbers the rows."""
    import pandas as pd

    if isinstance(frame.index, pd.RangeIndex):
        return frame
    labels = ["row" if name is None else name for name in frame.index.names]
    frame = frame.rename_axis(index=labels).reset_index(allow_duplicates=True)
    return frame.set_axis(unique_names(frame.columns)[0], axis=1)
