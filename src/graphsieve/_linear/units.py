"""Forward selection under conditions: groups of columns that enter as a whole, budgets and limits.

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


class Allowance:
    """What may still be picked under the Rules, at most ``n_picks`` columns.

    It only shrinks: what does not fit now will not fit later.
    """

    def __init__(self, rules, n_features, n_picks):
        ones = np.ones(n_features)
        units = Units(rules.units, n_features)
        self._size = units.sums(ones)
        self._costs = ones if rules.costs is None else rules.costs
        self._unit_cost = units.sums(self._costs)
        self._n_left, self._budget = n_picks, rules.budget
        self._labels, self._most = rules.limits or (None, None)
        if self._labels is not None:
            self._count = np.zeros(max(self._labels.max(), 0) + 1, dtype=int)

    def fits(self):
        """Mask of the columns that may be picked with their unit."""
        fits = self._size <= self._n_left
        if self._budget is not None:
            fits &= self._unit_cost <= self._budget * (1 + 1e-12)
        if self._labels is not None:
            fits &= (self._labels < 0) | (self._count[self._labels] < self._most)
        return fits

    def spend(self, columns):
        """Take note of picked columns."""
        self._n_left -= len(columns)
        if self._budget is not None:
            self._budget -= self._costs[columns].sum()
        if self._labels is not None:
            labels = self._labels[columns]
            np.add.at(self._count, labels[labels >= 0], 1)


def select_columns(selection, n_selected, n_picks=None, progress=None):
    """Run a forward selection to at most ``n_selected`` columns, as its rules allow.

    At most ``n_picks`` columns, by default all, are picked one by one. Columns behind the picks
    follow if the picks end earlier, because nothing is left to gain or because there are only
    ``n_picks``; but none of these is bought from a budget. ``progress.update`` is called with the
    number of picks. Returns a ForwardOrder with the selected columns first, and their number.
    """
    rules, n_features = selection.rules, selection.columns.n_features
    n_picks = n_selected if n_picks is None else n_picks
    allowance = Allowance(rules, n_features, n_selected)
    allowance.spend(selection.order)
    while (n_before := len(selection.order)) < n_picks:
        if selection.pick(allowance.fits()) is None:
            break
        allowance.spend(selection.order[n_before:])
        if progress is not None:
            progress.update(len(selection.order))
    found = selection.finish()
    order = list(found.order[: found.n_picks])
    if rules.budget is None and len(order) < n_selected:
        order += _fill(found, rules, allowance, n_selected - len(order))
    chosen = np.isin(found.order, order)
    return found.reordered(np.concatenate([order, found.order[~chosen]]).astype(int)), len(order)


def _fill(found, rules, allowance, n_more):
    """Columns behind the picks that may be taken, best first."""
    rest = found.order[found.n_picks :]
    if rules.exclude is not None:
        rest = rest[~rules.exclude[rest]]
    if rules.units is None and rules.limits is None:
        return list(rest[:n_more])
    units = Units(rules.units, len(found.order))
    seen = np.zeros(len(found.order), dtype=bool)
    filled = []
    for j in rest:
        if not seen[j]:
            members = units.members(j)
            seen[members] = True
            if allowance.fits()[j]:
                allowance.spend(members)
                filled += list(members)
    return filled
