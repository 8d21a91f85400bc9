"""A fitted selector as a Selection."""

import hashlib
import math
from importlib.metadata import version

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..selection import Selection

_PACKAGES = ("graphsieve", "numpy", "scipy", "scikit-learn")
# Longer arrays among the parameters, such as an affinity matrix, are not saved.
_MOST_ENTRIES = 100_000


class Saves:
    """Mixin for ``save``."""

    def save(self, path):
        """Save the selection, without the selector, to a JSON file.

        ``Selection.load(path).transform(X)`` applies it to another table. The file can be read by
        people, and loading it runs no code.

        Parameters
        ----------
        path : str or path
            An existing file is replaced.
        """
        self.to_selection().save(path)

    def to_selection(self):
        """The outcome of the fit, without the selector.

        Returns
        -------
        Selection
            Kept columns, scores and settings, ready to be saved as JSON.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return Selection(
            kept=np.flatnonzero(self.support_).tolist(),
            n_features_in=int(self.n_features_in_),
            feature_names_in=None if names is None else [str(name) for name in names],
            order=self.order_.tolist(),
            scores=self.scores_.tolist(),
            method=type(self).__name__,
            parameters={name: as_json(value) for name, value in settings(self).items()},
            fingerprint=dict(self._fingerprint),
            versions={name: version(name) for name in _PACKAGES},
        )


def settings(sel):
    """The parameters that may influence the result: all but the callback that watches a fit."""
    given = sel.get_params(deep=False)
    given.pop("callback", None)
    return given


def fingerprint(data):
    """Number of rows and a checksum of the range of every column, which a fit knows anyway."""
    low, high = (np.asarray(a, dtype=np.float64) for a in data.column_range())
    digest = hashlib.sha256(low.tobytes() + high.tobytes()).hexdigest()
    return {"n_samples": int(data.n_samples), "column_ranges_sha256": digest}


def as_json(value):
    """A parameter as JSON can hold it; what it cannot hold as text."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist() if value.size <= _MOST_ENTRIES else repr(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, dict):
        return {str(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple) and len(value) <= _MOST_ENTRIES:
        return [as_json(entry) for entry in value]
    return repr(value)
