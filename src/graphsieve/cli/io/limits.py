"""Sizes that are refused before anything is read.

A file of a kilobyte can declare an array of a petabyte. What has to fit in memory may be as large
as the memory of the machine; what is read in pieces may be larger.
"""

import math

from ..._utils.memory import physical_memory
from .tables import TableError

# A pass over this much takes hours, and the temporary copy of many methods fills most disks.
_STREAM_LIMIT = 2**40


def check_size(path, n_bytes, reading, *, streamed=False, what="it"):
    """Raise an error if a file needs more memory, or more reading, than is allowed."""
    limit = reading.max_bytes or (_STREAM_LIMIT if streamed else physical_memory())
    if n_bytes > limit:
        why = "limit" if reading.max_bytes or streamed else "memory of this machine"
        raise TableError(
            f"{path}: {what} takes {in_gigabytes(n_bytes)} unpacked, more than the {why} "
            f"({in_gigabytes(limit)}). If that is right, raise the limit with --max-size GB"
        )


def array_bytes(shape, dtype):
    """Return the size of an array, in integers that cannot overflow."""
    return math.prod(map(int, shape)) * dtype.itemsize


def in_gigabytes(n_bytes):
    """1.5 GB, 2,000 GB."""
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes < 1e12 else f"{n_bytes / 1e9:,.0f} GB"
