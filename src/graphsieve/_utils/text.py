"""Numbers and names in messages. The command line loads this before NumPy."""

_NAMED = 10
# Ways of `graphsieve.encode`, which the command line lists before pandas is loaded.
ENCODINGS = ("onehot", "ordinal", "dates")


def counted(number, noun):
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names):
    """The first few names in quotes, and how many more there are."""
    text = ", ".join(repr(name) for name in list(names)[:_NAMED])
    return text if len(names) <= _NAMED else f"{text} and {len(names) - _NAMED} more"


def printable(text):
    r"""Text in which nothing can move the cursor, ring the bell or hide other text.

    Control characters, and characters that change the direction of writing, become escapes.

    >>> printable("a\x1b[1m")
    'a\\x1b[1m'
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in str(text)
    )
