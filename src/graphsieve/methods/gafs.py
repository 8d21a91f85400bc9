"""GAFS: graph autoencoder feature selection."""

from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from .._autoencoder.objective import Penalties, principal_start, relative_penalties
from .._autoencoder.passes import encode
from .._autoencoder.ranker import MOST_UNITS, NON_NEGATIVE, AutoencoderRanker
from .._graph.affinity import laplacian
from .._graph.spectral import embedding
from .._linear.columns import compact_rows
from .._linear.forward import ForwardSelection
from .._linear.operator import ColumnOperator
from .._linear.structure import MOST_ROWS, find_structure, sample_rows
from .._linear.targets import join_targets, make_target
from .._ranker.greedy import GREEDY_CONSTRAINTS, GreedyConstraints
from .._rows import RowBlocks
from .._utils.progress import Stages
from .._utils.sklearn_private import Interval, StrOptions
from .._utils.threads import Workers
from ..base import GRAPH_CONSTRAINTS

# Chosen on splits that are not reported, see docs/choosing_defaults.md: eigenvectors of the graph,
# relative noise of a kept column, and explained fraction at which a layer ends.
_N_EIGENVECTORS = 10
_NOISE = 0.1
_LAYER_SHARE = 0.8
TARGETS = ("data", "graph", "code")


class GAFS(GreedyConstraints, AutoencoderRanker):
    """Graph autoencoder feature selection (GAFS).

    A network with one hidden layer reconstructs the data from a code
    H = sigmoid(X W_in + b_in). An l2,1 penalty on the rows of W_in makes it use few features, and
    the Laplacian L of a nearest-neighbour graph keeps the codes of neighbours similar::

        min  |X - Xhat|_F^2 / (2 n) + alpha |W_in|_{2,1} + graph_weight Tr(H' L H)
             + decay / 2 (|W_in|_F^2 + |W_out|_F^2),    Xhat = sigmoid(H W_out + b_out)

    The paper scores feature j by the norm of row j of W_in (``selection="norm"``, and
    ``GAFS.paper()`` for all of its settings). By default, features are picked one at a time
    instead, each for what it adds to the reconstruction of the targets: the data, which carry the
    broad structure, and the spectral embedding of the graph, which carries the local one. Noise is
    left out: features that the others do not predict on held-out rows come last, and the graph is
    that of the principal components above noise. The network then serves ``encode``; its code can
    be made a target, too.

    With greedy selection, X may have missing values (NaN), which count as the mean of their column.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        Number of features to keep, or a fraction in (0, 1] of them. If None, half of the features;
        if "auto", as many as add more than they would to shuffled columns.
    include, exclude : list of str or int, mask or None, default=None
        Features that are always kept, and features that are never kept: names, positions or a
        mask. Included features are picked first and count as selected; the others are judged by
        what they add to them.
    costs : array-like of shape (n_features,), dict of column to cost or None, default=None
        Cost of every feature, 1 for features that a dict does not have. Features are picked by
        gain per cost.
    budget : float or None, default=None
        The most that the selected features may cost together. It determines their number if
        ``n_features_to_select`` is None.
    column_groups : array-like of shape (n_features,), dict or None, default=None
        Label of every feature, or a dict from label to features. Features with the same label are
        kept or dropped together, such as the codes of one category or the channels of one sensor.
        Features whose label is None, or that the dict does not have, are on their own.
    max_per_group : int or None, default=None
        Keep at most this many features of every group, instead of all or none.
    n_hidden : int or None, default=None
        Size of the code. If None, the number of principal components above noise, at most 40.
    alpha, graph_weight, decay : float or None, default=None
        Weights of the l2,1 penalty, of the graph term and of the weight decay (lambda and gamma in
        the paper, which has no decay). If None, each penalty is one percent of the variance of the
        data at the start. Without decay there is no minimiser: W_in can shrink while W_out grows.
    n_neighbors : int, default=5
        Number of neighbours in the graph.
    affinity : {"cosine", "binary", "heat"}, callable, array or sparse matrix, default="cosine"
        Weights of the edges between neighbours; a callable gets the scaled data, and a matrix is
        used as it is.
    neighbors : {"auto", "exact", "approximate"}, default="auto"
        How neighbours are found; "auto" is "approximate" for more than 50,000 samples.
    scale : {"auto", "minmax", "global"} or None, default="auto"
        "minmax" scales every column to [0, 1], "global" all columns with one common range (pixels,
        counts), None does neither. "auto" is "minmax", followed by square roots if more than 90 %
        of the entries are zero (words, events). Sparse data must not be negative, unless None.
    output : {"sigmoid", "identity"}, default="sigmoid"
        The last layer: sigmoid as in the paper, identity for standardised data.
    init : {"pca", "random"}, default="pca"
        Where the network starts: at the principal components, which involves no random numbers, or
        at random weights, as usual. Random weights need values for ``n_hidden`` and the penalties.
    selection : {"greedy", "norm"}, default="greedy"
        Pick features one at a time, exact for the first ``n_features_to_select``, with the score
        d - position, or rank by the norm of the weights, as in the paper.
    targets : sequence of {"data", "graph", "code"} or dict, default=("data", "graph")
        What greedy selection reconstructs, with equal weights: the data, the spectral embedding of
        the graph, the hidden code; a dict has other weights. Adding the code made no measurable
        difference on fourteen data sets.
    solver : {"lbfgs", "minibatch"}, default="lbfgs"
        "minibatch" is for many samples: an iteration is one pass over them in random batches.
    max_iter : int or None, default=None
        Maximum number of iterations of the solver. If None, 200 if the network affects the
        ranking, and 50 if it is only needed for ``encode``.
    tol : float, default=1e-4
        The solver stops when the relative change of the objective is smaller.
    memory : int, default=10
        Number of pairs of vectors that L-BFGS keeps (100 in the paper).
    dtype : {"float32", "float64"}, default="float32"
        Precision of the matrix products.
    n_jobs : int or None, default=None
        Number of threads; None uses all cores that OMP_NUM_THREADS and joblib allow.
    random_state : int, RandomState or None, default=None
        Random seed of a sample of many rows, of starting weights and of batches.
    verbose : int, default=0
        If positive, show progress.
    callback : callable(iteration, objective) or None, default=None
        Called after every iteration; returning True stops the solver and keeps the result.

    Attributes
    ----------
    scores_, order_, ranking_ : ndarray of shape (n_features,)
        Score (higher is better), all features from best to worst, and rank (1 is best).
    W_in_, b_in_, W_out_, b_out_ : ndarray of shape (d, m), (m,), (m, d), (d,)
        Weights, for the scaled data.
    explained_ : float
        Fraction of the variance of the scaled data that the network reconstructs.
    objective_trace_, n_iter_, converged_
        Objective at every iteration, their number, and whether ``tol`` was met.
    n_exact_ : int
        Greedy selection: number of picks; the other features are ordered by what each would add.
    gains_, layers_ : ndarray of shape (n_features,)
        Greedy selection: fraction of the targets that a feature explained when it was picked, or
        would explain next, and the layer in which it was picked, 0 for one that was not.
    stage_seconds_ : dict
        Seconds that every stage of the fit took.
    n_components_ : int
        Number of principal components above those of shuffled columns.
    predictability_ : ndarray of shape (n_features,)
        Squared correlation of every feature with its held-out prediction from the others.

    References
    ----------
    S. Feng and M. F. Duarte, "Graph autoencoder-based unsupervised feature selection with broad
    and local data structure preservation", Neurocomputing 312, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from graphsieve import GAFS
    >>> X = load_digits().data
    >>> sel = GAFS(n_features_to_select=10, random_state=0).fit(X)
    >>> sel.transform(X).shape
    (1797, 10)
    """

    _parameter_constraints = {
        **AutoencoderRanker._parameter_constraints,
        **GRAPH_CONSTRAINTS,
        **GREEDY_CONSTRAINTS,
        "n_hidden": [Interval(Integral, 1, None, closed="left"), None],
        "solver": [StrOptions({"lbfgs", "minibatch"})],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "alpha": [*NON_NEGATIVE, None],
        "graph_weight": [*NON_NEGATIVE, None],
        "decay": [*NON_NEGATIVE, None],
        "scale": [StrOptions({"auto", "minmax", "global"}), None],
        "output": [StrOptions({"sigmoid", "identity"})],
        "init": [StrOptions({"pca", "random"})],
        "selection": [StrOptions({"greedy", "norm"})],
        "targets": [tuple, list, dict],
    }
    _distributes = True

    def __init__(
        self,
        n_features_to_select=None,
        *,
        include=None,
        exclude=None,
        costs=None,
        budget=None,
        column_groups=None,
        max_per_group=None,
        n_hidden=None,
        alpha=None,
        graph_weight=None,
        decay=None,
        n_neighbors=5,
        affinity="cosine",
        neighbors="auto",
        scale="auto",
        output="sigmoid",
        init="pca",
        selection="greedy",
        targets=("data", "graph"),
        solver="lbfgs",
        max_iter=None,
        tol=1e-4,
        memory=10,
        dtype="float32",
        n_jobs=None,
        random_state=None,
        verbose=0,
        callback=None,
    ):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.costs = costs
        self.budget = budget
        self.column_groups = column_groups
        self.max_per_group = max_per_group
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.graph_weight = graph_weight
        self.decay = decay
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.neighbors = neighbors
        self.scale = scale
        self.output = output
        self.init = init
        self.selection = selection
        self.targets = targets
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.memory = memory
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @classmethod
    def paper(cls, n_features_to_select=None, *, random_state=None):
        """GAFS as in the paper, whatever the defaults are.

        Parameters
        ----------
        n_features_to_select : int, float, "auto" or None, default=None
            Number of features to keep, or a fraction in (0, 1] of them. If None, half of the
            features; if "auto", as many as add more than they would to shuffled columns.
        random_state : int, RandomState or None, default=None
            Random seed of the starting weights.

        Returns
        -------
        GAFS
            With the values in the middle of the paper's grids for m, lambda and gamma.
        """
        return cls(
            n_features_to_select,
            n_hidden=10,
            alpha=1e-2,
            graph_weight=1e-3,
            decay=0.0,
            n_neighbors=5,
            affinity="cosine",
            neighbors="exact",
            scale="minmax",
            output="sigmoid",
            init="random",
            selection="norm",
            solver="lbfgs",
            max_iter=400,
            tol=1e-5,
            memory=100,
            dtype="float64",
            random_state=random_state,
        )

    def _own_memory(self, n_samples, n_features):
        sample = 8.0 * min(n_samples, MOST_ROWS) * n_features
        return 7 * sample + super()._own_memory(n_samples, n_features)

    def _rank(self, data):
        self._check_options()
        X = compact_rows(self._scaled(data))
        rng = check_random_state(self.random_state)
        stages = Stages(type(self).__name__, self.verbose)
        self.stage_seconds_ = stages.seconds
        if self.selection == "norm" and self.init == "random":  # the paper's method
            A = self._graph(X)
            self._train(X, self._laplacian(A), self._penalties(), rng)
            return row_norms(self.W_in_)
        with stages("structure"):
            structure = find_structure(sample_rows(X, MOST_ROWS, rng))
            self.n_components_ = structure.n_components
            self.predictability_ = structure.predictability
            coordinates = self._coordinates(X, structure)
        with stages("neighbour graph"):
            rows = coordinates[:, : structure.n_kept]
            if structure.core is not None:
                rows = self._coordinates(X, structure, structure.core_axes())
            A = self._graph(X, rows)
        with stages("autoencoder"):
            self._train_from(structure, X, A, rng)
        if self.selection == "norm":
            return row_norms(self.W_in_)
        with stages("targets"):
            target = self._targets(X, A, coordinates, rng)
            columns = ColumnOperator(X, n_jobs=self.n_jobs)
            noise = _NOISE * columns.squares
            rules = self._rules(later=~structure.trusted, weights=structure.trust)
            selection = ForwardSelection(columns, target, noise, _LAYER_SHARE, rules)
        with stages("picks"):
            return self._select(selection, self._exact_picks(X), stages)

    def _check_options(self):
        if not self.targets or set(self.targets) - set(TARGETS):
            raise ValueError(f"targets={self.targets!r} must name some of {', '.join(TARGETS)}")
        if not all(isinstance(w, Real) and 0 < w < np.inf for w in self._target_weights.values()):
            raise ValueError(f"targets={self.targets!r}: the weights must be positive numbers")
        needed = ("n_hidden", "alpha", "graph_weight", "decay")
        missing = [name for name in needed if getattr(self, name) is None]
        if self.init == "random" and missing:
            raise ValueError(
                f'init="random" needs values for {", ".join(missing)}: only init="pca" can choose '
                "them, from the principal components"
            )
        if self.selection == "norm" and not self._is_unconstrained():
            raise ValueError(
                'costs and groups of columns need selection="greedy": the norms of the weights '
                "rank every column by itself"
            )

    @property
    def _target_weights(self):
        return self.targets if isinstance(self.targets, dict) else dict.fromkeys(self.targets, 1.0)

    @property
    def _accepts_gaps(self):
        return self.selection == "greedy"

    @property
    def _ranks_by_network(self):
        return self.selection == "norm" or "code" in self.targets

    @property
    def _most_iterations(self):
        if self.max_iter is not None:
            return self.max_iter
        return 200 if self._ranks_by_network else 50

    def _graph(self, X, rows=None):
        """Affinity of the samples, from the denoised ``rows`` unless the user gives a graph."""
        if self.graph_weight == 0 and self.selection == "norm":
            return None
        rows = X if rows is None or not isinstance(self.affinity, str) else RowBlocks(rows)
        return super()._graph(rows)

    def _laplacian(self, A):
        return None if A is None or self.graph_weight == 0 else laplacian(A)

    def _train_from(self, structure, X, A, rng):
        """Fit the network from the principal components, with penalties relative to the data."""
        if self.init == "random":
            return self._train(X, self._laplacian(A), self._penalties(), rng)
        n_hidden = self.n_hidden or int(np.clip(structure.n_components, 2, MOST_UNITS))
        n_hidden = min(n_hidden, len(structure.values))
        L = self._laplacian(A)
        start = principal_start(X, structure.axes(n_hidden), self.output)
        penalties = self._penalties(relative_penalties(X, L, start))
        return self._train(X, L, penalties, rng, start)

    def _penalties(self, relative=None):
        """The penalties given by the user, and relative ones in place of None."""
        given = Penalties(self.alpha, self.graph_weight, self.decay)
        pairs = zip(given, relative or given, strict=True)
        return Penalties(*(r if g is None else g for g, r in pairs))

    def _targets(self, X, A, coordinates, rng):
        """What the selected features are to reconstruct, side by side."""
        parts = {}
        if "data" in self.targets:
            parts["data"] = coordinates
        n_dims = min(_N_EIGENVECTORS, X.n_samples - 2)
        # A graph of two samples, or one without edges, has no structure to keep.
        if "graph" in self.targets and n_dims > 0 and A.nnz > 0:
            parts["graph"] = embedding(A, n_dims, rng)
        if "code" in self.targets:
            parts["code"] = X.stack(partial(encode, W_in=self.W_in_, b_in=self.b_in_))
        parts = parts or {"data": coordinates}
        weights = [self._target_weights.get(name, 1.0) for name in parts]
        return make_target(join_targets(list(parts.values()), weights))

    def _coordinates(self, X, structure, axes=None):
        """All rows along the axes, by default the principal ones."""
        if structure.n_rows == X.n_samples:
            return structure.coordinates(axes)
        if axes is None:
            axes = structure.axes(structure.n_leading(X.n_samples))
        with Workers(self.n_jobs) as workers:
            return X.stack(structure.projection(axes), workers=workers)
