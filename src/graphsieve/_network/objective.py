"""The objective of the autoencoder methods: value and gradient, and where the solver starts."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import daxpy, dger
from scipy.special import logit

from .._rows import BLOCK_BYTES, split_rows, to_dense

# Power of the total standard deviation by which W_in is divided in the solver's variables: after
# 100 iterations on Yale, AEFS is at 101 with 0, 94 with 0.5, 239 with 1; GAFS at 12.8 and 8.0.
_SCALE_POWER = {"sigmoid": 1.0, "identity": 0.5}


class Weights(NamedTuple):
    """Encoder (d, m), its bias (m,), decoder (m, d), its bias (d,)."""

    W_in: np.ndarray
    b_in: np.ndarray
    W_out: np.ndarray
    b_out: np.ndarray


class Penalties(NamedTuple):
    """Weights of the three penalties of the objective."""

    alpha: float
    graph_weight: float
    decay: float


class Sums(NamedTuple):
    """Sums over some rows: [squared error / 2n + graph term], then the gradients."""

    value: np.ndarray
    G_in: np.ndarray
    g_in: np.ndarray
    G_out: np.ndarray
    g_out: np.ndarray


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
    The Laplacian L may be None without a graph term. The sums of the parts of the rows are added in
    their order: the result is the same to the last bit for any number of threads or processes.
    """

    def __init__(
        self, X, L, workers, *, n_hidden, alpha=0.0, graph_weight=0.0, decay=0.0, output="sigmoid"
    ):
        self.X, self.n_hidden, self.output = X, n_hidden, output
        self.penalties = Penalties(alpha, graph_weight, decay)
        self.L = L if graph_weight else None
        self.mean, variance = X.column_moments()
        spread = np.sqrt(variance.sum())
        self.scale = spread ** -_SCALE_POWER[output] if spread > 0 else 1.0
        self.size = (2 * X.n_features + 1) * n_hidden + X.n_features
        terms = {"n_samples": X.n_samples, "graph_weight": graph_weight, "output": output}
        make = partial(_Part, n_hidden=n_hidden, **terms)
        rows_of_L = [] if self.L is None else [self.L.astype(X.dtype).tocsr()]
        self._parts = X.parts(make, *rows_of_L, workers=workers)
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
        """The point z with these plain weights."""
        W_in, b_in, W_out, b_out = weights
        V, c = W_in / self.scale, b_in + self.mean @ W_in
        return np.concatenate([V.ravel(), W_out.ravel(), c, b_out])

    def unpack(self, z):
        """The plain Weights at the point ``z``."""
        return Weights(*(array.copy() for array in self._split(self._plain(z))))

    def value_and_grad(self, z):
        """F and its gradient at ``z``, in float64."""
        weights, parts = self._split(self._plain(z)), self._parts
        shared = parts.share(Weights(*(array.astype(self.X.dtype) for array in weights)))
        codes = parts.run(_Part.encode, shared=[shared])
        # Only the graph needs the code of all rows.
        H = None if self.L is None else parts.join(codes)
        value, grad = np.empty(1), np.empty(self.size)
        G_in, g_in, G_out, g_out = self._split(grad)
        sums = Sums(value, G_in, g_in, G_out, g_out)
        parts.total(parts.run(_Part.decode, codes, shared=[H, shared]), out=sums)
        penalty = add_penalties(self.penalties, weights, G_in, G_out)
        # From the plain weights to z, by the chain rule, in place: (G_in - mean g_in') scale.
        G_in *= self.scale
        dger(-self.scale, g_in, self.mean, a=G_in.T, overwrite_a=True)
        return float(value[0]) + penalty, grad

    def _split(self, vector):
        """The Weights, or their gradients, as views of a vector of all of them."""
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


class _Part:
    """A part of the rows, a block of dense rows at a time, with its rows ``L`` of the Laplacian."""

    def __init__(self, data, L=None, *, n_hidden, n_samples, graph_weight, output):
        self.data, self.L = data, L
        self.n_samples, self.graph_weight, self.output = n_samples, graph_weight, output
        # Each block adds to sums of d x m numbers, so it should have many more rows than m.
        wanted = 4 * n_hidden * data.n_features * data.dtype.itemsize
        self.slices = data.slices(int(np.clip(wanted, BLOCK_BYTES, 4 * BLOCK_BYTES)))

    def __sizeof__(self):
        edges = 0 if self.L is None else self.L.data.nbytes + self.L.indices.nbytes
        return self.data.__sizeof__() + edges

    def encode(self, weights):
        codes = [encode(self.data.dense(b), weights.W_in, weights.b_in) for b in self.slices]
        return np.concatenate(codes)

    def decode(self, H_part, H, weights):
        LH = None if self.L is None else self.L @ H
        total = None
        for b in self.slices:
            found = self._sums(
                self.data.dense(b), H_part[b], None if LH is None else LH[b], weights
            )
            if total is None:
                total = found
                continue
            for array, other in zip(total, found, strict=True):
                array += other
        return total

    def _sums(self, X, H, LH, weights):
        """Contribution of rows X with code H; LH are their rows of L times the code of all rows."""
        E = H @ weights.W_out
        E += weights.b_out
        if self.output == "sigmoid":
            sigmoid(E)
            slope = E * (1 - E)
        E -= X
        value = float(np.vdot(E, E)) / (2 * self.n_samples)
        if self.output == "sigmoid":
            E *= slope
        E /= self.n_samples  # gradient by the input of the last layer
        D = E @ weights.W_out.T
        if LH is not None:
            value += self.graph_weight * float(np.vdot(LH, H))
            D += (2 * self.graph_weight) * LH
        D *= H
        D *= 1 - H  # gradient by the input of the hidden layer
        return Sums(np.array([value]), X.T @ D, D.sum(axis=0), H.T @ E, E.sum(axis=0))


def explained_variance(X, weights, output):
    """Fraction of the variance of X, Rows, that the network reconstructs."""
    error = X.reduce(partial(_squared_error, weights, output))
    total = X.n_samples * X.column_moments()[1].sum()
    return float(1 - error / total) if total > 0 else 0.0


def _squared_error(weights, output, block):
    error = 0.0
    # A block of sparse rows may have many more rows than one of dense rows.
    for rows in split_rows(block.shape[0], max(1, BLOCK_BYTES // (8 * block.shape[1]))):
        X = to_dense(block[rows])
        R = encode(X, weights.W_in, weights.b_in) @ weights.W_out + weights.b_out
        error += np.square((sigmoid(R) if output == "sigmoid" else R) - X).sum()
    return error
