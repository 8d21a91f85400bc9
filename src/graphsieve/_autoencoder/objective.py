"""The objective of the autoencoder methods: value and gradient, and where the solver starts.

The equations are in the docstring of ``Objective``. Their plain code is in two places: the data
terms in ``encode`` and ``decode`` of ``passes.py``, the penalties in ``_add_penalties``.
``tests/_autoencoder/test_objective.py`` compares the value with the formula and the gradient with
finite differences, each term on and off.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import daxpy, dger
from scipy.special import logit

from .._rows import BLOCK_BYTES
from .passes import Buffers, Part, Sums, Terms, Weights

# Power of the total standard deviation by which W_in is divided in the solver's variables.
# Objective after 100 iterations of AEFS on 90 rows of Yale: 101 with 0, 94 with 0.5, 239 with 1;
# of GAFS, which has a sigmoid output: 12.8 with 0, 8.0 with 1.
_SCALE_POWER = {"sigmoid": 1.0, "identity": 0.5}


class Penalties(NamedTuple):
    """Weights of the three penalties of the objective."""

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
    of the iterations. Columns of X may be far from zero mean, so that a change of W_in acts mostly
    like a change of b_in, and strongly, since many columns add up. In

        X W_in + b_in = (X - mean) scale V + c,   W_in = scale V,   b_in = c - mean' W_in

    the two are decoupled, and V has about the curvature of the other variables. ``start`` returns
    such a vector, ``unpack`` turns it into plain weights.

    The rows are cut into parts, and the sums of the parts are added in their order: the result is
    the same to the last bit for any number of threads or processes.

    Parameters
    ----------
    X : Rows
        Scaled data. Its dtype is that of the matrix products; z and the penalties are float64.
    L : CSR array of shape (n_samples, n_samples) or None
        Laplacian of the neighbour graph; not used when ``graph_weight`` is 0.
    workers : Workers
        Open while ``value_and_grad`` is called.
    n_hidden : int
        Size m of the hidden code.
    alpha, graph_weight, decay : float
        Weights of the terms.
    output : {"sigmoid", "identity"}
        The last layer.
    mean, scale : ndarray of shape (n_features,) and float, optional
        The change of variables; by default that of X.
    block_bytes : int
        Size of a block of rows as a dense array.
    """

    def __init__(
        self,
        X,
        L,
        workers,
        *,
        n_hidden,
        alpha=0.0,
        graph_weight=0.0,
        decay=0.0,
        output="sigmoid",
        mean=None,
        scale=None,
        block_bytes=BLOCK_BYTES,
    ):
        self.X, self.workers, self.n_hidden = X, workers, n_hidden
        self.alpha, self.decay, self.output = alpha, decay, output
        self.graph_weight = graph_weight if L is not None else 0.0
        self.L = L if self.graph_weight else None
        self.mean, self.scale = _variables(X, output) if mean is None else (mean, scale)
        self.size = (2 * X.n_features + 1) * n_hidden + X.n_features
        terms = Terms(X.n_samples, n_hidden, self.graph_weight, output == "sigmoid")
        make = partial(Part, terms=terms, buffers=Buffers(), block_bytes=block_bytes)
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
        W_in, W_out, b_in, b_out = (array.copy() for array in self._split(self._plain(z)))
        return Weights(W_in, b_in, W_out, b_out)

    def value_and_grad(self, z):
        """F and its gradient at ``z``, in float64."""
        W_in, W_out, b_in, b_out = self._split(self._plain(z))
        value, grad = np.empty(1), np.empty(self.size)
        G_in, G_out, g_in, g_out = self._split(grad)
        self._add_parts(Weights(W_in, b_in, W_out, b_out), Sums(value, G_in, g_in, G_out, g_out))
        penalty = self._add_penalties(W_in, W_out, G_in, G_out)
        # From the plain weights to z, by the chain rule, in place: (G_in - mean g_in') scale.
        G_in *= self.scale
        dger(-self.scale, g_in, self.mean, a=G_in.T, overwrite_a=True)
        return float(value[0]) + penalty, grad

    def _split(self, vector):
        """W_in, W_out, b_in and b_out as views of a vector of all weights."""
        d, m = self.X.n_features, self.n_hidden
        W_in, W_out, b_in, b_out = np.split(vector, [d * m, 2 * d * m, 2 * d * m + m])
        return W_in.reshape(d, m), W_out.reshape(m, d), b_in, b_out

    def _plain(self, z):
        self._theta[:] = z
        W_in, _, b_in, _ = self._split(self._theta)
        W_in *= self.scale
        b_in -= self.mean @ W_in
        return self._theta

    def _add_parts(self, weights, out):
        """The data terms: two passes over the parts, and their sums in ``out``."""
        parts = self._parts
        weights = parts.share(Weights(*(array.astype(self.X.dtype) for array in weights)))
        codes = parts.run(_encode, shared=[weights])
        # Only the graph needs the code of all rows.
        H = None if self.L is None else parts.join(codes)
        parts.total(parts.run(_decode, codes, shared=[H, weights]), out=out)

    def _add_penalties(self, W_in, W_out, G_in, G_out):
        """The value of the penalties, whose gradients are added to those of the data terms."""
        value = 0.0
        if self.alpha:
            norm, gradient = smoothed_l21(W_in)
            value += self.alpha * norm
            _add_multiple(G_in, self.alpha, gradient)
        if self.decay:
            for W, G in ((W_in, G_in), (W_out, G_out)):
                value += self.decay / 2 * float(np.vdot(W, W))
                _add_multiple(G, self.decay, W)
        return value


def _variables(X, output):
    """The mean and the scale of the solver's variables."""
    mean, variance = X.column_moments()
    spread = np.sqrt(variance.sum())
    return mean, spread ** -_SCALE_POWER[output] if spread > 0 else 1.0


def _encode(part, weights):
    return part.encode(weights)


def _decode(part, H_part, H, weights):
    return part.decode(H_part, H, weights)


def smoothed_l21(W, eps=1e-8):
    """Smoothed l2,1 norm: sum over rows of sqrt(|W_j|^2 + eps^2) - eps, and its gradient.

    Value and gradient belong to the same function, also at rows of zeros: the gradient of the
    smoothed norm with the value of the exact one would break the line search there.
    """
    norm = np.sqrt(np.einsum("ij,ij->i", W, W) + eps**2)
    return float((norm - eps).sum()), W / norm[:, None]


def _add_multiple(G, weight, gradient):
    """G += weight gradient, without a temporary array."""
    daxpy(gradient.ravel(), G.ravel(), a=weight)
