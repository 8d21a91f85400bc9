"""Groups of columns that enter a selection as a whole.

Picking a block U of columns lowers the error of the targets by exactly

    gain_U = trace(G^-1 F),    G = E_U' E_U,    F = E_U' T T' E_U,

with E the columns outside the span of the picked ones (and their noise coordinates). A single pick
with q, r = X'q, z = X'u and gain q'w changes the matrices of every block by

    G <- G - r r',    F <- F - r z' - z r' + (q'w) r r'

over the columns of the block, which for a block of one column is the update of f and g.
"""

import numpy as np

# A direction of a block with less than this fraction of its squared norm depends on the picks.
_DEPENDENT = 1e-9


class Units:
    """Which columns belong together: those with the same label.

    Without labels every column is a unit of its own.
    """

    def __init__(self, labels, n_features):
        labels = np.arange(n_features) if labels is None else labels
        _, first, self.number = np.unique(labels, return_index=True, return_inverse=True)
        self.sizes = np.bincount(self.number)
        # Units are compared in the order of their first columns.
        self.first = first[self.number]
        self.are_single = bool((self.sizes == 1).all())

    def members(self, j):
        """The columns of the unit of column j."""
        return [int(j)] if self.are_single else np.flatnonzero(self.number == self.number[j])

    def sums(self, values):
        """For every column the sum of ``values`` over its unit."""
        return np.bincount(self.number, values)[self.number]

    def lowest(self, values):
        """For every column the least of ``values`` in its unit."""
        if self.are_single:
            return values
        least = np.full(len(self.sizes), values.max(initial=0), dtype=values.dtype)
        np.minimum.at(least, self.number, values)
        return least[self.number]

    def blocks(self):
        """Columns of the units of more than one column, one array (n_units, size) per size."""
        order = np.argsort(self.number, kind="stable")
        start = np.cumsum(self.sizes) - self.sizes
        for size in np.unique(self.sizes[self.sizes > 1]):
            yield order[start[self.sizes == size][:, np.newaxis] + np.arange(size)]


def block_matrices(blocks, columns, target, noise):
    """Blocks of equal size, and their matrices G and F before the first pick."""
    G, F = [], []
    for block in blocks:
        X = np.array([columns.column(j) for j in block])
        TX = np.array([target.apply(x)[0] for x in X])
        G.append(X @ X.T + np.diag(noise[block]))
        F.append(X @ TX.T)
    return blocks, np.array(G), np.array(F)


class BlockGains:
    """Gains of the blocks, updated with every pick of a layer.

    ``batches`` are what ``block_matrices`` returns for every size of blocks.
    """

    def __init__(self, batches):
        self._batches = []
        for blocks, G, F in batches:
            square = np.einsum("uii->ui", G)
            scale = np.divide(1, np.sqrt(square), out=np.zeros_like(square), where=square > 0)
            unit = scale[:, :, np.newaxis] * scale[:, np.newaxis, :]
            self._batches.append([blocks, G * unit, F * unit, scale])

    def update(self, r, z, gain):
        """One more pick, see the module."""
        for batch in self._batches:
            blocks, _, _, scale = batch
            r_u, z_u = r[blocks] * scale, z[blocks] * scale
            outer = r_u[:, :, np.newaxis] * r_u[:, np.newaxis, :]
            cross = r_u[:, :, np.newaxis] * z_u[:, np.newaxis, :]
            batch[1] = batch[1] - outer
            batch[2] = batch[2] - cross - cross.transpose(0, 2, 1) + gain * outer

    def write(self, gains):
        """Write the gain of its block to every column of a block in ``gains``."""
        for blocks, G, F, _ in self._batches:
            value, vector = np.linalg.eigh(G)
            form = np.einsum("uik,uij,ujk->uk", vector, F, vector, optimize=True)
            alive = value > _DEPENDENT
            gain = np.divide(form, value, out=np.zeros_like(form), where=alive).sum(axis=1)
            gains[blocks] = np.maximum(gain, 0)[:, np.newaxis]
