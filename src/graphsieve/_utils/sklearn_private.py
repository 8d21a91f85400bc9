"""The only file that imports names which scikit-learn does not document as public."""

import sys
from collections.abc import Callable
from typing import TypeVar

from sklearn.base import _fit_context
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
from sklearn.utils._param_validation import HasMethods as HasMethods
from sklearn.utils._param_validation import Interval as Interval
from sklearn.utils._param_validation import RealNotInt as RealNotInt
from sklearn.utils._param_validation import StrOptions as StrOptions
from sklearn.utils._set_output import ADAPTERS_MANAGER, _get_output_config
from sklearn.utils.validation import _get_feature_names

_Fit = TypeVar("_Fit", bound=Callable)
fit_context: Callable[[_Fit], _Fit] = _fit_context(prefer_skip_nested_validation=True)
# The names of the columns of a data frame if all of them are text, otherwise None.
feature_names = _get_feature_names
# Threads to use when the user does not say: all cores, less where OMP_NUM_THREADS, a joblib worker
# or a container says so.
default_threads = _openmp_effective_n_threads


def in_output_container(estimator, array, original, columns):
    """``array`` as ``set_output(transform=...)`` asks, with the index of ``original``, if any."""
    container = _get_output_config("transform", estimator)["dense"]
    if container == "default":
        return array
    adapter = ADAPTERS_MANAGER.adapters[container]
    return adapter.create_container(array, original, columns=columns, inplace=False)


def in_container_of(original, array, columns):
    """``array`` as a data frame of the library of ``original``, if that is a data frame."""
    for library, adapter in ADAPTERS_MANAGER.adapters.items():
        # An adapter imports its library, which need not be installed.
        if sys.modules.get(library) and adapter.is_supported_container(original):
            return adapter.create_container(array, original, columns=columns, inplace=False)
    return array
