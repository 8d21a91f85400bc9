"""ClusterRows: row-chunked Dask data on the workers of a cluster.

The rows are collected once into parts, RowBlocks that stay on the workers, and everything else is
sent to them as tasks. Dask recomputes what is lost with a worker. Results do not depend on which
worker computes them: sums are added in the order of the parts, and arrays that come from another
process are aligned before they are used.
"""

from __future__ import annotations

import functools
import operator
import weakref
from contextlib import contextmanager

import numpy as np
import scipy.sparse as sp

from .._utils.threads import single_threaded_blas
from .base import PASS_BYTES, Rows, add_results, count_parts, part_slices, to_dense
from .memory import Parts, RowBlocks, aligned
from .streams import check_chunk

# Size of the parts of large data: few enough parts for the scheduler, none that runs for long.
_PART_BYTES = 2**28

# Number of results that one task combines: as many as Parts adds up, for the same sums.
_FAN_IN = 8


class ClusterRows(Rows):
    """Rows in parts, given by slices; ``make_parts`` returns the futures of their RowBlocks."""

    def __init__(self, cluster, slices, make_parts, n_features, dtype, is_sparse):
        self.cluster, self.slices = cluster, slices
        self.n_samples, self.n_features = slices[-1].stop, n_features
        self.dtype, self.is_sparse = np.dtype(dtype), is_sparse
        self._make_parts = make_parts
        self._futures = self._stored = None

    @property
    def futures(self):
        """The parts, which are collected on the workers at first use."""
        if self._futures is None:
            self._futures = self._make_parts()
        return self._futures

    def scaled(self, scaling, dtype):
        return self._changed(RowBlocks.scaled, (scaling, np.dtype(dtype)), dtype)

    def filled(self, value):
        return self._changed(RowBlocks.filled, (value,), self.dtype)

    def _changed(self, change, args, dtype):
        """ClusterRows of ``change(part, *args)`` for every part."""
        args = [self.cluster.submit(_same, arg) for arg in args]
        changed = [self.cluster.submit(change, part, *args) for part in self.futures]
        # The workers need not hold both the changed and the unchanged rows.
        self._futures = None
        kind = self.n_features, dtype, self.is_sparse
        return ClusterRows(self.cluster, self.slices, lambda: changed, *kind)

    def reduce(
        self, function, *aligned, combine=operator.add, block_bytes=PASS_BYTES, workers=None
    ):
        task = self.cluster.submit(_same, (function, combine, block_bytes))
        results = [
            self.cluster.submit(_reduce, part, task, *(array[rows] for array in aligned))
            for part, rows in zip(self.futures, self.slices, strict=True)
        ]
        return self.cluster.result(_tree(self.cluster.submit, _combine, results, task))

    def stored(self):
        """All rows on this machine, for the comparison of samples."""
        if self._stored is None:
            blocks = (self.cluster.result(block) for block in self._blocks())
            X = self.whole() if self.is_sparse else self.mapped(blocks, self.dtype)
            self._stored = RowBlocks(X)
        return self._stored

    def parts(self, make, *aligned, workers):
        states = [
            self.cluster.submit(make, part, *(array[rows] for array in aligned))
            for part, rows in zip(self.futures, self.slices, strict=True)
        ]
        return ClusterParts(self.cluster, states)

    def whole(self):
        blocks = self.cluster.result(list(self._blocks()))
        return sp.vstack(blocks, format="csr") if self.is_sparse else np.concatenate(blocks)

    def _blocks(self):
        return (self.cluster.submit(RowBlocks.whole, part) for part in self.futures)


class ClusterParts(Parts):
    """Parts on a cluster: the states stay there, and a whole evaluation is sent as one graph."""

    def __init__(self, cluster, states):
        self.cluster, self.states = cluster, states

    def share(self, value):
        from dask import delayed

        return delayed(value, pure=False, traverse=False)

    def run(self, function, *own, shared=()):
        return [
            _later(_run_state, function, *args, *shared)
            for args in zip(self.states, *own, strict=True)
        ]

    def join(self, arrays):
        return _later(np.concatenate, arrays)

    def total(self, results, out):
        total = self.cluster.compute(_tree(_later, add_results, results))
        add_results([self.cluster.result(total)], out)


def _later(function, *args):
    """A task of a graph that has not been sent yet."""
    from dask import delayed

    return delayed(_on_worker, pure=False)(function, *args)


def _tree(send, function, results, *args):
    """Combine results by tasks ``function(list of results, *args)``, a few at a time, in order."""
    while True:
        groups = [results[i : i + _FAN_IN] for i in range(0, len(results), _FAN_IN)]
        results = [send(function, group, *args) for group in groups]
        if len(results) == 1:
            return results[0]


class Cluster:
    """The client of a cluster, with errors that explain what happened to it."""

    def __init__(self, client):
        self.client = client
        self._submitted = weakref.WeakSet()

    def submit(self, function, *args, worker=None):
        """Future of ``function(*args)``, of futures or values, if possible on this worker."""
        where = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        with self._errors():
            future = self.client.submit(_on_worker, function, *args, pure=False, **where)
        self._submitted.add(future)
        return future

    def spread(self, n):
        """Addresses of workers for ``n`` things of equal size, neighbours on the same worker."""
        addresses = sorted(self.client.scheduler_info(n_workers=-1)["workers"])
        if not addresses:
            return [None] * n  # any worker that joins
        return [addresses[k * len(addresses) // n] for k in range(n)]

    def compute(self, delayed):
        """Future of a delayed object, or futures of a list of them."""
        with self._errors():
            futures = self.client.compute(delayed, optimize_graph=False)
        self._submitted.update(futures if isinstance(futures, list) else [futures])
        return futures

    def result(self, futures):
        """Result of a future, or of each of a list of them."""
        with self._errors():
            return self.client.gather(futures)

    @contextmanager
    def _errors(self):
        from distributed import CancelledError, KilledWorker
        from distributed.comm import CommClosedError

        try:
            yield
        except KilledWorker as error:
            raise RuntimeError(
                f"several workers that held the same rows died one after another ({error}). "
                "Most often they ran out of memory: use more or larger workers"
            ) from error
        except (CancelledError, CommClosedError) as error:
            scheduler = self.client.scheduler
            where = "" if scheduler is None else f" at {scheduler.address}"
            raise ConnectionError(
                f"the Dask scheduler{where} was lost, or the work was cancelled there. The "
                "estimator is unchanged: connect to a running cluster and fit again"
            ) from error
        except KeyboardInterrupt:
            self.client.cancel(list(self._submitted), force=True)
            raise


def open_cluster(array, client):
    """ClusterRows of a Dask array with known chunk sizes, chunked by rows only."""
    is_sparse = sp.issparse(array._meta)
    dtype = np.dtype(np.float32 if array.dtype == np.float32 else np.float64)
    n_samples, n_features = array.shape
    # As many parts as in memory, so that sums are the same, or more for large data.
    n_bytes = n_samples * n_features * dtype.itemsize
    n_parts = max(count_parts(n_samples, n_features), -(-n_bytes // _PART_BYTES))
    slices = part_slices(n_samples, n_parts)
    chunks = array.to_delayed()[:, 0]
    edges = np.cumsum([0, *array.chunks[0]])
    cluster = Cluster(client)

    def make_parts():
        pieces = [_pieces(chunks, edges, rows, n_features) for rows in slices]
        futures = iter(cluster.compute([piece for some in pieces for piece in some]))
        addresses = cluster.spread(len(slices))
        return [
            cluster.submit(
                _collect, [next(futures) for _ in some], dtype, is_sparse, worker=address
            )
            for some, address in zip(pieces, addresses, strict=True)
        ]

    return ClusterRows(cluster, slices, make_parts, n_features, dtype, is_sparse)


def _pieces(chunks, edges, rows, n_columns):
    """The chunks, or slices of them, that hold these rows."""
    first = np.searchsorted(edges, rows.start, side="right") - 1
    last = np.searchsorted(edges, rows.stop)
    pieces = []
    for chunk, start, stop in zip(
        chunks[first:last], edges[first:last], edges[first + 1 : last + 1], strict=True
    ):
        low, high = max(start, rows.start), min(stop, rows.stop)
        if low < high:
            whole = (low, high) == (start, stop)
            size = int(stop - start), n_columns
            chunk = _later(check_chunk, chunk, *size)
            pieces.append(chunk if whole else chunk[low - start : high - start])
    return pieces


# The functions below run on the workers.


def _on_worker(function, *args):
    with single_threaded_blas():
        return function(*map(aligned, args))


def _run_state(function, state, *args):
    """Results must not share memory with the state, which a later task may change."""
    result = function(state, *args)
    if isinstance(result, tuple):
        return tuple(array.copy() for array in result)
    return result.copy()


def _same(value):
    return value


def _collect(pieces, dtype, is_sparse):
    """One part, dense or sparse and of the type that the metadata of the array promise."""
    if is_sparse:
        X = sp.vstack([sp.csr_array(piece) for piece in pieces], format="csr")
    else:
        X = np.concatenate([np.asarray(to_dense(piece)) for piece in pieces])
    return RowBlocks(X, dtype=dtype)


def _reduce(part, task, *aligned):
    function, combine, block_bytes = task
    return part.reduce(function, *aligned, combine=combine, block_bytes=block_bytes)


def _combine(results, task):
    return functools.reduce(task[1], results)
