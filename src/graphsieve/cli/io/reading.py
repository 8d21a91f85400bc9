"""How a file is to be read: the options that concern the input, and the sizes that are refused.

A file of a kilobyte can declare an array of a petabyte. What has to fit in memory may be as large
as the memory of the machine; what is read in pieces may be larger.
"""

import math
from dataclasses import dataclass

from ..._utils.threads import physical_memory
from .tables import TableError

# A pass over this much takes hours, and the temporary copy of many methods fills most disks.
_STREAM_LIMIT = 2**40


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

    def check_size(self, name, n_bytes, *, streamed=False, what="it"):
        """Raise an error if a file needs more memory, or more reading, than is allowed."""
        limit = self.max_bytes or (_STREAM_LIMIT if streamed else physical_memory())
        if n_bytes > limit:
            why = "limit" if self.max_bytes or streamed else "memory of this machine"
            raise TableError(
                f"{name}: {what} takes {_in_gigabytes(n_bytes)} unpacked, more than the {why} "
                f"({_in_gigabytes(limit)}). If that is right, raise the limit with --max-size GB"
            )


def array_bytes(shape, dtype):
    """Return the size of an array, in integers that cannot overflow."""
    return math.prod(map(int, shape)) * dtype.itemsize


def _in_gigabytes(n_bytes):
    """1.5 GB, 2,000 GB."""
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes < 1e12 else f"{n_bytes / 1e9:,.0f} GB"
