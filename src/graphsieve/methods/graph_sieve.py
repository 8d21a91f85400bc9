"""GraphSieve: forward selection on the data and on the graph of their neighbours."""

from numbers import Integral, Real
from typing import Any

from sklearn.utils import check_random_state

from .._graph.affinity import check_affinity
from .._graph.spectral import embedding
from .._linear.columns import Columns
from .._linear.forward import MOST_SQUARE, FactorTarget, ForwardSelection, InnerTarget, join_targets
from .._linear.structure import all_coordinates, find_structure, sample_rows, scaled_sample
from .._rows import RowBlocks
from .._rows.scaling import MOST_ROWS
from .._utils.messages import Stages
from .._utils.shared import with_shared_parameters
from .._utils.sklearn_private import Interval
from ._greedy import GreedyRanker

# Chosen on splits that are not reported (experiments/records/defaults.md): eigenvectors of the
# graph, relative noise of a picked column, explained fraction before which no layer ends.
_N_EIGENVECTORS, _RELATIVE_NOISE, _LAYER_SHARE = 10, 0.1, 0.8
# Squared correlation of near-copies.
_NEAR_COPY_R2 = 0.95


@with_shared_parameters
class GraphSieve(GreedyRanker):
    """Forward selection on the data and on the graph of their neighbours.

    Features are picked one at a time, each for what it adds to the reconstruction of two targets:
    the data, which carry the broad structure, and the spectral embedding of their neighbour graph,
    which carries the local one. Features that the others do not predict, which may be noise, count
    less than those that they do, and the graph is that of the principal components above noise.

    With T the targets, each of unit energy, the set S of features is judged by::

        E(S) = min_B |T - X_S B|_F^2 + 0.1 sum_{j in S} |x_j|^2 |B_j|^2,    X and T centred

    i.e. each feature is read with a relative noise of 10 %, and the next feature is the one that
    lowers E most. What it adds counts by up to 1 if it is trusted, i.e. the others predict it on
    held-out samples, and else by 1/3. Near-copies come last, then features that are not trusted
    where most are such, and copies. Score: d - position.

    X may have missing values (NaN), which count as the mean of their column.

    Parameters
    ----------
    graph_weight : float, default=1.0
        Weight of the graph relative to the data; 0 leaves it out.
    max_samples : int or None, default=20000
        With more samples than this, the features are ranked on so many random ones; None uses all.
    random_state : int, RandomState or None, default=None
        Random seed of a sample of many rows.

    Attributes
    ----------
    n_components_ : int
        Number of principal components above those of permuted columns.
    n_sampled_ : int
        Number of samples that the features were ranked on.
    predictability_ : ndarray of shape (n_features,)
        Squared correlation of every feature with its held-out prediction from the others.
    trusted_ : ndarray of bool of shape (n_features,)
        Features that the others predict.

    References
    ----------
    A. K. Farahat, A. Ghodsi, M. S. Kamel, "Efficient greedy feature selection for unsupervised
    learning", Knowledge and Information Systems 35, 2013.

    S. Feng and M. F. Duarte, "Graph autoencoder-based unsupervised feature selection with broad
    and local data structure preservation", Neurocomputing 312, 2018.

    Examples
    --------
    The second column is a copy of the first in other units; the third is new.

    >>> import numpy as np
    >>> from graphsieve import GraphSieve
    >>> celsius, load = np.random.default_rng(0).normal(size=(2, 50))
    >>> X = np.column_stack([celsius, 1.8 * celsius + 32, load])
    >>> GraphSieve(2).fit(X).order_.tolist()
    [0, 2, 1]
    """

    _parameter_constraints = {
        "graph_weight": [Interval(Real, 0, 1e6, closed="both")],
        "max_samples": [Interval(Integral, 2, None, closed="left"), None],
    }
    _accepts_sparse = True
    _accepts_gaps = True
    _distributes = True

    n_neighbors: int = 5
    affinity: Any = "cosine"
    scale: str | None = "auto"
    graph_weight: float = 1.0
    max_samples: int | None = 20_000
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    def _own_memory(self, n_samples, n_features):
        return 7 * 8.0 * min(n_samples, MOST_ROWS) * n_features

    def _rank(self, data):
        rng = check_random_state(self.random_state)
        stages = Stages(type(self).__name__, self.verbose)
        self.stage_seconds_ = stages.seconds
        with stages("structure"):
            data, chosen = sample_rows(data, self.max_samples, rng)
            self.n_sampled_ = data.n_samples
            X, sample, _, _ = scaled_sample(data, self.scale, rng, "wide")
            structure = find_structure(sample, X.n_samples, balanced=True)
            self.n_components_, self.trusted_ = structure.n_components, structure.trusted
            self.predictability_ = structure.predictability
        with stages("targets"):
            target = self._target(X, structure, chosen, rng)
        with stages("picks"):
            columns = Columns(X, n_jobs=self.n_jobs)
            if isinstance(target, FactorTarget) and X.n_features < min(X.n_samples, MOST_SQUARE):
                target = InnerTarget.of(columns, target)
            noise = _RELATIVE_NOISE * columns.square_norms
            last, weights = structure.untrusted_majority, structure.trust_weights
            rules = self._rules(weights=weights, last=last, near_copy=_NEAR_COPY_R2)
            selection = ForwardSelection(columns, target, noise, _LAYER_SHARE, rules, True)
            return self._select(selection, self._exact_picks(X), stages)

    def _target(self, X, structure, chosen, rng):
        coordinates = all_coordinates(structure, X, self.n_jobs)
        sampled = structure.n_rows < X.n_samples
        data = FactorTarget.centred(coordinates) if sampled else structure.target()
        n_dims = min(_N_EIGENVECTORS, X.n_samples - 2)
        if self.graph_weight > 0 and n_dims > 0:
            if isinstance(self.affinity, str):
                A = self._graph(RowBlocks(structure.denoised(coordinates, X, self.n_jobs)))
            elif callable(self.affinity):
                A = self._graph(X)
            else:
                A = check_affinity(self.affinity, len(chosen))[chosen][:, chosen]
            if A.nnz > 0:  # without edges there is no structure to keep
                graph = FactorTarget.centred(embedding(A, n_dims, rng))
                return join_targets([data, graph], [1.0, self.graph_weight])
        return join_targets([data], [1.0])
