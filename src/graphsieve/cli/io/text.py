"""CSV and TSV in the dialects that people have; what is assumed about a file becomes a note."""

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
from .cells import MISSING, find_layout, read_numbers
from .tables import Table, arrow_frame, default_names, unique_names

# Rows per block that Arrow parses: with fewer, wide tables spend their time on bookkeeping.
_BLOCK_ROWS = 64
# Enough lines to distinguish a separator from punctuation; a few are enough in wide tables.
_SAMPLE_LINES, _FEWEST_LINES = 100, 8
_SAMPLE_LENGTH = 2**18
_SCAN_BYTES = 2**20
_ENCODINGS = {codecs.BOM_UTF8: "utf-8-sig"}
_ENCODINGS |= dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16")
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
_GROUPED = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")
_COMMA_NUMBER, _POINT_NUMBER = (
    re.compile(rf"\s*[+-]?\d*{point}\d+([eE][+-]?\d+)?\s*") for point in (",", r"\.")
)


# A line that is split at the wrong separator is one long value.
csv.field_size_limit(2**31 - 1)


def read_text(path, name, reading, usual_separator=","):
    """Read a text file whose columns are usually separated like this."""
    dialect = _find_dialect(path, name, reading, usual_separator)
    # Arrow keeps the text of a column until it is sure of the type. Where the first rows show the
    # type, it is assumed first: 500,000 x 30 numbers then take 160 MB instead of 550.
    for floats in (dialect.floats, []):
        try:
            table, n_skipped = _parse(path, dialect, floats=floats)
            break
        except ValueError as error:
            reason = error
    else:
        raise _explain(path, name, dialect, reason) from reason
    if dialect.names[-1].startswith("Unnamed: ") and table.num_columns > 1:
        # Every line may end with a separator.
        is_empty = table.column(-1).null_count == len(table)
        table = table.remove_column(table.num_columns - 1) if is_empty else table
    notes = dialect.notes
    if n_skipped:
        notes += (f"{counted(n_skipped, 'comment line')} between the rows skipped",)
    table, odd, found = read_numbers(table, reading, dialect.decimal)
    frame = arrow_frame(table)
    return Table(
        frame,
        list(frame),
        notes=(*notes, *found),
        odd=odd,
        verbatim=lambda names: arrow_frame(_parse(path, dialect, as_text=names)[0]),
    )


@dataclass(frozen=True)
class _Dialect:
    """Layout of a text file, whose first row of data comes after ``skip`` lines."""

    encoding: str
    separator: str
    decimal: str
    names: list
    skip: int
    has_quotes: bool  # a value may contain a line break
    line_bytes: int
    floats: list  # columns of decimal numbers in the first rows
    notes: tuple


def open_bytes(path):
    """Open a file for reading bytes, unpacked if it is compressed with gzip."""
    return gzip.open(path, "rb") if _is_packed(path) else open(path, "rb")


def _is_packed(path):
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _open_lines(path, encoding, skip=0):
    """Open a file for reading text below the first ``skip`` lines."""
    file = io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="")
    for _ in islice(file, skip):
        pass
    return file


def _find_dialect(path, name, reading, usual_separator):
    """Find the layout of a text file; ``usual_separator`` is that of its extension."""
    encoding, has_quotes, notes = _scan(path, name, reading)
    with _open_lines(path, encoding, reading.skip_rows or 0) as file:
        lines = file.readlines(_SAMPLE_LENGTH)
        lines += islice(file, max(0, _FEWEST_LINES - len(lines)))
        is_complete = len(lines) <= _SAMPLE_LINES and not file.readline()
    lines = lines[:_SAMPLE_LINES]
    body = ["\n" if _is_comment(line) else line for line in lines]
    if not any(map(str.strip, body)):
        only_comments = any(map(_is_comment, lines))
        raise TableError(f"{name} is empty" + ": it holds only comments" * only_comments)
    separator = reading.sep or _find_separator(body, usual_separator, reading)
    ends, rows = zip(*_records(body, separator), strict=True)
    if not is_complete and len(rows) > 2:
        # The last record may go on in the lines that were not read.
        rows = rows[:-1]
    skip, header, rows, found = _find_names(lines, body, ends, rows, separator, reading)
    notes += found
    if reading.sep is None and separator != usual_separator:
        notes.append(f"separated by {_word(separator)}")
    if not rows:
        raise TableError(f"{name} is empty: it holds a header and no rows")
    decimal, note = _find_decimal(rows, separator, reading)
    names, renamed = default_names(len(rows[0])), ()
    if header is not None:
        names, renamed = unique_names(_full_header(name, header, rows, reading, separator))
        if _looks_like_data(header):
            note += (
                "names from the first line, which holds only numbers (if it is data, add "
                "--no-header)",
            )
    number = _COMMA_NUMBER if decimal == "," else _POINT_NUMBER
    columns = zip(names, zip(*rows, strict=False), strict=False)
    return _Dialect(
        encoding=encoding,
        separator=separator,
        decimal=decimal,
        names=names,
        skip=skip + (reading.skip_rows or 0),
        has_quotes=has_quotes,
        line_bytes=max(len(line.encode()) for line in lines),
        floats=[name for name, cells in columns if all(map(number.fullmatch, cells))],
        notes=(*notes, *note, *renamed),
    )


def _find_names(lines, body, ends, rows, separator, reading):
    """Return the number of lines above the data, the names, the rows of data, and notes."""
    skip = next(number for number, line in enumerate(body) if line.strip())
    comments = [line.lstrip("# ") for line in lines[:skip] if _is_comment(line)]
    header, first, notes, found = None, 0, [], []
    if not reading.no_header:
        top, first, found = find_layout(rows, reading)
        header = rows[top]
        if top == 0 and comments and _is_header(comments[-1], header, separator):
            first, header = 0, next(_reader([comments.pop()], separator))
            notes.append("names from the line that starts with #")
        else:
            skip = ends[first - 1]
            comments = [line for line in lines[:skip] if _is_comment(line)]
    if comments:
        notes.append(f"{counted(len(comments), 'comment line')} skipped")
    return skip, header, rows[first:], [*notes, *found]


def _scan(path, name, reading):
    """Read all bytes once: encoding, whether there are quotes, and what was assumed."""
    has_quotes, n_bytes, is_valid, notes = False, 0, True, []
    with open_bytes(path) as file:
        start = file.peek(4)
        marked = next((name for mark, name in _ENCODINGS.items() if start.startswith(mark)), None)
        encoding = reading.encoding or marked
        decoder = codecs.getincrementaldecoder(encoding or "utf-8")()
        while block := file.read(_SCAN_BYTES):
            n_bytes += len(block)
            reading.check_size(name, n_bytes, what="the text")
            if b"\0" in block and not (encoding or "").startswith(("utf-16", "utf-32")):
                order = "le" if block.index(b"\0") % 2 else "be"
                raise TableError(
                    f"{name} holds NUL bytes and is not text; if it is UTF-16, add "
                    f"--encoding utf-16-{order}"
                )
            has_quotes = has_quotes or b'"' in block
            try:
                decoder.decode(block)
            except UnicodeError:
                is_valid = False
    if not is_valid and encoding:
        raise TableError(
            f"{name} is not encoded in {encoding}; give another --encoding, such as cp1252"
        )
    if not is_valid:
        encoding = "cp1252"
        notes.append("encoding cp1252, because it is not UTF-8")
    elif encoding == "utf-16" and not reading.encoding:
        notes.append("encoding UTF-16")
    return encoding or "utf-8", has_quotes, notes


def _full_header(name, header, rows, reading, separator):
    """Return the header with a name for every column, if that is clear."""
    if len(header) == 1 and any(other in header[0] for other in ";,\t|"):
        raise TableError(
            f"{name} has a single column, {header[0]!r}, if its columns are separated by "
            f"{_word(separator)}; give the separator with --sep"
        )
    if any(len(row) != len(header) + 1 for row in rows):
        return header
    if not reading.index:
        raise TableError(
            f"{name} has {counted(len(header), 'name')} in its header and {len(header) + 1} values "
            "in its rows; if each row begins with its own name, add --index, otherwise correct "
            "the header"
        )
    return ["", *header]


def _is_comment(text):
    return text.lstrip().startswith("#")


def _reader(lines, separator):
    if separator == " ":
        return csv.reader(map(str.strip, lines), delimiter=" ", skipinitialspace=True)
    return csv.reader(lines, delimiter=separator)


def _records(lines, separator):
    """Return the rows that are not empty, each with the number of lines up to its end."""
    reader = _reader(lines, separator)
    return [(reader.line_num, row) for row in reader if any(map(str.strip, row))]


def _find_separator(lines, usual, reading):
    """Return the separator that gives rows of equal length and the most numbers."""
    best, best_score = usual, 0.0
    # The first of several equally good ones is taken.
    for separator in dict.fromkeys((usual, *SEPARATORS.values())):
        rows = [row for _, row in _records(lines, separator)]
        if not reading.no_header and len(rows) > 1:
            top, first, _ = find_layout(rows, reading)
            # A header that lacks the name of the first column is common.
            if len(rows[first]) - len(rows[top]) not in (0, 1):
                continue
            rows = rows[first:]
        body = rows[:-1] or rows
        lengths = {len(row) for row in body}
        if len(lengths) > 1 or lengths == {1}:
            continue
        cells = [cell for row in body for cell in row]
        # Any consistent separator is better than none.
        score = 1e-9 + sum(map(bool, map(_NUMBER.fullmatch, cells))) / len(cells)
        if score > best_score * (1 + 1e-6):
            best, best_score = separator, score
    return best


def _find_decimal(rows, separator, reading):
    """Return the decimal point, a comma if numbers have one and none has a point, and notes."""
    if reading.decimal or reading.thousands in (".", ","):
        return reading.decimal or ("," if reading.thousands == "." else "."), ()
    cells = [cell for row in rows for cell in row]
    with_comma = list(filter(_COMMA_NUMBER.fullmatch, cells))
    if not with_comma or any(map(_POINT_NUMBER.fullmatch, cells)):
        return ".", ()
    if not all(map(_GROUPED.fullmatch, with_comma)):
        return ",", ("decimal comma",)
    # 1,234 has a separator of thousands unless commas are known for decimals.
    if separator != ";":
        return ".", ()
    return ",", ("decimal comma (if it separates thousands, add --thousands comma)",)


def _is_header(comment, row, separator):
    """Whether a comment names the columns: as many cells as the first row, words above numbers."""
    cells = next(_reader([comment], separator), [])
    are_words = len(cells) == len(row) > 1 and not any(map(_NUMBER.fullmatch, cells))
    return are_words and any(map(_NUMBER.fullmatch, row))


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


def _parse(path, dialect, floats=(), as_text=()):
    """Return an Arrow table, and the number of comments that were skipped between its rows.

    ``as_text`` are the only columns to read, without looking at what they mean.
    """
    import pyarrow as pa
    from pyarrow import csv

    skipped = []

    def comment(row):
        if not _is_comment(row.text):
            return "error"
        skipped.append(row)
        return "skip"

    source, encoding = str(path), dialect.encoding.removesuffix("-sig")
    if dialect.separator == " ":
        # Aligned columns have several spaces between them.
        with _open_lines(path, dialect.encoding) as file:
            lines = [re.sub(" +", " ", line.strip()) for line in file]
        source, encoding = io.BytesIO("\n".join(lines).encode()), "utf-8"
    elif _is_packed(path):
        # Arrow reads a plain file by itself, in parallel.
        source = open_bytes(path)
    block_size = min(max(2**20, _BLOCK_ROWS * dialect.line_bytes), 2**30)
    read = csv.ReadOptions(
        column_names=dialect.names, skip_rows=dialect.skip, encoding=encoding, block_size=block_size
    )
    parse = csv.ParseOptions(
        delimiter=dialect.separator,
        newlines_in_values=dialect.has_quotes,
        invalid_row_handler=comment,
    )
    convert = csv.ConvertOptions(
        decimal_point=dialect.decimal,
        null_values=[] if as_text else MISSING,
        strings_can_be_null=True,
        include_columns=as_text or None,
        column_types=dict.fromkeys(floats, pa.float64()) | dict.fromkeys(as_text, pa.string()),
    )
    table = csv.read_csv(source, read, parse, convert)
    return table, len(skipped)


def _explain(path, name, dialect, error):
    """Name the line that does not fit, or repeat what the parser says."""
    n_names = len(dialect.names)
    with _open_lines(path, dialect.encoding, dialect.skip) as file:
        reader = _reader(file, dialect.separator)
        rows = (row for row in reader if row and not _is_comment(row[0]))
        for cells in rows:
            if len(cells) == n_names:
                continue
            line = dialect.skip + reader.line_num
            advice = (
                "correct the line, give the separator with --sep, or remove lines before the header"
            )
            if len(cells) > n_names and {len(more) for more in islice(rows, 5)} == {len(cells)}:
                advice = f"if this line is the header, add --skip-rows {line - 1}"
            return TableError(
                f"{name}: line {line} has {counted(len(cells), 'value')} where the table has "
                f"{counted(n_names, 'column')}; {advice}"
            )
    return TableError(f"cannot read {name} as text: {str(error).splitlines()[0]}")


def write_text(path, table, separator=","):
    import pyarrow as pa
    from pyarrow import csv

    # Ten times as fast for numbers; other types would look different.
    options = csv.WriteOptions(include_header=False, delimiter=separator)
    with open_text(path) as file:
        for number, piece in enumerate(table.pieces()):
            frame = with_row_names(piece.frame())
            is_numeric = all(dtype.kind in "iuf" for dtype in frame.dtypes)
            if number == 0 or not is_numeric:
                rows = frame.head(0) if is_numeric else frame
                rows.to_csv(file, sep=separator, index=False, header=number == 0)
            if is_numeric:
                file.flush()
                content = pa.Table.from_pandas(frame, preserve_index=False)
                csv.write_csv(content, file.buffer, options)


def open_text(path):
    """Open a file for writing UTF-8, compressed with gzip if its name says so."""
    is_packed = path.suffix.lower() == ".gz"
    return (gzip.open if is_packed else open)(path, "wt", encoding="utf-8", newline="")


def with_row_names(frame):
    """Return the frame with its index as a column, unless the index only numbers the rows."""
    import pandas as pd

    if isinstance(frame.index, pd.RangeIndex):
        return frame
    labels = ["row" if name is None else name for name in frame.index.names]
    frame = frame.rename_axis(index=labels).reset_index(allow_duplicates=True)
    return frame.set_axis(unique_names(frame.columns)[0], axis=1)
