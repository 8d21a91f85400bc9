"""AutoencoderRanker: what the autoencoder methods share, from scaling to the hidden code."""

from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted, validate_data

from .._rows import is_lazy, map_rows, open_rows
from .._rows.scaling import column_scaling
from .._solvers import adam, lbfgs
from .._utils.sklearn_private import Interval, StrOptions
from .._utils.threads import Workers
from .._utils.warn import warn
from ..base import ITERATION_CONSTRAINTS, FeatureRanker
from .objective import Objective
from .passes import encode

NON_NEGATIVE = [Interval(Real, 0, None, closed="left")]


class AutoencoderRanker(FeatureRanker):
    """Base of the autoencoder methods: a feature is scored by the norm of its encoder weights.

    A subclass has the parameters below, and ``scale``, ``output``, ``graph_weight`` and ``solver``
    as parameters or class attributes. It may override ``_laplacian`` and ``_score``.

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
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "alpha": NON_NEGATIVE,
        "decay": NON_NEGATIVE,
        "solver": [StrOptions({"lbfgs", "minibatch"})],
        "memory": [Interval(Integral, 1, None, closed="left")],
        "dtype": [StrOptions({"float32", "float64"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "callback": [callable, None],
    }
    _accepts_sparse = True
    solver = "lbfgs"

    def _rank(self, data):
        self._offset, self._factor = column_scaling(data, self.scale)
        X = data.scaled(self._offset, self._factor, self.dtype)
        self._check_range(X)
        L = self._laplacian(X)
        rng = check_random_state(self.random_state)
        with Workers(self.n_jobs) as workers, self._monitor() as monitor:
            objective = Objective(
                X,
                L,
                workers,
                n_hidden=self.n_hidden,
                alpha=self.alpha,
                graph_weight=self.graph_weight,
                decay=self.decay,
                output=self.output,
            )
            result = self._minimise(objective, rng, monitor)
        self.W_in_, self.W_out_, self.b_in_, self.b_out_ = objective.unpack(result.x)
        self._report(result)
        self._warn_if_collapsed()
        return self._score(X)

    def _laplacian(self, X):
        """Laplacian of the neighbour graph of the scaled data, or None."""
        return None

    def _score(self, X):
        """One score per feature from the fitted weights; ``X`` are the scaled data."""
        return row_norms(self.W_in_)

    def _minimise(self, objective, rng, monitor):
        start = objective.start(rng)
        if self.solver == "minibatch":
            return adam(objective.value_and_grad, objective.batches(rng), start, monitor)
        precision = {"memory": self.memory, "dtype": self.dtype}
        return lbfgs(objective.value_and_grad, start, monitor, **precision)

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
        # Useful weights are thousands of times larger; where a fit towards zero ends is chance.
        if largest < 1e-4:
            warn(
                f"The encoder weights have collapsed (largest norm {largest:.1e}), so the order of "
                f"the features is arbitrary. Decrease alpha={self.alpha:g}, or set decay > 0, "
                "which keeps the decoder from growing while the encoder shrinks"
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
        code = partial(encode, W_in=W, b_in=self.b_in_ - self._offset @ W)
        if is_lazy(X):
            self._check_lazy(X, reset=False)
            return map_rows(X, code, self.n_hidden)
        data = open_rows(validate_data(self, X, accept_sparse="csr", dtype="numeric", reset=False))
        return data.to_device(data.stack(code))
