"""Centred columns, through the products that selection and solvers need, for every storage."""

from contextlib import contextmanager, nullcontext
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from .._rows import BLOCK_BYTES, RowBlocks, is_constant, split_rows, to_dense, transpose_csr
from .._rows.base import PASS_BYTES
from .._rows.scaling import is_mostly_zero
from .._utils.threads import Workers

# Entries, zeros included, from which threads are worth starting for a single product.
_LARGE = 2**24
# With more vectors than this, one matrix product, in the precision of the rows, is faster.
_FEW_VECTORS = 4
# Size of sparse blocks: the more vectors or columns, the longer it takes to add the dense results.
_SPARSE_BYTES = {"few": 2**23, "many": 2**26}
_BYTES_PER_COLUMN = 128
# If at most this fraction of the rows have an entry in a column, a product with it reads no others.
# Its mean is then small, and centring costs no digits.
_FEW_ROWS = 0.25
# Products are cut into the same parts for every number of threads, so that sums round the same.
_N_PARTS = 4
# Rows that are worth a product of their own.
_FEWEST_ROWS = 4096
# Rows of a quadratic form at a time.
_FORM_ROWS = 128
# Dense data of at most this size stay in cache: batches of columns gain nothing.
_SMALL_BYTES = 4 * BLOCK_BYTES


def compact_rows(data):
    """Rows in memory as CSR where most entries are zero, else as they are."""
    if not data.in_memory or data.is_sparse or not is_mostly_zero(data):
        return data
    return RowBlocks(sp.csr_array(data.whole()))


def square_rows(V):
    """Squared Euclidean norm of every row."""
    return np.einsum("ij,ij->i", V, V)


def varying_columns(data):
    """Indices of the columns that are not constant; of all columns when none varies."""
    varying = ~is_constant(*data.column_range())
    return np.flatnonzero(varying) if varying.any() else np.arange(data.n_features)


class Columns:
    """The centred columns Z = X - mean of Rows, as a linear operator.

    A product with Z is one pass over the rows, which are used as they are and centred in the
    results. Products of sparse rows with few vectors are in double precision, products with many in
    that of the rows. Methods from ``take`` on are for rows in memory, prepared by ``varying``.

    ``square_norms`` are given for data that are centred, and ``workers`` if threads are open; they
    are 0 for columns that are constant up to rounding. ``n_stored`` is the number of stored entries
    of sparse rows in memory, otherwise 0, and ``index`` are the positions of the columns in the
    data that they were taken from.
    """

    def __init__(self, data, *, square_norms=None, n_jobs=None, workers=None):
        self._data, self._n_jobs, self._open = data, n_jobs, workers
        self.n_samples, self.n_features = data.n_samples, data.n_features
        self.is_sparse, self.is_wide = data.is_sparse, self.n_samples <= self.n_features
        if square_norms is None:
            self.mean, variance = data.column_moments()
            varies = variance > (1e-12 * self.mean) ** 2
            self.square_norms = np.where(varies, data.n_samples * variance, 0.0)
        else:
            self.mean, self.square_norms = np.zeros(data.n_features), square_norms
        self._is_centred = not self.mean.any()
        self._sparse = data.resident() if data.is_sparse else None
        self.n_stored = 0 if self._sparse is None else self._sparse.nnz
        self.index, self._n_all = np.arange(self.n_features), self.n_features

    @classmethod
    def varying(cls, data, workers=None, *, may_fill=False):
        """The columns of ``data``, Rows, that are not constant, in memory and double precision.

        Dense columns are centred once, in a copy. With ``may_fill``, sparse data are made dense
        where that is faster: unless most entries are zero and n <= d.
        """
        index = varying_columns(data)
        X = data.whole()
        if is_constant(*data.column_range()).all():
            X = np.zeros(X.shape)  # exactly: what centring leaves would be rounding errors
        X = X if len(index) == data.n_features else X[:, index]
        mostly_zero = is_mostly_zero(RowBlocks(X))
        X = sp.csr_array(X) if mostly_zero else X
        if may_fill and (X.shape[0] > X.shape[1] or not mostly_zero):
            X = to_dense(X)
        if sp.issparse(X):
            columns = cls(RowBlocks(_without_large_means(X)), workers=workers)
        else:
            Z = X - X.mean(axis=0, dtype=np.float64)
            columns = cls(RowBlocks(Z), square_norms=square_rows(Z.T), workers=workers)
        columns.index, columns._n_all = index, data.n_features
        return columns

    @contextmanager
    def threads(self):
        """Keep the threads between products, where starting them takes as long as a product."""
        with self._workers() as self._open:
            try:
                yield
            finally:
                self._open = None

    @cached_property
    def _in_memory(self):
        return None if self.is_sparse else self._data.resident()

    @cached_property
    def in_double(self):
        """X, not centred, as CSR array: SciPy would convert it in every product."""
        X = self._sparse
        entries = X.data.astype(np.float64, copy=False), X.indices, X.indptr
        return sp.csr_array(entries, shape=X.shape)

    @cached_property
    def _double(self):
        return RowBlocks(self.in_double)

    @cached_property
    def _blocks(self):
        """Slices of sparse rows, views of them, and their transposes: as slow to make as to use."""
        bytes_per_row = max(1, 12 * self.n_stored // self.n_samples)
        block_bytes = max(_SPARSE_BYTES["few"], _BYTES_PER_COLUMN * self.n_features)
        slices = split_rows(self.n_samples, max(1, block_bytes // bytes_per_row))
        blocks = [self._double.rows(rows) for rows in slices]
        return slices, blocks, [transpose_csr(block) for block in blocks]

    @cached_property
    def by_column(self):
        """X, not centred, as CSC array."""
        return self._sparse.tocsc()

    def _entries(self, j):
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
        if self._in_memory is not None:
            return _column(j, self._in_memory) - self.mean[j]
        with self._workers() as workers:
            return self._data.stack(partial(_column, j), workers=workers) - self.mean[j]

    def products_of_column(self, j):
        """Z'z_j from the rows in which a sparse column has entries; None if these are many."""
        if not self.n_stored:
            return None
        rows, values = self._entries(j)
        if len(rows) > _FEW_ROWS * self.n_samples:
            return None
        products = transpose_csr(self._double.rows(rows)) @ values
        return products - (self.n_samples * self.mean[j]) * self.mean

    def products(self, V):
        """Z'V for vectors V of shape (n_samples, k)."""
        few = V.shape[1] <= _FEW_VECTORS  # used one by one
        V = np.asarray(V, dtype=np.float64, order="F" if few else "C")
        if few and self.n_stored:
            slices, _, transposed = self._blocks
            found = self._map(
                lambda rows, block: [block @ v for v in V.T[:, rows]], slices, transposed
            )
            out = np.sum(found, axis=0)
        elif few and self.is_small and self._in_memory is not None:
            out = _products(self._in_memory, V)
            if self._is_centred:
                return out.T
        else:
            size = _SPARSE_BYTES["few" if few else "many"]
            if not (few or self.is_sparse):
                # Dense blocks stay in cache, unless their results are larger.
                size = max(BLOCK_BYTES, V.shape[1] * self.n_features * V.itemsize)
            with self._workers() as workers:
                out = self._data.reduce(_products, V, block_bytes=size, workers=workers)
        # In place: with many vectors, each such array is large. Sums of a cluster are read-only.
        shift = np.outer(V.sum(axis=0), self.mean)
        return np.subtract(out, shift, out=shift).T

    def inner_products(self, weight=None):
        """Z'Z, or Z' diag(weight) Z, for few columns."""
        roots = () if weight is None else (np.sqrt(weight),)
        size = max(PASS_BYTES, self.n_features**2 * self._data.dtype.itemsize)
        return self._data.reduce(partial(_inner_products, self.mean), *roots, block_bytes=size)

    def times(self, W):
        """Z W for weights W of shape (n_features, k)."""
        if self.n_stored and W.shape[1] <= _FEW_VECTORS:
            found = np.concatenate(self._map(lambda block: block @ W, self._blocks[1]))
        else:
            with self._workers() as workers:
                found = self._data.stack(partial(_times, W), workers=workers)
        return found - self.mean @ W

    def _map(self, function, *arguments):
        with self._workers() as workers:
            return [*(map if workers is None else workers.map)(function, *arguments)]

    def _workers(self):
        large = self.n_samples * self.n_features > _LARGE
        return Workers(self._n_jobs) if large and self._open is None else nullcontext(self._open)

    def quadratic_forms(self, M):
        """z_j' M z_j for every column and a symmetric M, for few samples."""
        if self.mean.any():
            # Centring M on both sides replaces centring the columns.
            M = M - M.mean(axis=0)
            M -= M.mean(axis=1, keepdims=True)
        X = self._data.whole()
        if sp.issparse(X):
            X = X.tocsc()
            parts = [slice(*ends) for ends in pairwise(X.indptr)]
            return np.array([_sparse_form(M, X.indices[part], X.data[part]) for part in parts])
        if X.dtype == np.float32:
            M = M.astype(np.float32)
        # Half of the products: what is above the diagonal is counted below it.
        lower = 2 * np.tril(M, -1) + np.diag(np.diagonal(M))
        forms = np.zeros(self.n_features)
        for rows in split_rows(len(M), _FORM_ROWS):
            part = lower[rows, : rows.stop] @ X[: rows.stop]
            forms += np.einsum("ij,ij->j", X[rows], part, dtype=np.float64)
        return forms

    def norms(self):
        return np.sqrt(self.square_norms)

    def expand(self, values):
        """``values``, one per column, for all columns of the data: zero for constant ones."""
        expanded = np.zeros((self._n_all, *values.shape[1:]))
        expanded[self.index] = values
        return expanded

    @cached_property
    def _dense(self):
        X = self._data.whole()
        return X - self.mean if self.mean.any() else X

    @cached_property
    def _parts(self):
        longer = max(self.n_samples, self.n_features)
        return split_rows(longer, -(-longer // _N_PARTS))

    @property
    def is_small(self):
        """Whether the data stay in cache."""
        return not self.is_sparse and 8 * self.n_samples * self.n_features <= _SMALL_BYTES

    def take(self, columns):
        """Some columns as a dense array."""
        if self.is_sparse:
            return self.by_column.T[columns].toarray().T - self.mean[columns]
        return self._dense[:, columns]

    def dense(self):
        """Z itself."""
        return self._sparse.toarray() - self.mean if self.is_sparse else self._dense

    @cached_property
    def root(self):
        """R with R R' = Z Z', of shape (n_samples, min(n_samples, n_features))."""
        if not self.is_wide:
            return self.dense()
        if not self.is_sparse:
            return np.linalg.qr(self._dense.T, mode="r").T
        value, vector = np.linalg.eigh(self.gram())
        return vector * np.sqrt(np.maximum(value, 0))

    def squares(self, V):
        """|V'z_j|^2 for every column z_j."""
        if self.is_sparse:
            X, V = self.by_column.T, V - V.mean(axis=0)
        else:
            X = self._dense.T
        parts = self._parts if self.is_wide else [slice(None)]
        return np.concatenate(self._map(lambda part: square_rows(X[part] @ V), parts))

    def gram(self, scale=None):
        """Z diag(scale) Z', n x n; without ``scale``, Z Z'."""
        if not self.is_sparse:
            X = self._dense if scale is None else self._dense * np.sqrt(scale)
            return self._sum(lambda part: X[:, part] @ X[:, part].T)
        X = self.in_double  # centring subtracts numbers of nearly equal size
        product = ((X if scale is None else X * scale) @ X.T).toarray()
        product -= product.mean(axis=0)
        product -= product.mean(axis=1, keepdims=True)
        return product

    def feature_gram(self, weight):
        """Z' diag(weight) Z, d x d, for dense data with n > d."""
        scaled = np.sqrt(weight)[:, None] * self._dense
        return self._sum(lambda part: scaled[part].T @ scaled[part])

    def residual_squares(self, W):
        """|Z_i - Z_i W|^2 for every sample, for dense data with n > d."""
        return self.join(lambda part: square_rows(self._dense[part] - self._dense[part] @ W))

    def correlation(self, weight=1.0):
        """|Z' diag(weight) z_j| for every column z_j: how well it represents all columns."""
        return np.sqrt(self.squares(np.reshape(weight, (-1, 1)) * self.root))

    def join(self, function):
        """The results of ``function`` for slices of the longer side, concatenated."""
        return np.concatenate(self._map(function, self._parts))

    def _sum(self, function):
        return sum(self._map(function, self._parts))


def _sparse_form(M, rows, values):
    """x'M x from the entries of x: fewer than those of a product with all of M."""
    if len(rows) <= _FEW_ROWS * len(M):
        return values @ (M[rows[:, None], rows] @ values)
    x = np.zeros(len(M))
    x[rows] = values
    return x @ (M @ x)


def leading_scores(columns, n_components, rng):
    """Left singular vectors times singular values T of the centred columns Z, and T'Z.

    N. Halko, P. G. Martinsson and J. A. Tropp, "Finding structure with randomness", SIAM Review 53,
    2011, algorithm 4.4, with an oversampling of ten and two iterations.
    """
    size = min(n_components + 10, columns.n_samples, columns.n_features)
    Q = np.linalg.qr(columns.times(rng.standard_normal((columns.n_features, size))))[0]
    for _ in range(2):
        axes = np.linalg.qr(columns.products(Q))[0]
        Q = np.linalg.qr(columns.times(axes))[0]
    U, s, Vt = np.linalg.svd(columns.products(Q).T, full_matrices=False)
    U, s, Vt = U[:, :n_components], s[:n_components], Vt[:n_components]
    return Q @ (U * s), Vt * (s * s)[:, np.newaxis]


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


def _inner_products(mean, block, root=None):
    """Sums over some rows at a time, as sparse rows are made dense."""
    found = np.zeros((len(mean), len(mean)))
    for rows in split_rows(block.shape[0], max(_FEWEST_ROWS, 4 * len(mean))):
        Z = to_dense(block[rows]) - mean
        if root is not None:
            Z *= root[rows, None]
        found += Z.T @ Z
    return found


def _times(W, block):
    if W.shape[1] > _FEW_VECTORS:
        W = W.astype(block.dtype, copy=False)
    return block @ W


def _without_large_means(X):
    """CSR columns in double precision; full ones are centred, as large offsets cost digits."""
    X = sp.csr_array(X, dtype=np.float64)
    full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    if full.any():
        mean = np.bincount(X.indices, X.data, minlength=X.shape[1]) / X.shape[0]
        X = X.copy()
        X.data -= np.where(full, mean, 0.0)[X.indices]
    return X
