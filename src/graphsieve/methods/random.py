"""RandomRanker: the baseline of every comparison."""

from typing import Any

from sklearn.utils import check_random_state

from .._utils.names import scores_of
from .._utils.shared import with_shared_parameters
from ..base import FeatureRanker


@with_shared_parameters
class RandomRanker(FeatureRanker):
    """Random selection.

    The score of a feature is d - position in a random permutation. On redundant data (pixels,
    sensors) a random subset is hard to beat, and no comparison is complete without it.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        Random seed of the permutation.

    Examples
    --------
    >>> from graphsieve import RandomRanker
    >>> int(RandomRanker(2, random_state=0).fit([[0, 1, 2], [1, 0, 5]]).get_support().sum())
    2
    """

    _accepts_sparse = True
    _accepts_gaps = True
    _distributes = True

    random_state: Any = None

    def _rank(self, data):
        return scores_of(check_random_state(self.random_state).permutation(data.n_features))
