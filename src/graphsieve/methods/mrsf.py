"""MRSF: columns that together explain the spectral embedding."""

from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from .._graph.spectral import embedding
from .._linear.columns import Columns
from .._linear.row_sparse import (
    InnerProducts,
    penalty_limit,
    penalty_path,
    rank_zero_rows,
    row_sparse_path,
)
from .._rows.scaling import divide_columns
from .._utils.shared import with_shared_parameters
from .._utils.threads import Workers
from ..base import FeatureRanker


@with_shared_parameters
class MRSF(FeatureRanker):
    """Minimum redundancy spectral feature selection (MRSF).

    Keeps the features that explain all directions of the spectral embedding Y (n, m) of ``MCFS``
    together. The weights are ::

        min_W  |Y - X W|_F^2 + alpha sum_j |W_j|,    X and Y centred,

    with one row W_j per feature. The score of feature j is |W_j|. Of several similar features
    fewer get weights, but copies are not excluded: for a short list without near-copies use
    ``GraphSieve`` or ``GreedyCSS``. Features without weights come after all others, ordered by how
    well they match the residual: |x_j'(Y - X W)| / |x_j|.

    Parameters
    ----------
    alpha : float or None, default=None
        Weight of the l2,1 penalty. If None, it decreases from the smallest one for which W = 0 to
        a thousandth of it, in 100 geometric steps, until ``n_nonzero`` features have weights.
    n_nonzero : int, default=100
        Number of features with weights, if ``alpha`` is None.
    max_iter : int, default=100
        Maximum number of Newton steps for each penalty.
    tol : float, default=1e-8
        Largest violation of the optimality conditions, relative to alpha.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_components)
        The weights W of the scaled features.

    References
    ----------
    Z. Zhao, L. Wang, H. Liu: Efficient spectral feature selection with minimum redundancy.
    AAAI 2010.

    Examples
    --------
    >>> from graphsieve import MRSF
    >>> X = [[1, 0, 5], [2, 0, 5], [1, 0, 4], [2, 9, 5], [1, 9, 4], [2, 9, 5]]
    >>> mrsf = MRSF(1, n_components=1, n_neighbors=2, affinity="heat", scale=None)
    >>> mrsf.fit(X).get_support().tolist()
    [False, True, False]
    """

    _accepts_sparse = True
    _n_copies = 3

    n_components: int = 10
    alpha: float | None = None
    n_nonzero: int = 100
    n_neighbors: int = 5
    affinity: Any = "cosine"
    scale: str | None = "auto"
    n_jobs: int | None = None
    max_iter: int = 100
    tol: float = 1e-8
    verbose: int = 0
    callback: Any = None

    def _own_memory(self, n_samples, n_features):
        # Inner products of the columns in use with all columns.
        n_used = min(n_features, min(self.n_nonzero, n_samples))
        return 8.0 * 7 * n_used * n_features

    def _rank(self, data):
        data = divide_columns(data, self.scale, "deviation")
        Y = embedding(self._graph(data), self.n_components)
        Y -= Y.mean(axis=0)
        with Workers(self.n_jobs) as workers, self._monitor() as monitor:
            columns = Columns.varying(data, workers)
            products, XtY = InnerProducts(columns), columns.products(Y)
            alphas = penalty_path(penalty_limit(XtY), self.alpha)
            n_nonzero = self.n_nonzero if self.alpha is None else np.inf
            result, self.alpha_ = row_sparse_path(
                products, XtY, np.vdot(Y, Y), alphas, monitor, n_nonzero=n_nonzero
            )
        self._report(result)
        W = result.x
        self.coef_ = columns.expand(W)
        misfit = row_norms(products.residual_products(XtY, W))
        return columns.expand(
            rank_zero_rows(row_norms(W), misfit, columns.norms(), np.linalg.norm(Y))
        )
