"""DFSC: self-representation with a graph of the samples and a graph of the features."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from .._graph.affinity import build_graph, laplacian
from .._linear.columns import Columns, square_rows
from .._linear.reweighted import reweighted_l21
from .._linear.self_representation import ALPHA_FRACTION, feature_step, sample_step, square_memory
from .._rows import RowBlocks
from .._rows.scaling import divide_columns
from .._utils.shared import with_shared_parameters
from .._utils.threads import Workers
from ..base import NON_NEGATIVE, FeatureRanker

# Up to here d x d matrices are faster than the sparse form, also when n < d.
_SMALL = 2000
# The default feature_graph_weight in squared lengths of an average column.
_FEATURE_GRAPH_FRACTION = 0.1
# Accuracy of the iteration, and the number of steps above which a factorisation is faster.
_ACCURACY, _MANY_STEPS = 1e-12, 60
# Right-hand sides at a time: what an iteration works on should stay in cache.
_BLOCK_SIDES = 64


@with_shared_parameters
class DFSC(FeatureRanker):
    """Dual-graph regularised feature selection clustering (DFSC); experimental.

    Keeps the features that represent all features, with neighbouring samples and correlated
    features represented alike. With X centred, L the Laplacian of the graph of the samples and L_f
    that of the features, DFSC minimises over S (d x d)::

        |X - XS|_F^2 + graph_weight Tr(S'X'L X S)
            + feature_graph_weight Tr(S'L_f S) + alpha sum_j |S_j|

    and the score of feature j is |S_j|. It is experimental, because the paper also represents
    samples by samples; whether the two sides share variables could not be confirmed.

    Parameters
    ----------
    graph_weight : float, default=0.1
        Weight of the graph of the samples.
    feature_graph_weight : float or None, default=None
        Weight of the graph of the features. If None, a tenth of the mean squared length of the
        centred columns, which makes the result independent of units.
    n_neighbors : int, default=5
        Number of neighbours in both graphs; that of the features joins those of largest positive
        correlation.

    Attributes
    ----------
    alpha_, feature_graph_weight_ : float
        The weights that were used.

    References
    ----------
    R. Shang, Z. Zhang, L. Jiao, C. Liu, Y. Li: Self-representation based dual-graph regularized
    feature selection clustering. Neurocomputing 171 (2016), 1242-1253.

    Examples
    --------
    The second column is twice the first and represents both:

    >>> from graphsieve import DFSC
    >>> X = [[0, 0, 1], [1, 2, 0], [2, 4, 1], [3, 6, 0], [4, 8, 1], [5, 10, 0]]
    >>> DFSC(1, n_neighbors=2, scale=None).fit(X).get_support().tolist()
    [False, True, False]
    """

    _parameter_constraints = {"feature_graph_weight": [NON_NEGATIVE, None]}
    _n_copies = 10  # with the graph of the features

    alpha: float | None = None
    graph_weight: float = 0.1
    feature_graph_weight: float | None = None
    n_neighbors: int = 5
    affinity: Any = "cosine"
    scale: str | None = "auto"
    n_jobs: int | None = None
    max_iter: int = 100
    tol: float = 1e-5
    verbose: int = 0
    callback: Any = None

    def _own_memory(self, n_samples, n_features):
        # Of all features where that is cheap, see _rank.
        is_small = n_features <= max(n_samples, _SMALL)
        return square_memory(n_features if is_small else n_samples, n_features)

    def _rank(self, data):
        data = divide_columns(data, self.scale)
        L = laplacian(self._graph(data))
        with Workers(self.n_jobs) as workers, self._monitor() as monitor:
            columns = Columns.varying(data, workers, may_fill=True)
            self.alpha_ = self.alpha or ALPHA_FRACTION * (2 * columns.correlation().max() or 1.0)
            self.feature_graph_weight_ = self.feature_graph_weight
            if self.feature_graph_weight is None:
                mean_square = np.vdot(columns.root, columns.root) / columns.n_features
                self.feature_graph_weight_ = _FEATURE_GRAPH_FRACTION * mean_square
            L_f = self.feature_graph_weight_ * self._feature_laplacian(columns.dense())
            step, start = self._step(columns, L, L_f), np.ones(columns.n_features)
            result = reweighted_l21(step, start, monitor, weight=self.alpha_)
        self._report(result)
        return columns.expand(result.x)

    def _feature_laplacian(self, X):
        n_neighbors = min(self.n_neighbors, X.shape[1] - 1)
        if n_neighbors == 0 or not X.any():
            return sp.csr_array((X.shape[1], X.shape[1]))
        features = RowBlocks(X.T.copy())
        return laplacian(build_graph(features, n_neighbors=n_neighbors, n_jobs=self.n_jobs))

    def _step(self, columns, L, L_f):
        weights = {"fit_weight": 1.0, "graph_weight": self.graph_weight}
        if columns.n_features <= max(columns.n_samples, _SMALL):
            return feature_step(columns, L, self.alpha_, **weights, penalty=L_f.toarray())
        X = columns.dense()

        def multiply(scale):
            ZX = solve_laplacian(L_f, scale, X.T)
            return columns.times(ZX), lambda V: columns.join(lambda i: square_rows(ZX[i] @ V))

        return sample_step(columns, L, self.alpha_, **weights, multiply=multiply)


def solve_laplacian(L, scale, B):
    """(L + diag(1 / scale))^-1 B for a positive ``scale``.

    With F the diagonal of the matrix, F^-1/2 (L + diag(1 / scale)) F^-1/2 = I - M, where M has
    eigenvalues up to q = max_j L_jj scale_j / (1 + L_jj scale_j). The number of steps of
    Chebyshev's iteration follows from q; where they are many, the matrix is factorised instead.
    """
    weight = L.diagonal() * scale
    q = (weight / (1 + weight)).max()
    # Steps after which Chebyshev's polynomial for [-q, q] leaves so much of the error.
    n_steps = int(np.ceil(np.log(2 / _ACCURACY) / np.arccosh(1 / q))) if q > 0 else 0
    if n_steps > _MANY_STEPS:
        return _factorise(L, scale, B)
    root = np.sqrt(scale / (1 + weight))
    M = sp.csr_array(sp.eye_array(len(root)) - sp.diags_array(root) @ L @ sp.diags_array(root))
    M -= sp.diags_array(root**2 / scale)
    solution = np.empty(B.shape)
    for start in range(0, B.shape[1], _BLOCK_SIDES):
        block = slice(start, start + _BLOCK_SIDES)
        sides = np.multiply(root[:, None], B[:, block], order="C")
        solution[:, block] = _chebyshev(M, q, sides, n_steps)
    solution *= root[:, None]
    return solution


def _chebyshev(M, q, B, n_steps):
    """(I - M)^-1 B for symmetric M with eigenvalues in [-q, q]."""
    x, before, omega = B, np.zeros_like(B), 2.0
    for _ in range(n_steps):
        # x_{k+1} = omega (M x_k + B - x_{k-1}) + x_{k-1}, omega from the recursion of the T_k.
        omega = 1 / (1 - q**2 / 4 * omega)
        after = M @ x
        after += B - before
        after *= omega
        after += before
        before, x = x, after
    return x


def _factorise(L, scale, B):
    # Scaled to a unit diagonal the matrix stays well conditioned where the scale vanishes.
    s = np.sqrt(scale)
    scaled = sp.diags_array(s) @ L @ sp.diags_array(s) + sp.eye_array(len(s))
    factor = splu(scaled.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0)
    return s[:, None] * factor.solve(s[:, None] * B)
