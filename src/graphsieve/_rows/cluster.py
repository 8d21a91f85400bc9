"""ClusterRows: row-chunked Dask data on the workers of a cluster.

The rows are collected once into parts, RowBlocks that stay on the workers, and everything else is
sent to them as tasks. Dask recomputes what is lost with a worker. Sums are added in the order of
the parts, and arrays from another process are aligned, so no result depends on the worker.
"""

import functools
import weakref
from contextlib import contextmanager
from operator import add

import numpy as np
import scipy.sparse as sp

from .._utils.threads import single_threaded_blas
from .base import PASS_BYTES, Rows, split_rows, to_dense
from .memory import RowBlocks, aligned
from .streams import check_chunk

# Size of the parts: few enough for the scheduler, none that runs for long.
_PART_BYTES = 2**28
# The fewest parts, in number and of how many entries each.
_FEWEST_PARTS, _FEWEST_ENTRIES = 8, 2**17
# Number of results that one task combines.
_FAN_IN = 8


class ClusterRows(Rows):
    """Rows in parts, given by slices; ``make_parts`` returns the futures of their RowBlocks."""

    def __init__(self, cluster, slices, make_parts, n_features, dtype, is_sparse):
        self.cluster, self.slices = cluster, slices
        self.n_samples, self.n_features = slices[-1].stop, n_features
        self.dtype, self.is_sparse = np.dtype(dtype), is_sparse
        self._make_parts, self._futures = make_parts, None

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
        args = [self.cluster.submit(_same, arg) for arg in args]
        changed = [self.cluster.submit(change, part, *args) for part in self.futures]
        # The workers need not hold both the changed and the unchanged rows.
        self._futures = None
        kind = self.n_features, dtype, self.is_sparse
        return ClusterRows(self.cluster, self.slices, lambda: changed, *kind)

    def reduce(
        self, function, *aligned, combine=add, block_bytes=PASS_BYTES, dense=False, workers=None
    ):
        options = {"combine": combine, "block_bytes": block_bytes, "dense": dense}
        task = self.cluster.submit(_same, (function, options))
        results = [
            self.cluster.submit(_reduced, part, task, *(array[rows] for array in aligned))
            for part, rows in zip(self.futures, self.slices, strict=True)
        ]
        while len(results) > 1:
            groups = [results[i : i + _FAN_IN] for i in range(0, len(results), _FAN_IN)]
            results = [self.cluster.submit(functools.reduce, combine, group) for group in groups]
        return self.cluster.result(results[0])

    def stored(self):
        return self._stored

    @functools.cached_property
    def _stored(self):
        blocks = (self.cluster.result(block) for block in self._blocks())
        return RowBlocks(self.whole() if self.is_sparse else self.mapped(blocks, self.dtype))

    def whole(self):
        blocks = self.cluster.result(list(self._blocks()))
        return sp.vstack(blocks, format="csr") if self.is_sparse else np.concatenate(blocks)

    def _blocks(self):
        return (self.cluster.submit(RowBlocks.whole, part) for part in self.futures)


class Cluster:
    """The client of a cluster, with errors that explain what happened to it."""

    def __init__(self, client):
        self.client = client
        self._submitted = weakref.WeakSet()

    def submit(self, function, *args):
        with self._errors():
            future = self.client.submit(_on_worker, function, *args, pure=False)
        self._submitted.add(future)
        return future

    def compute(self, delayed):
        with self._errors():
            futures = self.client.compute(delayed, optimize_graph=False)
        self._submitted.update(futures)
        return futures

    def result(self, futures):
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
    is_sparse = sp.issparse(array._meta)
    dtype = np.dtype(np.float32 if array.dtype == np.float32 else np.float64)
    n_samples, n_features = array.shape
    n_entries = n_samples * n_features
    n_parts = max(
        min(_FEWEST_PARTS, n_entries // _FEWEST_ENTRIES), n_entries * dtype.itemsize // _PART_BYTES
    )
    slices = split_rows(n_samples, -(-n_samples // max(1, n_parts)))
    chunks, sizes = array.to_delayed()[:, 0].tolist(), np.array(array.chunks[0])
    edges = np.cumsum([0, *sizes])
    cluster = Cluster(client)

    def make_parts():
        futures, parts = cluster.compute(chunks), []
        for rows in slices:
            first = np.searchsorted(edges, rows.start, side="right") - 1
            own = slice(first, np.searchsorted(edges, rows.stop))
            within = slice(rows.start - edges[first], rows.stop - edges[first])
            kind = n_features, dtype, is_sparse
            parts.append(cluster.submit(_collect, futures[own], sizes[own], within, *kind))
        return parts

    return ClusterRows(cluster, slices, make_parts, n_features, dtype, is_sparse)


# The functions below run on the workers.


def _on_worker(function, *args):
    with single_threaded_blas():
        return function(*map(aligned, args))


def _same(value):
    return value


def _collect(chunks, sizes, rows, n_features, dtype, is_sparse):
    """Some rows of chunks, dense or sparse and of the type that the array promises, as a part."""
    pieces, start = [], 0
    for chunk, size in zip(chunks, sizes, strict=True):
        chunk = check_chunk(chunk, size, n_features)
        chunk = sp.csr_array(chunk) if is_sparse else np.asarray(to_dense(chunk))
        pieces.append(chunk[max(0, rows.start - start) : rows.stop - start])
        start += size
    X = sp.vstack(pieces, format="csr") if is_sparse else np.concatenate(pieces)
    return RowBlocks(X, dtype=dtype)


def _reduced(part, task, *aligned):
    function, options = task
    return part.reduce(function, *aligned, **options)
