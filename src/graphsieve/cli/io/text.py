"""Text tables: CSV and TSV in the dialects that people have, plain or compressed.

What the user does not say about the layout is found from the bytes and the first lines. Everything
that was assumed becomes a note, so that a wrong assumption is seen and can be corrected.
"""

import codecs
import csv
import gzip
import io
import re
from dataclasses import dataclass
from itertools import islice

from ..._utils.text import counted
from ..console import TableError
from ..options import SEPARATORS
from .tables import Table, arrow_frame, default_names, unique_names

# Rows per block that Arrow parses: with fewer, wide tables spend their time on bookkeeping.
_BLOCK_ROWS = 64
# What R, pandas, MATLAB and spreadsheets write for a missing value.
_MISSING = ["", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "null", "NULL"]
_MISSING += ["None", "<NA>", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"]
# Enough lines to distinguish a separator from punctuation; a few are enough in wide tables.
_SAMPLE_LINES, _FEWEST_LINES = 100, 8
_SAMPLE_LENGTH = 2**18
_SCAN_BYTES = 2**20
_ENCODINGS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,(\d+)([eE][+-]?\d+)?\s*")
_POINT_NUMBER = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")


# A line that is split at the wrong separator is one long value.
csv.field_size_limit(2**31 - 1)


def read_text(path, name, reading, usual_separator=","):
    """Read a text file whose columns are usually separated like this."""
    dialect = _find_dialect(path, name, reading, usual_separator)
    frame, skipped = _parse_quickly(path, name, dialect)
    last = frame.iloc[:, -1]
    if dialect.names[-1].startswith("Unnamed: ") and frame.shape[1] > 1 and last.isna().all():
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


@dataclass(frozen=True)
class _Dialect:
    """Layout of a text file.

    ``skip`` lines precede the first row of data. ``has_quotes`` says whether a value may contain a
    line break, ``line_bytes`` how long a line is, and ``floats`` names the columns that hold
    decimal numbers in the first rows.
    """

    encoding: str
    separator: str
    decimal: str
    names: list
    skip: int
    has_quotes: bool
    line_bytes: int
    floats: list
    notes: tuple


def is_packed(path):
    """Whether a file is compressed with gzip."""
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"


def open_bytes(path):
    """Open a file for reading bytes, unpacked if it is compressed with gzip."""
    return gzip.open(path, "rb") if is_packed(path) else open(path, "rb")


def _find_dialect(path, name, reading, usual_separator):
    """Find the layout of a text file that messages call ``name``.

    ``usual_separator`` is the one that the extension of the file stands for.
    """
    encoding, has_quotes, notes = _scan(path, name, reading)
    with io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="") as file:
        lines = file.readlines(_SAMPLE_LENGTH)
        lines += islice(file, max(0, _FEWEST_LINES - len(lines)))
        is_complete = len(lines) <= _SAMPLE_LINES and not file.readline()
    lines = lines[:_SAMPLE_LINES]
    body = [line for line in lines if line.strip() and not _is_comment(line)]
    if not body:
        only_comments = any(map(_is_comment, lines))
        raise TableError(f"{name} is empty" + ": it holds only comments" * only_comments)
    skip = lines.index(body[0])
    comments = [line for line in lines[:skip] if line.strip()]
    separator = reading.sep or _find_separator(body, usual_separator, not reading.no_header)
    reader = _reader(body, separator)
    header = None if reading.no_header else next(reader)
    n_lines = reader.line_num  # quoted names may contain line breaks
    rows = list(filter(None, reader))
    if not is_complete and len(rows) > 1:
        # The last record may go on in the lines that were not read.
        rows.pop()
    if header and comments and _is_header(comments[-1].lstrip("# "), header, separator):
        rows.insert(0, header)
        header = next(_reader([comments.pop().lstrip("# ")], separator))
        notes.append("names from the line that starts with #")
    else:
        skip += n_lines
    if comments:
        notes.append(f"{counted(len(comments), 'comment line')} skipped")
    if reading.sep is None and separator != usual_separator:
        notes.append(f"separated by {_word(separator)}")
    if not rows:
        raise TableError(f"{name} is empty: it holds a header and no rows")
    decimal = reading.decimal or _find_decimal(rows, separator)
    if reading.decimal is None and decimal == ",":
        notes.append("decimal comma")
    names, renamed = _names(name, header, rows, reading, separator)
    if header is not None and _looks_like_data(header):
        notes.append(
            "names from the first line, which holds only numbers (if it is data, add --no-header)"
        )
    number = _COMMA_NUMBER if decimal == "," else _POINT_NUMBER
    columns = zip(names, zip(*rows, strict=False), strict=False)
    return _Dialect(
        encoding=encoding,
        separator=separator,
        decimal=decimal,
        names=names,
        skip=skip,
        has_quotes=has_quotes,
        line_bytes=max(len(line.encode()) for line in lines),
        floats=[name for name, cells in columns if all(map(number.fullmatch, cells))],
        notes=(*notes, *renamed),
    )


def _rows_of(path, dialect):
    """Yield (line number, cells) of every row of data that is not a comment, in pure Python."""
    with io.TextIOWrapper(open_bytes(path), encoding=dialect.encoding, newline="") as file:
        for _ in islice(file, dialect.skip):
            pass
        reader = _reader(file, dialect.separator)
        for cells in reader:
            if cells and not _is_comment(cells[0]):
                yield dialect.skip + reader.line_num, cells


def _scan(path, name, reading):
    """Read all bytes once: encoding, whether there are quotes, and what was assumed."""
    with open_bytes(path) as file:
        marks = (mark for mark in _ENCODINGS if file.peek(4).startswith(mark))
        encoding = reading.encoding or _ENCODINGS.get(next(marks, None))
        decoder = codecs.getincrementaldecoder(encoding or "utf-8")()
        has_quotes, n_bytes, is_valid = False, 0, True
        while block := file.read(_SCAN_BYTES):
            n_bytes += len(block)
            reading.check_size(name, n_bytes, what="the text")
            if b"\0" in block and not (encoding or "").startswith(("utf-16", "utf-32")):
                raise TableError(
                    f"{name} holds NUL bytes and is not text; if it is UTF-16, add "
                    "--encoding utf-16"
                )
            has_quotes = has_quotes or b'"' in block
            try:
                decoder.decode(block)
            except UnicodeError:
                is_valid = False
    notes = []
    if not is_valid and encoding:
        raise TableError(
            f"{name} is not encoded in {encoding}; give another --encoding, such as cp1252"
        )
    if not is_valid:
        encoding = "cp1252"
        notes.append("encoding cp1252, because it is not UTF-8")
    elif encoding and encoding != "utf-8-sig" and not reading.encoding:
        notes.append(f"encoding {encoding.upper()}")
    return encoding or "utf-8", has_quotes, notes


def _is_comment(text):
    return text.lstrip().startswith("#")


def _reader(lines, separator):
    if separator == " ":
        return csv.reader(map(str.strip, lines), delimiter=" ", skipinitialspace=True)
    return csv.reader(lines, delimiter=separator)


def _find_separator(lines, usual, header):
    """Return the separator that gives rows of equal length and the most numbers."""
    best, best_score = usual, 0.0
    # The first of several equally good ones is taken.
    for separator in dict.fromkeys((usual, *SEPARATORS.values())):
        rows = list(filter(None, _reader(lines, separator)))
        body = rows[1:-1] or rows[1:] or rows if header else rows[:-1] or rows
        lengths = {len(row) for row in body}
        if len(lengths) > 1 or lengths == {1}:
            continue
        # A header that lacks the name of the first column is common.
        if header and len(rows[0]) not in (len(body[0]), len(body[0]) - 1):
            continue
        cells = [cell for row in body for cell in row]
        # Any consistent separator is better than none.
        score = 1e-9 + sum(map(bool, map(_NUMBER.fullmatch, cells))) / len(cells)
        if score > best_score * (1 + 1e-6):
            best, best_score = separator, score
    return best


def _find_decimal(rows, separator):
    """Return a comma if numbers have one and none has a point."""
    cells = [cell for row in rows for cell in row]
    with_comma = [found for found in map(_COMMA_NUMBER.fullmatch, cells) if found]
    if not with_comma or any(map(_POINT_NUMBER.fullmatch, cells)):
        return "."
    # Quoted numbers between commas: 1,234 has a separator of thousands.
    if separator == "," and all(len(found[1]) == 3 for found in with_comma):
        return "."
    return ","


def _is_header(comment, row, separator):
    """Whether a comment names the columns: as many cells as the first row, words above numbers."""
    cells = next(_reader([comment], separator), [])
    if len(cells) != len(row) or len(row) < 2:
        return False
    return not any(map(_NUMBER.fullmatch, cells)) and any(map(_NUMBER.fullmatch, row))


def _names(name, header, rows, reading, separator):
    """Return the unique names of the columns, and notes."""
    if header is None:
        return default_names(len(rows[0])), ()
    if len(header) == 1 and any(other in header[0] for other in ";,\t|"):
        raise TableError(
            f"{name} has a single column, {header[0]!r}, if its columns are separated by "
            f"{_word(separator)}; give the separator with --sep"
        )
    lengths = {len(row) for row in rows}
    if lengths == {len(header) + 1}:
        if not reading.index:
            raise TableError(
                f"{name} has {counted(len(header), 'name')} in its header and "
                f"{len(header) + 1} values in its rows; if each row begins with its own name, "
                "add --index, otherwise correct the header"
            )
        header = ["", *header]
    return unique_names(header)


def _looks_like_data(cells):
    """Whether all cells are numbers, but not those that stand for positions (0, 1, 2, ...)."""
    try:
        values = [float(cell) for cell in cells if cell]
    except ValueError:
        return False
    return [value - values[0] for value in values] != list(range(len(values)))


def _word(separator):
    words = {character: word for word, character in SEPARATORS.items()}
    return words[separator] + "s" if separator in words else repr(separator)


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
    for line, cells in _rows_of(path, dialect):
        if len(cells) != n_names:
            return TableError(
                f"{name}: line {line} has {counted(len(cells), 'value')} where the table has "
                f"{counted(n_names, 'column')}; correct the line, give the separator with --sep, "
                "or remove lines before the header"
            )
    return TableError(f"cannot read {name} as text: {str(error).splitlines()[0]}")


def write_text(path, table, separator=",", packed=False):
    """Write a text file, a piece at a time."""
    with open_text(path, packed) as file:
        for number, piece in enumerate(table.pieces()):
            _write_rows(file, with_row_names(piece.frame()), separator, header=number == 0)


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


def open_text(path, packed):
    """Open a file for writing UTF-8, compressed with gzip if it is to be packed."""
    return (gzip.open if packed else open)(path, "wt", encoding="utf-8", newline="")


def with_row_names(frame):
    """Return the frame with its index as a column, unless the index only numbers the rows."""
    import pandas as pd

    if isinstance(frame.index, pd.RangeIndex):
        return frame
    labels = ["row" if name is None else name for name in frame.index.names]
    frame = frame.rename_axis(index=labels).reset_index(allow_duplicates=True)
    return frame.set_axis(unique_names(frame.columns)[0], axis=1)
