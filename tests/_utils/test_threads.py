"""Workers do everything once, in order, and pass errors on."""

import threading
import time

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

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


def test_single_threaded_blas_nests():
    with threadpool_limits(2):
        with single_threaded_blas(), single_threaded_blas():
            assert blas_threads() == {1}
        assert blas_threads() == {2}
