"""GAFS: graph autoencoder feature selection."""

from itertools import count
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from .._graph.affinity import laplacian
from .._linear.structure import find_structure, scaled_sample
from .._network.elimination import (
    Problem,
    TargetObjective,
    code,
    decoder,
    eliminate,
    penalties_at,
    principal_weights,
)
from .._network.estimator import NETWORK_CONSTRAINTS, Autoencoder
from .._network.lbfgs import lbfgs
from .._network.objective import Penalties
from .._rows import RowBlocks
from .._rows.scaling import MOST_ROWS, is_mostly_zero
from .._utils.messages import Stages
from .._utils.monitor import Monitor
from .._utils.names import scores_of
from .._utils.shared import with_shared_parameters
from .._utils.sklearn_private import Interval, StrOptions
from .._utils.threads import blas_for
from ..base import FeatureRanker

# The middle of the paper's grids, for one pass without values.
_PAPER: dict[str, Any] = {
    "n_hidden": 10,
    "alpha": 1e-2,
    "graph_weight": 1e-3,
    "decay": 0.0,
    "max_iter": 400,
}
# Elimination: hidden units at least and at most, iterations before the first round, and the
# fraction of them in the later ones. Twice as many iterations change nothing.
_FEWEST_UNITS, _MOST_UNITS = 10, 40
_FIRST_ITERATIONS, _LATER_ITERATIONS = 30, 0.25
# The last columns, at most 1 % of all, are ranked by their last score.
_MOST_LEFT, _LEFT = 10, 0.01


@with_shared_parameters
class GAFS(Autoencoder, FeatureRanker):
    """Graph autoencoder feature selection (GAFS).

    A network with one hidden layer reconstructs the data from a code
    H = sigmoid(X W_in + b_in). An l2,1 penalty on the rows of W_in makes it use few features, and
    the Laplacian L of a nearest-neighbour graph keeps the codes of neighbours similar::

        min  |X - Xhat|_F^2 / (2 n) + alpha |W_in|_{2,1} + graph_weight Tr(H' L H)
             + decay / 2 (|W_in|_F^2 + |W_out|_F^2),    Xhat = sigmoid(H W_out + b_out)

    The paper trains the network once and scores feature j by the norm of row j of W_in: that is
    ``GAFS.paper()``, where redundant features share weight and score alike. By default the score is
    applied recursively instead: the network is trained, the features of smallest score leave the
    encoder, and training goes on, while the decoder keeps reconstructing all of the data. The
    ranking is the order in which features leave, last ones first.

    In the recursive form the columns are standardised, a linear last layer reconstructs the
    principal coordinates of at most 2,000 samples, and the score is
    ``sqrt(sum_k W_in[j, k]^2 |W_out[k]|^2)``. X may have missing values (NaN), which count as the
    mean of their column. Included features never leave the encoder, excluded ones never enter it.

    Parameters
    ----------
    n_hidden : int or None, default=None
        Size of the code, smaller where the data have fewer directions. If None, the number of
        principal components above noise, from 10 to 40; 10 without elimination.
    alpha, graph_weight, decay : float or None, default=None
        Weights of the l2,1 penalty (the paper's lambda), of the graph term (gamma) and of the
        weight decay. If None, the terms are 1 %, 10 % and 1 % of the variance of the targets at the
        start; without elimination 0.01, 0.001 and 0.
    scale : {"auto", "minmax", "global"} or None, default="auto"
        "minmax" scales every column to [0, 1], "global" all columns with one common range (pixels,
        counts), None does neither. "auto" standardises the columns, as in ``GraphSieve``, and is
        "minmax" without elimination. It takes square roots if more than 90 % of the entries are
        zero (words, events) and none is negative.
    elimination : float in (0, 1) or None, default=0.1
        Fraction of the features that leave the encoder in every round. None trains once and scores
        by the norms of W_in, as in the paper.
    max_iter : int or None, default=None
        Maximum number of iterations before the first features leave; later rounds have a quarter
        of it. If None, 30; without elimination 400.
    random_state : int, RandomState or None, default=None
        Random seed of a sample of many rows, or of the starting weights without elimination.
    callback : callable(iteration, objective) or None, default=None
        Called after every iteration; returning True stops the training, and the features that are
        left are ranked by their present score.

    Attributes
    ----------
    rounds_ : ndarray of shape (n_features,)
        Elimination: round in which a feature left the encoder; 0 for those that never did.
    W_in_, b_in_, W_out_, b_out_ : ndarray of shape (d, m), (m,), (m, d), (d,)
        Weights, for the scaled data. With elimination, those of a network trained on the selected
        features in the end, with 0 in W_in for other features and the best linear decoder.
    explained_ : float
        Fraction of the variance of the scaled data that this network reconstructs.
    objective_trace_, n_iter_, converged_
        Its objective at every iteration, their number, and whether ``tol`` was met.
    n_components_ : int
        Elimination: number of principal components above those of permuted columns.
    stage_seconds_ : dict
        Seconds that every stage of the fit took.

    References
    ----------
    S. Feng and M. F. Duarte, "Graph autoencoder-based unsupervised feature selection with broad
    and local data structure preservation", Neurocomputing 312, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from graphsieve import GAFS
    >>> X = load_digits().data
    >>> gafs = GAFS(n_features_to_select=10).fit(X)
    >>> gafs.transform(X).shape, gafs.encode(X).shape
    ((1797, 10), (1797, 10))
    """

    _parameter_constraints = {
        **NETWORK_CONSTRAINTS,
        **{
            name: [*NETWORK_CONSTRAINTS[name], None]
            for name in ("n_hidden", "alpha", "graph_weight", "decay")
        },
        "scale": [StrOptions({"auto", "minmax", "global"}), None],
        "elimination": [Interval(Real, 0, 1, closed="neither"), None],
    }
    _distributes = True
    output = "sigmoid"

    n_hidden: int | None = None
    alpha: float | None = None
    graph_weight: float | None = None
    decay: float | None = None
    n_neighbors: int = 5
    affinity: Any = "cosine"
    scale: str | None = "auto"
    elimination: float | None = 0.1
    max_iter: int | None = None
    tol: float = 1e-4
    memory: int = 10
    dtype: str = "float32"
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0
    callback: Any = None

    @classmethod
    def paper(cls, n_features_to_select: Any = None, *, random_state: Any = None) -> Self:
        """GAFS as in the paper, whatever the defaults are.

        Parameters
        ----------
        n_features_to_select, random_state
            As above.

        Returns
        -------
        GAFS
            One pass, with the values in the middle of the paper's grids for m, lambda and gamma.
        """
        return cls(
            n_features_to_select,
            **_PAPER,
            n_neighbors=5,
            affinity="cosine",
            scale="minmax",
            elimination=None,
            tol=1e-5,
            memory=100,
            dtype="float64",
            random_state=random_state,
        )

    def _own_memory(self, n_samples, n_features):
        if self.elimination is None:
            return super()._own_memory(n_samples, n_features)
        n_weights = (self.n_hidden or _MOST_UNITS) * (n_features + 2.0 * _MOST_UNITS)
        vectors = 12 * 8 + 2 * self.memory * np.dtype(self.dtype).itemsize
        return 7 * 8.0 * min(n_samples, MOST_ROWS) * n_features + n_weights * vectors

    def _rank(self, data):
        rng = check_random_state(self.random_state)
        rank = self._rank_once if self.elimination is None else self._eliminate
        return rank(data, rng)

    def _rank_once(self, data, rng):
        X = self._scaled(data)
        penalties = Penalties(*map(self._or_paper, Penalties._fields))
        L = laplacian(self._graph(X)) if penalties.graph_weight > 0 else None
        self._train(X, L, penalties, rng)
        return row_norms(self.W_in_)

    def _eliminate(self, data, rng):
        stages = Stages(type(self).__name__, self.verbose)
        self.stage_seconds_ = stages.seconds
        with stages("structure"):
            X, rows, chosen, self._scaling = scaled_sample(data, self.scale, rng)
            structure = find_structure(rows)
            self.n_components_ = structure.n_components
        with stages("neighbour graph"):
            L = self._sample_laplacian(X, structure, chosen)
        exclude = self._given.exclude
        columns = np.flatnonzero(~exclude)
        wanted = self.n_hidden or int(np.clip(structure.n_components, _FEWEST_UNITS, _MOST_UNITS))
        n_units = max(1, min(wanted, len(columns) - 1, structure.n_rows - 2))
        with stages("elimination"), blas_for(float(rows.size) * _MOST_UNITS):
            problem = self._make_problem(rows, structure, L)
            start = principal_weights(problem.of(columns), n_units)
            given = (self.alpha, self.graph_weight, self.decay)
            penalties = penalties_at(problem.of(columns), start, given)
            order, self.rounds_ = eliminate(
                problem,
                start,
                self._trainer(penalties),
                fraction=self.elimination,
                n_left=max(1, min(int(_LEFT * len(columns)), _MOST_LEFT)),
                columns=columns,
                kept=np.isin(np.arange(len(exclude)), self._given.include),
                first_out=structure.untrusted_majority,
            )
        centre = rows.mean(axis=0, dtype=np.float64)
        self._unfinished = problem, centre, len(start.b_in), penalties  # for _complete
        return scores_of(np.concatenate([order, np.flatnonzero(exclude)]))

    def _sample_laplacian(self, X, structure, chosen):
        if self.graph_weight == 0:
            return None
        if isinstance(self.affinity, str):
            sample = structure.denoised(structure.coordinates(), RowBlocks(structure.rows))
            return laplacian(self._graph(RowBlocks(sample)))
        A = self._graph(X)
        return laplacian(A if chosen.all() else A[chosen][:, chosen])

    def _make_problem(self, rows, structure, L):
        mean = rows.mean(axis=0, dtype=np.float64)
        X = (rows - mean).astype(self.dtype)
        T = structure.coordinates()[:, : 2 * _MOST_UNITS]
        energy = np.vdot(T, T)
        T = T * np.sqrt(np.vdot(X, X) / energy) if energy > 0 else T
        T = (T - T.mean(axis=0)).astype(self.dtype)
        L = None if L is None else L.astype(self.dtype)
        if is_mostly_zero(RowBlocks(rows)):
            return Problem(sp.csr_array(rows.astype(self.dtype)), T, L, mean.astype(self.dtype))
        return Problem(X, T, L)

    def _trainer(self, penalties):
        numbers, stopped = count(1), False
        callback = self.callback and (lambda _, value: self.callback(next(numbers), value))

        def train(problem, weights, first):
            nonlocal stopped
            if stopped:
                return None
            fraction = 1.0 if first else _LATER_ITERATIONS
            result, weights = self._descend(problem, weights, penalties, fraction, callback)
            stopped = result.status == "stopped"
            return weights

        return train

    def _descend(self, problem, weights, penalties, fraction=1.0, callback=None):
        objective = TargetObjective(problem, len(weights.b_in), penalties)
        max_iter = max(1, round(fraction * (self.max_iter or _FIRST_ITERATIONS)))
        monitor = Monitor(tol=self.tol, max_iter=max_iter, callback=callback, title="GAFS")
        options = {"memory": self.memory, "dtype": self.dtype}
        with monitor:
            result = lbfgs(objective.value_and_grad, objective.pack(weights), monitor, **options)
        return result, objective.split(result.x)

    def _complete(self):
        if self.elimination is None:
            return
        problem, centre, n_units, penalties = self._unfinished
        del self._unfinished
        columns = np.flatnonzero(self.support_)
        with blas_for(float(problem.X.size) * _MOST_UNITS):
            start = principal_weights(problem.of(columns), n_units)
            result, weights = self._descend(problem.of(columns), start, penalties)
            H, X = code(problem.of(columns), weights.W_in, weights.b_in), problem.dense()
            W_out, b_out = decoder(H, X)
            H -= H.mean(axis=0)
            explained = float(np.vdot(W_out, H.T @ H @ W_out))  # least squares of centred columns
        self._report(result, warns=False)
        total = float(np.vdot(X, X))
        self.explained_ = explained / total if total > 0 else 0.0
        self.W_in_ = np.zeros((self.n_features_in_, len(weights.b_in)))
        self.W_in_[columns] = weights.W_in
        self.b_in_ = weights.b_in - centre @ self.W_in_
        self.W_out_, self.b_out_ = W_out, b_out + centre

    def _or_paper(self, name):
        value = getattr(self, name)
        return _PAPER[name] if value is None else value

    @property
    def _accepts_gaps(self):
        return self.elimination is not None

    @property
    def _most_iterations(self):
        return self._or_paper("max_iter")

    @property
    def _hidden_units(self):
        return self._or_paper("n_hidden")
