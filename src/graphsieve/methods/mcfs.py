"""MCFS: columns with which a few-column regression finds the clusters."""

from numbers import Integral

import numpy as np

from .._graph.spectral import embedding
from .._linear.columns import Columns
from .._linear.inner_products import InnerProducts
from .._linear.lasso_path import lasso
from .._linear.row_sparse import rank_zero_rows
from .._rows.scaling import divide_columns
from .._utils.progress import Stages
from .._utils.sklearn_private import Interval
from .._utils.threads import Workers
from ..base import GRAPH_CONSTRAINTS, SCALE_CONSTRAINTS, THREAD_CONSTRAINTS, FeatureRanker


class MCFS(FeatureRanker):
    """Multi-cluster feature selection (MCFS).

    Keeps the features that explain the spectral embedding of the samples, one direction at a time.
    Let Y (n, m) solve L y = l D y for the m smallest l after the constant solution, with A the
    affinity of the samples, D = diag(A 1) and L = D - A. For each direction y_q ::

        min_w  |y_q - X w|^2 + beta |w|_1,    X and y_q centred,

    where beta is the smallest penalty that leaves ``n_nonzero`` weights, found exactly by least
    angle regression. The score of feature j is max_q |W_jq|. Features without weights come after
    all others, ordered by how well they match a residual: max_q |x_j'(y_q - X w_q)| / |x_j|.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or a fraction in (0, 1] of them. If None, half of the features;
        if "auto", as many as add more than they would to shuffled columns.
    include, exclude : list of str or int, mask or None, default=None
        Features that are always kept, and features that are never kept: names, positions or a
        mask. Included features count as selected.
    n_components : int, default=5
        Number of directions m; about the number of clusters.
    n_nonzero : int, default=50
        Number of non-zero weights of each direction, at most the number of features and the
        number of samples minus 2.
    n_neighbors : int, default=5
        Number of neighbours of a sample in the graph.
    affinity : {"cosine", "binary", "heat"}, callable, array or sparse matrix, default="cosine"
        Weights of the edges, or the affinity matrix itself.
    scale : {"auto", "standard", "minmax", "global"} or None, default="auto"
        Units in which the columns count: their standard deviations ("standard"), their ranges
        ("minmax"), the range of the whole table ("global"), or their own (None, as published).
        "auto" subtracts the median and divides by the standard deviation, with outliers moved to
        five standard deviations; of square roots if more than 90 % of the entries are zero and
        none is negative (words, events).
        The graph is built from the scaled data.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores that OMP_NUM_THREADS and joblib allow.
    verbose : int, default=0
        If positive, show how long every stage took.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_components)
        The weights W of the scaled features.

    References
    ----------
    D. Cai, C. Zhang, X. He: Unsupervised feature selection for multi-cluster data. KDD 2010.

    Examples
    --------
    >>> from graphsieve import MCFS
    >>> X = [[1, 0, 5], [2, 0, 5], [1, 0, 4], [2, 9, 5], [1, 9, 4], [2, 9, 5]]
    >>> mcfs = MCFS(1, n_components=1, n_neighbors=2, affinity="heat", scale=None)
    >>> mcfs.fit(X).get_support().tolist()
    [False, True, False]
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        **GRAPH_CONSTRAINTS,
        **SCALE_CONSTRAINTS,
        **THREAD_CONSTRAINTS,
        "verbose": ["verbose"],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_nonzero": [Interval(Integral, 1, None, closed="left")],
    }
    _accepts_sparse = True
    _n_copies = 3

    def __init__(
        self,
        n_features_to_select=None,
        *,
        include=None,
        exclude=None,
        n_components=5,
        n_nonzero=50,
        n_neighbors=5,
        affinity="cosine",
        scale="auto",
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.n_components = n_components
        self.n_nonzero = n_nonzero
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.scale = scale
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _own_memory(self, n_samples, n_features):
        # Inner products of the columns in use with all columns.
        n_used = min(n_features, self.n_components * min(self.n_nonzero, n_samples))
        return 8.0 * 7 * n_used * n_features

    def _rank(self, data):
        stages = Stages(type(self).__name__, self.verbose)
        data = divide_columns(data, self.scale, "deviation")
        with stages("neighbour graph"):
            A = self._graph(data)
        with stages("embedding"):
            Y = embedding(A, self.n_components)
        Y -= Y.mean(axis=0)
        with stages("regression"), Workers(self.n_jobs) as workers:
            columns = Columns.varying(data, workers)
            products = InnerProducts(columns)
            XtY = columns.products(Y)
            n_nonzero = max(1, min(self.n_nonzero, columns.n_features, data.n_samples - 2))
            W = np.column_stack([lasso(products, Xty, n_nonzero) for Xty in XtY.T])
        self.coef_ = columns.expand(W)
        misfit = abs(products.residual_products(XtY, W)).max(axis=1)
        return columns.expand(
            rank_zero_rows(abs(W).max(axis=1), misfit, columns.norms(), np.linalg.norm(Y))
        )
