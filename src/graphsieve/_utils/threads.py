"""Threads over row blocks, with BLAS held to one thread each.

Many small products per evaluation run faster on our own threads than on threaded BLAS, and
SciPy's L-BFGS-B makes many tiny BLAS calls that threaded BLAS slows down by a factor of a hundred.
"""

from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache

from threadpoolctl import ThreadpoolController

from .sklearn_private import default_threads


def count_threads(n_jobs):
    """Number of threads meant by ``n_jobs``: None is all that may be used, -1 as well."""
    available = default_threads()
    if n_jobs is None:
        return available
    return n_jobs if n_jobs > 0 else max(1, available + 1 + n_jobs)


@cache
def _loaded_libraries():
    """The BLAS and OpenMP libraries in use; to look for them takes longer than many a fit."""
    return ThreadpoolController()


class Workers:
    """A pool of ``n`` threads; BLAS is single-threaded while it is open."""

    def __init__(self, n_jobs=None):
        self.n = count_threads(n_jobs)

    def __enter__(self):
        self._limits = _loaded_libraries().limit(limits=1)
        self._pool = ThreadPoolExecutor(self.n - 1) if self.n > 1 else None
        return self

    def __exit__(self, *exc_info):
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._limits.restore_original_limits()

    def map(self, function, *arguments):
        """``[function(*args) for args in zip(*arguments)]``, in order, on the threads."""
        calls = list(zip(*arguments, strict=True))
        if self._pool is None or len(calls) < 2:
            return [function(*call) for call in calls]
        results = [None] * len(calls)
        waiting = iter(range(len(calls)))  # whoever is free takes the next

        def work():
            try:
                for number in waiting:
                    results[number] = function(*calls[number])
            except BaseException:
                deque(waiting, maxlen=0)  # nobody starts anything new
                raise

        # To wake a thread takes as long as a small block: this one works too, and the others are
        # woken once, not for every call.
        others = [self._pool.submit(work) for _ in range(min(self.n, len(calls)) - 1)]
        try:
            work()
        finally:
            wait(others)
        for other in others:
            other.result()
        return results
