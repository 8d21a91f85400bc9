"""The two passes over a part of the rows of which an evaluation of GraphAutoencoder consists.

``encode`` gives the hidden code of the rows, ``decode`` their share of error and gradients; between
the two the codes of all parts are joined, because the graph couples the rows. HostPart works on
NumPy arrays with buffers that stay in cache, DevicePart on any array that speaks the array API.
"""

from dataclasses import dataclass

import numpy as np

from .blocks import BLOCK_BYTES

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
    """Weights in the precision of the products; the last row of ``decoder`` is b_out."""

    W_in: np.ndarray
    b_in: np.ndarray
    decoder: np.ndarray


def encode(part, weights):
    """sigmoid(X W_in + b_in) for the rows of a part, and a column of ones for b_out."""
    return part.encode(weights)


def decode(part, code, H, weights):
    """(squared error, graph term, G_in, g_in, G_out) of a part, from its code and that of all."""
    return part.decode(code, H, weights)


def make_part(data, L=None, *, network, block_bytes=BLOCK_BYTES):
    """The passes for the Rows ``data``, a part of all."""
    kind = DevicePart if data.is_on_device else HostPart
    return kind(data, L, network, block_bytes)


class HostPart:
    """One part of the rows: its blocks, its buffers, its share of the sums.

    Parameters
    ----------
    data : RowBlocks
    L : CSR array of shape (n_rows, n_samples) or None
        These rows of 2 graph_weight L.
    """

    def __init__(self, data, L, network, block_bytes):
        self.data, self.L, self.network = data, L, network
        self.slices = data.slices(block_bytes)
        self.stored = [data.rows(block) for block in self.slices] if data.is_sparse else None
        most = max(block.stop - block.start for block in self.slices)
        d, m = data.n_features, network.n_hidden
        self.X = np.empty((most, d), data.dtype)
        self.R = np.empty((most, d), data.dtype)
        self.E = np.empty((most, d), data.dtype)
        self.product_in = np.empty((d, m), data.dtype)
        self.product_out = np.empty((m + 1, d), data.dtype)

    def __sizeof__(self):
        edges = 0 if self.L is None else self.L.data.nbytes + self.L.indices.nbytes
        return self.data.__sizeof__() + edges + 3 * self.X.nbytes

    def encode(self, weights):
        H = np.empty((self.data.n_samples, self.network.n_hidden + 1), self.data.dtype)
        H[:, -1] = 1
        with np.errstate(over="ignore"):  # an exponent that overflows is a sigmoid of 0
            for number, block in enumerate(self.slices):
                Z = self._rows(number) @ weights.W_in
                Z += weights.b_in
                H[block, :-1] = _sigmoid(np.negative(Z, out=Z))
        return H

    def decode(self, code, H, weights):
        decoder, sigmoid_output = weights.decoder, self.network.sigmoid_output
        negative = -decoder if sigmoid_output else decoder
        n = self.network.n_samples
        LH = None if self.L is None else (self.L @ H)[:, :-1]  # 2 graph_weight L H
        G_in, G_out = np.zeros_like(self.product_in), np.zeros_like(self.product_out)
        g_in = np.zeros(self.network.n_hidden, self.data.dtype)
        squared_error = graph = 0.0
        for number, block in enumerate(self.slices):
            size = block.stop - block.start
            R, E, H_b = self.R[:size], self.E[:size], code[block]
            np.matmul(H_b, negative, out=R)
            if sigmoid_output:
                with np.errstate(over="ignore"):
                    _sigmoid(R)
            X = self.data.dense(block, out=self.X[:size])
            np.subtract(R, X, out=E)
            squared_error += float(np.dot(E.ravel(), E.ravel()))
            if sigmoid_output:  # E becomes the derivative by the argument of the sigmoid
                E *= R
                np.subtract(1, R, out=R)
                E *= R
            G_out += np.matmul(H_b.T, E, out=self.product_out)
            H_b = H_b[:, :-1]
            D = E @ decoder[:-1].T
            D /= n
            if LH is not None:
                graph += 0.5 * float(np.einsum("ij,ij->", LH[block], H_b))
                D += LH[block]
            D *= H_b
            D *= 1 - H_b
            g_in += D.sum(axis=0)
            if self.stored is not None:
                G_in += self.stored[number].T @ D
            else:
                G_in += np.matmul(X.T, D, out=self.product_in)
        return squared_error, graph, G_in, g_in, G_out

    def _rows(self, number):
        if self.stored is not None:
            return self.stored[number]
        block = self.slices[number]
        return self.data.dense(block, out=self.X[: block.stop - block.start])


class DevicePart:
    """The same for DeviceRows: the products on the device, code and sums on the host."""

    def __init__(self, data, L, network, block_bytes):
        self.data, self.L, self.network = data, L, network
        self.slices = data.slices(max(block_bytes, _DEVICE_BLOCK_BYTES))

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
        decoder = data.to_device(weights.decoder)
        sums = None
        for block in self.slices:
            X, H_b = data.on_device(block), data.to_device(code[block])
            R = H_b @ decoder
            if self.network.sigmoid_output:
                R = 1 / (1 + xp.exp(-R))
            E = R - X
            squared_error = xp.sum(E * E)
            if self.network.sigmoid_output:
                E = E * R * (1 - R)
            G_out = H_b.T @ E
            H_b = H_b[:, :-1]
            D = (E @ decoder[:-1, :].T) / n
            if LH is not None:
                D = D + data.to_device(LH[block])
            D = D * H_b * (1 - H_b)
            found = squared_error, X.T @ D, xp.sum(D, axis=0), G_out
            sums = found if sums is None else [a + b for a, b in zip(sums, found, strict=True)]
        squared_error, G_in, g_in, G_out = map(data.to_host, sums)
        return float(squared_error), graph, G_in, g_in, G_out


def _sigmoid(minus_z):
    """1 / (1 + exp(minus_z)), in place. In float32 np.exp is vectorised; scipy's expit is not."""
    np.exp(minus_z, out=minus_z)
    minus_z += 1
    return np.reciprocal(minus_z, out=minus_z)
