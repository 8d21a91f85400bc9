"""Workers do everything once, in order, and pass errors on."""

import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from graphsieve import GAFS
from graphsieve._utils import threads
from graphsieve._utils.threads import Workers, single_threaded_blas


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("n_calls", [0, 1, 2, 40])
def test_results_are_in_order(n, n_calls):
    with Workers(n) as workers:
        results = workers.map(lambda a, b: a - b, range(n_calls), range(0, 2 * n_calls, 2))
    assert results == [-k for k in range(n_calls)]


def test_all_threads_are_at_work():
    barrier = threading.Barrier(3)
    with Workers(3) as workers:
        workers.map(lambda _: barrier.wait(timeout=10), range(6))


@pytest.mark.parametrize("n", [1, 3])
def test_an_error_ends_the_work(n):
    begun = []

    def fail(k):
        begun.append(k)
        if k == 2:
            raise ValueError("no")
        time.sleep(0.01)

    with Workers(n) as workers:
        with pytest.raises(ValueError, match="no"):
            workers.map(fail, range(500))
        assert workers.map(abs, [-1, -2]) == [1, 2]
    assert len(begun) < 500


def blas_threads():
    return {library["num_threads"] for library in threadpool_info()}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_overlapping_fits_restore_the_blas_threads(order):
    """Two fits in two threads may end in any order: the limit ends with the last of them."""
    with threadpool_limits(2):
        fits = [Workers(1), Workers(1)]
        for fit in fits:
            fit.__enter__()
        fits[order[0]].__exit__()
        assert blas_threads() == {1}
        fits[order[1]].__exit__()
        assert blas_threads() == {2}


@pytest.mark.parametrize("context", [single_threaded_blas, lambda: Workers(1)])
def test_an_interrupt_at_the_end_restores_the_blas_threads(monkeypatch, context):
    plain, calls = threads._BlasLimit.release, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        plain(*arguments)

    monkeypatch.setattr(threads._BlasLimit, "release", interrupted)
    with threadpool_limits(2):
        with pytest.raises(KeyboardInterrupt), context():
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_an_interrupt_at_the_start_restores_the_blas_threads(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(threads, "ThreadPoolExecutor", interrupted)
    with threadpool_limits(2):
        with pytest.raises(KeyboardInterrupt), Workers(2):
            pass
        assert blas_threads() == {2}


def test_single_threaded_blas_nests():
    with threadpool_limits(2):
        with single_threaded_blas(), single_threaded_blas():
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_two_fits_in_two_threads_leave_the_blas_threads_as_they_were(rng):
    X = rng.random((40, 8))
    errors = []

    def fit(seed):
        try:
            GAFS(3, n_hidden=4, max_iter=5, tol=1, random_state=seed).fit(X)
        except Exception as error:
            errors.append(error)

    with threadpool_limits(2):
        fits = [threading.Thread(target=fit, args=(seed,)) for seed in range(4)]
        for thread in fits:
            thread.start()
        for thread in fits:
            thread.join()
        assert not errors
        assert blas_threads() == {2}


LATER = """
import sys
from threadpoolctl import threadpool_info, threadpool_limits
from graphsieve import GAFS
from graphsieve._utils.threads import single_threaded_blas

with single_threaded_blas():
    pass
before = len(threadpool_info())
sys.path.insert(0, sys.argv[1])
import late
assert len(threadpool_info()) == before + 1, "the library is the same as one that was loaded"
with threadpool_limits(2):
    with single_threaded_blas():
        print([library["num_threads"] for library in threadpool_info()])
    print([library["num_threads"] for library in threadpool_info()])
"""


@pytest.mark.slow
def test_libraries_that_are_loaded_after_the_first_fit_are_limited(tmp_path):
    """A package that brings its own BLAS, here a copy of NumPy's, is imported between two fits."""
    np.ones((2, 2)) @ np.ones((2, 2))
    blas = [library["filepath"] for library in threadpool_info() if library["user_api"] == "blas"]
    if not blas:
        pytest.skip("needs a BLAS that threadpoolctl knows")
    copy = tmp_path / "libopenblas_late.so"
    shutil.copy(blas[0], copy)
    (tmp_path / "late.py").write_text(f"import ctypes\nctypes.CDLL({str(copy)!r})\n")
    command = [sys.executable, "-c", LATER, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    inside, after = done.stdout.splitlines()
    assert set(inside) - set("[], ") == {"1"}
    assert set(after) - set("[], ") == {"2"}
