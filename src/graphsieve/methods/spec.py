"""SPEC: columns whose energy lies in the smooth directions of the graph."""

from numbers import Integral
from typing import Any

import numpy as np

from .._graph.spectral import (
    column_blocks,
    difference_operator,
    edge_weight,
    eigenpairs,
    null_space,
    roughness,
)
from .._rows import Moments
from .._rows.scaling import divide_columns
from .._utils.messages import Stages
from .._utils.shared import with_shared_parameters
from .._utils.sklearn_private import Interval, StrOptions
from .._utils.threads import single_threaded_blas
from ..base import FeatureRanker


@with_shared_parameters
class SPEC(FeatureRanker):
    """Spectral feature selection (SPEC).

    Keeps the features that agree with the spectrum of the graph of the samples. Let (l_i, v_i),
    0 = l_0 <= l_1 <= ... <= 2, be the eigenpairs of the normalised Laplacian
    I - D^-1/2 A D^-1/2, v_0 the trivial one, f = D^1/2 x / |D^1/2 x| for feature x,
    a_i = f' v_i, and r the ``power``. ``criterion`` is the function that scores a feature: ::

        phi1 = sum_i a_i^2 l_i^r                                        small is good
        phi2 = sum_{i>=1} a_i^2 l_i^r / sum_{i>=1} a_i^2                small is good
        phi3 = sum_{i=1..q} a_i^2 (2^r - l_i^r)                         large is good

    where q is ``n_components``. ``scores_`` holds -phi1, -phi2 or phi3. With r = 1, phi2 is the
    Laplacian score. In phi3 a multiple eigenvalue counts as a whole, even if q would cut it.

    Parameters
    ----------
    criterion : {"phi1", "phi2", "phi3"}, default="phi2"
        phi2 is the only one that does not depend on the mean of a feature; phi1 also rewards a
        feature for being nearly constant; phi3 considers the clusters only.
    power : int from 1 to 100, default=3
        Larger values punish rough directions more.
    n_components : int, default=10
        Number of eigenvectors after the trivial one in phi3: about the number of clusters.

    References
    ----------
    Z. Zhao, H. Liu: Spectral feature selection for supervised and unsupervised learning. ICML 2007.

    Examples
    --------
    The second feature distinguishes two groups of samples, the first varies within them.

    >>> from graphsieve import SPEC
    >>> X = [[1, 0], [2, 0], [1, 0], [2, 9], [1, 9], [2, 9]]
    >>> SPEC(1, n_neighbors=2, affinity="heat", scale=None).fit(X).get_support().tolist()
    [False, True]
    """

    _parameter_constraints = {
        "criterion": [StrOptions({"phi1", "phi2", "phi3"})],
        "power": [Interval(Integral, 1, 100, closed="both")],
    }
    _accepts_sparse = True
    _n_copies = 1

    criterion: str = "phi2"
    power: int = 3
    n_components: int = 10
    n_neighbors: int = 5
    affinity: Any = "cosine"
    scale: str | None = "auto"
    n_jobs: int | None = None
    verbose: int = 0

    def _rank(self, data):
        data = divide_columns(data, self.scale)
        stages = Stages(type(self).__name__, self.verbose)
        with stages("neighbour graph"):
            A = self._graph(data)
        with stages("scores"), single_threaded_blas():
            return self._scores(data, A)

    def _scores(self, data, A):
        """-phi1, -phi2 or phi3 of every column; the worst value where there is none."""
        weight, B = edge_weight(A), difference_operator(A)
        largest = 2.0**self.power
        if self.criterion == "phi3":
            components = null_space(A)
            root = np.sqrt(weight)[:, None]
            null = (components.basis * root).T
            n_pairs = self.n_components - (len(components.nodes) - 1)
            values, V = low_eigenpairs(A, components, n_pairs)
            gain = largest - values**self.power
        scores = np.full(data.n_features, 0.0 if self.criterion == "phi3" else -largest)
        for columns, X in column_blocks(data.whole()):
            moments = Moments.of(X, weight)
            mean, spread = moments.mean, moments.spread
            energy = spread + weight.sum() * mean**2
            if self.criterion == "phi3":
                # Without its mean a column has no part in the trivial null vector.
                between = null @ X - np.outer(null.sum(axis=1), mean)
                score = largest * (between**2).sum(axis=0) + gain @ (X.T @ (root * V)).T ** 2
                below = energy
            else:
                score = -roughness(B, weight, X, self.power)
                below = energy if self.criterion == "phi1" else spread
            has_value = (energy > 0) & (below > 1e-12 * energy)
            np.divide(score, below, out=scores[columns], where=has_value)
        return scores


def low_eigenpairs(A, components, n_pairs):
    """``eigenpairs`` with all copies of the last eigenvalue; none when ``n_pairs`` < 1."""
    if n_pairs < 1:
        return np.empty(0), np.empty((A.shape[0], 0))
    more = 4
    while True:
        values, V = eigenpairs(A, components, n_pairs + more, random_state=0)
        kept = values <= values[:n_pairs][-1] + 1e-8
        if not kept[-1] or len(values) < n_pairs + more:
            return values[kept], V[:, kept]
        more *= 2
