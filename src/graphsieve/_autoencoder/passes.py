"""Value and gradient of the autoencoder's data terms, one part of the rows at a time.

The graph term couples the rows, so an evaluation takes two passes over them: ``encode`` returns
the hidden code of a part, and once the codes of all parts are joined, ``decode`` returns the
contribution of the part to the objective and its gradient. The two functions below are the
specification. ``Part`` computes the same with buffers that stay in cache.
"""

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from .._rows import BLOCK_BYTES, split_rows, to_dense, transpose_csr


class Weights(NamedTuple):
    """Encoder (d, m), its bias (m,), decoder (m, d), its bias (d,)."""

    W_in: np.ndarray
    b_in: np.ndarray
    W_out: np.ndarray
    b_out: np.ndarray


class Sums(NamedTuple):
    """Contribution of a part: [squared error / 2n + graph term], then the gradients."""

    value: np.ndarray
    G_in: np.ndarray
    g_in: np.ndarray
    G_out: np.ndarray
    g_out: np.ndarray


@dataclass(frozen=True)
class Terms:
    """What the passes need to know besides the weights."""

    n_samples: int
    n_hidden: int
    graph_weight: float
    sigmoid_output: bool


def encode(X, W_in, b_in):
    """Hidden code H = sigmoid(X W_in + b_in) of the rows of X."""
    return expit(X @ W_in + b_in)


def decode(X, L, H_part, H, weights, terms):
    """Contribution of a part with rows X, rows L of the Laplacian and code H_part.

    H is the code of all rows, which L couples.
    """
    R = H_part @ weights.W_out + weights.b_out
    R = expit(R) if terms.sigmoid_output else R
    error = R - X
    value = (error**2).sum() / (2 * terms.n_samples)
    E = error / terms.n_samples  # gradient by the input of the last layer
    if terms.sigmoid_output:
        E *= R * (1 - R)
    D = E @ weights.W_out.T
    if L is not None:
        LH = L @ H
        value += terms.graph_weight * (LH * H_part).sum()
        D += 2 * terms.graph_weight * LH
    D *= H_part * (1 - H_part)  # gradient by the input of the hidden layer
    return Sums(np.array([value]), X.T @ D, D.sum(axis=0), H_part.T @ E, E.sum(axis=0))


def explained_variance(X, weights, output):
    """Fraction of the variance of X, Rows, that the network reconstructs."""
    error = X.reduce(partial(_squared_error, weights, output))
    total = X.n_samples * X.column_moments()[1].sum()
    return float(1 - error / total) if total > 0 else 0.0


def _squared_error(weights, output, block):
    error = 0.0
    # A block of sparse rows may have many more rows than one of dense rows.
    for rows in split_rows(block.shape[0], max(1, BLOCK_BYTES // (8 * block.shape[1]))):
        X = to_dense(block[rows])
        R = encode(X, weights.W_in, weights.b_in) @ weights.W_out + weights.b_out
        R = expit(R) if output == "sigmoid" else R
        error += np.square(R - X).sum()
    return error


class Buffers:
    """Reusable working memory: one set of arrays for every thread at work."""

    def __init__(self):
        self._free = []

    @contextmanager
    def borrow(self, make):
        """Arrays as ``make`` returns them, with arbitrary contents."""
        try:
            arrays = self._free.pop()
        except IndexError:
            arrays = make()
        yield arrays
        self._free.append(arrays)

    def __reduce__(self):
        return Buffers, ()  # another process makes its own


class Part:
    """``encode`` and ``decode`` for NumPy and CSR rows, block by block.

    ``L`` has the rows of the Laplacian that belong to the rows of this part; ``buffers`` are shared
    by all parts of the same data. The gradients are returned in arrays that the next call
    overwrites: with few rows and many columns, allocating them takes longer than computing them.
    """

    def __init__(self, data, L=None, *, terms, buffers, block_bytes=BLOCK_BYTES):
        self.data, self.L, self.terms, self.buffers = data, L, terms, buffers
        # Each block adds to sums of d x m numbers, so it should have many more rows than m.
        row_bytes = data.n_features * data.dtype.itemsize
        if data.is_sparse:
            block_bytes *= 2  # SciPy takes longer per call than NumPy
        block_bytes = max(block_bytes, min(4 * terms.n_hidden * row_bytes, 4 * block_bytes))
        self.slices = data.slices(block_bytes)
        self.stored = None
        if data.is_sparse:
            self.stored = [_SparseBlock(data.rows(block)) for block in self.slices]
        self.most_rows = 1 + max(block.stop - block.start for block in self.slices)

    def __sizeof__(self):
        edges = 0 if self.L is None else self.L.data.nbytes + self.L.indices.nbytes
        return self.data.__sizeof__() + edges

    def encode(self, weights):
        H = np.empty((self.data.n_samples, self.terms.n_hidden), self.data.dtype)
        with self.buffers.borrow(self._make_buffers) as (X, *_):
            for number, block in enumerate(self.slices):
                Z = self._rows(number, X) @ weights.W_in
                Z += weights.b_in
                H[block] = _sigmoid_of_negative(np.negative(Z, out=Z))
        return H

    def decode(self, H_part, H, weights):
        with self.buffers.borrow(self._make_buffers) as buffers:
            return self._decode(H_part, H, weights, *buffers)

    def _decode(self, H_part, H, weights, X, R, E, H_one, product_in, product_out):
        n, graph_weight = self.terms.n_samples, self.terms.graph_weight
        # The sigmoid starts from -Z, and a column of ones in the code adds the bias on the way.
        minus_decoder = -np.vstack([weights.W_out, weights.b_out])
        LH = None if self.L is None else self.L @ H
        value = 0.0 if LH is None else graph_weight * float(np.vdot(LH, H_part))
        G_in, G_out = self._sums
        g_in = np.zeros(self.terms.n_hidden, H_part.dtype)
        for number, block in enumerate(self.slices):
            size, H_b = block.stop - block.start, H_part[block]
            R_b, E_b, H_one_b = R[:size], E[:size], H_one[:size]
            H_one_b[:, :-1], H_one_b[:, -1] = H_b, 1
            np.matmul(H_one_b, minus_decoder, out=R_b)
            X_b = self._rows(number, X)
            value += self._error(X_b, R_b, E_b) / (2 * n)
            _add_product(G_out, number, H_one_b.T, E_b, product_out)
            D = E_b @ minus_decoder[:-1].T
            D /= -n
            if LH is not None:
                D += (2 * graph_weight) * LH[block]
            D *= H_b
            D *= 1 - H_b
            g_in += D.sum(axis=0)
            _add_product(G_in, number, X_b.T, D, product_in)
        G_out /= n
        return Sums(np.array([value]), G_in, g_in, G_out[:-1], G_out[-1])

    def _error(self, X, minus_Z, E):
        """Squared error of a block; ``E`` becomes n times its gradient by Z."""
        if not self.terms.sigmoid_output:
            _subtract(np.negative(minus_Z, out=minus_Z), X, out=E)
            return float(np.vdot(E, E))
        R = _sigmoid_of_negative(minus_Z)
        _subtract(R, X, out=E)
        squared_error = float(np.vdot(E, E))
        E *= R
        np.subtract(1, R, out=R)
        E *= R
        return squared_error

    def _rows(self, number, X):
        if self.stored is not None:
            return self.stored[number]
        block = self.slices[number]
        return self.data.dense(block, out=X[: block.stop - block.start])

    def _make_buffers(self):
        d, m, dtype = self.data.n_features, self.terms.n_hidden, self.data.dtype
        blocks = np.empty((3, self.most_rows, d), dtype)  # memory that is never written is free
        return (*blocks, np.empty((self.most_rows, m + 1), dtype), *self._make_sums())

    def _make_sums(self):
        d, m, dtype = self.data.n_features, self.terms.n_hidden, self.data.dtype
        return np.empty((d, m), dtype), np.empty((m + 1, d), dtype)

    @cached_property
    def _sums(self):
        return self._make_sums()


def _add_product(total, number, left, right, product):
    """Add ``left @ right`` of block ``number`` to the sum of the blocks before it."""
    out = product if number else total
    if sp.issparse(left):
        out[:] = left @ right
    else:
        np.matmul(left, right, out=out)
    if number:
        total += product


def _subtract(R, X, out):
    """R - X for dense R and a dense or sparse block X."""
    if isinstance(X, _SparseBlock):
        out[:] = R
        out[X.row, X.column] -= X.entries
    else:
        np.subtract(R, X, out=out)


class _SparseBlock:
    """A CSR array, its transpose, and rows and columns of its entries.

    SciPy takes longer to make these than for a product of a few rows, so they are kept.
    """

    def __init__(self, X):
        self._X, self.T = X, transpose_csr(X)
        self.entries, self.column = X.data, X.indices
        self.row = np.repeat(np.arange(X.shape[0], dtype=X.indices.dtype), np.diff(X.indptr))

    def __matmul__(self, W):
        return self._X @ W


def _sigmoid_of_negative(minus_z):
    """1 / (1 + exp(minus_z)), in place. np.exp is vectorised in float32, scipy's expit is not."""
    with np.errstate(over="ignore"):  # exp overflows to infinity, and the sigmoid is then 0
        np.exp(minus_z, out=minus_z)
    minus_z += 1
    return np.divide(1, minus_z, out=minus_z)  # twice as fast as np.reciprocal
