"""The two passes over a part of the rows of which an evaluation of GraphAutoencoder consists.

``encode`` gives the hidden code of the rows, ``decode`` their share of error and gradients; between
the two the codes of all parts are joined, because the graph couples the rows. HostPart works on
NumPy arrays with buffers that stay in cache, DevicePart on any array that speaks the array API.
"""

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from .._rows import BLOCK_BYTES

# On a device blocks only bound the memory in use: large ones keep it busy.
_DEVICE_BLOCK_BYTES = 64 * BLOCK_BYTES


@dataclass(frozen=True)
class Network:
    """What the passes need to know besides the weights."""

    n_samples: int
    n_hidden: int
    sigmoid_output: bool


@dataclass(frozen=True)
class Weights:
    """Weights in the precision of the products.

    ``minus_decoder`` is -W_out and below it -b_out: what goes into the exponential of a sigmoid.
    """

    W_in: np.ndarray
    b_in: np.ndarray
    minus_decoder: np.ndarray


def encode(part, weights):
    """sigmoid(X W_in + b_in) for the rows of a part, and a column of ones for b_out."""
    return part.encode(weights)


def decode(part, code, H, weights):
    """[squared error, graph term], G_in, n G_out, g_in, n g_out of a part, from its code and that
    of all."""
    return part.decode(code, H, weights)


def make_part(data, L=None, *, network, buffers, block_bytes=BLOCK_BYTES):
    """The passes for the Rows ``data``, a part of all."""
    if data.xp is not np:
        return DevicePart(data, L, network)
    # A block costs a pass over the sums of d x m numbers: it should have more rows than that.
    row_bytes = data.n_features * data.dtype.itemsize
    if data.is_sparse:
        block_bytes //= 2  # the buffers should stay small beside what is stored
    block_bytes = max(block_bytes, min(4 * network.n_hidden * row_bytes, 4 * block_bytes))
    return HostPart(data, L, network, buffers, block_bytes)


class Buffers:
    """Blocks to work in: one set for every thread that is at work, used again and again."""

    def __init__(self):
        self._free = []

    @contextmanager
    def borrow(self, make):
        """What ``make`` returns, new or used."""
        try:
            arrays = self._free.pop()
        except IndexError:
            arrays = make()
        yield arrays
        self._free.append(arrays)

    def __reduce__(self):
        return Buffers, ()  # what is in them is of no interest to another process


class HostPart:
    """One part of the rows: its blocks and its share of the sums.

    With few rows and many columns it takes longer to have new memory for the sums than to compute
    them: those of ``decode`` are written over by the next call.

    Parameters
    ----------
    data : RowBlocks
    L : CSR array of shape (n_rows, n_samples) or None
        These rows of 2 graph_weight L.
    network : Network
    buffers : Buffers
        For all parts of the same data.
    block_bytes : int
    """

    def __init__(self, data, L, network, buffers, block_bytes):
        self.data, self.L, self.network, self.buffers = data, L, network, buffers
        self.slices = data.slices(block_bytes)
        self.stored = [data.rows(block) for block in self.slices] if data.is_sparse else None
        most = max(block.stop - block.start for block in self.slices)
        self.shape = most + 1, data.n_features  # the parts of the data differ by a row

    def __sizeof__(self):
        edges = 0 if self.L is None else self.L.data.nbytes + self.L.indices.nbytes
        return self.data.__sizeof__() + edges

    def _make_buffers(self):
        blocks = np.empty((3, *self.shape), self.data.dtype)  # untouched ones take no memory
        return (*blocks, *self._make_sums())

    def _make_sums(self):
        d, m = self.data.n_features, self.network.n_hidden
        return np.empty((d, m), self.data.dtype), np.empty((m + 1, d), self.data.dtype)

    @cached_property
    def _sums(self):
        return self._make_sums()

    def encode(self, weights):
        H = np.empty((self.data.n_samples, self.network.n_hidden + 1), self.data.dtype)
        H[:, -1] = 1
        with self.buffers.borrow(self._make_buffers) as (X, *_):
            for number, block in enumerate(self.slices):
                Z = self._rows(number, X) @ weights.W_in
                Z += weights.b_in
                H[block, :-1] = _sigmoid(np.negative(Z, out=Z))
        return H

    def decode(self, code, H, weights):
        with self.buffers.borrow(self._make_buffers) as buffers:
            return self._decode(code, H, weights, *buffers)

    def _decode(self, code, H, weights, X, R, E, product_in, product_out):
        LH = None if self.L is None else (self.L @ H)[:, :-1]  # 2 graph_weight L H
        G_in, G_out = self._sums
        g_in = np.zeros(self.network.n_hidden, code.dtype)
        squared_error = graph = 0.0
        for number, block in enumerate(self.slices):
            size, H_b = block.stop - block.start, code[block]
            R_b, E_b = R[:size], E[:size]
            np.matmul(H_b, weights.minus_decoder, out=R_b)
            X_b = self._rows(number, X)
            squared_error += self._error(X_b, R_b, E_b)
            _sum_products(G_out, number, H_b.T, E_b, product_out)
            H_b = H_b[:, :-1]
            D = E_b @ weights.minus_decoder[:-1].T
            D /= -self.network.n_samples
            if LH is not None:
                graph += 0.5 * float(np.einsum("ij,ij->", LH[block], H_b))
                D += LH[block]
            D *= H_b
            D *= 1 - H_b
            g_in += D.sum(axis=0)
            _sum_products(G_in, number, X_b.T, D, product_in)
        return np.array([squared_error, graph]), G_in, G_out[:-1], g_in, G_out[-1]

    def _error(self, X, minus_Z, E):
        """Squared error of a block; ``E`` becomes its gradient by Z, up to 1 / n."""
        if not self.network.sigmoid_output:
            _subtract(np.negative(minus_Z, out=minus_Z), X, out=E)
            return float(np.vdot(E, E))
        R = _sigmoid(minus_Z)
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


class DevicePart:
    """The same for DeviceRows: the products on the device, code and sums on the host."""

    def __init__(self, data, L, network):
        self.data, self.L, self.network = data, L, network
        self.slices = data.slices(_DEVICE_BLOCK_BYTES)

    def encode(self, weights):
        data, xp = self.data, self.data.xp
        W_in, b_in = data.to_device(weights.W_in), data.to_device(weights.b_in)
        H = np.ones((data.n_samples, self.network.n_hidden + 1), data.dtype)
        for block in self.slices:
            Z = data.on_device(block) @ W_in + b_in
            H[block, :-1] = data.to_host(1 / (1 + xp.exp(-Z)))
        return H

    def decode(self, code, H, weights):
        data, xp = self.data, self.data.xp
        n = self.network.n_samples
        LH = None if self.L is None else (self.L @ H)[:, :-1]
        graph = 0.0 if LH is None else 0.5 * float(np.einsum("ij,ij->", LH, code[:, :-1]))
        minus_decoder = data.to_device(weights.minus_decoder)
        sums = None
        for block in self.slices:
            X, H_b = data.on_device(block), data.to_device(code[block])
            R = H_b @ minus_decoder
            R = 1 / (1 + xp.exp(R)) if self.network.sigmoid_output else -R
            E = R - X
            squared_error = xp.sum(E * E)
            if self.network.sigmoid_output:
                E = E * R * (1 - R)
            G_out = H_b.T @ E
            H_b = H_b[:, :-1]
            D = E @ minus_decoder[:-1, :].T / -n
            if LH is not None:
                D = D + data.to_device(LH[block])
            D = D * H_b * (1 - H_b)
            found = squared_error, X.T @ D, xp.sum(D, axis=0), G_out
            sums = found if sums is None else [a + b for a, b in zip(sums, found, strict=True)]
        squared_error, G_in, g_in, G_out = map(data.to_host, sums)
        return np.array([float(squared_error), graph]), G_in, G_out[:-1], g_in, G_out[-1]


def _sum_products(total, number, left, right, product):
    """``left @ right`` of block ``number`` added to the sum of those before it."""
    out = product if number else total
    if sp.issparse(left):
        out[:] = left @ right
    else:
        np.matmul(left, right, out=out)
    if number:
        total += product


def _subtract(R, X, out):
    """R - X for dense R and dense or sparse X."""
    if not sp.issparse(X):
        np.subtract(R, X, out=out)
        return
    out[:] = R
    X = X.tocoo()
    out[X.row, X.col] -= X.data


def _sigmoid(minus_z):
    """1 / (1 + exp(minus_z)), in place. In float32 np.exp is vectorised; scipy's expit is not."""
    with np.errstate(over="ignore"):  # an exponent that overflows is a sigmoid of 0
        np.exp(minus_z, out=minus_z)
    minus_z += 1
    return np.divide(1, minus_z, out=minus_z)  # twice as fast as np.reciprocal
