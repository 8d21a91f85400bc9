"""LocalParts: work on fixed parts of the rows, on the threads of this process."""

import numpy as np

from .base import split_rows

# Entries, and rows, of a part for which it is worth waking a thread and adding up its sums.
_FEWEST_ENTRIES = 2**17
_FEWEST_ROWS = 16


def count_parts(n_samples, n_features):
    """1, 2, 4 or 8: enough for as many threads, as far as there is work for them."""
    most = min(n_samples * n_features // _FEWEST_ENTRIES, n_samples // _FEWEST_ROWS)
    return 2 ** min(3, max(0, most.bit_length() - 1))


def part_slices(n_samples, n_parts):
    """The rows of each part. They do not depend on the number of threads: nor do the sums."""
    return split_rows(n_samples, -(-n_samples // n_parts))


def add_results(results, out=None):
    """Sums of the arrays in several tuples of them, in their order, in double precision."""
    out = [np.empty(array.shape) for array in results[0]] if out is None else out
    for total, first, *others in zip(out, *results, strict=True):
        total[:] = first
        for other in others:
            total += other
    return out


class LocalParts:
    """States made from the parts of the rows, and functions of them.

    ``run`` gives one result for every part, ``join`` and ``total`` put them together, ``share``
    makes something known to all parts. What they return is for the next call of one of them.
    """

    def __init__(self, data, make, aligned, workers):
        self.workers = workers
        slices = part_slices(data.n_samples, count_parts(data.n_samples, data.n_features))
        self.states = [
            make(data.take(rows), *(array[rows] for array in aligned)) for rows in slices
        ]

    def share(self, value):
        return value

    def run(self, function, *own, shared=()):
        """``function(state, *own, *shared)`` for every part.

        ``own`` are lists with an entry for every part, such as earlier results.
        """
        return self.workers.map(lambda *args: function(*args, *shared), self.states, *own)

    def join(self, arrays):
        """One array below the other."""
        return np.concatenate(arrays)

    def total(self, results, out):
        """Sums of the arrays in the tuples ``results``, in the order of the parts, to ``out``."""
        add_results(results, out)
