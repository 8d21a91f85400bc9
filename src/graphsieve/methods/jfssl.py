"""JFSSL: joint feature selection and subspace learning."""

from typing import Any

import numpy as np
from scipy.linalg import cho_solve
from sklearn.utils.extmath import row_norms

from .._graph.spectral import embedding
from .._linear.columns import Columns
from .._linear.reweighted import reweighted_l21
from .._linear.row_sparse import InnerProducts, penalty_limit, penalty_path, row_sparse_path
from .._rows.scaling import divide_columns
from .._utils.linalg import factorise
from .._utils.shared import with_shared_parameters
from .._utils.threads import Workers, single_threaded_blas
from ..base import FeatureRanker

# Default alpha, as a fraction of the smallest one for which all weights are zero.
_ALPHA_FRACTION = 1e-2
# Fraction of the targets up to which a misfit is rounding.
_EXACT = 1e-8


@with_shared_parameters
class JFSSL(FeatureRanker):
    """Joint feature selection and subspace learning (JFSSL).

    Looks for a projection X W that is smooth on the graph of the samples and uses few features,
    min |W|_{2,1} + mu Tr(W'X'LXW) subject to W'X'DXW = I. It is solved in two steps: first the
    spectral embedding Y (n, m) of ``MCFS``, then, with X and Y centred, ::

        min_W  sum_j |W_j|  subject to  X W = Y                    if this has a solution,
        min_W  |Y - X W|_F^2 + alpha sum_j |W_j|                   otherwise.

    The first form has a solution if there are more features than samples and no samples are copies
    of each other. The score of feature j is |W_j|.

    Parameters
    ----------
    alpha : float or None, default=None
        Weight of the l2,1 penalty; a number selects the second form. If None, the first form if
        it has a solution, else a hundredth of the smallest penalty for which all weights are zero.
    tol : float, default=1e-5
        Stop when the relative change of the objective (first form), or the largest violation of
        the optimality conditions relative to alpha (second form), is smaller.

    Attributes
    ----------
    alpha_ : float
        The penalty that was used; 0 in the first form.

    References
    ----------
    Q. Gu, Z. Li, J. Han: Joint feature selection and subspace learning. IJCAI 2011.

    Examples
    --------
    >>> from graphsieve import JFSSL
    >>> X = [[1, 0, 5], [2, 0, 5], [1, 0, 4], [2, 9, 5], [1, 9, 4], [2, 9, 5]]
    >>> jfssl = JFSSL(1, n_components=1, n_neighbors=2, affinity="heat", scale=None)
    >>> jfssl.fit(X).get_support().tolist()
    [False, True, False]
    """

    n_components: int = 10
    alpha: float | None = None
    n_neighbors: int = 5
    affinity: Any = "cosine"
    scale: str | None = "auto"
    n_jobs: int | None = None
    max_iter: int = 300
    tol: float = 1e-5
    verbose: int = 0
    callback: Any = None

    def _own_memory(self, n_samples, n_features):
        return 8.0 * 6 * n_samples * n_features

    def _rank(self, data):
        data = divide_columns(data, self.scale, "deviation")
        Y = embedding(self._graph(data), self.n_components)
        Y -= Y.mean(axis=0)
        with Workers(self.n_jobs) as workers, self._monitor() as monitor:
            columns = Columns.varying(data, workers)
            constraint = self._exact_constraint(columns, Y) if self.alpha is None else None
            if constraint is None:
                products, XtY = InnerProducts(columns), columns.products(Y)
                limit = penalty_limit(XtY)
                path = penalty_path(limit, self.alpha or _ALPHA_FRACTION * limit)
                result, self.alpha_ = row_sparse_path(products, XtY, np.vdot(Y, Y), path, monitor)
                norms = row_norms(result.x)
            else:
                result, self.alpha_ = interpolate(*constraint, monitor), 0
                norms = result.x
        self._report(result)
        return columns.expand(norms)

    def _exact_constraint(self, columns, Y):
        """(V, T) such that X W = Y if and only if V'W = T, or None where no W is exact."""
        if columns.n_features < columns.n_samples - 1:
            return None
        U, s, Vt = np.linalg.svd(columns.dense(), full_matrices=False)
        rank = np.count_nonzero(s > 1e-10 * s[0])
        T = U[:, :rank].T @ Y
        if np.linalg.norm(Y - U[:, :rank] @ T) > _EXACT * np.linalg.norm(Y):
            return None
        return Vt[:rank].T, T / s[:rank, None]


def interpolate(V, T, monitor):
    """Norms |W_j| with the least sum subject to V'W = T, for V with orthonormal columns."""

    def solve(inverse):
        scaled = np.sqrt(inverse)[:, None] * V
        factor = factorise(scaled.T @ scaled)
        W = np.sqrt(inverse)[:, None] * (scaled @ cho_solve(factor, T))
        return 0.0, np.einsum("ij,ij->i", W, W)

    # On a busy machine threads wait for each other in every factorisation.
    with single_threaded_blas():
        return reweighted_l21(solve, np.ones(len(V)), monitor, weight=1.0)
