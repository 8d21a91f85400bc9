"""What the autoencoder methods share, from scaling to the hidden code."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._rows import check_entries, is_lazy, known_frame, map_rows
from .._rows.scaling import column_scaling
from .._utils.messages import warn
from .._utils.sklearn_private import Interval, StrOptions, in_output_container
from .._utils.threads import Workers
from .lbfgs import lbfgs
from .objective import Objective, encode, explained_variance

# A network that explains less of the variance than this has learned nothing.
_COLLAPSED = 0.01
_COUNT = Interval(Integral, 1, None, closed="left")
# Larger weights overflow in single precision.
_WEIGHT = Interval(Real, 0, 1e30, closed="both")
NETWORK_CONSTRAINTS = {
    "n_hidden": [_COUNT],
    "alpha": [_WEIGHT],
    "graph_weight": [_WEIGHT],
    "decay": [_WEIGHT],
    "max_iter": [_COUNT, None],
    "memory": [_COUNT],
    "dtype": [StrOptions({"float32", "float64"})],
}


class Autoencoder:
    """Mixin of rankers with an autoencoder, whose ``_rank`` calls ``_scaled`` and ``_train``.

    The ranker has the parameters above, ``scale`` and ``output``.
    """

    _accepts_sparse = True
    _memory_advice = (
        "Use fewer hidden units (n_hidden), or a method without a network: GreedyCSS, "
        "LaplacianScore or Variance"
    )

    def _own_memory(self, n_samples, n_features):
        n_weights = 2.0 * n_features * self._hidden_units
        # Twelve vectors of the objective and the solver, the pairs of L-BFGS, and the code.
        vectors = 12 * 8 + 2 * self.memory * np.dtype(self.dtype).itemsize
        return n_weights * vectors + 16.0 * n_samples * self._hidden_units

    @property
    def _hidden_units(self):
        return self.n_hidden

    def _scaled(self, data):
        self._scaling = column_scaling(data, self.scale)
        X = data.scaled(self._scaling, self.dtype)
        if self.scale is None and self.output == "sigmoid":
            low, high = X.column_range()
            if low.min() < 0 or high.max() > 1:
                column = int(np.argmax((low < 0) | (high > 1)))
                raise ValueError(
                    f"scale=None with a sigmoid output needs data in [0, 1]; column "
                    f"{self._column_name(column)} lies in [{low[column]:g}, {high[column]:g}]. "
                    'Use scale="minmax" or "global"'
                )
        return X

    def _train(self, X, L, penalties, rng):
        with Workers(self.n_jobs) as workers, self._monitor() as monitor:
            terms = {"n_hidden": self._hidden_units, "output": self.output, **penalties._asdict()}
            objective = Objective(X, L, workers, **terms)
            options = {"memory": self.memory, "dtype": self.dtype}
            found = lbfgs(objective.value_and_grad, objective.start(rng), monitor, **options)
        weights = objective.unpack(found.x)
        self.W_in_, self.b_in_, self.W_out_, self.b_out_ = weights
        self._report(found)
        self.explained_ = explained_variance(X, weights, self.output)
        if self.explained_ < _COLLAPSED:
            warn(
                f"The autoencoder has collapsed: it explains {max(self.explained_, 0):.1%} of the "
                "variance, so its weights and its code say little about the features. "
                "Decrease alpha or graph_weight, or set decay > 0, which keeps the decoder from "
                "growing while the encoder shrinks"
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
            A lazy Dask array for Dask collections; a data frame if ``set_output`` asks for one.
        """
        check_is_fitted(self)
        scaling, W_in, b_in = self._scaling, self.W_in_, self.b_in_

        def code(block):
            return encode(scaling.block(block, W_in.dtype), W_in, b_in)

        if is_lazy(X):
            self._check_lazy(X, reset=False)
            return map_rows(X, code, len(b_in))
        data = check_entries(self._open(X, reset=False), self._column_name)
        H = data.stack(code)
        names = [f"{type(self).__name__.lower()}{j}" for j in range(len(b_in))]
        return in_output_container(self, H, known_frame(X), names)
