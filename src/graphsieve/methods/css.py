"""GreedyCSS: greedy column subset selection."""

from numbers import Real

from .._linear.greedy import greedy_order
from .._rows.division import divide_columns
from .._utils.sklearn_private import Interval
from ..base import SCALE_CONSTRAINTS, THREAD_CONSTRAINTS, FeatureRanker


class GreedyCSS(FeatureRanker):
    """Keep the columns from which all others are best rebuilt by linear regression.

    Greedy minimisation of the reconstruction error

        min over S of  ||X - P_S X||_F^2,    X centred, P_S the projector on the columns S:

    each step takes the column that lowers the error most, given those taken before. With E the
    residual of X, and e_j its column j, that column has the largest gain ||E'e_j||^2 / ||e_j||^2.
    A column that the chosen ones already tell has nothing to add, so near-copies fall behind.

    The first ``n_features_to_select`` features are exact picks; the others follow in the order of
    what each alone would add next. Asking for more leaves the first ones as they are. When
    n_samples <= n_features, n_samples - 1 columns explain everything: the selection proceeds in
    layers, and exact copies wait until all other columns are ranked. Score: d - position.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default None
        A number, a share in (0, 1], the knee of the unexplained energy, or half of the features.
    layer_share : float in (0, 1], default 0.9
        When n_samples <= n_features: once this share of the variance is explained, start afresh on
        the columns that are left. With 1 a layer goes on until it has explained everything.
    scale : {"auto", "standard", "minmax", "global"} or None, default "auto"
        Divide every column by its standard deviation ("standard") or its range ("minmax"), or all
        columns by the range of the table ("global"), first; None uses the units of the data.
        "auto" is None if more than 90 % of the entries are zero (words, events), where the spread
        of a column is how often it occurs, else "minmax".
    n_jobs : int or None, default None
        Number of threads. None uses the cores that OMP_NUM_THREADS and joblib leave.

    Attributes
    ----------
    gains_ : ndarray of shape (n_features,)
        Share of the total variance that a feature explained when it was picked, on top of those
        picked before it in its layer; for a feature that was not picked, what it would add next.
    layers_ : ndarray of shape (n_features,)
        Layer in which a feature was picked, from 1; 0 for one that was not.

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

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        **SCALE_CONSTRAINTS,
        **THREAD_CONSTRAINTS,
        "layer_share": [Interval(Real, 0, 1, closed="right")],
    }
    _accepts_sparse = True
    _distributes = True

    def __init__(self, n_features_to_select=None, *, layer_share=0.9, scale="auto", n_jobs=None):
        super().__init__(n_features_to_select)
        self.layer_share = layer_share
        self.scale = scale
        self.n_jobs = n_jobs

    def _rank(self, data):
        data = divide_columns(data, self.scale)
        n_picks = self._check_count(data.n_features)
        greedy = greedy_order(data, n_picks, share=self.layer_share, n_jobs=self.n_jobs)
        self.gains_, self.layers_ = greedy.gains, greedy.layers
        self._unexplained = greedy.unexplained()
        return greedy.scores

    def _knee_curve(self):
        return self._unexplained
