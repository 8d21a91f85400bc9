"""Threads over row blocks, with BLAS limited to one thread each.

Many small products per evaluation run faster on our own threads than on threaded BLAS, which
slows down code with many tiny BLAS calls by a factor of up to a hundred.
"""

import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from threading import Lock

from threadpoolctl import ThreadpoolController

from .sklearn_private import default_threads

# Multiplications from which threads of BLAS are worth it: about half a second.
_WORTH_THREADS = 1e10


def count_threads(n_jobs):
    """Number of threads meant by ``n_jobs``: None and -1 stand for all that may be used."""
    available = default_threads()
    if n_jobs is None:
        return available
    return n_jobs if n_jobs > 0 else max(1, available + 1 + n_jobs)


def _loaded_libraries():
    """The BLAS and OpenMP libraries of the process, including those loaded since the last fit."""
    return _libraries_after_imports(len(sys.modules))


@lru_cache(maxsize=1)
def _libraries_after_imports(n_modules):
    """Finding the libraries takes longer (5 ms) than many fits, and only an import adds some."""
    return ThreadpoolController()


class _BlasLimit:
    """Limits BLAS to one thread while at least one fit of the process asks for it.

    The limit is a property of the process. A set of holders under a lock lets fits in several
    threads overlap in any order: the first sets the limit, and the last restores what was there
    before. Holders can be released twice, so that an interrupt does not leave one behind.
    """

    def __init__(self):
        self._lock = Lock()
        self._holders = set()
        self._original = None

    def acquire(self, holder):
        with self._lock:
            self._holders.add(holder)
            if self._original is None:
                self._original = _loaded_libraries().limit(limits=1)

    def release(self, holder):
        with self._lock:
            self._holders.discard(holder)
            if not self._holders and self._original is not None:
                self._original.restore_original_limits()
                self._original = None


_blas_limit = _BlasLimit()


@contextmanager
def single_threaded_blas():
    """Keep BLAS on one thread: faster for code that makes many small BLAS calls."""
    holder = object()
    try:
        _blas_limit.acquire(holder)
        yield
    finally:
        _release(holder)


def _release(holder):
    try:
        _blas_limit.release(holder)
    except BaseException:  # interrupted
        _blas_limit.release(holder)
        raise


def blas_for(n_multiplications):
    """A context in which BLAS has the threads that a computation of this size can use.

    Threads gain little on small matrices, and on a busy machine they wait for each other: there a
    decomposition of 300 x 200 takes seconds instead of milliseconds.
    """
    return single_threaded_blas() if n_multiplications < _WORTH_THREADS else nullcontext()


class Workers:
    """A pool of threads; BLAS is single-threaded while it is open.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Number of threads, as in :func:`count_threads`.
    """

    def __init__(self, n_jobs=None):
        self.n = count_threads(n_jobs)

    def __enter__(self):
        self._holder = object()
        try:
            _blas_limit.acquire(self._holder)
            self._pool = ThreadPoolExecutor(self.n - 1) if self.n > 1 else None
        except BaseException:
            _release(self._holder)
            raise
        return self

    def __exit__(self, *exc_info):
        try:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)
        finally:
            _release(self._holder)

    def map(self, function, *arguments):
        """``[function(*args) for args in zip(*arguments)]``, in order, on the threads."""
        calls = list(zip(*arguments, strict=True))
        if self._pool is None or len(calls) < 2:
            return [function(*call) for call in calls]
        results = [None] * len(calls)
        waiting = iter(range(len(calls)))  # a thread that is free takes the next

        def work():
            try:
                for number in waiting:
                    results[number] = function(*calls[number])
            except BaseException:
                deque(waiting, maxlen=0)  # no thread starts anything new
                raise

        # Waking a thread takes as long as a small block: this thread works too, and the others
        # are woken once instead of once per call.
        others = [self._pool.submit(work) for _ in range(min(self.n, len(calls)) - 1)]
        try:
            work()
        finally:
            wait(others)
        for other in others:
            other.result()
        return results
