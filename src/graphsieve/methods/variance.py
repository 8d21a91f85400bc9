"""Variance: the simplest baseline."""

import numpy as np

from .._rows.scaling import divide_columns
from .._utils.messages import warn
from .._utils.shared import with_shared_parameters
from .._utils.sklearn_private import StrOptions
from ..base import FeatureRanker

# Variances that differ by less, relative to the largest, differ by rounding.
_EQUAL = 1e-6


@with_shared_parameters
class Variance(FeatureRanker):
    """Rank features by their variance.

    The score of feature j is its population variance, by default in the units of the data, unlike
    in the other methods: it is meaningful only if all features have the same unit. Missing values
    (NaN) are left out.

    Parameters
    ----------
    scale : {"minmax", "global"} or None, default=None
        "minmax" divides every feature by its range first, so that units do not matter; "global"
        divides all features by the range of the table.

    Examples
    --------
    >>> from graphsieve import Variance
    >>> Variance(1).fit_transform([[0, 9, 3], [1, 4, 3], [0, 5, 3]]).ravel().tolist()
    [9, 4, 5]
    """

    _parameter_constraints = {"scale": [StrOptions({"minmax", "global"}), None]}
    _accepts_sparse = True
    _accepts_gaps = True
    _distributes = True

    scale: str | None = None

    def _rank(self, data):
        mean, variance = divide_columns(data, self.scale).column_moments()
        varying = ~self._find_constant(data)
        misfits = abs(mean[varying]), abs(variance[varying] - 1)
        if varying.sum() > 1 and np.max(misfits) <= _EQUAL:
            warn(
                "the columns are standardised: all have the variance 1, so Variance ranks them by "
                "rounding errors. Fit the data before they are standardised, use "
                'scale="minmax", or use another method'
            )
        return variance
