"""Threads and memory. Threads: our own over blocks of rows, those of BLAS for large products only.

Threads of BLAS wait for each other actively, which slows down code with many small products, on a
busy machine by a factor of up to a hundred: it runs in ``single_threaded_blas`` or ``blas_for``.
"""

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import wraps
from pathlib import Path
from threading import RLock, get_ident

import numpy as np
from threadpoolctl import get_cached_controller

from .sklearn_private import default_threads

# Multiplications from which threads of BLAS are worth it: about half a second.
_WORTH_THREADS = 1e10
# Memory limit of a container, for the two versions of control groups.
_CGROUP_LIMITS = "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"


def count_threads(n_jobs):
    """Number of threads meant by ``n_jobs``: None and -1 stand for all that may be used."""
    available = default_threads()
    if n_jobs is None:
        return available
    return n_jobs if n_jobs > 0 else max(1, available + 1 + n_jobs)


# Who keeps each library at one thread, by file and, where every thread has a number of its own, by
# thread; and the library with the number that it had.
_lock = RLock()
_holders: dict[tuple, set] = {}
_before: dict[tuple, tuple] = {}


def _is_shared(library):
    """Whether the number of threads is the same for all calling threads of the process."""
    return library.internal_api == "openblas" and library.threading_layer != "openmp"


def _set_threads(library, number):
    """Set the number of threads; threadpoolctl would ignore all threads but the first to do so."""
    if _is_shared(library):
        library.clear_controlling_thread(force=True)
    library.set_num_threads(number)
    if _is_shared(library):
        library.clear_controlling_thread()


@contextmanager
def single_threaded_blas():
    """Keep BLAS and OpenMP on one thread: faster for code that makes many small calls.

    Scopes of several threads may begin and end in any order: the last one restores what was before
    the first, unless others have set something else meanwhile.
    """
    holder = object()
    try:
        with _lock:
            for library in get_cached_controller().lib_controllers:
                key = library.filepath, 0 if _is_shared(library) else get_ident()
                _holders.setdefault(key, set()).add(holder)
                if library.num_threads != 1:
                    _before[key] = library, library.num_threads  # first, for interrupts
                    _set_threads(library, 1)
        yield
    finally:
        try:
            _release(holder)
        except BaseException:  # interrupted
            _release(holder)
            raise


def _release(holder):
    """End what a holder keeps; it may be called twice."""
    with _lock:
        for key, holders in list(_holders.items()):
            holders.discard(holder)
            if not holders:
                library, number = _before.get(key, (None, 1))
                if library is not None and library.num_threads == 1:
                    _set_threads(library, number)
                _before.pop(key, None)
                del _holders[key]


def blas_for(n_multiplications):
    """A context in which BLAS has the threads that a computation of this size can use."""
    return single_threaded_blas() if n_multiplications < _WORTH_THREADS else nullcontext()


def blas_for_table(function):
    """Decorate a function whose first argument is a table: threads of BLAS if that is large."""

    @wraps(function)
    def limited(*args, **kwargs):
        X = next(iter((*args, *kwargs.values())), ())
        shape = X.shape if hasattr(X, "shape") else np.shape(X)
        with blas_for(np.prod(shape, dtype=float) * min(shape, default=0)):
            return function(*args, **kwargs)

    return limited


class Workers:
    """A pool of ``count_threads(n_jobs)`` threads; BLAS is single-threaded while it is open."""

    def __init__(self, n_jobs=None):
        self.n = count_threads(n_jobs)

    def __enter__(self):
        with ExitStack() as stack:
            stack.enter_context(single_threaded_blas())
            self._pool = ThreadPoolExecutor(self.n - 1) if self.n > 1 else None
            if self._pool is not None:
                stack.callback(self._pool.shutdown, cancel_futures=True)
            self._open = stack.pop_all()
        return self

    def __exit__(self, *exc_info):
        self._open.close()

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


def available_memory() -> float:
    """Bytes that a computation can use without swapping; infinity if the system does not say."""
    free = physical_memory()  # the free pages do not count what caches would give back
    with suppress(ImportError):
        import psutil

        free = float(psutil.virtual_memory().available)
    return min(free, *map(_limit, _CGROUP_LIMITS))


def physical_memory() -> float:
    """Bytes of memory that the machine has; infinity if the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def _limit(path):
    try:
        return float(Path(path).read_text())  # "max" is no number: no limit
    except (OSError, ValueError):
        return float("inf")
