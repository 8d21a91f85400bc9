"""Columns that users type: by name, position or pattern."""

import shlex
from fnmatch import fnmatchcase
from pathlib import Path

from .._utils.names import suggestion
from .._utils.text import listed
from .io.tables import TableError


def find_columns(items, names, option, features=None):
    """Return the positions of columns that a user asked for, in the order given.

    Each item is a name, a position from 0 (-1 is the last one), a pattern with ``*`` or ``?``, or
    several of these with commas between; the matches of a pattern are in the order of the table.
    Messages name the option that they were given to. With ``features``, the positions of some
    columns, patterns match these, and others are refused.
    """
    features = range(len(names)) if features is None else features
    position = {name: j for j, name in enumerate(names)}
    found = []
    for item in items:
        parts = [item] if item in position else [part.strip() for part in item.split(",")]
        for part in filter(None, parts):
            found += _find(part, names, position, option, features)
    if unused := sorted(set(found).difference(features)):
        raise TableError(
            f"{option}: these columns are not selected from: {listed([names[j] for j in unused])}. "
            "Another option names them, or they look like IDs (--no-ids selects from such columns)"
        )
    return list(dict.fromkeys(found))


def _find(part, names, position, option, features):
    if part in position:
        return [position[part]]
    if "*" in part or "?" in part:
        matches = [j for j in features if fnmatchcase(names[j], part)]
        if matches:
            return matches
        columns = listed([names[j] for j in features])
        raise TableError(f"{option}: no column matches {part!r}; the columns are {columns}")
    try:
        return [range(len(names))[int(part)]]
    except (ValueError, IndexError):
        kind = "file or column" if is_list(part) else "column"
        raise TableError(
            f"{option}: there is no {kind} {part!r}{suggestion(part, names)}; the columns are "
            f"{listed(names)} (0 to {len(names) - 1} by position)"
        ) from None


def is_list(text):
    """Whether a text is the name of a file with one name per line."""
    return Path(text).suffix.lower() in (".txt", ".lst")


def as_arguments(option, positions, names):
    """Return the arguments that pass these columns to an option, as one would type them."""
    alone = [j for j in positions if not _is_plain(names[j])]
    plain = [names[j] for j in positions if _is_plain(names[j])]
    # What cannot be typed has a position.
    typed = [names[j] if names[j].isprintable() else str(j) for j in alone]
    joined = [",".join(plain)] if plain else []
    return [word for value in joined + typed for word in _option(option, value)]


def _option(option, value):
    return [f"{option}={value}"] if value.startswith("-") else [option, value]


def _is_plain(name):
    return name.isprintable() and "," not in name and name == name.strip() and name != ""


def command_line(arguments):
    """Return a command, its subcommand first, as one would type it in a shell."""
    return shlex.join(["graphsieve", *arguments])
