"""Random batches of the rows of an objective."""

import numpy as np
import scipy.sparse as sp

from .._graph.affinity import laplacian
from .._rows import split_rows

# Rows of a batch. Fewer make more steps per pass, more waste less time between the products.
_MOST_ROWS = 256
_FEWEST_ROWS = 16
_FEWEST_BATCHES = 20


class Batches:
    """All rows of an Objective in random order, cut into batches; called once for every pass.

    The Laplacian of a batch has the edges within it, weighted so that its graph term is right on
    average over all batches.
    """

    def __init__(self, objective, rng):
        self.objective, self.rng = objective, rng

    def __call__(self):
        """Yield ``value_and_grad`` of every batch."""
        X = self.objective.X
        n = X.n_samples
        order = self.rng.permutation(n)
        batches = split_rows(n, min(_MOST_ROWS, max(_FEWEST_ROWS, n // _FEWEST_BATCHES)))
        for batch in batches:
            order[batch].sort()  # memory is read forwards
        position = np.empty_like(order)
        position[order] = np.arange(n)
        for batch in batches:
            L = None if self.objective.L is None else self._laplacian(order, position, batch)
            yield self.objective.on(X.take(order[batch]), L).value_and_grad

    def _laplacian(self, order, position, batch):
        """Laplacian of the edges within a batch, in the order of its rows."""
        n, b = self.objective.X.n_samples, batch.stop - batch.start
        edges = self.objective.L[order[batch]].tocoo()
        column = position[edges.col] - batch.start
        inside = (column >= 0) & (column < b) & (column != edges.row)
        weight = -edges.data[inside] * (n * (n - 1) / (b * (b - 1)))
        return laplacian(sp.csr_array((weight, (edges.row[inside], column[inside])), shape=(b, b)))
