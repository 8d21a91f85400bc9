"""LaplacianScore: columns that vary little between neighbours and much overall."""

import numpy as np

from ..base import GRAPH_CONSTRAINTS, FeatureRanker
from ..graphs import build_graph
from ..spectral import column_blocks, difference_operator, edge_weight, roughness, weighted_moments


class LaplacianScore(FeatureRanker):
    """Keep the columns that are smooth on the graph of the samples.

    With the affinity A of the samples, D = diag(A 1) and L = D - A, the Laplacian score of column
    x is ::

        LS = f' L f / f' D f,    f = x - (x' D 1 / 1' D 1) 1,

    the variation of x along the edges over its variance. It lies in [0, 2] and is small for a good
    column; ``scores_`` holds -LS. Columns are judged one by one: copies of a good one are as good.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default None
        A number, a share in (0, 1], the knee of the sorted scores, or half of the features.
    n_neighbors : int, default 5
        Neighbours of a sample in the graph.
    affinity : {"cosine", "binary", "heat"}, callable, array or sparse matrix, default "cosine"
        Weights of the edges, or the affinity matrix itself.

    References
    ----------
    X. He, D. Cai, P. Niyogi: Laplacian score for feature selection. NIPS 2005.

    Examples
    --------
    The second column tells two groups of samples apart, the first is mixed within them.

    >>> from graphsieve import LaplacianScore
    >>> X = [[1, 0], [2, 0], [1, 0], [2, 9], [1, 9], [2, 9]]
    >>> LaplacianScore(1, n_neighbors=2, affinity="heat").fit(X).get_support().tolist()
    [False, True]
    """

    _parameter_constraints = {**FeatureRanker._parameter_constraints, **GRAPH_CONSTRAINTS}
    _accepts_sparse = True

    def __init__(self, n_features_to_select=None, *, n_neighbors=5, affinity="cosine"):
        super().__init__(n_features_to_select)
        self.n_neighbors = n_neighbors
        self.affinity = affinity

    def _rank(self, data):
        A = build_graph(data, affinity=self.affinity, n_neighbors=self.n_neighbors)
        weight = edge_weight(A)
        B = difference_operator(A)
        score = np.full(data.n_features, 2.0)
        for columns, X in column_blocks(data.whole()):
            mean, spread = weighted_moments(X, weight)
            # A column that is constant wherever there are edges has no score: the worst one.
            varies = spread > 1e-12 * (spread + weight.sum() * mean**2)
            np.divide(roughness(B, weight, X), spread, out=score[columns], where=varies)
        return -score
