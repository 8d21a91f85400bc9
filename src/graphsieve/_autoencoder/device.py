"""The passes of the autoencoder on arrays of another library, perhaps on another device."""

import numpy as np

from .._rows import BLOCK_BYTES
from .passes import Sums

# On a device, blocks only bound the memory in use: large ones keep it busy.
_DEVICE_BLOCK_BYTES = 64 * BLOCK_BYTES


class DevicePart:
    """``encode`` and ``decode`` for DeviceRows: products on the device, sums on the host."""

    def __init__(self, data, L, terms):
        self.data, self.L, self.terms = data, L, terms
        self.slices = data.slices(_DEVICE_BLOCK_BYTES)

    def encode(self, weights):
        data = self.data
        W_in, b_in = data.to_device(weights.W_in), data.to_device(weights.b_in)
        H = np.empty((data.n_samples, self.terms.n_hidden), data.dtype)
        for block in self.slices:
            H[block] = data.to_host(self._sigmoid(data.on_device(block) @ W_in + b_in))
        return H

    def decode(self, H_part, H, weights):
        data, xp, n = self.data, self.data.xp, self.terms.n_samples
        LH = None if self.L is None else self.L @ H
        W_out, b_out = data.to_device(weights.W_out), data.to_device(weights.b_out)
        sums = None
        for block in self.slices:
            X, H_b = data.on_device(block), data.to_device(H_part[block])
            R = H_b @ W_out + b_out
            R = self._sigmoid(R) if self.terms.sigmoid_output else R
            E = R - X
            squared_error = xp.sum(E * E)
            E = E / n
            if self.terms.sigmoid_output:
                E = E * R * (1 - R)
            D = E @ W_out.T
            if LH is not None:
                D = D + data.to_device(2 * self.terms.graph_weight * LH[block])
            D = D * H_b * (1 - H_b)
            found = squared_error, X.T @ D, xp.sum(D, axis=0), H_b.T @ E, xp.sum(E, axis=0)
            sums = found if sums is None else [a + b for a, b in zip(sums, found, strict=True)]
        squared_error, *gradients = map(data.to_host, sums)
        value = float(squared_error) / (2 * n)
        if LH is not None:
            value += self.terms.graph_weight * float(np.vdot(LH, H_part))
        return Sums(np.array([value]), *gradients)

    def _sigmoid(self, z):
        return 1 / (1 + self.data.xp.exp(-z))
