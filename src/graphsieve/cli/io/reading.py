"""How a file is to be read: the options of the command that concern the input."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """Options for reading a file; ``None`` means to find out.

    Parameters
    ----------
    key : str or None
        Which array, data set or sheet to take from a file that holds several.
    header : bool
        Whether the first line holds the names of the columns.
    separator, decimal, encoding : str or None
        Layout of a text file.
    index : bool
        Whether the first column holds the names of the rows.
    transpose : bool
        Whether the file has one feature per row.
    whole : bool
        Whether the table is needed in memory.
    max_bytes : float or None
        Largest size that is read.
    """

    key: str | None = None
    header: bool = True
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    index: bool = False
    transpose: bool = False
    whole: bool = False
    max_bytes: float | None = None
