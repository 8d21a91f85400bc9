"""Workers do everything once; the threads of BLAS are limited, and always restored."""

import random
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import threadpoolctl
from sklearn.base import clone
from threadpoolctl import get_cached_controller, threadpool_info, threadpool_limits

from graphsieve import AEFS, MCFS, GreedyCSS, Variance
from graphsieve._utils import threads
from graphsieve._utils.threads import Workers, blas_for_table, single_threaded_blas


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
    return {library["num_threads"] for library in get_cached_controller().info()}


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


def interrupt_at(step):
    """A trace function that raises KeyboardInterrupt once, at this step of changing the threads.

    A step is a call of any function, or a line of ``_set_threads``.
    """
    left = [step]

    def trace(frame, event, _):
        if frame.f_code.co_filename not in (threads.__file__, threadpoolctl.__file__):
            return None
        if event == "call" or (event == "line" and frame.f_code.co_name == "_set_threads"):
            left[0] -= 1
            if left[0] == -1:
                raise KeyboardInterrupt
        return trace

    return trace


@pytest.mark.parametrize("context", [single_threaded_blas, lambda: Workers(1)])
def test_an_interrupt_at_any_step_restores_the_blas_threads(context):
    """Ctrl-C while the limit is set or lifted; the trace function of coverage tools is kept."""
    tracing, n_interrupted = sys.gettrace(), 0
    with threadpool_limits(2):
        for step in range(1000):
            was_interrupted = False
            try:
                sys.settrace(interrupt_at(step))
                with context():
                    pass
            except KeyboardInterrupt:
                was_interrupted = True
            finally:
                sys.settrace(tracing)
            assert blas_threads() == {2}, step
            assert not threads._holders, step
            if not was_interrupted:
                break
            n_interrupted += 1
    assert 20 < n_interrupted < 999


def test_an_interrupt_when_the_pool_starts_restores_the_blas_threads(monkeypatch):
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


def run_in_threads(function, n_threads):
    """Call the function with 0, 1, ... in as many threads; errors are raised here."""
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(function, range(n_threads)))


def test_the_first_scope_may_end_first_in_another_thread():
    """The thread that set the limit is not the one that lifts it."""
    began, may_end = threading.Event(), threading.Event()

    def other():
        with single_threaded_blas():
            began.set()
            may_end.wait(timeout=10)
            inside = blas_threads()
        return inside

    with threadpool_limits(2), ThreadPoolExecutor(1) as pool:
        with single_threaded_blas():
            later = pool.submit(other)
            assert began.wait(timeout=10)
        may_end.set()
        assert later.result() == {1}
        assert blas_threads() == {2}
        with threadpool_limits(3):
            assert blas_threads() == {3}


@pytest.mark.parametrize("n_threads", [2, 4, 8])
def test_overlapping_scopes_in_threads_always_restore_the_blas_threads(n_threads):
    rounds = 200
    barrier = threading.Barrier(n_threads + 1)
    wrong = []

    def scopes(seed):
        rng = random.Random(seed)
        for _ in range(rounds):
            barrier.wait(timeout=60)
            time.sleep(rng.choice([0, 1e-5, 1e-4]))
            with single_threaded_blas():
                time.sleep(rng.choice([0, 1e-5, 1e-4]))
                with Workers(1):
                    wrong.extend(blas_threads() - {1})
            barrier.wait(timeout=60)

    with threadpool_limits(2), ThreadPoolExecutor(n_threads) as pool:
        done = [pool.submit(scopes, seed) for seed in range(n_threads)]
        for _ in range(rounds):
            barrier.wait(timeout=60)
            barrier.wait(timeout=60)
            assert blas_threads() == {2}
        assert [future.result() for future in done] == [None] * n_threads
    assert not wrong


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_threads", [2, 4, 8])
def test_overlapping_fits_in_threads_leave_the_blas_threads_as_they_were(rng, n_threads):
    X = rng.random((40, 8))
    methods = [AEFS(3, alpha=1e-6, tol=0.01, random_state=0), GreedyCSS(3), MCFS(3), Variance(3)]

    def fit(number):
        return clone(methods[number % 4]).fit(X).support_.tolist()

    with threadpool_limits(2):
        alone = [fit(number) for number in range(n_threads)]
        for _ in range(5):
            assert run_in_threads(fit, n_threads) == alone
            assert blas_threads() == {2}


@pytest.mark.filterwarnings("ignore")
def test_a_fit_in_another_thread_than_the_users_limit_has_one_thread(rng):
    """threadpoolctl lets only one thread set the limit, here the one of the user."""
    X, seen = rng.random((40, 8)), []

    def fit(_):
        AEFS(3, max_iter=3, tol=1, callback=lambda *_: seen.append(blas_threads())).fit(X)

    with threadpool_limits(2):
        run_in_threads(fit, 1)
        assert seen
        assert all(numbers == {1} for numbers in seen)
        assert blas_threads() == {2}


def test_what_others_set_while_a_scope_is_open_stays():
    with threadpool_limits(2):
        with single_threaded_blas():
            threadpool_limits(3)
        assert blas_threads() == {3}


@pytest.mark.parametrize(("shape", "expected"), [((300, 80), {1}), ((10**5, 10**3), {2})])
def test_small_tables_use_one_thread_of_blas(shape, expected):
    """A table of zeros takes no memory until it is read."""
    with threadpool_limits(2):
        assert blas_for_table(lambda X: blas_threads())(np.zeros(shape)) == expected
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
