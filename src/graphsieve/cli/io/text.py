"""CSV and TSV in the dialects that people have; what is assumed about a file becomes a note."""

import codecs
import csv
import gzip
import io
import re
from contextlib import suppress
from itertools import islice

import pyarrow as pa
import pyarrow.csv as arrow_csv

from ..._utils.names import unique_names
from ..._utils.text import counted
from ..console import TableError
from ..options import SEPARATORS
from .cells import MISSING, find_decimal, find_layout, is_like_number, is_quantity, read_numbers
from .tables import Table, arrow_frame, default_names, is_number

# Rows per block that Arrow parses: with fewer, wide tables spend their time on bookkeeping.
_BLOCK_ROWS = 64
# Enough lines to distinguish a separator from punctuation; a few are enough in wide tables.
_SAMPLE_LINES, _FEWEST_LINES, _SAMPLE_LENGTH = 100, 8, 2**18
_MARKS = [(codecs.BOM_UTF8, "utf-8-sig"), ((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16")]
_ASSUMED = {"utf-16": "encoding UTF-16", "cp1252": "encoding cp1252, because it is not UTF-8"}

# A line that is split at the wrong separator is one long value.
csv.field_size_limit(2**31 - 1)


def read_text(path, name, reading, usual_separator=","):
    """Read a text file whose columns are usually separated like this."""
    read, parse, convert, notes = _find_dialect(path, name, reading, usual_separator)
    # Arrow keeps the text of a column until it is sure of the type. Where the first rows show the
    # type, it is assumed first: 500,000 x 30 numbers then take 160 MB instead of 550.
    sure = {name: kind for name, kind in convert.column_types.items() if kind == pa.string()}
    for types in (convert.column_types, sure):
        convert.column_types = types
        try:
            table, n_skipped = _parse(path, read, parse, convert)
            break
        except ValueError as error:
            reason = error
    else:
        raise _explain(path, name, read, parse.delimiter, reason) from reason
    *others, last = table.column_names
    if others and last.startswith("Unnamed: ") and table[last].null_count == len(table):
        table = table.drop_columns(last)  # every line ends with a separator
    if n_skipped:
        notes.append(f"{counted(n_skipped, 'comment line')} between the rows skipped")
    table, odd, found = read_numbers(table, reading, convert.decimal_point)
    frame = arrow_frame(table)

    def verbatim(names):
        text = arrow_csv.ConvertOptions(
            include_columns=names,
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=True,
            null_values=[],
        )
        return arrow_frame(_parse(path, read, parse, text)[0])

    return Table(frame, list(frame), notes=(*notes, *found), odd=odd, verbatim=verbatim)


def open_bytes(path):
    """Open a file for reading bytes, unpacked if it is compressed with gzip."""
    return (gzip.open if _is_packed(path) else open)(path, "rb")


def _is_packed(path):
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _open_lines(path, encoding, skip=0):
    file = io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="")
    for _ in islice(file, skip):
        pass
    return file


def _find_dialect(path, name, reading, usual_separator):
    encoding = _find_encoding(path, name, reading)
    notes = [_ASSUMED[encoding]] if encoding in _ASSUMED and not reading.encoding else []
    with _open_lines(path, encoding, reading.skip_rows or 0) as file:
        lines = file.readlines(_SAMPLE_LENGTH)
        lines += islice(file, max(0, _FEWEST_LINES - len(lines)))
        lines, others = lines[:_SAMPLE_LINES], lines[_SAMPLE_LINES:] or file.readlines(1)
    body = ["\n" if _is_comment(line) else line for line in lines]
    start = next((number for number, line in enumerate(body) if line.strip()), None)
    if start is None:
        what = ": it holds only comments" if any(map(str.strip, lines)) else ""
        raise TableError(f"{name} is empty{what}")
    separator = reading.sep or _find_separator(body, usual_separator, reading)
    ends, rows = _records(body, separator)
    if others and len(rows) > 2:
        rows.pop()  # it may go on in the lines that were not read
    comments = [] if reading.no_header else list(filter(_is_comment, lines[:start]))
    if named := comments and _names_in(comments[-1], rows[0], separator):
        ends, rows = [start, *ends], [named, *rows]
        notes.append("names from the line that starts with #")
    header, first, found = find_layout(rows, reading)
    rows, skip = rows[first:], ends[first - 1] if first else start
    if n_comments := sum(map(_is_comment, lines[:skip])) - bool(named):
        notes.append(f"{counted(n_comments, 'comment line')} skipped")
    notes += found
    if reading.sep is None and separator != usual_separator:
        notes.append(f"separated by {_word(separator)}")
    if not rows:
        what = "values" if any(map(str.strip, body[skip:])) else "rows"
        raise TableError(f"{name} is empty: it holds a header and no {what}")
    decimal, found = find_decimal([*rows, *_reader(others, separator)], reading, separator)
    notes += found
    names, renamed = default_names(len(rows[0])), ()
    if header is not None:
        names, renamed = unique_names(_full_header(name, header, rows, reading, separator))

    def is_float(cell):
        return decimal in cell and is_number(cell.replace(decimal, "."))

    columns = dict(zip(names, zip(*rows, strict=False), strict=False))
    types = {name: pa.float64() for name, cells in columns.items() if all(map(is_float, cells))}
    # Arrow takes 0x1F for 31.
    codes = (name for name, cells in columns.items() if any("0x" in c.lower() for c in cells))
    types |= dict.fromkeys(codes, pa.string())
    read = arrow_csv.ReadOptions(
        column_names=names,
        skip_rows=skip + (reading.skip_rows or 0),
        encoding=encoding.removesuffix("-sig"),
        block_size=min(max(2**20, _BLOCK_ROWS * max(map(len, lines))), 2**30),
    )
    parse = arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    convert = arrow_csv.ConvertOptions(
        decimal_point=decimal, null_values=MISSING, strings_can_be_null=True, column_types=types
    )
    return read, parse, convert, [*notes, *renamed]


def _find_encoding(path, name, reading):
    with open_bytes(path) as file:
        start = file.peek(4)
    marked = [encoding for mark, encoding in _MARKS if start.startswith(mark)]
    encodings = [reading.encoding] if reading.encoding else marked or ["utf-8", "cp1252"]
    for encoding in encodings:
        with _open_lines(path, encoding) as file, suppress(UnicodeError):
            length = 0
            while text := file.read(2**20):
                length += len(text)
                reading.check_size(name, length, what="the text")
                if "\0" in text:
                    order = "le" if text.index("\0") % 2 else "be"
                    cure = f"if it is UTF-16, add --encoding utf-16-{order}"
                    raise TableError(f"{name} holds NUL bytes and is not text; {cure}")
            return encoding
    cure = "give another --encoding, such as cp1252"
    raise TableError(f"{name} is not encoded in {encodings[0]}; {cure}")


def _full_header(name, header, rows, reading, separator):
    if len(header) == 1 and any(other in header[0] for other in ";,\t|"):
        found = f"a single column, {header[0]!r}, if its columns are separated by"
        raise TableError(f"{name} has {found} {_word(separator)}; give the separator with --sep")
    if any(len(row) != len(header) + 1 for row in rows):
        return header
    if not reading.index:
        found = f"{counted(len(header), 'name')} in its header and {len(header) + 1} values"
        cure = "if each row begins with its own name, add --index, otherwise correct the header"
        raise TableError(f"{name} has {found} in its rows; {cure}")
    return ["", *header]


def _is_comment(text):
    return text.lstrip().startswith("#")


def _reader(lines, separator):
    return csv.reader(_aligned(lines) if separator == " " else lines, delimiter=separator)


def _aligned(lines):
    return (re.sub(" +", " ", line.strip()) + "\n" for line in lines)


def _records(lines, separator):
    reader = _reader(lines, separator)
    found = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
    return map(list, zip(*found, strict=True))


def _find_separator(lines, usual, reading):
    """Return the separator that gives rows of equal length below the fewest other lines."""

    def score(separator):
        _, rows = _records(lines, separator)
        header, first, _ = find_layout(rows, reading)
        body = rows[first:-1] or rows[first:] or rows
        cells, width = [cell for row in body for cell in row], len(body[0])
        # A header that lacks the name of the first column is common.
        n_lacking = width - len(header or body[0])
        if width == 1 or n_lacking not in (0, 1) or any(len(row) != width for row in body):
            return ()
        n_titles = sum(len(row) != width for row in rows[:first] if row is not header)
        n_numbers = sum(map(is_quantity, cells))
        # Spaces may be within all names and cells: they separate what becomes numbers alone.
        is_unclear = separator == " " and not n_lacking and n_numbers < len(cells)
        return -n_titles - n_lacking, 0 if is_unclear else n_numbers / len(cells), -n_titles

    # The first of several equally good ones is taken.
    return max(dict.fromkeys((usual, *SEPARATORS.values())), key=score)


def _names_in(comment, row, separator):
    cells = next(_reader([comment.lstrip("# ")], separator), [])
    are_words = len(cells) == len(row) > 1 and not any(map(is_like_number, cells))
    return cells if are_words and any(map(is_like_number, row)) else []


def _word(separator):
    words = {character: f"{word}s" for word, character in SEPARATORS.items()}
    return words.get(separator, repr(separator))


def _parse(path, read, parse, convert):
    skipped = []

    def comment(row):
        skipped.append(row)
        return "skip" if _is_comment(row.text) else "error"

    parse.invalid_row_handler = comment
    # Arrow's own streams: its threads must not wait for Python when the interpreter ends.
    source = pa.input_stream(str(path), "gzip" if _is_packed(path) else None)
    if parse.delimiter == " ":
        with _open_lines(path, read.encoding) as file:
            source = pa.BufferReader("".join(_aligned(file)).encode(read.encoding))
    with source:
        return arrow_csv.read_csv(source, read, parse, convert), len(skipped)


def _explain(path, name, read, separator, error):
    skip, n_names = read.skip_rows, len(read.column_names)
    with _open_lines(path, read.encoding, skip) as file:
        reader = _reader(file, separator)
        rows = (row for row in reader if row and not _is_comment(row[0]))
        cells = next((row for row in rows if len(row) != n_names), None)
        if cells is None:
            return TableError(f"cannot read {name} as text: {str(error).splitlines()[0]}")
        line, advice = skip + reader.line_num, "correct the line, give the separator with --sep"
        advice += ", or remove lines before the header"
        if len(cells) > n_names and {len(more) for more in islice(rows, 5)} == {len(cells)}:
            advice = f"if this line is the header, add --skip-rows {line - 1}"
    values, columns = counted(len(cells), "value"), counted(n_names, "column")
    return TableError(f"{name}: line {line} has {values} where the table has {columns}; {advice}")


def write_text(path, table, separator=","):
    # Ten times as fast for numbers; other types would look different, and a gap in a single column
    # would be an empty line.
    options = arrow_csv.WriteOptions(include_header=False, delimiter=separator)
    with open_text(path) as file:
        for number, frame in enumerate(table.frames()):
            if number == 0:
                frame.head(0).to_csv(file, sep=separator, index=False)
            if frame.shape[1] > 1 and all(dtype.kind in "iuf" for dtype in frame.dtypes):
                file.flush()
                content = pa.Table.from_pandas(frame, preserve_index=False)
                arrow_csv.write_csv(content, file.buffer, options)
            else:
                frame.to_csv(file, sep=separator, index=False, header=False)


def open_text(path):
    """Open a file for writing UTF-8, compressed with gzip if its name says so."""
    is_packed = path.suffix.lower() == ".gz"
    return (gzip.open if is_packed else open)(path, "wt", encoding="utf-8", newline="")
