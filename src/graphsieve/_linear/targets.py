"""What greedy selection is to reconstruct: targets of unit energy side by side."""

import numpy as np

# Products of targets with all columns at a time: 32 MB.
_MOST_PRODUCTS = 2**22


def join_targets(parts, weights=None):
    """Centred targets side by side, of energies in proportion to the weights, 1 together.

    The weights are equal by default.
    """
    weights = np.ones(len(parts)) if weights is None else weights
    edges = np.cumsum([0] + [part.shape[1] for part in parts])
    joined = np.empty((len(parts[0]), edges[-1]))
    total = 0.0
    for part, weight, start, end in zip(parts, weights, edges, edges[1:], strict=False):
        centred = joined[:, start:end]
        np.subtract(part, part.mean(axis=0), out=centred)
        energy = _energy(centred)
        if energy > 1e-24 * _energy(part):
            centred /= np.sqrt(energy / weight)
            total += weight
        else:
            centred[:] = 0  # a constant part is no target
    joined /= np.sqrt(total or 1.0)
    return joined


def _energy(T):
    return float(np.einsum("ij,ij->", T, T))


def _column_squares(products):
    return np.einsum("ij,ij->j", products, products)


def make_target(T):
    """The form of targets T in which T T' q is the cheaper product."""
    return GramTarget(T @ T.T) if T.shape[1] > len(T) / 2 else FactorTarget(T)


class FactorTarget:
    """Targets T of shape (n_samples, n_targets), and their products with the columns if known."""

    def __init__(self, T, products=None):
        self.T = T
        self.energy = _energy(T)
        self._products = products

    def square_energy(self):
        """|T T'|_F^2."""
        return float(np.square(self.T.T @ self.T).sum())

    def forms(self, columns):
        """|T'x_j|^2 for every column."""
        if self._products is not None:
            return _column_squares(self._products)
        forms, size = np.zeros(columns.n_features), max(1, _MOST_PRODUCTS // columns.n_features)
        for first in range(0, self.T.shape[1], size):
            forms += _column_squares(columns.products(self.T[:, first : first + size].T))
        return forms

    def apply(self, q, r=None):
        """T T'q, and r, which is X'q if that is known, see DataTarget."""
        return self.T @ (q @ self.T), r


class GramTarget:
    """Targets that are known through M = T T', for few samples."""

    def __init__(self, M):
        self.M = M
        self.energy = float(np.trace(M))

    def square_energy(self):
        """|M|_F^2."""
        return float(np.square(self.M).sum())

    def forms(self, columns):
        """x_j' M x_j for every column."""
        return columns.quadratic_forms(self.M)

    def apply(self, q, r=None):
        """M q, and r as in FactorTarget."""
        return self.M @ q, r
