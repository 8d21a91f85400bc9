"""GSRSFS: self-representation that keeps neighbouring samples together."""

from numbers import Real

import numpy as np

from .._graph.affinity import build_graph, laplacian
from .._linear.self_representation import (
    ALPHA_SHARE,
    CentredColumns,
    graph_loss_features,
    graph_loss_samples,
    quadratic_step,
    ridge_samples,
    square_memory,
)
from .._solvers import reweighted_l21
from .._utils.sklearn_private import Interval
from .._utils.threads import Workers
from ..base import GRAPH_CONSTRAINTS, ITERATION_CONSTRAINTS, FeatureRanker


class GSRSFS(FeatureRanker):
    """Keep the columns that represent all columns and the neighbourhoods of the samples.

    With X centred and L the Laplacian of the samples' graph, it minimises over W (d x d)::

        1/2 |X - XW|_F^2 + graph_weight Tr(W'X'L X W) + alpha sum_j |W_j|

    and the score of column j is |W_j|. The trace is half the sum over edges of
    A_ij |X_i W - X_j W|^2: neighbours are represented alike. The problem is convex. It is solved
    by reweighted least squares, without W when n <= d.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default None
        A number, a share in (0, 1], the knee of the sorted scores, or half of the features.
    include, exclude : list of str or int, mask or None, default=None
        Columns that are kept in any case, and columns that are never kept: names, positions or a
        mask. Included columns count as selected features.
    alpha : float or None, default None
        Weight of the row norms. None takes a tenth of the weight from which on W = 0.
    graph_weight : float, default 0.1
    n_neighbors : int, default 5
    affinity : {"cosine", "binary", "heat"}, callable or matrix, default "cosine"
        The graph of the samples, see ``graphsieve.graphs.build_graph``.
    max_iter : int, default 100
    tol : float, default 1e-5
        Stop when the relative change of the objective is smaller.
    verbose : int, default 0
        If positive, show progress.
    callback : callable(iteration, objective) or None, default None
        Called after every iteration; returning True stops the fit and keeps the result.

    Attributes
    ----------
    alpha_ : float
        The weight that was used.
    objective_trace_ : ndarray of shape (n_iter_ + 1,)
    n_iter_ : int
    converged_ : bool

    References
    ----------
    R. Hu, X. Zhu, D. Cheng, W. He, Y. Yan, J. Song, S. Zhang: Graph self-representation method for
    unsupervised feature selection. Neurocomputing 220 (2017), 130-137.

    Examples
    --------
    The second column is twice the first and represents both:

    >>> from graphsieve import GSRSFS
    >>> X = [[0, 0, 1], [1, 2, 0], [2, 4, 1], [3, 6, 0], [4, 8, 1], [5, 10, 0]]
    >>> GSRSFS(1, n_neighbors=2).fit(X).get_support().tolist()
    [False, True, False]
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        **GRAPH_CONSTRAINTS,
        **ITERATION_CONSTRAINTS,
        "alpha": [Interval(Real, 0, None, closed="neither"), None],
        "graph_weight": [Interval(Real, 0, None, closed="left")],
    }
    _accepts_sparse = True

    def __init__(
        self,
        n_features_to_select=None,
        *,
        include=None,
        exclude=None,
        alpha=None,
        graph_weight=0.1,
        n_neighbors=5,
        affinity="cosine",
        max_iter=100,
        tol=1e-5,
        verbose=0,
        callback=None,
    ):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.alpha = alpha
        self.graph_weight = graph_weight
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.callback = callback

    def _estimate_memory(self, n_samples, n_features):
        return square_memory(n_samples, n_features)

    def _rank(self, data):
        L = laplacian(build_graph(data, affinity=self.affinity, n_neighbors=self.n_neighbors))
        with Workers() as workers:
            columns = CentredColumns(data, workers)
            self.alpha_ = self.alpha
            if self.alpha is None:
                self.alpha_ = ALPHA_SHARE * (columns.correlation().max() or 1.0)
            with self._monitor() as monitor:
                result = reweighted_l21(
                    self._step(columns, L),
                    np.ones(columns.n_features),
                    monitor,
                    weight=self.alpha_,
                )
        self._report(result)
        return columns.scores(result.x)

    def _step(self, columns, L):
        weights = {"fit_weight": 0.5, "graph_weight": self.graph_weight}
        if not columns.is_wide:
            return quadratic_step(*graph_loss_features(columns, L, **weights), self.alpha_)
        B_inverse, R, constant = graph_loss_samples(columns, L, **weights)

        def solve(inverse):
            scale = inverse / self.alpha_
            V = ridge_samples(columns.gram(scale), B_inverse, R)
            squares = columns.squares(V)
            # <V, B^-1 V> = <V, R> - <V, X S X'V> saves a product of n x n matrices.
            return np.vdot(V, R) - np.sum(scale * squares) + constant, scale**2 * squares

        return solve
