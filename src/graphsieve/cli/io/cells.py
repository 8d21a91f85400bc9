# ruff: noqa: RUF001 (signs that look alike are what this file is about)
"""What cells stand for: numbers with signs and separators, gaps, titles, headers and units."""

import re
from dataclasses import replace
from statistics import median_high
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ..._utils.text import counted, listed
from ...encoding import DATE
from .tables import is_number

# What R, pandas, MATLAB and spreadsheets write for a missing value.
MISSING = ["", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "null", "NULL"]
MISSING += ["None", "<NA>", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"]
# What marks one in a column of numbers, in lower case.
_GAPS = ["-", "--", "---", "–", "—", "?", ".", "*", "n.a.", "nil", "missing", "unknown", "#div/0!"]
_GAPS += ["#value!", "#ref!", "#num!", *map(str.lower, MISSING)]
_SPACE = "[ \u00a0\u202f]"
_CURRENCY = (
    r"(?:[$€£¥₹₩₽₺₪]|US\$|USD|EUR|GBP|CHF|JPY|CNY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|INR|BRL|R\$|kr|zł)"
)
# Separators of thousands and decimals that go together, as regular expressions.
_WAYS = {".": ("[, \u00a0\u202f'’]", r"\."), ",": ("[. \u00a0\u202f'’]", ",")}
_EITHER = (None, "[.,]")
# A point or comma before three digits may separate thousands.
_UNCLEAR = r"[1-9]\d{0,2}[.,]\d{3}"
_SURE_UNIT = re.compile(r"[\[(].*|%|°.*|[mckµ]?[mgs]|.*[/²³].*")
# Rows in which titles are looked for, and cells that show what a column holds.
_MOST_TITLES, _SAMPLE = 30, 1000
# A line that is split at the wrong separator is one long cell.
_MOST_DIGITS = 50
# More words than this between numbers are no marks of missing values.
_MOST_MARKS = 5


def _amount(number):
    before, after = rf"\s*\(?[+−-]?\s*{_CURRENCY}?\s*[+-]?", rf"\s*(%|{_CURRENCY})?[)−-]?\s*"
    return re.compile(rf"{before}({number}){after}")


_LIKE_NUMBER = _amount(r"[\d.,'’\s]*\d[\d.,'’\s]*([eE][+-]?\d+)?")
# Numbers that show what the decimal point is: 1.5 and 1,234,567 that it is a point.
_SHOWING = {
    point: _amount(
        rf"(?!{_UNCLEAR}\D*$)([1-9]\d{{0,2}}([{other}'’\s]\d{{3}})+|\d*)[{point}]\d+([eE][+-]?\d+)?"
        rf"|[1-9]\d{{0,2}}([{other}]\d{{3}}){{2,}}"
    )
    for point, other in (".,", ",.")
}
# One number with a unit or other words around it.
_QUANTITY = re.compile(
    r"[^\d.,;|]*(\d+([.,'’\s]\d{3})*([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?[^\d.,;|]*"
)


def find_layout(rows, reading, word="line"):
    """Return the header or None, the position of the first row of data, and what was left out."""
    if reading.no_header:
        return None, 0, []
    top = 0 if reading.skip_rows is not None else _below_titles(rows)
    first, units, notes = top + 1, _words_above_numbers(rows[top + 1 :]), []
    if units:
        # A title that is split at its commas looks like a header, and the header like units.
        is_prose = [any(cell[:1] == " " for cell in rows[i]) for i in (top, first)]
        top, units = (first, []) if is_prose == [True, False] else (top, units)
        first += 1
    if top:
        title = next(cell for row in rows for cell in row if cell.strip())
        notes.append(f"{counted(top, word)} above the header left out ({title.strip()!r})")
    if units:
        notes.append(f"units below the header left out ({', '.join(units[:3])})")
    names = [cell for cell in rows[top] if cell.strip()]
    # The positions 0, 1, 2, ... are names that pandas writes.
    if all(map(is_like_number, names)) and names != list(map(str, range(len(names)))):
        what = "which holds only numbers (if it is data, add --no-header)"
        notes.append(f"names from the first {word}, {what}")
    return rows[top], first, notes


def _below_titles(rows):
    """Return the position of the first row that is no title.

    Titles fill at most half as many cells as most rows do; other rows above the header, such as
    pairs of a word and a value, fill fewer cells than it does.
    """
    filled = [sum(1 for cell in row if cell.strip()) for row in rows]
    usual = median_high(filled)
    full = (i for i, count in enumerate(filled) if count >= usual)
    data = next((i for i in full if any(map(is_like_number, rows[i]))), len(rows))
    above = [i for i in range(min(data, _MOST_TITLES)) if filled[i] > usual / 2]
    header = max(above, key=filled.__getitem__, default=data)
    return header if header + 1 < len(rows) else 0


def _words_above_numbers(rows):
    words, n_numeric = [], 0
    for j, cell in enumerate(map(str.strip, rows[0] if len(rows) > 1 else ())):
        below = [other[j].strip() for other in rows[1:] if j < len(other) and other[j].strip()]
        if sum(map(is_like_number, below)) * 2 <= len(below):
            continue
        if is_like_number(cell) or cell in below:
            return []
        n_numeric += 1
        words += [cell] if cell.lower() not in _GAPS else []
    is_sure = any(map(_SURE_UNIT.fullmatch, words))
    return words if is_sure or len(words) * 2 > max(n_numeric, 2) else []


def is_like_number(cell):
    """Whether a cell is a number, an amount or a percentage in any way of writing."""
    cell = cell[:_MOST_DIGITS].strip()
    return _LIKE_NUMBER.fullmatch(cell) is not None and not DATE.match(cell)


def is_quantity(cell):
    """Whether a cell has exactly one number, in any way of writing."""
    return len(cell) <= _MOST_DIGITS and _QUANTITY.fullmatch(cell) is not None


def find_decimal(rows, reading, separator=","):
    """Return the decimal point, a comma if numbers have one and none has a point, and notes."""
    if reading.decimal or reading.thousands in (".", ","):
        return reading.decimal or ("," if reading.thousands == "." else "."), []
    cells = {cell for row in rows for cell in row if "." in cell or "," in cell}
    shown = [point for point, shows in _SHOWING.items() if any(map(shows.fullmatch, cells))]
    if shown == [","]:
        return ",", ["decimal comma"]
    unclear = set(filter(re.compile(rf"\s*[+-]?{_UNCLEAR}\s*").fullmatch, cells))
    advice = "(if it separates thousands, add --thousands {})"
    # 1,234 has a separator of thousands unless commas are known for decimals.
    if not shown and separator == ";" and unclear and not any("." in cell for cell in unclear):
        return ",", [f"decimal comma {advice.format('comma')}"]
    # Where decimals are written at all, 980 is seldom beside 1.250.
    columns, short = zip(*filter(None, rows), strict=False), re.compile(r"\s*[+-]?\d{1,3}\s*")
    is_mixed = shown != ["."] and any(
        any("." in cell and cell in unclear for cell in column)
        and any(map(short.fullmatch, column))
        for column in columns
    )
    return ".", [f"decimal point {advice.format('.')}"] * is_mixed


class Odd(NamedTuple):
    """A column of numbers with unclear cells, and what it takes to read it, if it can be read."""

    cell: str
    percent: bool
    marks: tuple | None  # of missing values


def read_numbers(table, reading, decimal=".", *, is_typed=False):
    """Read the columns of text in which every cell stands for a number or a gap.

    In a format that ``is_typed``, digits are text on purpose unless some are written as amounts.
    Returns the Arrow table, the Odd columns by name, and notes.
    """
    table = without_marks(table, reading.marks) if reading.marks else table
    examples, missing, odd, notes = [], set(), {}, []
    for j, field in enumerate(table.schema):
        if not pa.types.is_string(field.type):
            continue
        column = table.column(j)
        cells = column.slice(0, _SAMPLE).drop_null().to_pylist() if is_typed else ()
        if is_typed and not any(is_like_number(c) and not is_number(c) for c in cells):
            continue
        values, words = _read(column, reading, decimal)
        if values is not None:
            missing.update(pc.unique(column.filter(pc.is_null(values)).drop_null()).to_pylist())
            example = _example(column, values)
            examples += [f"{field.name!r} ({example})"] if example else []
            table = table.set_column(j, field.name, values)
        elif words:
            odd[field.name] = _odd(column, reading, decimal, words)
    if examples:
        more = f" and {len(examples) - 3} more" if len(examples) > 3 else ""
        notes.append(f"read as numbers: {', '.join(examples[:3])}{more}")
    if missing := sorted(missing - {""}):
        notes.append(f"missing where it says {listed(missing)}")
    return table, odd, tuple(notes)


def without_marks(table, marks):
    """Return the Arrow table without the cells that the user calls missing."""
    numbers = pa.array([float(mark) for mark in marks if is_number(mark)], pa.float64())
    for j, kind in enumerate(table.schema.types if marks else ()):
        column = table.column(j)
        if pa.types.is_string(kind):
            mask = pc.is_in(pc.utf8_trim_whitespace(column), pa.array(marks, pa.string()))
        elif pa.types.is_integer(kind) or pa.types.is_floating(kind):
            mask = pc.is_in(pc.cast(column, pa.float64(), safe=False), numbers)
        else:
            continue
        table = table.set_column(j, table.field(j), pc.if_else(mask, pa.scalar(None, kind), column))
    return table


def _read(column, reading, decimal):
    sample = column.slice(0, _SAMPLE).drop_null().to_pylist()
    n_numbers = sum(map(is_like_number, sample))
    if n_numbers == 0 or n_numbers < sum(cell.strip().lower() not in _GAPS for cell in sample) / 2:
        return None, []
    text = pc.utf8_trim_whitespace(column)
    text = pc.if_else(pc.is_in(pc.utf8_lower(text), pa.array(_GAPS)), None, text)
    present = len(text) - text.null_count
    plain = pc.replace_substring(text, "−", "-")
    # Ledgers write (400) or 400- for -400.
    plain = pc.replace_substring_regex(plain, r"^\((.+)\)$|^([^-].*)-$", r"-\1\2")
    currency = pc.struct_field(pc.extract_regex(text, f"(?P<sign>{_CURRENCY})"), "sign")
    n_currencies, n_percent = pc.count_distinct(currency).as_py(), pc.sum(pc.ends_with(text, "%"))
    # Several currencies, and a percent sign that some cells lack, are left where they are.
    if n_currencies == 1:
        plain = pc.replace_substring_regex(plain, rf"{_SPACE}*{_CURRENCY}{_SPACE}*", "")
    if n_percent.as_py() == present or reading.percent:
        plain = pc.replace_substring_regex(plain, rf"{_SPACE}*%$", "")
    ways = [_WAYS[decimal], *(way for way in _WAYS.values() if way != _WAYS[decimal])]
    if reading.thousands:
        point = "," if reading.decimal == "," or reading.thousands == "." else r"\."
        ways = [(_SPACE if reading.thousands == " " else re.escape(reading.thousands), point)]
    elif not pc.any(pc.match_substring_regex(plain, rf"^[+-]?{_UNCLEAR}$")).as_py():
        ways.append(_EITHER)

    def matching(way):
        thousands, point = way
        whole = rf"(\d{{1,3}}({thousands}\d{{3}})+|\d+)" if thousands else r"\d+"
        pattern = rf"^[+-]?({whole}({point}\d*)?|{point}\d+)([eE][+-]?\d+)?$"
        return pc.fill_null(pc.match_substring_regex(plain, pattern), False)

    thousands, point = best = max(ways, key=lambda way: pc.sum(matching(way)).as_py())
    found = matching(best)
    if words := pc.unique(text.filter(pc.invert(found)).drop_null()).to_pylist():
        has_signs = n_currencies or n_percent.as_py()
        return None, words if has_signs or pc.sum(found).as_py() * 2 >= present else []
    plain = pc.replace_substring_regex(plain, thousands, "") if thousands else plain
    return pc.cast(pc.replace_substring_regex(plain, point, "."), pa.float64()), []


def _example(column, values):
    cells, read = (part.slice(0, _SAMPLE).to_pylist() for part in (column, values))
    pairs = ((c, v) for c, v in zip(cells, read, strict=True) if v is not None)
    return next(
        (f"{c.strip()} = {v:.12g}" for c, v in pairs if not is_number(c) or float(c) != v), ""
    )


def _odd(column, reading, decimal, words):
    cell, percent = words[0], any(word.endswith("%") for word in words)
    if percent:
        words = _read(column, replace(reading, percent=True), decimal)[1]
    is_money = any(is_like_number(w) and re.search(_CURRENCY, w) for w in words)
    is_clear = len(words) <= _MOST_MARKS and all("," not in w and w.isprintable() for w in words)
    return Odd(cell, percent, tuple(words) if is_clear and not is_money else None)
