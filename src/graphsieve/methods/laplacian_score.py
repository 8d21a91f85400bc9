"""LaplacianScore: columns that vary little between neighbours and much overall."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from .._graph.spectral import column_blocks, difference_operator, edge_weight, edges, roughness
from .._rows import Moments
from .._rows.scaling import divide_columns
from .._utils.messages import Stages
from .._utils.shared import with_shared_parameters
from .._utils.threads import single_threaded_blas
from ..base import FeatureRanker


@with_shared_parameters
class LaplacianScore(FeatureRanker):
    """Laplacian score.

    Keeps the features that are smooth on the graph of the samples. With the affinity A of the
    samples, D = diag(A 1) and L = D - A, the Laplacian score of feature x is ::

        LS = f' L f / f' D f,    f = x - (x' D 1 / 1' D 1) 1,

    the variation of x along the edges relative to its variance. It lies in [0, 2] and is small for
    a good feature; ``scores_`` holds -LS. Copies of a good feature are equally good.

    Parameters
    ----------


    References
    ----------
    X. He, D. Cai, P. Niyogi: Laplacian score for feature selection. NIPS 2005.

    Examples
    --------
    The second feature distinguishes two groups of samples, the first varies within them.

    >>> from graphsieve import LaplacianScore
    >>> X = [[1, 0], [2, 0], [1, 0], [2, 9], [1, 9], [2, 9]]
    >>> LaplacianScore(1, n_neighbors=2, affinity="heat", scale=None).fit(X).get_support().tolist()
    [False, True]
    """

    _accepts_sparse = True
    _n_copies = 1
    _distributes = True

    n_neighbors: int = 5
    affinity: Any = "cosine"
    scale: str | None = "auto"
    n_jobs: int | None = None
    verbose: int = 0

    def _rank(self, data):
        data = divide_columns(data, self.scale)
        stages = Stages(type(self).__name__, self.verbose)
        with stages("neighbour graph"):
            A = self._graph(data)
        weight = edge_weight(A)
        X = data.resident()
        with stages("scores"), single_threaded_blas():
            measured = _by_rows(data, A, weight) if X is None else _by_columns(X, A, weight)
        mean, spread, variation = measured
        # A column that is constant on all samples with edges gets the worst score.
        varies = spread > 1e-12 * (spread + weight.sum() * mean**2)
        return -np.divide(variation, spread, out=np.full(len(mean), 2.0), where=varies)


def _by_columns(X, A, weight):
    """Weighted mean, f' D f and f' L f of every column, from blocks of columns."""
    B = difference_operator(A)
    blocks = [(Moments.of(X, weight), roughness(B, weight, X)) for _, X in column_blocks(X)]
    found = ((moments.mean, moments.spread, rough) for moments, rough in blocks)
    return tuple(map(np.concatenate, zip(*found, strict=True)))


def _by_rows(data, A, weight):
    moments = data.reduce(Moments.of, weight)
    return moments.mean, moments.spread, data.reduce_pairs(_block_roughness, *edges(A))


def _block_roughness(left, right, weight):
    difference = left.astype(np.float64) - right
    if sp.issparse(difference):
        return weight @ difference.multiply(difference)
    return weight @ difference**2
