"""LocalParts: work on fixed parts of the rows, on the threads of this process."""

import numpy as np

from .base import split_rows


def count_parts(n_samples):
    """1, 2, 4 or 8: enough for as many threads, with at least 128 rows each."""
    return 2 ** min(3, max(0, (n_samples // 128).bit_length() - 1))


def part_slices(n_samples, n_parts):
    """The rows of each part. They do not depend on the number of threads: nor do the sums."""
    return split_rows(n_samples, -(-n_samples // n_parts))


def add_results(results):
    """Sums of the arrays in several tuples of them, in their order, in double precision."""
    first, *others = results
    totals = [np.array(array, dtype=np.float64) for array in first]
    for other in others:
        for total, array in zip(totals, other, strict=True):
            total += array
    return totals


class LocalParts:
    """States made from the parts of the rows, and functions of them.

    ``run`` gives one result for every part, ``join`` and ``total`` put them together, ``share``
    makes something known to all parts. What they return is for the next call of one of them,
    except for ``total``: its result is here.
    """

    def __init__(self, data, make, aligned, workers):
        self.workers = workers
        slices = part_slices(data.n_samples, count_parts(data.n_samples))
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

    def total(self, results):
        """Sums of the arrays in the tuples ``results``, in the order of the parts."""
        return add_results(results)
