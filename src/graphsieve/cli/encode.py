"""Columns of words and dates as numbers: indicators, ranks of ordered answers, parts of dates."""

import re
from datetime import time

import numpy as np
import pandas as pd

from .io.cells import DATE
from .io.tables import unique_names

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


def encoding_of(column, kind, wanted):
    """Return how a column of text or dates becomes numbers: dates, ordinal, onehot, or its kind.

    Ordered answers become indicators if only these are ``wanted``.
    """
    if kind == "date" or _text_dates(column) is not None:
        return "dates"
    levels = column.dropna().astype(str).unique()
    if len(levels) > MOST_LEVELS:
        return kind
    is_ordinal = "ordinal" in wanted or "onehot" not in wanted
    return "ordinal" if is_ordinal and _ranks(levels) else "onehot"


def encode(frame, ways):
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
