"""Redundancy-aware selection: columns one after another, each for what it adds to the others.

Orthogonal forward selection with many targets. Columns X and targets T are centred; with P the
projector on the columns picked so far, e_j = (I - P) x_j and M = sum of T T', a pick of column j
lowers the squared error of the targets by exactly

    gain_j = f_j / g_j,    f_j = e_j' M e_j,    g_j = e_j' e_j.

The targets enter only through M, so any mixture of them costs the same. With q = e_l / |e_l| for
the picked column l, u = (I - P) M q, r = X'q and z = X'u, one step is

    f <- f - 2 r z + (q'Mq) r^2,    g <- g - r^2,

O(n d + n^2) and exact. When d < n, the triangle of a QR factorisation of [X, T], made in one pass
over row blocks, takes the place of the data, and a step costs O(d^2).

The ranking is built in layers. A pass ends when nothing is left to gain, and the next one starts
on the columns that are left, as if nothing had been picked. When n <= d, n - 1 columns explain
everything, and the last of them fit noise: there a pass ends already when ``share`` of the energy
of the targets is explained. An exact copy of a picked column (any multiple of it, plus a constant)
takes no part in the layers before all other columns are ranked.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp

from .._rows import split_rows
from .._utils.threads import Workers
from .._utils.warn import warn
from .columns import Columns, compact

TARGETS = ("data", "code", "both")

# A column with less than this share of its squared norm outside the picked ones depends on them.
_DEPENDENT = 1e-12
# Less than this share of the targets' energy is rounding, not a gain.
_NOTHING = 1e-12
# Gains that differ by less are equal, and the first column wins. Above the rounding that updates
# gather, so that neither storage nor the number of threads decides between equal columns.
_TIE = 1e-7


@dataclass(frozen=True)
class GreedyOrder:
    """All columns in the order of their worth, and how they came to it.

    Attributes
    ----------
    order : ndarray of shape (n_features,)
        Best first.
    gains : ndarray of shape (n_features,)
        Share of the targets' energy that a column explained when it was picked, on top of those
        picked before it in its layer; for a column that was not picked, what it would add next.
    layers : ndarray of shape (n_features,)
        Layer in which a column was picked, from 1; 0 for one that was not.
    rank : int
        The most picks that a layer can have.
    """

    order: np.ndarray
    gains: np.ndarray
    layers: np.ndarray
    rank: int

    @property
    def scores(self):
        """d for the best column, 1 for the last."""
        scores = np.empty(len(self.order))
        scores[self.order] = np.arange(len(self.order), 0, -1)
        return scores

    def unexplained(self):
        """Share of the targets' energy that each pick of the first layer leaves unexplained.

        From the last pick the curve goes straight to 0 at the largest possible rank, so that its
        knee is where a pick adds less than the average one would.
        """
        first = self.order[self.layers[self.order] == 1]
        if len(first) < 2:
            return np.zeros(1)
        left = 1 - np.cumsum(self.gains[first])
        return np.append(left, np.linspace(left[-1], 0, self.rank - len(left) + 1)[1:])


def greedy_order(data, n_picks=None, *, code=None, targets="data", share=0.9, n_jobs=None):
    """Rank all columns by what each adds to the reconstruction of the targets.

    Parameters
    ----------
    data : Rows
        In memory, n x d (CSR stays sparse) and n x n numbers are held when n <= d; else d x d.
    n_picks : int or None
        Number of exact picks; None for as many as explain ``share`` of the targets' energy. The
        other columns follow in the order of what each alone would add next. The picks do not
        depend on their number: the first of a longer run are the same.
    code : ndarray of shape (n_samples, n_hidden), optional
        Needed for the targets "code" and "both".
    targets : {"data", "code", "both"}
        What is to be reconstructed. Data and code are scaled to unit energy each. A constant code
        has none; the data take its place.
    share : float in (0, 1]
        Explained share of the targets' energy at which a layer ends when n <= d; with 1 it ends
        when nothing is left to gain.

    Returns
    -------
    GreedyOrder
    """
    with Workers(n_jobs) as workers:
        problem = _Problem(data, code, targets, workers)
        ranking = _Ranking(problem, share if data.n_samples <= data.n_features else 1.0)
        if n_picks is None:
            while ranking.n_layers == 1 and ranking.explained < share and ranking.pick():
                pass
        else:
            while len(ranking.order) < n_picks and ranking.pick():
                pass
        return ranking.finish()


class _Problem:
    """Centred columns with the Gram matrix M of the targets, and their gains before any pick.

    For n <= d the columns are those of the data, else those of a triangle with the same inner
    products.
    """

    def __init__(self, data, code, targets, workers):
        mean, variance = data.column_moments()
        code, energy = _centred_code(code, data.n_samples, targets)
        if data.n_samples > data.n_features:
            triangle, code = _triangle(data, mean, code)
            self.columns = Columns(triangle, workers, centre=False)
        else:
            self.columns = Columns(compact(data.whole()), workers)
        constant = variance <= (1e-12 * mean) ** 2
        self.g = np.where(constant, 0, variance * data.n_samples)
        self.rank = min(data.n_samples - 1, np.count_nonzero(self.g))
        self.M = self._gram(code, energy, targets)
        self.f = self.columns.quadratic_forms(self.M)

    def column(self, j):
        return self.columns.take([j])[:, 0]

    def _gram(self, code, energy, targets):
        """Gram matrix of the targets, each of unit energy, divided by their number."""
        grams = []
        if energy > 0:
            grams.append(code @ code.T / energy)
        if targets != "code" or not grams:
            K = self.columns.gram()
            grams.append(K / max(np.trace(K), np.finfo(float).tiny))
        return sum(grams) / len(grams)


def _centred_code(code, n_samples, targets):
    """The centred code, without columns where it is no target, and its energy."""
    if targets == "data":
        return np.empty((n_samples, 0)), 0.0
    code = np.asarray(code, dtype=np.float64)
    centred = code - code.mean(axis=0)
    energy = (centred**2).sum()
    if energy <= 1e-24 * (code**2).sum():
        warn("the hidden code is constant: the data alone are the target of the greedy selection")
        return np.empty((n_samples, 0)), 0.0
    return centred, energy


def _triangle(data, mean, code):
    """(d, d) columns and (d, m) code with the inner products of the centred data and the code.

    In the orthonormal basis that the QR factorisation of [X, code] finds, the columns fill only
    the first d coordinates; the rest of the code is out of their reach.
    """
    d = data.n_features
    # Many rows at a time, as two triangles take as long to put together as a square of rows.
    n_bytes = 4 * (d + code.shape[1]) * d * data.dtype.itemsize
    R = data.reduce(partial(_factor, mean), code, combine=_stack_triangles, block_bytes=n_bytes)
    return R[:d, :d].copy(), R[:d, d:]


def _factor(mean, block, code):
    if not sp.issparse(block):
        return np.linalg.qr(np.hstack([block - mean, code]), mode="r")
    R = np.empty((0, block.shape[1] + code.shape[1]))
    for rows in split_rows(block.shape[0], 4 * R.shape[1]):
        R = _stack_triangles(R, np.hstack([block[rows].toarray() - mean, code[rows]]))
    return R


def _stack_triangles(one, other):
    return np.linalg.qr(np.vstack([one, other]), mode="r")


class _Layer:
    """One pass of orthogonal forward selection over the columns of the mask ``candidates``."""

    def __init__(self, problem, candidates):
        self._problem = problem
        self._f, self._g = problem.f.copy(), problem.g.copy()
        self.alive = candidates.copy()
        n_rows = len(problem.M)
        # Rows are the orthonormal directions of the picks; only those in use take up memory.
        self._basis = np.empty((min(problem.rank, self.alive.sum()), n_rows))
        self.n_picked = 0

    def gains(self):
        """What every living column would add; 0 for the others."""
        return np.divide(self._f, self._g, out=np.zeros_like(self._f), where=self.alive)

    def pick(self):
        """(column, gain, mask of the columns that depend on the picks from now on), or None."""
        problem, gains = self._problem, self.gains()
        while (best := gains.max()) > _NOTHING and self.n_picked < len(self._basis):
            j = int(np.argmax(gains >= best * (1 - _TIE)))
            # Updates by subtraction lose digits: the candidate alone is computed afresh.
            e = self._outside(self._outside(problem.column(j)))
            self._g[j] = e @ e
            if self._g[j] <= _DEPENDENT * problem.g[j]:
                self.alive[j], gains[j] = False, 0.0
                continue
            q = e / np.sqrt(self._g[j])
            u = problem.M @ q
            gains[j] = q @ u
            self._f[j] = gains[j] * self._g[j]
            if gains[j] >= gains.max() * (1 - _TIE):
                return j, gains[j], self._add(j, q, self._outside(u), gains[j])
        return None

    def _outside(self, v):
        basis = self._basis[: self.n_picked]
        return v - (basis @ v) @ basis

    def _add(self, j, q, u, gain):
        r, z = self._problem.columns.products(np.column_stack([q, u])).T
        self._f = np.maximum(self._f + r * (gain * r - 2 * z), 0)
        self._g = np.maximum(self._g - r * r, 0)
        self._basis[self.n_picked] = q
        self.n_picked += 1
        self.alive[j] = False
        dependent = self.alive & (self._g <= _DEPENDENT * self._problem.g)
        self.alive &= ~dependent
        return dependent


class _Ranking:
    """Layer after layer, until every column that varies has been picked."""

    def __init__(self, problem, share):
        self._problem, self._share = problem, share
        n_features = len(problem.g)
        self.order = []
        self.gains = np.zeros(n_features)
        self.layers = np.zeros(n_features, dtype=int)
        self.n_layers = 0
        self._left = problem.g > 0
        self._copies = np.zeros(n_features, dtype=bool)
        self._start_layer()

    def _start_layer(self):
        if not self._left.any():
            self._left, self._copies = self._copies, self._left
        self._layer = _Layer(self._problem, self._left)
        self.explained = 0.0
        self.n_layers += 1

    def pick(self):
        """Pick one column; whether there was one that adds anything."""
        picked = self._layer.pick()
        if picked is None and self._layer.n_picked > 0:
            self._start_layer()
            picked = self._layer.pick()
        if picked is None:
            return False
        j, gain, dependent = picked
        self.order.append(j)
        self.gains[j], self.layers[j] = gain, self.n_layers
        self._left[j] = False
        if dependent.any():
            self._set_copies_aside(j, dependent)
        self.explained += gain
        if self.explained >= self._share:
            self._start_layer()
        return True

    def _set_copies_aside(self, j, dependent):
        """A copy is among the columns that the pick has made dependent, and parallel to it."""
        g = self._problem.g
        inner = self._problem.columns.products(self._problem.column(j)[:, None])[:, 0]
        copies = dependent & (inner**2 >= (1 - _DEPENDENT) * g[j] * g)
        self._left &= ~copies
        self._copies |= copies

    def finish(self):
        """Put the other columns behind the picks: first those that add to the present layer, by
        what they add, then those that have to wait for the next, copies, constant columns."""
        now, waiting = self._layer.gains(), ~self._layer.alive
        at_first = np.divide(
            self._problem.f, self._problem.g, out=np.zeros_like(now), where=self._problem.g > 0
        )
        rest = self.layers == 0
        self.gains[rest] = np.where(waiting, at_first, now)[rest]
        # Rounded, so that copies keep the order of the columns.
        by_gain = -np.round(self.gains, 10)
        order = np.lexsort((by_gain, waiting, self._copies, self._problem.g == 0))
        order = np.concatenate([np.array(self.order, dtype=int), order[rest[order]]])
        return GreedyOrder(order, self.gains, self.layers, self._problem.rank)
