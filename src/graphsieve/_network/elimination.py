"""Recursive elimination: train, drop the columns of least weight from the encoder, train on.

What is left of a group of copies takes over the weight that they share in a network trained once.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.utils.extmath import row_norms

from .._rows import transpose_csr
from .._utils.linalg import fix_signs, leading_eigenpairs
from .objective import Penalties, Weights, add_penalties, backpropagate, sigmoid

# Fractions of the variance of the targets that the l2,1 penalty, the graph term and the decay are
# at the start. From a tenth to ten times as much changes nothing measurable.
_FRACTIONS = 0.01, 0.1, 0.01
# Directions with less of a column's variance, in which near-copies differ, have no hidden unit.
_LEAST_VARIANCE = 0.01


class Problem(NamedTuple):
    """Centred columns X of some rows, the targets T of the decoder, and the graph Laplacian L.

    A CSR array X, where most entries are zero, is not centred, and has this ``mean``.
    """

    X: object
    T: np.ndarray
    L: object
    mean: np.ndarray | None = None

    def of(self, columns):
        if self.mean is None:
            return self._replace(X=np.take(self.X, columns, axis=1))
        return self._replace(X=self.X[:, columns], mean=self.mean[columns])

    def dense(self):
        return self.X if self.mean is None else self.X.toarray() - self.mean

    def times(self, W):
        XW = self.X @ W
        if self.mean is not None:
            XW -= self.mean @ W
        return XW


class TargetObjective:
    """Autoencoder with linear output whose decoder predicts the targets T from the code of X.

    F is that of ``Objective`` with T in place of the X that is reconstructed, and a linear output.
    An evaluation takes two products with X, in its precision.
    """

    def __init__(self, problem, n_hidden, penalties):
        self.problem, self.penalties, self._m = problem, penalties, n_hidden
        d, m, r = problem.X.shape[1], n_hidden, problem.T.shape[1]
        self._edges = np.cumsum([d * m, m, m * r])
        self.size = int(self._edges[-1]) + r
        # Once: SciPy takes as long to make it as for a product with few columns.
        self._transposed = problem.X.T if problem.mean is None else transpose_csr(problem.X)

    def split(self, z):
        a, b, c = self._edges
        return Weights(z[:a].reshape(-1, self._m), z[a:b], z[b:c].reshape(self._m, -1), z[c:])

    def pack(self, weights):
        return np.concatenate([np.ravel(part) for part in weights]).astype(np.float64)

    def products(self, D):
        XD = self._transposed @ D
        if self.problem.mean is not None:
            XD -= np.outer(self.problem.mean, D.sum(axis=0))
        return XD

    def value_and_grad(self, z):
        weights, (X, T, L, _) = self.split(z), self.problem
        W = Weights(*(part.astype(X.dtype, copy=False) for part in weights))
        H = sigmoid(self.problem.times(W.W_in) + W.b_in)
        LH = None if L is None or self.penalties.graph_weight == 0 else L @ H
        terms = {"n_samples": len(T), "graph_weight": self.penalties.graph_weight}
        value, D, E = backpropagate(W, H, T, LH, output="identity", **terms)
        grad = np.empty(self.size)
        G_in, g_in, G_out, g_out = self.split(grad)
        G_in[:], g_in[:] = self.products(D), D.sum(axis=0)
        G_out[:], g_out[:] = H.T @ E, E.sum(axis=0)
        return value + add_penalties(self.penalties, weights, G_in, G_out), grad


def principal_weights(problem, n_hidden):
    """Where training starts: hidden units along principal axes, and their best decoder."""
    X = problem.dense()
    n, d = X.shape
    wide = n <= d
    gram = (X @ X.T if wide else X.T @ X).astype(np.float64)
    m = min(n_hidden, len(gram))
    square, vectors = leading_eigenpairs(gram, m)
    spread = np.sqrt(np.maximum(square[::-1], 0))
    kept = square[::-1] > _LEAST_VARIANCE * np.trace(gram) / d
    kept[0] = True
    spread, vectors = np.where(spread > 0, spread, 1.0)[kept], vectors[:, ::-1][:, kept]
    axes = X.T @ vectors.astype(X.dtype) / spread if wide else vectors
    W_in = fix_signs(axes.astype(np.float64)) * (np.sqrt(n) / spread)
    b_in = np.zeros(len(spread))
    return Weights(W_in, b_in, *decoder(code(problem, W_in, b_in), problem.T))


def code(problem, W_in, b_in):
    W_in = W_in.astype(problem.X.dtype, copy=False)
    return expit(problem.times(W_in).astype(np.float64) + b_in)


def decoder(H, T):
    """W_out and b_out of the linear decoder that predicts T from the code H best."""
    design = np.column_stack([H, np.ones(len(H))])
    # For many targets several times faster than lstsq.
    solution = np.linalg.pinv(design, rcond=len(design) * np.finfo(float).eps) @ T
    return solution[:-1], solution[-1]


def penalties_at(problem, weights, given):
    """The given penalties, and where they are None penalties relative to the targets."""
    T = problem.T
    variance = float(np.vdot(T, T)) / len(T)
    H = code(problem, weights.W_in, weights.b_in)
    terms = (
        row_norms(weights.W_in).sum(),
        0.0 if problem.L is None else np.vdot(H, problem.L @ H),
        np.vdot(weights.W_in, weights.W_in) + np.vdot(weights.W_out, weights.W_out),
    )
    found = []
    for value, fraction, term in zip(given, _FRACTIONS, terms, strict=True):
        relative = float(fraction * variance / term) if term > 0 else 0.0
        found.append(relative if value is None else value)
    return Penalties(*found)


def unit_norms(weights):
    """Norm of every row of W_in, each hidden unit counted by the length of its output weights."""
    return np.sqrt(np.square(weights.W_in) @ row_norms(weights.W_out, squared=True))


def eliminate(problem, start, train, *, fraction, n_left, columns, kept, first_out):
    """Train and drop a ``fraction`` of the columns from the encoder in turn, at least one.

    ``start`` are Weights for ``columns``, and ``train(problem, weights, first)`` returns trained
    Weights, or None to stop here. Columns ``kept`` are never dropped, those ``first_out`` before
    all others. The last ``n_left`` columns are ranked by their last score. Returns the columns from
    best to worst, and the round in which each was dropped; 0 for survivors.
    """
    rounds = np.zeros(problem.X.shape[1], dtype=int)
    dropped, number = [], 0
    weights = start
    n_left = max(n_left, int(kept[columns].sum()))
    while True:
        trained = train(problem.of(columns), weights, number == 0)
        weights = weights if trained is None else trained
        # Best first; equal columns keep their order.
        order = np.lexsort((-unit_norms(weights), first_out[columns], ~kept[columns]))
        if trained is None or len(columns) <= n_left:
            return np.concatenate([columns[order], *dropped[::-1]]), rounds
        number += 1
        n_kept = min(len(columns) - 1, int(np.ceil((1 - fraction) * len(columns))))
        out = order[max(n_kept, n_left) :]
        rounds[columns[out]] = number
        dropped.append(columns[out])
        stays = np.ones(len(columns), dtype=bool)
        stays[out] = False
        columns, weights = columns[stays], weights._replace(W_in=weights.W_in[stays])
