"""Tables whose rows are in the order in which they win ties."""

import numpy as np

from graphsieve._graph.neighbors import Points
from graphsieve._rows import RowBlocks


def by_content(X):
    """The rows of X in an order in which ties of neighbours go to the first sample."""
    return X[np.argsort(Points(RowBlocks(X), "euclidean").place)]
