"""Objectives: fused ``value_and_grad(theta)``, with no estimator and no solver in sight."""

import numpy as np

from .blocks import BLOCK_BYTES
from .penalties import l21, squared_l2


class GraphAutoencoder:
    """Autoencoder with a row-sparse encoder and a graph Laplacian on its hidden code.

    With H = sigmoid(X W_in + b_in) and Xhat = output(H W_out + b_out)::

        F = |X - Xhat|_F^2 / (2 n) + alpha |W_in|_{2,1} + graph_weight Tr(H' L H)
            + decay / 2 (|W_in|_F^2 + |W_out|_F^2)

    The graph term couples the rows, so that one evaluation is two passes over row blocks: the
    hidden code of all rows, then error and gradients block by block. Five products of 2 n d m
    flops are the floor. The rows are cut into parts with buffers and sums of their own, and the
    sums are added in the order of the parts: the result is the same to the bit for any number of
    threads, which matters because the paths of a non-convex problem part at the last digit.

    Parameters
    ----------
    data : RowBlocks
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
        d = data.n_features
        parts = data.slices(block_bytes, n_parts=_count_parts(data.n_samples))
        L = (2 * self.graph_weight * L).astype(data.dtype) if self.graph_weight else None
        # The last column of ones carries b_out through the products with W_out.
        self._H = np.ones((data.n_samples, n_hidden + 1), data.dtype)
        self._parts = [_Part(data, part, L, n_hidden) for part in parts]
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
        cast = self.data.dtype
        encoder = W_in.astype(cast), b_in.astype(cast)
        decoder = np.vstack([W_out, b_out]).astype(cast)

        # An exponent that overflows is a sigmoid of 0, as it should be.
        def encode(part):
            with np.errstate(over="ignore"):
                part.encode(self._H, *encoder)

        def decode(part):
            with np.errstate(over="ignore"):
                return part.decode(self._H, decoder, self.output == "sigmoid")

        self.workers.map(encode, self._parts)
        energy = self.workers.map(decode, self._parts)

        n, m = self.data.n_samples, self.n_hidden
        value = sum(error for error, _ in energy) / (2 * n) + sum(graph for _, graph in energy)
        grad = np.empty_like(theta)
        G_in, G_out, g_in, g_out = self.unpack(grad)
        first, *others = self._parts
        G_in[:] = first.G_in
        G_out[:] = first.G_out[:m]
        g_out[:] = first.G_out[m]
        g_in[:] = first.g_in
        for part in others:
            G_in += part.G_in
            G_out += part.G_out[:m]
            g_out += part.G_out[m]
            g_in += part.g_in
        G_out /= n
        g_out /= n
        return value + self._add_penalties(W_in, W_out, G_in, G_out), grad

    def _add_penalties(self, W_in, W_out, G_in, G_out):
        value = 0.0
        if self.alpha:
            penalty, gradient = l21(W_in)
            value += self.alpha * penalty
            G_in += self.alpha * gradient
        if self.decay:
            for W, G in ((W_in, G_in), (W_out, G_out)):
                penalty, gradient = squared_l2(W)
                value += self.decay * penalty
                G += self.decay * gradient
        return value


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

    def to_theta(self, z):
        theta = z.copy()
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
        value, grad = self.objective.value_and_grad(self.to_theta(z))
        G_in, _, g_in, _ = self.objective.unpack(grad)
        G_in -= np.outer(self.mean, g_in)
        G_in *= self.scale
        return value, grad


class _Part:
    """The rows of one worker: its blocks, its buffers, its share of the sums."""

    def __init__(self, data, slices, L, n_hidden):
        self.data = data
        self.slices = slices
        self.L = [None if L is None else L[rows] for rows in slices]
        self.stored = [data.rows(rows) for rows in slices] if data.is_sparse else None
        most = max(rows.stop - rows.start for rows in slices)
        d, m = data.n_features, n_hidden
        self.X = np.empty((most, d), data.dtype)
        self.R = np.empty((most, d), data.dtype)
        self.E = np.empty((most, d), data.dtype)
        self.G_in = np.empty((d, m), data.dtype)
        self.G_out = np.empty((m + 1, d), data.dtype)
        self.g_in = np.empty(m, data.dtype)
        self.product_in = np.empty_like(self.G_in)
        self.product_out = np.empty_like(self.G_out)

    def encode(self, H, W_in, b_in):
        """H = sigmoid(X W_in + b_in) for these rows."""
        for number, rows in enumerate(self.slices):
            Z = self._rows(number) @ W_in
            Z += b_in
            H[rows, :-1] = _sigmoid(np.negative(Z, out=Z))

    def decode(self, H, decoder, sigmoid_output):
        """Sums of the gradients over these rows; returns squared error and graph term."""
        self.G_in[:], self.G_out[:], self.g_in[:] = 0, 0, 0
        n = self.data.n_samples
        negative = -decoder if sigmoid_output else decoder
        squared_error = graph = 0.0
        for number, rows in enumerate(self.slices):
            size = rows.stop - rows.start
            R, E, H_b = self.R[:size], self.E[:size], H[rows]
            np.matmul(H_b, negative, out=R)
            if sigmoid_output:
                _sigmoid(R)
            X = self.data.dense(rows, out=self.X[:size])
            np.subtract(R, X, out=E)
            squared_error += float(np.dot(E.ravel(), E.ravel()))
            if sigmoid_output:  # E becomes the derivative by the argument of the sigmoid
                E *= R
                np.subtract(1, R, out=R)
                E *= R
            self.G_out += np.matmul(H_b.T, E, out=self.product_out)
            code = H_b[:, :-1]
            D = E @ decoder[:-1].T
            D /= n
            if self.L[number] is not None:
                LH = (self.L[number] @ H)[:, :-1]  # 2 graph_weight L H
                graph += 0.5 * float(np.einsum("ij,ij->", LH, code))
                D += LH
            D *= code
            D *= 1 - code
            self.g_in += D.sum(axis=0)
            self._add_product(number, D)
        return squared_error, graph

    def _rows(self, number):
        if self.stored is not None:
            return self.stored[number]
        rows = self.slices[number]
        return self.data.dense(rows, out=self.X[: rows.stop - rows.start])

    def _add_product(self, number, D):
        """G_in += X' D for one block."""
        if self.stored is not None:
            self.G_in += self.stored[number].T @ D
        else:
            self.G_in += np.matmul(self._rows(number).T, D, out=self.product_in)


def _count_parts(n_samples):
    """1, 2, 4 or 8: enough for as many threads, with at least 128 rows each."""
    return 2 ** min(3, max(0, (n_samples // 128).bit_length() - 1))


def _sigmoid(minus_z):
    """1 / (1 + exp(minus_z)), in place. In float32 np.exp is vectorised; scipy's expit is not."""
    np.exp(minus_z, out=minus_z)
    minus_z += 1
    return np.reciprocal(minus_z, out=minus_z)
