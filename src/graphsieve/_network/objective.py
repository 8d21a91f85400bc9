"""The objective of the autoencoder methods: value and gradient, and where the solver starts."""

from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import daxpy, dger
from scipy.special import logit

from .._rows import BLOCK_BYTES, split_rows

# Power of the total standard deviation by which W_in is divided in the solver's variables: after
# 100 iterations on Yale, AEFS is at 101 with 0, 94 with 0.5, 239 with 1; GAFS at 12.8 and 8.0.
_SCALE_POWER = {"sigmoid": 1.0, "identity": 0.5}
# Blocks of rows, of which threads work on several at once, unless they would be small or large.
_N_BLOCKS = 8


class Weights(NamedTuple):
    """Encoder (d, m), its bias (m,), decoder (m, d), its bias (d,)."""

    W_in: np.ndarray
    b_in: np.ndarray
    W_out: np.ndarray
    b_out: np.ndarray


class Penalties(NamedTuple):
    alpha: float
    graph_weight: float
    decay: float


class Objective:
    """Autoencoder with a row-sparse encoder and a graph Laplacian on its hidden code.

    With H = sigmoid(X W_in + b_in) and Xhat = output(H W_out + b_out)::

        F = |X - Xhat|_F^2 / (2 n) + alpha |W_in|_{2,1} + graph_weight Tr(H' L H)
            + decay / 2 (|W_in|_F^2 + |W_out|_F^2)

    By backpropagation, with * for products of entries, E the gradient by the input of the last
    layer and D that by the input of the hidden layer::

        E = (Xhat - X) / n                             times Xhat * (1 - Xhat) for a sigmoid
        D = (E W_out' + 2 graph_weight L H) * H * (1 - H)
        dF/dW_in  = X' D + alpha N + decay W_in        N: rows of W_in divided by their norms
        dF/dW_out = H' E + decay W_out
        dF/db_in  = sums of the columns of D,          dF/db_out = sums of the columns of E

    The solver sees F as a function of one vector z, in variables in which L-BFGS needs a fraction
    of the iterations, because W_in and b_in are decoupled and V has about the curvature of the
    others::

        X W_in + b_in = (X - mean) scale V + c,   W_in = scale V,   b_in = c - mean' W_in

    X are scaled Rows: their dtype is that of the matrix products, z and the penalties are float64.
    The Laplacian L may be None without a graph term. Blocks of rows are added in their order: the
    result is the same to the last bit for any number of threads.
    """

    def __init__(
        self, X, L, workers, *, n_hidden, alpha=0.0, graph_weight=0.0, decay=0.0, output="sigmoid"
    ):
        self.X, self.n_hidden, self.output = X, n_hidden, output
        self.penalties = Penalties(alpha, graph_weight, decay)
        n_samples, row_bytes = X.n_samples, X.n_features * X.dtype.itemsize
        self._terms = {"output": output, "n_samples": n_samples, "graph_weight": graph_weight}
        self.mean, variance = X.column_moments()
        spread = np.sqrt(variance.sum())
        self.scale = spread ** -_SCALE_POWER[output] if spread > 0 else 1.0
        self.size = (2 * X.n_features + 1) * n_hidden + X.n_features
        # Each block adds d x m numbers, so it should have many more rows than m.
        most = np.clip(4 * n_hidden * row_bytes, BLOCK_BYTES, 4 * BLOCK_BYTES)
        block_bytes = np.clip(n_samples * row_bytes / _N_BLOCKS, BLOCK_BYTES, most)
        self._options = {"block_bytes": block_bytes, "dense": True, "workers": workers}
        self._rows_of_L = []
        if L is not None and graph_weight:
            L = L.astype(X.dtype).tocsr()
            blocks = split_rows(n_samples, max(1, int(block_bytes // row_bytes)))
            self._rows_of_L = [L[rows] for rows in blocks]
        self._theta = np.empty(self.size)  # the plain weights at the point of evaluation

    def start(self, rng):
        """Uniform weights of the usual size for sigmoid networks; b_out gives the column means."""
        d, m = self.X.n_features, self.n_hidden
        reach = np.sqrt(6 / (d + m + 1))
        W_in = rng.uniform(-reach, reach, (d, m))
        W_out = rng.uniform(-reach, reach, (m, d))
        b_out = self.X.column_moments()[0]
        if self.output == "sigmoid":
            b_out = logit(np.clip(b_out, 0.01, 0.99))
        return self.pack(Weights(W_in, np.zeros(m), W_out, b_out))

    def pack(self, weights):
        W_in, b_in, W_out, b_out = weights
        V, c = W_in / self.scale, b_in + self.mean @ W_in
        return np.concatenate([V.ravel(), W_out.ravel(), c, b_out])

    def unpack(self, z):
        return Weights(*(array.copy() for array in self._split(self._plain(z))))

    def value_and_grad(self, z):
        weights = self._split(self._plain(z))
        W, terms = Weights(*(array.astype(self.X.dtype) for array in weights)), self._terms

        def code(X):
            return encode(X, W.W_in, W.b_in)

        def of_block(X, H=None, LH=None):
            H = code(X) if H is None else H
            value, D, E = backpropagate(W, H, X, LH, **terms)
            return value, X.T @ D, D.sum(axis=0), H.T @ E, E.sum(axis=0)

        def added(one, other):
            return [np.add(*pair, dtype=np.float64) for pair in zip(one, other, strict=True)]

        codes = ()
        if self._rows_of_L:  # only the graph needs the code of all rows
            H = self.X.stack(code, **self._options)
            LH = self._options["workers"].map(lambda L: L @ H, self._rows_of_L)
            codes = H, np.concatenate(LH)
        grad = np.empty(self.size)
        G_in, g_in, G_out, g_out = self._split(grad)
        value, *sums = self.X.reduce(of_block, *codes, combine=added, **self._options)
        G_in[:], g_in[:], G_out[:], g_out[:] = sums
        penalty = add_penalties(self.penalties, weights, G_in, G_out)
        # From the plain weights to z, by the chain rule, in place: (G_in - mean g_in') scale.
        G_in *= self.scale
        dger(-self.scale, g_in, self.mean, a=G_in.T, overwrite_a=True)
        return float(value) + penalty, grad

    def _split(self, vector):
        d, m = self.X.n_features, self.n_hidden
        W_in, W_out, b_in, b_out = np.split(vector, [d * m, 2 * d * m, 2 * d * m + m])
        return Weights(W_in.reshape(d, m), b_in, W_out.reshape(m, d), b_out)

    def _plain(self, z):
        self._theta[:] = z
        W_in, b_in, _, _ = self._split(self._theta)
        W_in *= self.scale
        b_in -= self.mean @ W_in
        return self._theta


def add_penalties(penalties, weights, G_in, G_out):
    """The l2,1 penalty and the decay, whose gradients are added to those of the data terms."""
    value = 0.0
    if penalties.alpha:
        norm, gradient = smoothed_l21(weights.W_in)
        value += penalties.alpha * norm
        daxpy(gradient.ravel(), G_in.ravel(), a=penalties.alpha)  # without a temporary array
    if penalties.decay:
        for W, G in ((weights.W_in, G_in), (weights.W_out, G_out)):
            value += penalties.decay / 2 * float(np.vdot(W, W))
            daxpy(W.ravel(), G.ravel(), a=penalties.decay)
    return value


def smoothed_l21(W, eps=1e-8):
    """Smoothed l2,1 norm: sum over rows of sqrt(|W_j|^2 + eps^2) - eps, and its gradient."""
    norm = np.sqrt(np.einsum("ij,ij->i", W, W) + eps**2)
    return float((norm - eps).sum()), W / norm[:, None]


def sigmoid(Z):
    """1 / (1 + exp(-Z)), in place. np.exp is vectorised in float32, scipy's expit is not."""
    np.negative(Z, out=Z)
    with np.errstate(over="ignore"):  # exp overflows to infinity, and the sigmoid is then 0
        np.exp(Z, out=Z)
    Z += 1
    return np.divide(1, Z, out=Z)  # twice as fast as np.reciprocal


def encode(X, W_in, b_in):
    """Hidden code H = sigmoid(X W_in + b_in) of the rows of X."""
    return sigmoid(X @ W_in + b_in)


def backpropagate(weights, H, T, LH, *, output, n_samples, graph_weight):
    """Value of the data terms for some rows, and the gradients D and E of ``Objective``.

    T are the targets of the rows, H their code, and LH their rows of L times the code of all rows.
    """
    E = _decoded(weights, output, H)
    slope = E * (1 - E) if output == "sigmoid" else None
    E -= T
    value = float(np.vdot(E, E)) / (2 * n_samples)
    if slope is not None:
        E *= slope
    E /= n_samples
    D = E @ weights.W_out.T
    if LH is not None:
        value += graph_weight * float(np.vdot(LH, H))
        D += (2 * graph_weight) * LH
    D *= H * (1 - H)
    return value, D, E


def _decoded(weights, output, H):
    E = H @ weights.W_out
    E += weights.b_out
    return sigmoid(E) if output == "sigmoid" else E


def explained_variance(X, weights, output):
    """Fraction of the variance of X, Rows, that the network reconstructs."""

    def squared_error(block):
        return np.square(
            _decoded(weights, output, encode(block, weights.W_in, weights.b_in)) - block
        ).sum()

    error = X.reduce(squared_error, block_bytes=BLOCK_BYTES, dense=True)
    total = X.n_samples * X.column_moments()[1].sum()
    return float(1 - error / total) if total > 0 else 0.0
