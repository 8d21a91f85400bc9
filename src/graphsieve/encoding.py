"""Columns of words and dates as numbers: indicators, ranks of ordered answers, parts of dates."""

import re
from collections.abc import Sequence
from datetime import date, time
from typing import Any

import numpy as np
import pandas as pd

from ._utils.names import unique_names
from ._utils.text import ENCODINGS, listed

DATE = re.compile(
    r"(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}[./]\d{1,2}[./]\d{1,2})\b"
)
# Text with more different values than this is not worth one column per value.
MOST_LEVELS = 100
_MOST_ANSWERS = 20
# Words in order; those of one rank are separated by /.
_SCALES = """
strongly disagree, disagree, somewhat disagree/slightly disagree, neutral/undecided/\
neither agree nor disagree, somewhat agree/slightly agree, agree, strongly agree
never, almost never, rarely/seldom, sometimes/occasionally, often/frequently, usually/very often/\
almost always, always
very dissatisfied, dissatisfied, neutral, satisfied, very satisfied
very unlikely, unlikely, neutral, likely, very likely
terrible, very poor/very bad, poor/bad, fair/average/ok, good, very good, excellent
none, very low, low, medium/moderate/mid/middle/normal/average, high, very high
none/absent, minimal, mild, moderate, severe, very severe
not at all, slightly/a little, somewhat/moderately, very/quite, extremely
no/false, maybe/unsure/don't know, yes/true
xxs, xs, s, m, l, xl, xxl, xxxl
tiny, small, medium, large, huge
never, yearly, monthly, weekly, daily
""".replace("\\\n", "")
_RANKS = [
    {word: rank for rank, words in enumerate(line.split(", ")) for word in words.split("/")}
    for line in _SCALES.strip().splitlines()
]
_LEADING = re.compile(r"\s*([<>≤≥]?)\s*(\d+(?:\.\d+)?)(?=$|\D)")
_FORMATS = ("%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%Y/%m/%d", "%d-%m-%Y")


def encode(frame: Any, kinds: Sequence[str] = ENCODINGS) -> tuple[Any, list]:
    """Encode the words and dates of a data frame as numbers, for a selector of whole columns.

    Parameters
    ----------
    frame : data frame
        One sample per row. Numbers stay as they are.
    kinds : sequence of {"onehot", "ordinal", "dates"}
        "onehot" makes an indicator of every value of a text column with up to 100 values, in which
        a missing one counts as a value; "ordinal" ranks ordered answers, such as never to always,
        or 18-24 to 65+; "dates" makes days, months, weekdays and hours.

    Returns
    -------
    encoded : pandas.DataFrame
        Numbers only. Other missing values stay.
    column_groups : list
        Column of ``frame`` behind every column of ``encoded``.

    Examples
    --------
    >>> import pandas as pd
    >>> from graphsieve import GreedyCSS, encode
    >>> frame = pd.DataFrame({"pay": [3.0, 9, 4, 8], "job": ["a", "b", "c", "b"]})
    >>> X, column_groups = encode(frame)
    >>> X.columns.tolist(), column_groups
    (['pay', 'job=a', 'job=b', 'job=c'], ['pay', 'job', 'job', 'job'])
    >>> sel = GreedyCSS(4, column_groups=column_groups).fit(X)
    """
    frame = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    ways = [encoding_of(column, kind_of(column), kinds) for _, column in frame.items()]
    known = zip(frame.columns, ways, strict=True)
    if others := [name for name, way in known if way not in ("number", "empty", *kinds)]:
        raise ValueError(
            f"neither numeric nor encoded: {listed(others)}. Leave these columns out: they have "
            f"more than {MOST_LEVELS} different values, or are of a kind that is not in {kinds}"
        )
    encoded, owner = encode_columns(frame, ways)
    return encoded, frame.columns[owner].tolist()


def kind_of(column):
    """Return "number", "text", "date" or "empty" for a column of a data frame."""
    kind = column.dtype.kind
    # The first value alone is much quicker to look at, and nearly always there.
    if kind not in "Mm" and column.head(1).isna().all() and column.isna().all():
        return "empty"
    if kind in "biuf":
        return "number"
    return "date" if kind in "Mm" or isinstance(column.dropna().iloc[0], (date, time)) else "text"


def encoding_of(column, kind, wanted):
    """Return how a column of text or dates becomes numbers: dates, ordinal, onehot, or its kind.

    Ordered answers become indicators if only these are ``wanted``.
    """
    if kind in ("number", "empty"):
        return kind
    if kind == "date" or _text_dates(column) is not None:
        return "dates"
    levels = column.dropna().astype(str).unique()
    if len(levels) > MOST_LEVELS:
        return kind
    is_ordinal = "ordinal" in wanted or "onehot" not in wanted
    return "ordinal" if is_ordinal and _ranks(levels) else "onehot"


def encode_columns(frame, ways):
    """Return a frame of numbers, and the position of the column behind each of its columns."""
    parts, owner = [], []
    for j, (name, way) in enumerate(zip(frame, ways, strict=True)):
        column = frame.iloc[:, [j]]
        if way == "onehot":
            # Two values need one indicator only; a missing value counts as one.
            values = column.astype(str)
            binary = values[name].nunique() == 2
            column = pd.get_dummies(values, drop_first=binary, prefix_sep="=", dtype=float)
        elif way == "ordinal":
            ranks = _ranks(column[name].dropna().astype(str).unique())
            column = column[name].astype(str).map(ranks).astype(float).to_frame(name)
        elif way == "dates":
            column = _date_parts(column[name]).add_prefix(f"{name}=")
        parts.append(column)
        owner += [j] * column.shape[1]
    encoded = pd.concat(parts, axis=1)
    return encoded.set_axis(unique_names(encoded.columns)[0], axis=1), np.array(owner)


def _ranks(levels):
    words = [" ".join(level.lower().split()) for level in levels]
    if scale := next((scale for scale in _RANKS if scale.keys() >= set(words)), None):
        places = [scale[word] for word in words]
    else:
        # 1 - never, 2 - rarely; <18, 18-24, 65+
        found = [match for match in map(_LEADING.match, words) if match]
        places = [(float(match[2]), match[1] not in ("<", "≤")) for match in found]
        if len(set(places)) < len(words) or len(words) > _MOST_ANSWERS:
            return {}
    ranks = pd.Series(places, levels).rank(method="dense") - 1
    return ranks.to_dict() if ranks.any() else {}


def _text_dates(column):
    present = column.dropna()
    if not len(present) or not present.head(100).astype(str).str.match(DATE).all():
        return None
    text = present.astype(str).str.strip()
    days = text.str.split(" ").str[0]
    for values, form in ((text, "ISO8601"), *((days, form) for form in _FORMATS)):
        dates = pd.to_datetime(values, format=form, errors="coerce", utc=True)
        if dates.notna().all():
            return dates.reindex(column.index)
    return None


def _date_parts(column):
    first = column.dropna().iloc[0]
    if isinstance(first, time):
        column = pd.to_timedelta(column.astype(str), errors="coerce")
    elif isinstance(first, str):
        column = _text_dates(column)
    elif column.dtype.kind not in "mM":
        column = pd.to_datetime(column, utc=True)
    parts = {"days": (column - column.min()) / pd.Timedelta(days=1)}
    if column.dtype.kind == "M":
        parts |= {name: getattr(column.dt, name) for name in ("month", "weekday", "hour")}
    frame = pd.DataFrame(parts).astype(float)
    return frame.loc[:, (frame.nunique() > 1) | (frame.columns == "days")]
