"""Greedy forward selection: columns one at a time, each for what it adds to those before it.

Columns x_j and targets T are centred. Column j is read with independent noise of energy s_j, and a
set S of columns is judged by the ridge error of the targets,

    E(S) = min_B |T - X_S B|_F^2 + sum_{j in S} s_j |B_j|^2.

Without noise this is the error of the projection on the span of the columns (Farahat, Ghodsi and
Kamel 2013); with noise, a copy of a picked column loses most but not all of its value, and the
rank of the data is never used up. Appending its own noise coordinate to every column,
x~_j = [x_j; sqrt(s_j) e_j], turns ridge into projection, and only the first n coordinates are ever
needed. With P the projector on the columns picked so far and e~_j = (I - P) x~_j, picking column j
lowers the error by exactly

    gain_j = f_j / g_j,    f_j = |T' e~_j|^2,    g_j = |e~_j|^2.

With q = e_l / sqrt(g_l) for the picked column l,
w = T T' q, u = w - Q'(Q w) over the earlier q, r = X'q and z = X'u, a step is

    f <- f - 2 r z + (q'w) r^2,    g <- g - r^2.

A pick costs one pass over the data, and forms no square matrix. With c = Q'x_l, the product r is
also (X'x_l - X'Q c) / sqrt(g_l), and X'x_l takes few rows if column l is sparse.

Columns that enter as a whole are a block U. Picking it lowers the error by exactly

    gain_U = trace(G^-1 F),    G = E_U' E_U,    F = E_U' T T' E_U,

and a step changes the matrices of every block, which for one column is the update of f and g, by

    G <- G - r r',    F <- F - r z' - z r' + (q'w) r r'    over the columns of the block.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv

from .._rows import split_rows
from .._utils.linalg import symmetric_product
from .._utils.threads import blas_for
from .columns import square_rows

# Largest square matrix: 72 MB.
MOST_SQUARE = 3000
# Products of targets with all columns at a time: 32 MB.
_MOST_PRODUCTS = 2**22
# A column with less than this fraction of its squared norm outside the picked ones depends on them;
# the same for directions of blocks, and for inner products, which have half of the digits.
_DEPENDENT, _DEPENDENT_IN_BLOCK, _DEPENDENT_IN_GRAM = 1e-12, 1e-9, 1e-10
# With less than this fraction of its squared norm left, a column is made orthogonal to the picked
# ones a second time (Daniel, Gragg, Kaufman and Stewart 1976).
_LITTLE_LEFT = 0.5
# A gain below this fraction of the targets' energy is rounding.
_NO_GAIN = 1e-12
# With noise, columns whose squared correlation is this close to 1 are copies of each other.
_SAME = 0.01
# Gains that differ by less are equal, and the first column wins: above the rounding of updates, so
# that neither storage nor threads decide.
_TIE = 1e-7
# Columns of a tier are picked when none is left in those before it; copies of copies come last.
_FIRST, _NEAR_COPY, _UNTRUSTED, _COPY = range(4)
_EXCLUDED, _CONSTANT = 2**31 - 2, 2**31 - 1


def join_targets(targets, weights):
    """Targets side by side, of energies in proportion to the weights, 1 together."""
    pairs = [(T, w) for T, w in zip(targets, weights, strict=True) if T.energy > 0]
    if not pairs:
        return targets[0]
    total = sum(weight for _, weight in pairs)
    parts = [(target, weight / total / target.energy) for target, weight in pairs]
    factors = [T.T * np.sqrt(share) for T, share in parts if isinstance(T, FactorTarget)]
    if len(factors) == len(parts) and sum(len(T.T) for T in factors) <= len(factors[0]):
        first, share = parts[0]
        scale = None if first.scale is None else np.sqrt(share) * first.scale
        return FactorTarget(np.hstack(factors), scale=scale, weights=first.weights)
    return GramTarget(sum(share * target.gram() for target, share in parts))


class FactorTarget:
    """Targets T of shape (n_samples, n_targets), and their products with the columns if known.

    With a ``scale``, the first ones are the columns themselves, times a factor for every row and
    one of the ``weights`` for every column.
    """

    def __init__(self, T, products=None, scale=None, weights=1.0):
        self.T, self.scale, self.weights = T, scale, weights
        self.energy = float(np.vdot(T, T))
        self._products = products

    @classmethod
    def centred(cls, T):
        """Targets less their means; all zero if only rounding errors are left."""
        centred = T - T.mean(axis=0)
        is_rounding = np.vdot(centred, centred) <= 1e-24 * np.vdot(T, T)
        return cls(np.zeros_like(centred) if is_rounding else centred)

    def gram(self):
        return self.T @ self.T.T

    def square_energy(self):
        """|T T'|_F^2, as for the other targets."""
        return float(np.square(self.T.T @ self.T).sum())

    def forms(self, columns):
        """|T'x_j|^2 for every column."""
        if self._products is not None:
            return square_rows(self._products.T)
        slices = split_rows(self.T.shape[1], max(1, _MOST_PRODUCTS // columns.n_features))
        return sum(square_rows(columns.products(self.T[:, some])) for some in slices)

    def apply(self, q):
        """T T'q."""
        return self.T @ (q @ self.T)


class GramTarget:
    """Targets that are known through M = T T', for few samples."""

    def __init__(self, M):
        self.M = M
        self.energy = float(np.trace(M))
        self.apply = symmetric_product(M)  # M q

    def gram(self):
        return self.M

    def square_energy(self):
        return float(np.square(self.M).sum())

    def forms(self, columns):
        return columns.quadratic_forms(self.M)


class InnerTarget:
    """Columns and targets T through G = X'X, C = X'T and S = T'T, for more samples than columns.

    A pick is then no pass over the data. Differences of inner products have half of the digits.
    """

    def __init__(self, G, C, S):
        self.G, self.C, self.S = G, C, S
        self.energy = float(np.trace(S))

    @classmethod
    def of(cls, columns, target):
        T, d = target.T, columns.n_features
        with blas_for(float(T.size) * (d + T.shape[1])):
            single = T.astype(np.float32)  # enough for what is expected by chance
            S = (single.T @ single).astype(np.float64)
            if target.scale is not None:  # products of columns are symmetric: half of the time
                C = [columns.inner_products(target.scale) * target.weights]
                C += [columns.products(T[:, d:])] if T.shape[1] > d else []
            else:
                C = [columns.products(T)]
            return cls(columns.inner_products(), np.hstack(C), S)

    def square_energy(self):
        return float(np.square(self.S).sum())

    def forms(self, columns):
        return square_rows(self.C)


@dataclass(frozen=True)
class Rules:
    """Conditions on a selection.

    ``include`` are picked first, in this order, and the mask ``exclude`` never. Near-copies, whose
    squared correlation with a picked column reaches ``near_copy``, are picked when no other column
    is left but those of the mask ``last``, and these after them. Columns with the same label in
    ``units`` enter as a whole. Gains are multiplied by the mean of ``weights`` and divided by the
    sum of ``costs`` of a unit; all picks cost at most ``budget``. ``limits`` are labels, -1 for
    none, and the most columns of each.
    """

    include: tuple = ()
    exclude: np.ndarray | None = None
    last: np.ndarray | None = None
    weights: np.ndarray | None = None
    costs: np.ndarray | None = None
    budget: float | None = None
    units: np.ndarray | None = None
    limits: tuple | None = None
    near_copy: float = np.inf


@dataclass(frozen=True)
class ForwardOrder:
    """All columns in order of their worth, and how they came to it.

    ``gains`` and ``layers`` are as in GraphSieve, and ``n_picks`` columns were picked one by one.
    """

    order: np.ndarray
    gains: np.ndarray
    layers: np.ndarray
    n_picks: int


class Units:
    """Which columns belong together: those with the same label, or each by itself."""

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
        least = np.full(len(self.sizes), values.max(initial=0), dtype=values.dtype)
        np.minimum.at(least, self.number, values)
        return least[self.number]

    def blocks(self):
        """Columns of the units of more than one column, one array (n_units, size) per size."""
        order = np.argsort(self.number, kind="stable")
        start = np.cumsum(self.sizes) - self.sizes
        for size in np.unique(self.sizes[self.sizes > 1]):
            yield order[start[self.sizes == size][:, np.newaxis] + np.arange(size)]


def block_matrices(units, columns, target, noise):
    """Blocks, scales, and the matrices G and F before the first pick, a stack per size of blocks.

    The scales are those of the columns, and make the diagonal of G one.
    """
    stacks = []
    for blocks in units.blocks():
        G, F = [], []
        for block in blocks:
            if isinstance(target, InnerTarget):
                inner, form = target.G[np.ix_(block, block)], target.C[block] @ target.C[block].T
            else:
                X = np.array([columns.column(j) for j in block])
                inner, form = X @ X.T, X @ np.array([target.apply(x) for x in X]).T
            G.append(inner + np.diag(noise[block]))
            F.append(form)
        square = np.einsum("uii->ui", np.array(G))
        scale = np.divide(1, np.sqrt(square), out=np.zeros_like(square), where=square > 0)
        unit = scale[:, :, np.newaxis] * scale[:, np.newaxis, :]
        stacks.append((blocks, scale, G * unit, F * unit))
    return stacks


class _Step(NamedTuple):
    """A column that may be picked, its gain, and the vectors that ``add`` of its layer needs."""

    column: int
    gain: float
    vectors: tuple


class _Layer:
    """One pass of forward selection over the columns of the mask ``alive``."""

    def __init__(self, columns, target, f, noise, alive, blocks, square_energy):
        self._columns, self._target, self._noise = columns, target, noise
        self.f, self.g = f.copy(), columns.square_norms + noise
        self._g_start = self.g.copy()
        self.alive = alive & (columns.square_norms > 0)
        self._stacks = list(blocks)
        self.n_picked = 0
        self._energy, self._square_energy = target.energy, square_energy

    def chance(self):
        """The largest gain to be expected of living columns with permuted entries.

        A permuted column is a random direction: its gain is a weighted sum of squares with mean
        trace(M) / n and variance 2 trace(M^2) / n^2, with M = T T' of what is left of the targets.
        """
        n, count = self._columns.n_samples - 1, max(1, np.count_nonzero(self.alive))
        mean, variance = max(self._energy, 0) / n, 2 * max(self._square_energy, 0) / n**2
        if not (mean > 0 and variance > 0):
            return mean
        shape = mean**2 / variance
        return float(gammaincinv(shape, 1 - 0.5 / count) * variance / mean)

    def gains(self):
        """What every living column, or the whole block it belongs to, would add; 0 for others."""
        gains = np.divide(self.f, self.g, out=np.zeros_like(self.f), where=self.alive)
        for blocks, _, G, F in self._stacks:
            value, vector = np.linalg.eigh(G)
            form = np.einsum("uik,uij,ujk->uk", vector, F, vector, optimize=True)
            counts = value > _DEPENDENT_IN_BLOCK
            gain = np.divide(form, value, out=np.zeros_like(form), where=counts).sum(axis=1)
            gains[blocks] = np.maximum(gain, 0)[:, np.newaxis] * self.alive[blocks]
        return gains

    def best(self, worth, in_block):
        """The step of the living column of largest ``gain * worth``; None if there is no gain.

        Updates lose digits: candidates outside of blocks are computed afresh and compared again.
        """
        gains = self.gains() * worth
        least = _NO_GAIN * self._target.energy * (worth * self.alive).max(initial=0)
        while (top := gains.max()) > least:
            j = int(np.argmax(gains >= top * (1 - _TIE)))
            if (step := self.candidate(j)) is None:
                gains[j] = 0.0
                continue
            if in_block[j]:
                return step
            gains[j] = step.gain * worth[j]
            if gains[j] >= gains.max() * (1 - _TIE):
                return step
        return None

    def _update(self, step, r, z):
        self._energy -= step.gain
        for i, (blocks, scale, G, F) in enumerate(self._stacks):
            r_u, z_u = r[blocks] * scale, z[blocks] * scale
            outer = r_u[:, :, np.newaxis] * r_u[:, np.newaxis, :]
            cross = r_u[:, :, np.newaxis] * z_u[:, np.newaxis, :]
            F = F - cross - cross.transpose(0, 2, 1) + step.gain * outer
            self._stacks[i] = blocks, scale, G - outer, F
        self.f = np.maximum(self.f + r * (step.gain * r - 2 * z), 0)
        self.g = np.maximum(self.g - r * r, 0)
        self.n_picked += 1
        self.alive[step.column] = False
        self.alive &= self.g > _DEPENDENT * self._g_start


class _VectorLayer(_Layer):
    """Steps through vectors of n samples."""

    def __init__(self, columns, *args):
        super().__init__(columns, *args)
        self._basis = np.empty((0, columns.n_samples))
        # X'q of as many picks as take no more memory than sparse data.
        self._products = np.empty((0, columns.n_features))
        self._most_products = columns.n_stored // columns.n_features

    def candidate(self, j):
        """The pick of column j, or None if it depends on the picked ones."""
        x = self._columns.column(j)
        basis = self._basis[: self.n_picked]
        c = basis @ x
        e = x - c @ basis
        if self._noise[j] > 0:
            square = self._g_start[j] - c @ c
        else:
            square = e @ e
            if square < _LITTLE_LEFT * self._g_start[j]:
                e -= (basis @ e) @ basis  # twice is enough
                square = e @ e
        if square <= _DEPENDENT * self._g_start[j]:
            self.alive[j] = False
            return None
        q, r = e / np.sqrt(square), None
        inner = self._columns.products_of_column(j)
        # Where little is left, the difference would lose digits.
        keeps_digits = square >= _LITTLE_LEFT * self._g_start[j]
        if inner is not None and keeps_digits and self.n_picked <= self._most_products:
            r = (inner - c @ self._products[: self.n_picked]) / np.sqrt(square)
        w = self._target.apply(q)
        gain = float(q @ w)
        self.f[j], self.g[j] = gain * square, square
        return _Step(j, gain, (x, q, w, r, inner))

    def add(self, step):
        """Pick a column; returns its products X'x with all columns."""
        x, q, w, r, inner = step.vectors  # r = X'q and inner = X'x are None if not known yet
        basis = self._basis[: self.n_picked]
        h = basis @ w
        vectors = [w - h @ basis] + [q] * (r is None) + [x] * (inner is None)
        z, *others = self._columns.products(np.array(vectors).T).T
        r = others.pop(0) if r is None else r
        inner = others.pop(0) if inner is None else inner
        self._basis = _with_row(self._basis, self.n_picked, q)
        if self.n_picked < self._most_products:
            self._products = _with_row(self._products, self.n_picked, r)
        self._square_energy += step.gain**2 - 2 * (w @ w - h @ h)
        self._update(step, r, z)
        return inner


class _InnerLayer(_Layer):
    """The same steps through InnerTarget: of every q, only r = X'q and t = T'q are known."""

    def __init__(self, columns, target, *args):
        super().__init__(columns, target, *args)
        self._r = np.empty((0, columns.n_features))
        self._t = np.empty((0, target.C.shape[1]))
        self._n_counted = 0

    def chance(self):
        """See above; here the squared energy of what is left is computed when needed."""
        old, new = np.split(self._t[: self.n_picked], [self._n_counted])
        explained = np.vdot(new @ self._target.S, new) - np.square(new @ old.T).sum()
        self._square_energy += np.square(new @ new.T).sum() - 2 * explained
        self._n_counted = self.n_picked
        return super().chance()

    def candidate(self, j):
        r, t = self._r[: self.n_picked], self._t[: self.n_picked]
        c = r[:, j]
        square = self._g_start[j] - c @ c
        if square <= _DEPENDENT_IN_GRAM * self._g_start[j]:
            self.alive[j] = False
            return None
        new_t = (self._target.C[j] - c @ t) / np.sqrt(square)
        gain = float(new_t @ new_t)
        self.f[j], self.g[j] = gain * square, square
        new_r = (self._target.G[j] - c @ r) / np.sqrt(square)
        return _Step(j, gain, (new_r, new_t))

    def add(self, step):
        r, t = step.vectors
        h = self._t[: self.n_picked] @ t
        z = self._target.C @ t - h @ self._r[: self.n_picked]
        self._r = _with_row(self._r, self.n_picked, r)
        self._t = _with_row(self._t, self.n_picked, t)
        self._update(step, r, z)
        return self._target.G[step.column]


def _with_row(array, n, row):
    """``array`` with ``row`` behind its first n rows; a longer copy if it is full."""
    if n == len(array):
        grown = np.empty((max(16, 2 * n), len(row)))
        grown[:n] = array
        array = grown
    array[n] = row
    return array


@dataclass
class ForwardSelection:
    """Layer after layer, until enough columns are picked.

    A layer ends when ``share`` of the targets' energy is explained (with ``above_chance``, not
    before no column adds more than permuted ones would) or nothing is left to gain, and the next
    one starts on the columns that are left, as if nothing had been picked. Copies of picked columns
    wait until all others are ranked. ``noise`` are the noise energies of the columns.
    """

    columns: object
    target: object
    noise: np.ndarray
    share: float = 1.0
    rules: Rules = field(default_factory=Rules)
    above_chance: bool = False

    def __post_init__(self):
        rules, d = self.rules, self.columns.n_features
        self.order, self.n_layers, self.explained = [], 0, 0.0
        self.gains, self.layers = np.zeros(d), np.zeros(d, dtype=int)
        self._f = np.maximum(self.target.forms(self.columns), 0)
        self._energy = self.target.energy or 1.0
        self._square_energy = self.target.square_energy() if self.above_chance else 0.0
        self._tier = np.where(self.columns.square_norms > 0, _FIRST, _CONSTANT)
        tiers = {_UNTRUSTED: rules.last, _EXCLUDED: rules.exclude}
        for tier, mask in tiers.items():
            if mask is not None:
                self._tier[mask] = np.maximum(self._tier[mask], tier)
        self._units = units = Units(rules.units, d)
        self._in_block = units.sizes[units.number] > 1
        self._blocks = block_matrices(units, self.columns, self.target, self.noise)
        ones = np.ones(d)
        weights = ones if rules.weights is None else rules.weights
        costs = ones if rules.costs is None else rules.costs
        self._worth = units.sums(weights) / units.sums(ones) / units.sums(costs)
        self._start_layer()
        for j in rules.include:
            self.force(j)

    def pick(self, affordable=None):
        """Pick one column, or the unit that it belongs to; None if no column adds anything.

        Columns that are not ``affordable`` can be picked neither now nor later.
        """
        if affordable is not None and not affordable.all():
            self._tier[~affordable] = np.maximum(self._tier[~affordable], _EXCLUDED)
            self._layer.alive &= affordable
        step = self._layer.best(self._worth, self._in_block)
        while step is None and self._start_layer():
            step = self._layer.best(self._worth, self._in_block)
        if step is None:
            return None
        self._record(step, step.column)
        for j in self._units.members(step.column):
            if j != step.column:
                self.force(int(j))
        if self.explained >= self.share:
            least = self._layer.chance() if self.above_chance else np.inf
            if self._layer.gains().max() <= least:
                self._start_layer()
        return step.column

    def finish(self):
        """Put the other columns behind the picks: those that add to the current layer by what they
        add, then those that have to wait for the next, copies, excluded and constant columns."""
        now, waiting = self._layer.gains(), self._units.lowest(~self._layer.alive)
        square = self.columns.square_norms + self.noise
        alone = np.divide(self._f, square, out=np.zeros_like(now), where=square > 0)
        rest = self.layers == 0
        self.gains[rest] = (np.where(waiting, self._units.sums(alone), now) / self._energy)[rest]
        # Rounded, so that copies keep the order of the columns.
        by_gain = self._units.lowest(-np.round(self.gains * self._worth, 10))
        tier = self._units.lowest(self._tier)
        order = np.lexsort((self._units.first, by_gain, waiting, tier))
        order = np.concatenate([np.array(self.order, dtype=int), order[rest[order]]])
        return ForwardOrder(order, self.gains, self.layers, len(self.order))

    def _start_layer(self):
        """Start a layer on the columns of the next tier that are left; False if there are none,
        or if the layer before has found nothing in the same columns."""
        left, tiers = self.layers == 0, self._units.lowest(self._tier)
        tier = tiers[left].min(initial=_EXCLUDED)
        if self.n_layers > 0:
            barren = self._layer.n_picked == 0 and tier == self._layer_tier
            if barren or tier >= _EXCLUDED:
                return False
        candidates = left & (tiers == tier) & (tier < _EXCLUDED)
        layer = _InnerLayer if isinstance(self.target, InnerTarget) else _VectorLayer
        of_layer = self._f, self.noise, candidates, self._blocks, self._square_energy
        self._layer = layer(self.columns, self.target, *of_layer)
        self._layer_tier, self.explained = tier, 0.0
        self.n_layers += 1
        return True

    def force(self, j):
        self._record(self._layer.candidate(j), j)

    def _record(self, step, j):
        self.order.append(j)
        self.layers[j] = self.n_layers
        if step is None:  # a given column that depends on those before it adds nothing
            return
        self.gains[j] = step.gain / self._energy
        self.explained += self.gains[j]
        self._set_copies_aside(j, self._layer.add(step))

    def _set_copies_aside(self, j, inner):
        """Let columns that are parallel to the pick, or nearly so, wait for all others.

        ``inner`` are the products of the pick with all columns.
        """
        near, same = self.rules.near_copy, 1 - (_SAME if self.noise[j] > 0 else _DEPENDENT)
        squares = self.columns.square_norms[j] * self.columns.square_norms
        copies = np.flatnonzero(inner**2 >= min(near, same) * squares)
        copies = copies[(self.layers[copies] == 0) & (self._tier[copies] < _EXCLUDED)]
        if not len(copies):
            return
        is_same = inner[copies] ** 2 >= same * squares[copies]
        same_tier, near_tier = max(_COPY, self._layer_tier + 1), max(_NEAR_COPY, self._layer_tier)
        tier = np.where(is_same, same_tier, near_tier)
        self._tier[copies] = np.maximum(self._tier[copies], tier)
        self._layer.alive[copies] &= self._tier[copies] <= self._layer_tier


class Allowance:
    """What may still be picked under the Rules, at most ``n_picks`` columns; it only shrinks."""

    def __init__(self, rules, n_features, n_picks):
        ones = np.ones(n_features)
        units = Units(rules.units, n_features)
        self._size = units.sums(ones)
        self._costs = ones if rules.costs is None else rules.costs
        self._unit_cost = units.sums(self._costs)
        self.n_features, self.n_left, self._budget = n_features, n_picks, rules.budget
        self._labels, self._most = rules.limits or (None, None)
        if self._labels is not None:
            self._count = np.zeros(max(self._labels.max(), 0) + 1, dtype=int)

    def fits(self):
        """Mask of the columns that may be picked with their unit."""
        fits = self._size <= self.n_left
        if self._budget is not None:
            fits &= self._unit_cost <= self._budget * (1 + 1e-12)
        if self._labels is not None:
            fits &= (self._labels < 0) | (self._count[self._labels] < self._most)
        return fits

    def spend(self, columns):
        self.n_left -= len(columns)
        if self._budget is not None:
            self._budget -= self._costs[columns].sum()
        if self._labels is not None:
            labels = self._labels[columns]
            np.add.at(self._count, labels[labels >= 0], 1)


def select_columns(selection, n_selected, n_picks=None, progress=None):
    """Run a forward selection to at most ``n_selected`` columns, as its rules allow.

    At most ``n_picks`` columns, by default all, are picked one by one. If the picks end earlier,
    those behind them follow, unless there is a budget: it buys picks only. ``progress.update``
    gets the number of picks. Returns a ForwardOrder, selected columns first, and their number.
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
        rest = found.order[found.n_picks :]
        rest = rest if rules.exclude is None else rest[~rules.exclude[rest]]
        order += fill(rest, rules, allowance)
    chosen = np.isin(found.order, order)
    everything = np.concatenate([order, found.order[~chosen]]).astype(int)
    return replace(found, order=everything), len(order)


def fill(order, rules, allowance):
    """Columns that may be taken besides what the Allowance has noted, the first of an order."""
    if rules.units is rules.limits is rules.budget is None:
        return order[: allowance.n_left].tolist()
    units = Units(rules.units, allowance.n_features)
    seen = np.zeros(allowance.n_features, dtype=bool)
    filled = []
    for j in order:
        if not seen[j]:
            members = units.members(j)
            seen[members] = True
            if allowance.fits()[j]:
                allowance.spend(members)
                filled += list(members)
    return filled
