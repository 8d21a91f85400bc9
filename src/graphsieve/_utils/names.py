"""Names and numbers: what users give, what messages show, and the order of features."""

import re
from collections import Counter
from difflib import get_close_matches
from fnmatch import translate
from numbers import Integral

import numpy as np

from .text import listed


def find_columns(columns, n_features, names=None, *, parameter, labels=None):
    """Positions of the columns that a parameter refers to, in the order given, each once.

    ``columns`` are names, patterns, positions or a mask, and ``names`` those of all columns, if
    they have any. A mask in a pandas Series is aligned by ``labels``, names of any type. Integers
    are positions, and refused where they may also be names; text is the text of a name.
    """
    if columns is None:
        return []
    if isinstance(columns, str | Integral) and not isinstance(columns, bool):
        columns = [columns]
    if getattr(getattr(columns, "dtype", None), "kind", "") == "b":
        labels = names if labels is None else labels
        columns = in_column_order(columns, n_features, labels, parameter=parameter)
    columns = list(columns)
    if columns and all(isinstance(entry, bool | np.bool_) for entry in columns):
        if len(columns) != n_features:
            raise ValueError(
                f"{parameter} is a mask of {len(columns)} entries, but the data have {n_features} "
                "columns"
            )
        return np.flatnonzero(columns).tolist()
    position = {} if names is None else {str(name): j for j, name in enumerate(names)}
    numbers = [entry for entry in columns if isinstance(entry, Integral)]
    if numbers and any(isinstance(name, Integral) for name in names or []):
        raise ValueError(
            f"{parameter} refers to column {numbers[0]}, which may be a position or a name, since "
            f"the columns are named {listed(names)}: write the name as text, '{numbers[0]}', "
            "rename the columns to text, or pass X.to_numpy() and positions"
        )
    found = [j for entry in columns for j in _positions(entry, n_features, position, parameter)]
    return list(dict.fromkeys(found))


def matching_columns(pattern, names):
    """Positions of the names that a pattern matches, in their order; None if it is no pattern.

    ``^(MT-|RP[SL])`` is a regular expression for the beginning of a name, ``MT-*`` a pattern for
    all of it. A name is never read as a pattern: look for it first.
    """
    if pattern.startswith("^"):
        try:
            match = re.compile(pattern).match
        except re.error as error:
            raise ValueError(f"{pattern!r} is not a valid regular expression: {error}") from None
    elif "*" in pattern or "?" in pattern:
        match = re.compile(translate(pattern)).match
    else:
        return None
    return [j for j, name in enumerate(names) if match(str(name))]


def in_column_order(values, n_features, labels=None, *, parameter):
    """One value per column, in the order of the columns.

    A pandas Series is aligned by the names of the columns, ``labels``, or taken by position if its
    index is 0, 1, ...; any other index is refused. Other values are returned as they are.
    """
    if not (hasattr(values, "index") and hasattr(values, "iloc")):
        return values
    index, labels = list(values.index), list(range(n_features) if labels is None else labels)
    place = {name: j for j, name in enumerate(index)}
    if len(place) == len(index) == len(labels) and place.keys() == set(labels):
        return values.to_numpy()[[place[name] for name in labels]]
    if index in (labels, list(range(len(index)))):
        return values.to_numpy()
    unknown = [name for name in index if name not in set(labels)]
    missing = [name for name in labels if name not in place]
    fault = f"it lacks {missing[0]!r}" if missing else "names are repeated"
    if unknown:
        hint = suggestion(unknown[0], labels)
        fault = f"it has {unknown[0]!r}, which the data do not have{hint}"
    raise ValueError(
        f"the index of {parameter} does not match the columns: {fault}. Index the Series by the "
        f"names of all columns, or pass {parameter}.to_numpy() in the order of the columns"
    )


def is_missing(label):
    """Whether a label is None, NaN, NaT or pandas.NA, of which no two are equal."""
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def check_choice(name, value, choices):
    """Raise an error that lists the choices if ``value`` is not one of them."""
    if value not in choices:
        raise ValueError(f"{name}={value!r} is unknown: use one of {', '.join(map(repr, choices))}")


def check_shape(shape, n_features, parameter):
    """Height and width as a tuple; an error unless they fit the number of features."""
    try:
        height, width = (int(side) for side in shape)
    except (TypeError, ValueError):
        raise ValueError(
            f"{parameter} must be the height and width of the images, such as (28, 28)"
        ) from None
    if height * width != n_features:
        raise ValueError(
            f"{parameter}={height}x{width} has {height * width} pixels, but the data have "
            f"{n_features} features"
        )
    return height, width


def suggestion(name, known):
    """Known names that are close to ``name`` in any case, as a question in brackets, or nothing."""
    by_lower = {}
    for other in map(str, known):
        by_lower.setdefault(other.lower(), other)
    lower = str(name).lower()
    close = [lower] if lower in by_lower else get_close_matches(lower, by_lower, cutoff=0.75)
    return f" (did you mean {' or '.join(by_lower[other] for other in close)}?)" if close else ""


def _positions(entry, n_features, position, parameter):
    if isinstance(entry, Integral):
        if not -n_features <= entry < n_features:
            raise ValueError(
                f"{parameter} refers to column {entry}, but the data have {n_features} columns "
                f"(0 to {n_features - 1}; integers are positions, not names)"
            )
        return [int(entry) % n_features]
    if str(entry) in position:
        return [position[str(entry)]]
    if not position:
        raise ValueError(
            f"{parameter} refers to column {entry!r} by name, but the data have no column names: "
            "pass a data frame, or use column positions"
        )
    names = list(position)
    matches = matching_columns(entry, names) if isinstance(entry, str) else None
    if matches is None:
        raise ValueError(
            f"{parameter}: there is no column {entry!r}{suggestion(entry, names)}; the columns are "
            f"{listed(names)}"
        )
    if not matches:
        raise ValueError(
            f"{parameter}: no column matches {entry!r}; the columns are {listed(names)}"
        )
    return [position[names[j]] for j in matches]


def unique_names(names):
    """Return names that are all different, and notes about those that were changed.

    As in pandas, the second ``a`` becomes ``a.1``, and an empty name ``Unnamed: 3``.
    """
    names = [str(name) or f"Unnamed: {j}" for j, name in enumerate(names)]
    taken, times, unique = set(names), Counter(), []
    for name in names:
        new = name
        while times[name] and new in taken:
            new = f"{name}.{times[name]}"
            times[name] += 1
        times[name] = times[name] or 1
        taken.add(new)
        unique.append(new)
    changed = {new: name for new, name in zip(unique, names, strict=True) if new != name}
    twice = list(dict.fromkeys(changed.values()))
    return unique, (f"duplicate names {listed(twice)} renamed to {listed(changed)}",) * bool(twice)


def scores_of(order: np.ndarray) -> np.ndarray:
    """Scores for an order of all features: d for the best, 1 for the last."""
    scores = np.empty(len(order))
    scores[order] = np.arange(len(order), 0, -1)
    return scores


def count_features(wanted: int | float | None, n_features: int) -> int:
    """Number of features meant by an int, a fraction, or None for half of them."""
    if wanted is None:
        return max(1, n_features // 2)
    if isinstance(wanted, float | np.floating):
        if not 0 < wanted <= 1:
            raise ValueError(
                f"n_features_to_select={wanted} is not a fraction: use a float in (0, 1], "
                "or an int for a number of features"
            )
        return max(1, round(wanted * n_features))
    if not 1 <= wanted <= n_features:
        advice = f"{n_features} or fewer" if wanted > 1 else "1 or more"
        raise ValueError(
            f"n_features_to_select={wanted} is not between 1 and the number of features, "
            f"{n_features}: use {advice}"
        )
    return int(wanted)
