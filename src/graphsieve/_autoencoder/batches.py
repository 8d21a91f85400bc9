"""Random batches of rows of an autoencoder objective."""

from copy import copy

import numpy as np
import scipy.sparse as sp

from .._graph.affinity import laplacian
from .._rows import split_rows
from .objective import GraphAutoencoder

# Rows of a batch. Fewer make more steps per pass, more waste less time between the products.
_MOST_ROWS = 256
_FEWEST_ROWS = 16
_FEWEST_BATCHES = 20


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
