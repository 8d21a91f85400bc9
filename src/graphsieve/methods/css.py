"""GreedyCSS: greedy column subset selection."""

from numbers import Real

import numpy as np

from .._linear.columns import Columns, compact_rows, leading_scores
from .._linear.forward import MOST_SQUARE, FactorTarget, ForwardSelection, GramTarget, InnerTarget
from .._rows import RowBlocks
from .._rows.scaling import divide_columns
from .._utils.messages import Stages
from .._utils.shared import with_shared_parameters
from .._utils.sklearn_private import Interval
from .._utils.threads import blas_for
from ._greedy import GreedyRanker

# Components of a truncated SVD: twice the picks, within these bounds.
_COMPONENTS = (50, 200)


@with_shared_parameters
class GreedyCSS(GreedyRanker):
    """Greedy column subset selection.

    Features are picked one at a time, each for what it adds to the linear reconstruction of all
    features, i.e. by greedy minimisation of::

        min over S of  |X - P_S X|_F^2,    X centred, P_S the projector on the columns S

    With E the residual of X and e_j its column j, the next feature is the one of largest gain
    |E'e_j|^2 / |e_j|^2. A feature that the picked ones already predict has nothing to add, so near
    copies fall behind. When n_samples <= n_features, n_samples - 1 features explain everything, so
    the selection proceeds in layers, and exact copies wait until all other features are ranked.
    Data with more than 3,000 samples and features are represented by principal components.

    X may have missing values (NaN). They count as the mean of their column, which is divided by the
    root of the fraction of its values that are present to make up for the variance that is lost.

    Parameters
    ----------
    layer_share : float in (0, 1], default=0.9
        When n_samples <= n_features: once this fraction of the variance is explained, a new layer
        starts on the features that are left. With 1, a layer ends when nothing is left to gain.

    Attributes
    ----------
    target_energy_ : float
        Fraction of the variance in the targets: 1 where these are the data themselves.

    References
    ----------
    A. K. Farahat, A. Ghodsi, M. S. Kamel, "An efficient greedy method for unsupervised feature
    selection", ICDM 2011.

    Examples
    --------
    The second column is twice the first; the third is smaller, but new.

    >>> from graphsieve import GreedyCSS
    >>> X = [[0, 0, 1], [1, 2, 0], [2, 4, 1], [3, 6, 0]]
    >>> GreedyCSS(2).fit(X).order_.tolist()
    [0, 2, 1]
    """

    _parameter_constraints = {"layer_share": [Interval(Real, 0, 1, closed="right")]}
    _accepts_sparse = True
    _n_copies = 3
    _accepts_gaps = True
    _distributes = True

    layer_share: float = 0.9
    scale: str | None = "auto"
    n_jobs: int | None = None
    verbose: int = 0

    def _own_memory(self, n_samples, n_features):
        return 8.0 * 5 * min(n_samples, n_features, MOST_SQUARE) ** 2

    def _rank(self, data):
        stages = Stages(type(self).__name__, self.verbose)
        self.stage_seconds_ = stages.seconds
        data = compact_rows(divide_columns(data, self.scale, "deviation"))
        n, d, n_picks = data.n_samples, data.n_features, self._exact_picks(data)
        with stages("targets"):
            with blas_for(float(n) * d * min(n, d)):
                columns, target, self.target_energy_ = data_problem(data, n_picks, self.n_jobs)
            share = self.layer_share if n <= d else 1.0
            selection = ForwardSelection(columns, target, np.zeros(d), share, self._rules())
        with stages("picks"):
            return self._select(selection, n_picks, stages)


def data_problem(data, n_picks, n_jobs=None):
    """Columns, their targets for ``n_picks`` picks, and the fraction of the energy in these."""
    n, d = data.n_samples, data.n_features
    columns = Columns(data, n_jobs=n_jobs)
    if n > d and d <= MOST_SQUARE:
        G = columns.inner_products()
        return columns, InnerTarget(G, G, G), 1.0
    if n <= MOST_SQUARE:
        return columns, GramTarget(Columns(RowBlocks(data.whole())).gram()), 1.0
    n_components = min(max(2 * n_picks, _COMPONENTS[0]), _COMPONENTS[1], n - 1, d)
    target = FactorTarget(*leading_scores(columns, n_components, np.random.RandomState(0)))
    return columns, target, float(target.energy / columns.square_norms.sum())
