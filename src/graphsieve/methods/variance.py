"""Variance: the simplest baseline."""

from ..base import FeatureRanker


class Variance(FeatureRanker):
    """Keep the columns that vary most.

    Score of column j: its population variance, in the units of the data. It is the baseline that
    every other method should beat, and often the one that they do not.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default None
        A number, a share in (0, 1], the knee of the sorted scores, or half of the features.
    include, exclude : list of str or int, mask or None, default=None
        Columns that are kept in any case, and columns that are never kept: names, positions or a
        mask. Included columns count as selected features.

    Examples
    --------
    >>> from graphsieve import Variance
    >>> Variance(1).fit_transform([[0, 9, 3], [1, 4, 3], [0, 5, 3]]).ravel().tolist()
    [9, 4, 5]
    """

    _accepts_sparse = True
    _distributes = True

    def _rank(self, data):
        return data.column_moments()[1]
