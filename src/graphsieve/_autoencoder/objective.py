"""Objectives: fused ``value_and_grad(theta)``, with no estimator and no solver in sight."""

from functools import partial

import numpy as np
from scipy.linalg.blas import daxpy, dger

from .._rows import BLOCK_BYTES
from .passes import Buffers, Network, Weights, decode, encode, make_part
from .penalties import l21, squared_l2


class GraphAutoencoder:
    """Autoencoder with a row-sparse encoder and a graph Laplacian on its hidden code.

    With H = sigmoid(X W_in + b_in) and Xhat = output(H W_out + b_out)::

        F = |X - Xhat|_F^2 / (2 n) + alpha |W_in|_{2,1} + graph_weight Tr(H' L H)
            + decay / 2 (|W_in|_F^2 + |W_out|_F^2)

    The graph term couples the rows, so that one evaluation is two passes over row blocks: the
    hidden code of all rows, then error and gradients block by block. Five products of 2 n d m
    flops are the floor. The rows are cut into parts, wherever these are kept, and their sums are
    added in the order of the parts: the result is the same to the bit for any number of threads
    or processes, which matters because the paths of a non-convex problem part at the last digit.

    Parameters
    ----------
    data : Rows
        Already scaled. Its dtype is that of the products; theta and the penalties stay float64.
    L : CSR array of shape (n_samples, n_samples) or None
        Laplacian; not used when ``graph_weight`` is 0.
    workers : threads.Workers
        Open while ``value_and_grad`` is called.
    output : {"sigmoid", "identity"}
    """

    def __init__(
        self,
        data,
        L,
        workers,
        *,
        n_hidden,
        alpha=0.0,
        graph_weight=0.0,
        decay=0.0,
        output="sigmoid",
        block_bytes=BLOCK_BYTES,
    ):
        self.data = data
        self.workers = workers
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.graph_weight = graph_weight if L is not None else 0.0
        self.decay = decay
        self.output = output
        n, d = data.n_samples, data.n_features
        network = Network(n, n_hidden, output == "sigmoid")
        make = partial(make_part, network=network, buffers=Buffers(), block_bytes=block_bytes)
        aligned = []
        if self.graph_weight:
            aligned.append((2 * self.graph_weight * L).astype(data.dtype).tocsr())
        self._parts = data.parts(make, *aligned, workers=workers)
        self.n_params = 2 * d * n_hidden + n_hidden + d

    def unpack(self, theta):
        """W_in (d, m), W_out (m, d), b_in (m,), b_out (d,) as views of ``theta``."""
        d, m = self.data.n_features, self.n_hidden
        W_in, W_out, b_in, b_out = np.split(theta, [d * m, 2 * d * m, 2 * d * m + m])
        return W_in.reshape(d, m), W_out.reshape(m, d), b_in, b_out

    def start(self, random_state):
        """Uniform weights of the usual size for a sigmoid network; b_out gives the column means."""
        d, m = self.data.n_features, self.n_hidden
        reach = np.sqrt(6 / (d + m + 1))
        theta = np.zeros(self.n_params)
        theta[: 2 * d * m] = random_state.uniform(-reach, reach, 2 * d * m)
        mean = self.data.column_moments()[0]
        if self.output == "sigmoid":
            mean = np.clip(mean, 0.01, 0.99)
            mean = np.log(mean / (1 - mean))
        self.unpack(theta)[3][:] = mean
        return theta

    def value_and_grad(self, theta):
        """The objective and its gradient at ``theta``, in float64."""
        W_in, W_out, b_in, b_out = self.unpack(theta)
        cast, parts = self.data.dtype, self._parts
        minus_decoder = np.empty((self.n_hidden + 1, self.data.n_features), cast)
        np.negative(W_out, out=minus_decoder[:-1], casting="same_kind")
        np.negative(b_out, out=minus_decoder[-1], casting="same_kind")
        weights = parts.share(Weights(W_in.astype(cast), b_in.astype(cast), minus_decoder))
        codes = parts.run(encode, shared=[weights])
        # The code of all rows is gathered only for the graph, which couples them.
        H = parts.join(codes) if self.graph_weight else None
        sums = parts.run(decode, codes, shared=[H, weights])
        values, grad = np.empty(2), np.empty_like(theta)
        G_in, G_out, g_in, g_out = self.unpack(grad)
        parts.total(sums, out=[values, G_in, G_out, g_in, g_out])

        n = self.data.n_samples
        G_out /= n
        g_out /= n
        squared_error, graph = values.tolist()
        value = squared_error / (2 * n) + graph
        return value + self._add_penalties(W_in, W_out, G_in, G_out), grad

    def _add_penalties(self, W_in, W_out, G_in, G_out):
        value = 0.0
        if self.alpha:
            penalty, gradient = l21(W_in)
            value += self.alpha * penalty
            _add_multiple(G_in, self.alpha, gradient)
        if self.decay:
            for W, G in ((W_in, G_in), (W_out, G_out)):
                penalty, gradient = squared_l2(W)
                value += self.decay * penalty
                _add_multiple(G, self.decay, gradient)
        return value


def _add_multiple(G, weight, gradient):
    """G += weight gradient, with no array in between."""
    daxpy(gradient.ravel(), G.ravel(), a=weight)


class SolverCoordinates:
    """The same objective in variables in which L-BFGS needs a fraction of the iterations.

    The encoder sees X W_in + b_in. Its columns are positive and far from zero mean, so that a
    change of W_in acts mostly like a change of b_in, and strongly, as many columns add up. Written
    as (X - mean) scale V + c, with W_in = scale V and b_in = c - mean' W_in, the two are
    decoupled and V has about the curvature of the other variables. A change of variables only:
    objective, minimisers and ``theta`` are those of ``objective``.
    """

    def __init__(self, objective):
        self.objective = objective
        data = objective.data
        self.mean, variance = data.column_moments()
        spread = np.sqrt(variance.sum())
        self.scale = 1 / spread if spread > 0 else 1.0
        self._theta = None  # where the variables are written to, at every evaluation

    def to_theta(self, z, out=None):
        theta = np.empty_like(z) if out is None else out
        theta[:] = z
        W_in, _, b_in, _ = self.objective.unpack(theta)
        W_in *= self.scale
        b_in -= self.mean @ W_in
        return theta

    def from_theta(self, theta):
        z = theta.copy()
        V, _, c, _ = self.objective.unpack(z)
        c += self.mean @ V
        V /= self.scale
        return z

    def value_and_grad(self, z):
        self._theta = np.empty_like(z) if self._theta is None else self._theta
        value, grad = self.objective.value_and_grad(self.to_theta(z, out=self._theta))
        G_in, _, g_in, _ = self.objective.unpack(grad)
        G_in *= self.scale
        dger(-self.scale, g_in, self.mean, a=G_in.T, overwrite_a=True)  # in place: minus mean g_in'
        return value, grad
