"""RandomRanker: the baseline of every comparison."""

import numpy as np
from sklearn.utils import check_random_state

from ..base import FeatureRanker


class RandomRanker(FeatureRanker):
    """Random selection.

    The score of a column is d - position in a random permutation. On redundant data (pixels,
    sensors) a random subset is hard to beat; no comparison is complete without it.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default None
        Number of features to keep, or a fraction in (0, 1] of them; None keeps half, "auto" as
        many as add more than they would to shuffled columns.
    include, exclude : list of str or int, mask or None, default=None
        Columns that are kept in any case, and columns that are never kept: names, positions or a
        mask. Included columns count as selected features.
    random_state : int, RandomState or None, default None
        Random seed of the permutation.

    Examples
    --------
    >>> from graphsieve import RandomRanker
    >>> int(RandomRanker(2, random_state=0).fit([[0, 1, 2], [1, 0, 5]]).get_support().sum())
    2
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        "random_state": ["random_state"],
    }
    _accepts_sparse = True
    _accepts_gaps = True
    _distributes = True

    def __init__(self, n_features_to_select=None, *, include=None, exclude=None, random_state=None):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.random_state = random_state

    def _rank(self, data):
        order = check_random_state(self.random_state).permutation(data.n_features)
        scores = np.empty(data.n_features)
        scores[order] = np.arange(data.n_features, 0, -1)
        return scores
