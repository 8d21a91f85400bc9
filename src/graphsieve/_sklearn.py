"""The only file that imports names which scikit-learn does not document as public."""

from sklearn.base import _fit_context
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["Interval", "StrOptions", "default_threads", "fit_context"]

fit_context = _fit_context(prefer_skip_nested_validation=True)


def default_threads() -> int:
    """Threads to use when the user does not say: all cores, less where OMP_NUM_THREADS,
    a joblib worker or a container says so."""
    return _openmp_effective_n_threads()
