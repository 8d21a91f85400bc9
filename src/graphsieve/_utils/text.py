"""Names that come from users' files, made safe to show."""

import re

# Control characters, and those that change the direction of the text around them.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text):
    r"""Replace characters that cannot be seen, or that change what is around them, by a sign.

    Parameters
    ----------
    text : object
        Its ``str`` is shown.

    Returns
    -------
    str

    Examples
    --------
    >>> printable("a\x1b[1m")
    'a�[1m'
    """
    return _INVISIBLE.sub("\ufffd", str(text))
