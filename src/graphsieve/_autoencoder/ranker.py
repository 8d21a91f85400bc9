"""AutoencoderRanker: what the autoencoder methods share, from scaling to the hidden code."""

import warnings
from functools import partial
from numbers import Integral, Real

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted, validate_data

from .._graph.affinity import laplacian
from .._rows import check_container, is_lazy, map_rows, open_rows
from .._rows.scaling import column_scaling
from .._solvers import adam as minibatch
from .._solvers import lbfgs
from .._utils.progress import progress_bar
from .._utils.sklearn_private import Interval, StrOptions
from .._utils.threads import Workers
from ..base import ITERATION_CONSTRAINTS, THREAD_CONSTRAINTS, FeatureRanker
from .batches import Batches
from .objective import GraphAutoencoder, SolverCoordinates

NON_NEGATIVE = [Interval(Real, 0, None, closed="left")]


class AutoencoderRanker(FeatureRanker):
    """Fits a GraphAutoencoder and scores a feature by the norm of its encoder weights.

    A subclass sets the parameters below, ``_make_graph(data)`` for the affinity matrix or None,
    and the class attribute or parameter ``scale``, ``output``, ``graph_weight`` and ``solver``.

    Attributes
    ----------
    W_in_, b_in_, W_out_, b_out_ : ndarray of shape (d, m), (m,), (m, d), (d,)
        Weights, for the scaled data.
    objective_trace_ : ndarray of shape (n_iter_ + 1,)
        Objective at the start and after every iteration.
    n_iter_ : int
    converged_ : bool
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        **ITERATION_CONSTRAINTS,
        **THREAD_CONSTRAINTS,
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "alpha": NON_NEGATIVE,
        "decay": NON_NEGATIVE,
        "solver": [StrOptions({"lbfgs", "minibatch"})],
        "memory": [Interval(Integral, 1, None, closed="left")],
        "dtype": [StrOptions({"float32", "float64"})],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callback": [callable, None],
    }
    _accepts_sparse = True
    solver = "lbfgs"

    def _make_graph(self, data):
        return None

    def _rank(self, data):
        if self.solver == "minibatch":
            data.check_random_access()
        offset, factor = column_scaling(data, self.scale)
        scaled = data.scaled(offset, factor, self.dtype)
        self._check_range(scaled)
        A = self._make_graph(scaled)
        result, weights = self._solve(scaled, None if A is None else laplacian(A))
        self.W_in_, self.W_out_, self.b_in_, self.b_out_ = weights
        self._offset, self._factor = offset, factor
        self._publish(result)
        self._warn_if_collapsed()
        return self._score(scaled)

    def _score(self, scaled):
        """One score per feature, once the weights are there; ``scaled`` is what was fitted."""
        return row_norms(self.W_in_)

    def _solve(self, data, L):
        random_state = check_random_state(self.random_state)
        with (
            Workers(self.n_jobs) as workers,
            progress_bar(type(self).__name__, self.max_iter, self.verbose) as show,
        ):
            objective = GraphAutoencoder(
                data,
                L,
                workers,
                n_hidden=self.n_hidden,
                alpha=self.alpha,
                graph_weight=self.graph_weight,
                decay=self.decay,
                output=self.output,
            )
            coordinates = SolverCoordinates(objective)
            steps = _Steps(show, self.callback)
            try:
                result = self._minimise(coordinates, L, random_state, steps)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(
                    f"{type(self).__name__}.fit was interrupted {steps} and the estimator is as it "
                    "was before. To stop early and keep the result, let callback return True"
                ) from None
        theta = coordinates.to_theta(result.x)
        return result, [weight.copy() for weight in objective.unpack(theta)]

    def _minimise(self, coordinates, L, random_state, callback):
        start = coordinates.from_theta(coordinates.objective.start(random_state))
        stop = {"max_iter": self.max_iter, "tol": self.tol, "callback": callback}
        if self.solver == "minibatch":
            batches = Batches(coordinates, L, random_state)
            return minibatch(coordinates.value_and_grad, batches, start, **stop)
        history = {"memory": self.memory, "dtype": self.dtype}
        return lbfgs(coordinates.value_and_grad, start, **history, **stop)

    def _check_range(self, data):
        if self.scale is not None or self.output == "identity":
            return
        low, high = data.column_range()
        if low.min() < 0 or high.max() > 1:
            column = int(np.argmax((low < 0) | (high > 1)))
            raise ValueError(
                f"scale=None with a sigmoid output needs data in [0, 1]; column "
                f"{self._column_name(column)} lies in [{low[column]:g}, {high[column]:g}]. "
                'Use scale="minmax" or "global", or output="identity"'
            )

    def _warn_if_collapsed(self):
        largest = row_norms(self.W_in_).max()
        # Weights of use are thousands of times larger; where a fit towards zero ends is chance.
        if largest < 1e-4:
            warnings.warn(
                f"the encoder weights have collapsed (largest norm {largest:.1e}): the order of "
                f"the features means little. Lower alpha={self.alpha:g}, or set decay > 0, which "
                "keeps the decoder from growing while the encoder shrinks",
                UserWarning,
                stacklevel=6,
            )

    def encode(self, X):
        """Hidden code of the samples.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        H : array of shape (n_samples, n_hidden)
            A Dask array, not computed yet, for Dask collections.
        """
        check_is_fitted(self)
        # Scaling folded into the weights: no copy of X, and sparse data stay sparse.
        W = self._factor[:, None] * self.W_in_
        code = partial(hidden_code, W, self.b_in_ - self._offset @ W)
        if is_lazy(X):
            self._check_lazy(X, reset=False)
            return map_rows(X, code, self.n_hidden)
        check_container(X)
        data = open_rows(validate_data(self, X, accept_sparse="csr", dtype="numeric", reset=False))
        return data.to_device(data.stack(code))


def hidden_code(W_in, b_in, X):
    """sigmoid(X W_in + b_in) in double precision, without overflow."""
    return expit(X @ W_in + b_in)


class _Steps:
    """Passes iterations on to the progress bar and the user, and knows how far it came."""

    def __init__(self, *listeners):
        self.listeners = [listener for listener in listeners if listener is not None]
        self.last = None

    def __call__(self, iteration, objective):
        self.last = iteration, objective
        wishes = [listener(iteration, objective) for listener in self.listeners]
        return any(wishes)

    def __str__(self):
        if self.last is None:
            return "before its first iteration"
        return "after iteration {} (objective {:.6g})".format(*self.last)
