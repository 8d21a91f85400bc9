"""Adam on random parts of the samples, for more of them than can be seen a hundred times."""

from copy import copy

import numpy as np
import scipy.sparse as sp

from ..blocks import split_rows
from ..graphs import laplacian
from ..objectives import GraphAutoencoder
from .result import Monitor, Result

# Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015. The second moment forgets
# within a hundred steps, a few passes over small data.
_FIRST_MOMENT = 0.9
_SECOND_MOMENT = 0.99

# In variables of about unit curvature: 0.03 to 0.3 came to much the same objectives.
_STEP = 0.1

# An iteration that gains less than this share of the objective is the last with its step length.
_LEAST_GAIN = 1e-3

# Rows of a batch. Fewer make more steps per pass, more waste less time between the products.
_MOST_ROWS = 256
_FEWEST_ROWS = 16
_FEWEST_BATCHES = 20


def minibatch(value_and_grad, batches, x0, *, max_iter, tol, callback=None):
    """Minimise a smooth function that is a mean over many samples.

    One iteration is one pass: a step of Adam for every batch, then one evaluation of the objective
    on all samples. The step is halved after an iteration that gained little, so that the changes
    of the objective die down and meet ``tol``. Stops like :func:`lbfgs`; the objective may rise
    from one iteration to the next.

    Parameters
    ----------
    value_and_grad : callable
        The objective itself.
    batches : callable
        Returns the functions ``value_and_grad`` of the batches of one pass, whose gradients are
        right on average.
    x0 : ndarray
    """
    x, (value, _) = x0.copy(), value_and_grad(x0)
    monitor = Monitor(value, tol, callback)
    step = _STEP
    moments = _Moments(x0.size)
    for _ in range(max_iter):
        for batch_value_and_grad in batches():
            x -= step * moments.direction(batch_value_and_grad(x)[1])
        before, (value, _) = value, value_and_grad(x)
        if monitor.finished(value):
            break
        if value > (1 - _LEAST_GAIN) * before:
            step /= 2
    return Result(x, np.array(monitor.trace), monitor.status)


class _Moments:
    """Running means of the gradient and of its square."""

    def __init__(self, size):
        self.first = np.zeros(size)
        self.second = np.zeros(size)
        self.count = 0

    def direction(self, grad):
        self.count += 1
        self.first *= _FIRST_MOMENT
        self.first += (1 - _FIRST_MOMENT) * grad
        grad *= grad
        self.second *= _SECOND_MOMENT
        self.second += (1 - _SECOND_MOMENT) * grad
        scale = np.sqrt(self.second / (1 - _SECOND_MOMENT**self.count))
        scale += np.finfo(float).tiny  # no gradient, no step
        return self.first / ((1 - _FIRST_MOMENT**self.count) * scale)


class Batches:
    """All samples in random batches, anew at every call.

    A batch of b of the n samples has their mean error and the edges among them. An edge falls into
    it with probability p = b (b - 1) / (n (n - 1)): its weight is divided by p, which makes value
    and gradient unbiased. Few edges are in a batch, yet each pass sees about as many of them as a
    batch has rows times neighbours, whatever n is.

    Parameters
    ----------
    coordinates : SolverCoordinates
        Of the objective on all samples.
    L : CSR array or None
        Its Laplacian.
    random_state : RandomState
    """

    def __init__(self, coordinates, L, random_state):
        self.coordinates = coordinates
        self.L = L
        self.random_state = random_state

    def __call__(self):
        """Yield ``value_and_grad`` of every batch."""
        data = self.coordinates.objective.data
        n = data.n_samples
        order = self.random_state.permutation(n)
        rows = min(_MOST_ROWS, max(_FEWEST_ROWS, n // _FEWEST_BATCHES))
        batches = split_rows(n, rows)
        for batch in batches:
            order[batch].sort()  # memory is read forwards
        position = np.empty_like(order)
        position[order] = np.arange(n)
        for batch in batches:
            L = None if self.L is None else self._laplacian(order, position, batch)
            yield self._on(data.take(order[batch]), L).value_and_grad

    def _on(self, data, L):
        """The same objective and change of variables on the rows of ``data``."""
        objective = self.coordinates.objective
        batch = copy(self.coordinates)
        batch.objective = GraphAutoencoder(
            data,
            L,
            objective.workers,
            n_hidden=objective.n_hidden,
            alpha=objective.alpha,
            graph_weight=objective.graph_weight,
            decay=objective.decay,
            output=objective.output,
        )
        return batch

    def _laplacian(self, order, position, batch):
        """Laplacian of the edges within a batch, in the order of its rows."""
        n, b = self.L.shape[0], batch.stop - batch.start
        edges = self.L[order[batch]].tocoo()
        column = position[edges.col] - batch.start
        inside = (column >= 0) & (column < b) & (column != edges.row)
        weight = -edges.data[inside] * (n * (n - 1) / (b * (b - 1)))
        return laplacian(sp.csr_array((weight, (edges.row[inside], column[inside])), shape=(b, b)))
