"""RowBlocks: rows of dense, CSR and memory-mapped data on this machine.

Dense arrays in memory and CSR matrices are scaled once; memory-mapped arrays are scaled block by
block every time they are read, so that no copy of the whole array is ever made.
"""

import functools
import mmap
from operator import add

import numpy as np
import scipy.sparse as sp

from .base import BLOCK_BYTES, PASS_BYTES, Rows, fill_block, split_rows, to_dense

# Pages of a memory map stay in the memory of the process until the system needs them elsewhere.
# After this many bytes we give them back; the system may still have them for the next pass.
_RELEASE_BYTES = 2**25


class RowBlocks(Rows):
    """Rows of an array, memory map or CSR matrix in floats of type ``dtype``, a block at a time.

    NaN in column j is replaced by ``fill[j]``, and then the columns are scaled, where asked for.
    The type is float64 by default, or float32 for float32 data.
    """

    def __init__(self, X, *, scaling=None, fill=None, dtype=None):
        self.n_samples, self.n_features = X.shape
        self.is_sparse = sp.issparse(X)
        self.in_memory = self.is_sparse or not is_mapped(X)
        if dtype is None:
            dtype = np.float32 if X.dtype == np.float32 else np.float64
        self.dtype = np.dtype(dtype)
        # Sums of a csr_array are arrays, those of a csr_matrix are matrices.
        self._X = sp.csr_array(X) if self.is_sparse and not isinstance(X, sp.csr_array) else X
        if self.is_sparse and not self._X.has_canonical_format:
            self._X = self._X.copy()  # the user's matrix is left unchanged
            self._X.sum_duplicates()
        self._pages, self._fill, self._scaling = None, fill, scaling
        if self.in_memory:  # it is changed now, and a block of a map every time it is read
            self._X = self._changed(self._X)
            self._fill = self._scaling = None
        else:
            self._pages = Pages(X)

    def _changed(self, X):
        if self._fill is not None:
            X = fill_block(X, self._fill)
        return X if self._scaling is None else self._scaling.block(X, self.dtype)

    def __setstate__(self, state):
        vars(self).update(state)
        self._X = aligned(self._X)

    def size(self):
        X = self._X
        return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if self.is_sparse else X.nbytes

    # Dask moves tasks to the data, not data to the tasks, if it knows how large they are.
    __sizeof__ = size

    def scaled(self, scaling, dtype):
        return RowBlocks(self._X, scaling=scaling, fill=self._fill, dtype=dtype)

    def filled(self, value):
        return RowBlocks(self._X, fill=value, dtype=self.dtype)

    def whole(self):
        X = self._X
        return X.astype(self.dtype, copy=False) if self.is_sparse else self.rows(slice(None))

    def rows(self, rows):
        """Rows as they are stored: a float ndarray or CSR array; a slice copies no entry."""
        if self.is_sparse and isinstance(rows, slice):
            return _slice_csr(self._X, rows).astype(self.dtype, copy=False)
        X = self._X[rows]
        if self._pages is not None:
            self._pages.count(X.nbytes)
        X = self._changed(X).astype(self.dtype, copy=False)
        return X if self.is_sparse else np.asarray(X)

    def dense(self, rows):
        return to_dense(self.rows(rows))

    def slices(self, block_bytes=PASS_BYTES, dense=False):
        """Slices of rows that take about so many bytes each, as they are stored or dense."""
        n_bytes = self.n_features * self.n_samples * self.dtype.itemsize
        if self.is_sparse and not dense:
            n_bytes = self._X.nnz * (self.dtype.itemsize + self._X.indices.itemsize)
        n_rows = int(block_bytes * self.n_samples // max(1, n_bytes))
        return split_rows(self.n_samples, max(1, n_rows))

    def __iter__(self):
        for rows in self.slices():
            yield rows, self.rows(rows)

    def reduce(
        self, function, *aligned, combine=add, block_bytes=PASS_BYTES, dense=False, workers=None
    ):
        read = self.dense if dense else self.rows

        def on_block(rows):
            return function(read(rows), *(array[rows] for array in aligned))

        slices = self.slices(block_bytes, dense)
        if workers is None:
            return functools.reduce(combine, map(on_block, slices))
        # A few blocks per thread at a time, so that few results wait to be combined.
        step = 4 * workers.n
        results = (
            result
            for start in range(0, len(slices), step)
            for result in workers.map(on_block, slices[start : start + step])
        )
        return functools.reduce(combine, results)

    def reduce_pairs(self, function, i, j, *aligned):
        return functools.reduce(add, self._of_pairs(function, i, j, aligned))

    def map_pairs(self, function, i, j, *aligned, workers=None):
        """``function(rows i, rows j, *aligned)``, one value per pair, in the order of the pairs."""
        values = list(self._of_pairs(function, i, j, aligned, workers))
        return np.concatenate(values) if values else np.empty(0, self.dtype)

    def _of_pairs(self, function, i, j, aligned, workers=None):

        def on_pairs(pairs):
            ours = (array[pairs] for array in aligned)
            return function(self.rows(i[pairs]), self.rows(j[pairs]), *ours)

        n_pairs = max(1, BLOCK_BYTES // (2 * self.n_features * self.dtype.itemsize))
        blocks = split_rows(len(i), n_pairs)
        return map(on_pairs, blocks) if workers is None else workers.map(on_pairs, blocks)


def aligned(value):
    """``value`` with arrays, also those in lists and tuples, at aligned addresses, where another
    process may have put them at any byte: some sums then have another order."""
    if type(value) in (list, tuple):
        return type(value)(map(aligned, value))
    if isinstance(value, np.ndarray) and not value.flags.aligned:
        return value.copy()
    return value


def _owners(X):
    while X is not None:
        yield X
        X = getattr(X, "base", None)


def is_mapped(X) -> bool:
    """Whether the memory of an array is that of a file."""
    return isinstance(X, np.ndarray) and any(
        isinstance(owner, np.memmap | mmap.mmap) for owner in _owners(X)
    )


class Pages:
    """Gives the pages of a memory map back to the system as the map is read."""

    def __init__(self, X):
        self.read = 0
        modes = [owner.mode for owner in _owners(X) if isinstance(owner, np.memmap)]
        maps = [owner for owner in _owners(X) if isinstance(owner, mmap.mmap)]
        # Changes to a private copy would be lost with its pages.
        can_release = modes and "c" not in modes and maps and hasattr(mmap, "MADV_DONTNEED")
        self.map = maps[0] if can_release else None

    def count(self, n_bytes):
        self.read += n_bytes
        if self.read > _RELEASE_BYTES and self.map is not None:
            self.read = 0
            self.map.madvise(mmap.MADV_DONTNEED)


def _slice_csr(X, rows):
    """A view of consecutive rows; with a copy, passes over columns take 1.3 times as long."""
    start, stop, _ = rows.indices(X.shape[0])
    entries = slice(X.indptr[start], X.indptr[stop])
    part = sp.csr_array((stop - start, X.shape[1]), dtype=X.dtype)
    part.data, part.indices = X.data[entries], X.indices[entries]
    part.indptr = X.indptr[start : stop + 1] - X.indptr[start]
    return part


def transpose_csr(X):
    """The transpose of CSR rows as a view, where SciPy copies rows that are part of an array."""
    transposed = sp.csc_array(X.shape[::-1], dtype=X.dtype)
    transposed.data, transposed.indices, transposed.indptr = X.data, X.indices, X.indptr
    return transposed
