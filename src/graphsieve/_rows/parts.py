"""Parts: work on fixed parts of the rows; LocalParts on the threads of this process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .base import split_rows

if TYPE_CHECKING:
    from .._utils.threads import Workers

# Entries and rows of a part for which it pays to wake a thread and to add up its sums.
_FEWEST_ENTRIES = 2**17
_FEWEST_ROWS = 16


def count_parts(n_samples: int, n_features: int) -> int:
    """1, 2, 4 or 8 parts, as many as threads can work on with profit."""
    most = min(n_samples * n_features // _FEWEST_ENTRIES, n_samples // _FEWEST_ROWS)
    return 2 ** min(3, max(0, most.bit_length() - 1))


def part_slices(n_samples: int, n_parts: int) -> list[slice]:
    """The rows of each part. They do not depend on the number of threads, nor do the sums."""
    return split_rows(n_samples, -(-n_samples // n_parts))


def add_results(results: Sequence, out: Sequence | None = None) -> Sequence:
    """Sums of the arrays in several tuples, added in order, in double precision."""
    out = [np.empty(array.shape) for array in results[0]] if out is None else out
    for total, first, *others in zip(out, *results, strict=True):
        total[:] = first
        for other in others:
            total += other
    return out


class Parts(ABC):
    """States made from parts of the rows, and functions of the states.

    What the methods return may live in other processes and is meant as an argument of the next
    call of one of them. All sums are added in the order of the parts, so that they do not depend
    on which thread or process has computed them.
    """

    @abstractmethod
    def share(self, value: Any) -> Any:
        """Make a value available to all parts."""

    @abstractmethod
    def run(self, function: Callable, *own: Sequence, shared: Sequence = ()) -> list:
        """``function(state, *own, *shared)`` for every part.

        ``own`` are lists with one entry per part, such as earlier results.
        """

    @abstractmethod
    def join(self, arrays: Sequence) -> Any:
        """Concatenate one array per part."""

    @abstractmethod
    def total(self, results: Sequence, out: Sequence[np.ndarray]) -> None:
        """Add up the arrays in the tuples ``results``, one per part, into ``out``."""


class LocalParts(Parts):
    """Parts of rows of this process, on its threads."""

    def __init__(self, data: Any, make: Callable, aligned: Sequence, workers: Workers) -> None:
        self.workers = workers
        slices = part_slices(data.n_samples, count_parts(data.n_samples, data.n_features))
        self.states = [
            make(data.take(rows), *(array[rows] for array in aligned)) for rows in slices
        ]

    def share(self, value):
        return value

    def run(self, function, *own, shared=()):
        return self.workers.map(lambda *args: function(*args, *shared), self.states, *own)

    def join(self, arrays):
        return np.concatenate(arrays)

    def total(self, results, out):
        add_results(results, out)
