"""Products with centred columns, for every storage and without a square matrix."""

from contextlib import contextmanager, nullcontext
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp

from .._rows import BLOCK_BYTES, RowBlocks, split_rows, transpose_csr
from .._utils.threads import Workers

# Entries, zeros included, from which threads are worth starting for a single product.
_LARGE = 2**24
# With more vectors than this, one matrix product is faster than one product per vector, and the
# precision of the rows is enough for the directions and estimates that such products serve.
_FEW_VECTORS = 4
# Size of sparse blocks in products with few and with many vectors. The result for a block is dense:
# the more vectors or columns, the longer it takes to add the results.
_SPARSE_BYTES = {"few": 2**23, "many": 2**26}
_BYTES_PER_COLUMN = 128
# If at most this fraction of the rows have an entry in a column, a product with the column copies
# these rows and reads no others. Its mean is then small, and centring costs no digits.
_FEW_ROWS = 0.25


class ColumnOperator:
    """The centred columns Z = X - mean as a linear operator.

    A product is one pass over the rows, wherever they are stored. The rows are used as they are and
    centred in the results, so sparse data stay sparse. Products with few vectors are in double
    precision for sparse rows, products with many in the precision of the rows.

    Parameters
    ----------
    data : Rows
    squares : ndarray of shape (n_features,), optional
        Squared norms of the columns, for data that are centred columns in other coordinates.
    n_jobs : int or None, default=None
        Number of threads for large data.

    Attributes
    ----------
    n_samples, n_features : int
    mean : ndarray of shape (n_features,)
        What was subtracted from every column.
    squares : ndarray of shape (n_features,)
        Squared norm of every column; 0 for columns that are constant up to rounding.
    n_stored : int
        Number of stored entries of sparse rows in memory, otherwise 0.
    """

    def __init__(self, data, *, squares=None, n_jobs=None):
        self._data, self._n_jobs = data, n_jobs
        self.n_samples, self.n_features = data.n_samples, data.n_features
        if squares is None:
            self.mean, self.squares = data.column_moments()[0], centred_squares(data)
        else:
            self.mean, self.squares = np.zeros(data.n_features), squares
        self._sparse = data.resident() if data.is_sparse else None
        self.n_stored = 0 if self._sparse is None else self._sparse.nnz
        self._open = None

    @contextmanager
    def threads(self):
        """Keep the threads between products, where starting them takes as long as a product."""
        with self._workers() as self._open:
            try:
                yield
            finally:
                self._open = None

    @cached_property
    def in_double(self):
        """X, not centred, in CSR format and double precision if it is sparse and in memory.

        SciPy would convert it in every product, which takes as long as the product itself.
        """
        X = self._sparse
        entries = X.data.astype(np.float64, copy=False), X.indices, X.indptr
        return sp.csr_array(entries, shape=X.shape)

    @cached_property
    def _double(self):
        return RowBlocks(self.in_double)

    @cached_property
    def _blocks(self):
        """Slices of these rows, the rows as views, and their transposes.

        SciPy takes as long to make a view as to multiply a small block, so they are kept.
        """
        bytes_per_row = max(1, 12 * self.n_stored // self.n_samples)
        block_bytes = max(_SPARSE_BYTES["few"], _BYTES_PER_COLUMN * self.n_features)
        slices = split_rows(self.n_samples, max(1, block_bytes // bytes_per_row))
        blocks = [self._double.rows(rows) for rows in slices]
        return slices, blocks, [transpose_csr(block) for block in blocks]

    @cached_property
    def by_column(self):
        """X, not centred, in CSC format if it is sparse and in memory."""
        return self._sparse.tocsc()

    def _entries(self, j):
        """Rows and values of the stored entries of column j."""
        X = self.by_column
        stored = slice(*X.indptr[j : j + 2])
        return X.indices[stored], X.data[stored].astype(np.float64, copy=False)

    def column(self, j):
        """Column j of Z."""
        if self.n_stored:
            rows, values = self._entries(j)
            column = np.zeros(self.n_samples)
            column[rows] = values
            return column - self.mean[j]
        with self._workers() as workers:
            return self._data.stack(partial(_column, j), workers=workers) - self.mean[j]

    def products_of_column(self, j):
        """z_j' Z, or None if it takes as long as a product with any vector.

        Only the rows in which a sparse column has entries are read.
        """
        if not self.n_stored:
            return None
        rows, values = self._entries(j)
        if len(rows) > _FEW_ROWS * self.n_samples:
            return None
        products = transpose_csr(self._double.rows(rows)) @ values
        return products - (self.n_samples * self.mean[j]) * self.mean

    def products(self, V):
        """V Z, one row for every row of V."""
        V = np.asarray(V, dtype=np.float64)
        few = len(V) <= _FEW_VECTORS
        out = self._products_in_memory(V) if few and self.n_stored else self._products_in_passes(V)
        # In place: with many vectors, each such array is large. Sums of a cluster are read-only.
        shift = np.outer(V.sum(axis=1), self.mean)
        return np.subtract(out, shift, out=shift)

    def _products_in_memory(self, V):
        slices, _, transposed = self._blocks
        found = self._map(lambda rows, block: [block @ v for v in V[:, rows]], slices, transposed)
        return np.sum(found, axis=0)

    def _products_in_passes(self, V):
        # Dense blocks stay in cache for all vectors.
        sparse_bytes = _SPARSE_BYTES["few" if len(V) <= _FEW_VECTORS else "many"]
        block_bytes = sparse_bytes if self._data.is_sparse else BLOCK_BYTES
        columns = np.ascontiguousarray(V.T)
        with self._workers() as workers:
            return self._data.reduce(_products, columns, block_bytes=block_bytes, workers=workers)

    def combine(self, W):
        """Z W for weights W of shape (n_features, k)."""
        if self.n_stored and W.shape[1] <= _FEW_VECTORS:
            found = np.concatenate(self._map(lambda block: block @ W, self._blocks[1]))
        else:
            with self._workers() as workers:
                found = self._data.stack(partial(_combine, W), workers=workers)
        return found - self.mean @ W

    def _map(self, function, *arguments):
        with self._workers() as workers:
            return [*(map if workers is None else workers.map)(function, *arguments)]

    def _workers(self):
        """A context with threads, or with None for small data."""
        large = self.n_samples * self.n_features > _LARGE
        return Workers(self._n_jobs) if large and self._open is None else nullcontext(self._open)

    def quadratic_forms(self, M):
        """z_j' M z_j for every column, for few samples."""
        X = self._data.whole()
        if self.mean.any():
            # Centring M on both sides replaces centring the columns.
            M = M - M.mean(axis=0)
            M -= M.mean(axis=1, keepdims=True)
        if sp.issparse(X):
            return np.asarray(X.multiply(M @ X).sum(axis=0)).ravel()
        if X.dtype == np.float32:
            M = M.astype(np.float32)
        return np.einsum("ij,ij->j", X, M @ X, dtype=np.float64)


def centred_squares(data):
    """Squared norms of the centred columns of Rows; 0 for columns that vary by rounding only."""
    mean, variance = data.column_moments()
    return np.where(variance <= (1e-12 * mean) ** 2, 0.0, data.n_samples * variance)


def _column(j, block):
    if not sp.issparse(block):
        return block[:, j].astype(np.float64)
    # Several times faster than a product with a unit vector, or than slicing CSR rows.
    found = np.flatnonzero(block.indices == j)
    column = np.zeros(block.shape[0])
    column[np.searchsorted(block.indptr, found, side="right") - 1] = block.data[found]
    return column


def _products(block, V):
    """V' X in double precision for a block X and one row of V per row of it."""
    many = V.shape[1] > _FEW_VECTORS
    if many or not sp.issparse(block):
        V = V.astype(block.dtype, copy=False)
    transposed = transpose_csr(block) if sp.issparse(block) else block.T
    if many:
        return (transposed @ V).T.astype(np.float64, copy=False)
    return np.array([transposed @ v for v in V.T], dtype=np.float64)


def _combine(W, block):
    if W.shape[1] > _FEW_VECTORS:
        W = W.astype(block.dtype, copy=False)
    return block @ W
