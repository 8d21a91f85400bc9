"""GreedyCSS: greedy column subset selection.

The targets are the columns themselves, in the form that costs least: the Gram matrix of few samples
or of few features; or else the data, applied as X (X'q), if the gains before the first pick can be
computed exactly; or else a truncated SVD, whose explained energy is reported.
"""

from numbers import Real

import numpy as np
import scipy.sparse as sp

from .._linear.columns import Columns, compact_rows, leading_scores
from .._linear.forward import (
    MOST_SQUARE,
    FactorTarget,
    ForwardSelection,
    GramTarget,
    InnerTarget,
)
from .._rows import RowBlocks, split_rows
from .._rows.scaling import divide_columns
from .._utils.messages import Stages
from .._utils.shared import with_shared_parameters
from .._utils.sklearn_private import Interval, product_of_sparse
from .._utils.threads import Workers, blas_for
from ._greedy import GreedyRanker

# Multiplications that the exact gains before the first pick may take: about ten seconds.
_MOST_PRODUCTS = {"sparse": 5e9, "dense": 5e11}
# Blocks of inner products: sparse ones are fastest if a row fills half of the first-level cache.
_HEIGHT, _WIDTH = 256, 2048
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
    copies fall behind.

    The first ``n_features_to_select`` features are exact picks; the others follow in the order of
    what each alone would add next. Asking for more features does not change the first ones. When
    n_samples <= n_features, n_samples - 1 features explain everything, so the selection proceeds in
    layers, and exact copies wait until all other features are ranked. Score: d - position.

    A pick costs one pass over the data, and no matrix is larger than 3,000 x 3,000. Data with more
    samples and features than that are represented by the leading principal components if their
    inner products would take too long; ``target_energy_`` reports the fraction of the variance
    in them.

    X may have missing values (NaN). They count as the mean of their column, which is divided by the
    root of the fraction of its values that are present to make up for the variance that is lost.

    Parameters
    ----------
    layer_share : float in (0, 1], default=0.9
        When n_samples <= n_features: once this fraction of the variance is explained, a new layer
        starts on the features that are left. With 1, a layer ends when nothing is left to gain.

    Attributes
    ----------
    n_exact_ : int
        Number of features that were picked one by one; the order of the others is that of what
        each would add next.
    gains_ : ndarray of shape (n_features,)
        Fraction of the variance that a feature explained when it was picked, on top of those
        picked before it in its layer; for a feature that was not picked, what it would add next.
    layers_ : ndarray of shape (n_features,)
        Layer in which a feature was picked, from 1; 0 for one that was not.
    target_energy_ : float
        Fraction of the variance in the targets: 1 where these are the data themselves.
    stage_seconds_ : dict
        Seconds that every stage of the fit took.

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
        "layer_share": [Interval(Real, 0, 1, closed="right")],
    }
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
    X = data.resident()
    if X is not None and _is_affordable(X):
        return columns, DataTarget(X, n_jobs), 1.0
    n_components = min(max(2 * n_picks, _COMPONENTS[0]), _COMPONENTS[1], n - 1, d)
    target = FactorTarget(*leading_scores(columns, n_components, np.random.RandomState(0)))
    return columns, target, float(target.energy / columns.square_norms.sum())


class DataTarget:
    """All columns as targets, applied as X (X'q): exact, and without a square matrix."""

    def __init__(self, X, n_jobs=None):
        self._X, self._n_jobs = X, n_jobs

    def forms(self, columns):
        """|X'x_j|^2 for every column, a block of the upper half of X'X at a time."""
        self._columns = columns
        self.energy = float(columns.square_norms.sum())
        mean, forms = columns.mean, np.zeros(columns.n_features)
        heights, widths = split_rows(len(forms), _HEIGHT), split_rows(len(forms), _WIDTH)
        if sp.issparse(self._X):
            # scikit-learn multiplies sparse matrices with the interpreter locked.
            n_jobs, product, shift = 1, product_of_sparse, columns.n_samples * mean
            left = [columns.by_column[:, rows].T.astype(np.float64) for rows in heights]
            right = [columns.in_double[:, others] for others in widths]
        else:
            n_jobs, product, shift = self._n_jobs, np.matmul, None
            X = self._X - mean
            left, right = [X[:, rows].T for rows in heights], [X[:, others] for others in widths]

        def squares(i, j):
            rows, others = heights[i], widths[j]
            first = max(rows.start, others.start)
            whole = first == others.start  # SciPy would copy it
            products = product(left[i], right[j] if whole else right[j][:, first - others.start :])
            if shift is not None:
                products -= np.outer(shift[rows], mean[first : others.stop])
            np.square(products, out=products)
            beyond = max(first, min(rows.stop, others.stop))
            of_columns = products[:, beyond - first :].sum(axis=0)
            return (rows, products.sum(axis=1)), (slice(beyond, others.stop), of_columns)

        pairs = [
            (i, j)
            for j, others in enumerate(widths)
            for i, rows in enumerate(heights)
            if rows.start < others.stop
        ]
        with Workers(n_jobs) as workers:
            for sums in workers.map(squares, *zip(*pairs, strict=True)):
                for place, values in sums:
                    forms[place] += values
        return forms

    def apply(self, q, r=None):
        """X X'q, and X'q, which may be given."""
        if r is None:
            r = self._columns.products(q[:, np.newaxis])[:, 0]
        return self._columns.times(r[:, np.newaxis])[:, 0], r


def _is_affordable(X):
    """Whether the inner products of all columns take seconds."""
    if not sp.issparse(X):
        return float(X.shape[0]) * X.shape[1] ** 2 <= _MOST_PRODUCTS["dense"]
    stored = np.diff(X.indptr).astype(np.float64)
    return float(stored @ stored) <= _MOST_PRODUCTS["sparse"]
