"""GSRSFS: self-representation that keeps neighbouring samples together."""

from typing import Any

import numpy as np

from .._graph.affinity import laplacian
from .._linear.columns import Columns
from .._linear.reweighted import reweighted_l21
from .._linear.self_representation import ALPHA_FRACTION, feature_step, sample_step, square_memory
from .._rows.scaling import divide_columns
from .._utils.shared import with_shared_parameters
from .._utils.threads import Workers
from ..base import FeatureRanker


@with_shared_parameters
class GSRSFS(FeatureRanker):
    """Graph self-representation sparse feature selection (GSR-SFS).

    Keeps the features that represent all features, with neighbouring samples represented alike.
    With X centred and L the Laplacian of the graph of the samples, it minimises over W (d x d)::

        1/2 |X - XW|_F^2 + graph_weight Tr(W'X'L X W) + alpha sum_j |W_j|

    and the score of feature j is |W_j|.

    Parameters
    ----------
    graph_weight : float, default=0.1
        Weight of the graph term.

    References
    ----------
    R. Hu, X. Zhu, D. Cheng, W. He, Y. Yan, J. Song, S. Zhang: Graph self-representation method for
    unsupervised feature selection. Neurocomputing 220 (2017), 130-137.

    Examples
    --------
    The second column is twice the first and represents both:

    >>> from graphsieve import GSRSFS
    >>> X = [[0, 0, 1], [1, 2, 0], [2, 4, 1], [3, 6, 0], [4, 8, 1], [5, 10, 0]]
    >>> GSRSFS(1, n_neighbors=2, scale=None).fit(X).get_support().tolist()
    [False, True, False]
    """

    _accepts_sparse = True
    _n_copies = 3
    _own_memory = staticmethod(square_memory)

    alpha: float | None = None
    graph_weight: float = 0.1
    n_neighbors: int = 5
    affinity: Any = "cosine"
    scale: str | None = "auto"
    n_jobs: int | None = None
    max_iter: int = 100
    tol: float = 1e-5
    verbose: int = 0
    callback: Any = None

    def _rank(self, data):
        data = divide_columns(data, self.scale)
        L = laplacian(self._graph(data))
        with Workers(self.n_jobs) as workers, self._monitor() as monitor:
            columns = Columns.varying(data, workers, may_fill=True)
            self.alpha_ = self.alpha or ALPHA_FRACTION * (columns.correlation().max() or 1.0)
            weights = {"fit_weight": 0.5, "graph_weight": self.graph_weight}
            make_step = sample_step if columns.is_wide else feature_step
            step = make_step(columns, L, self.alpha_, **weights)
            start = np.ones(columns.n_features)
            result = reweighted_l21(step, start, monitor, weight=self.alpha_)
        self._report(result)
        return columns.expand(result.x)
