"""Which features of a ranking are kept: those given by request, and how many."""

from collections.abc import Mapping
from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .._linear.how_many import gain_curve, rows_are_ordered, shifted
from .._rows import is_constant
from .._utils.names import find_columns, in_column_order
from .._utils.order import count_features
from .._utils.warn import warn
from .sample import draw_rows

INCLUDE_CONSTRAINTS = {
    "include": ["array-like", str, Integral, None],
    "exclude": ["array-like", str, Integral, None],
}


class Support:
    """Mixin for ``n_features_to_select``, ``include`` and ``exclude``, and ``set_n_features``."""

    def _given(self):
        """(included columns in the order given, mask of the excluded ones)."""
        d, names = self.n_features_in_, self._names_to_find()
        find = partial(find_columns, n_features=d, names=names, labels=self._labels_in())
        include = find(self.include, parameter="include")
        excluded = find(self.exclude, parameter="exclude")
        both = [j for j in include if j in set(excluded)]
        if both:
            raise ValueError(
                f"column {self._column_name(both[0])} is in both include and exclude: remove it "
                "from one of them"
            )
        mask = np.zeros(d, dtype=bool)
        mask[excluded] = True
        if mask.all():
            raise ValueError("exclude names all columns: leave at least one to select")
        return include, mask

    def _check_constraints(self):
        """Raise an error for impossible constraints, before any work."""
        self._wanted_count(self.n_features_in_)

    def _find_constant(self, data):
        """Mask of the columns that are ranked last because they are constant."""
        return is_constant(*data.column_range())

    def _wanted_count(self, n_features):
        """Number of features to keep, None for "auto"; an error if the constraints forbid it."""
        include, exclude = self._given()
        return self._count_within(len(include), n_features - int(exclude.sum()), n_features)

    def _count_within(self, least, most, n_features):
        wanted = self.n_features_to_select
        if isinstance(wanted, str):
            return None
        if wanted is None:
            return int(np.clip(count_features(None, n_features), least, most))
        count = max(self._all_counts(n_features))
        if count < least:
            raise ValueError(
                f"include has {least} columns, but n_features_to_select={wanted} keeps {count}. "
                f"n_features_to_select also counts the included columns: use {least} or more"
            )
        if count > most:
            raise ValueError(
                f"n_features_to_select={wanted} is {count} columns, but the constraints leave "
                f"only {most}: use {most} or fewer, or relax the constraints"
            )
        return count

    def _all_counts(self, n_features):
        """Every number of features that is asked for, increasing."""
        wanted = self.n_features_to_select
        if not isinstance(wanted, list | tuple | np.ndarray):
            wanted = [wanted]
        if len(wanted) == 0:
            raise ValueError("n_features_to_select is an empty list: give one number or more")
        for entry in wanted:
            if entry is not None and (isinstance(entry, bool) or not isinstance(entry, Real)):
                raise ValueError(
                    f"n_features_to_select has the entry {entry!r}: a list holds numbers or "
                    "fractions of features only"
                )
        return sorted({count_features(entry, n_features) for entry in wanted})

    def _count_features(self, data):
        """Number of features to keep, after the ranking."""
        count = self._wanted_count(data.n_features)
        if count is not None:
            return count
        rows = draw_rows(data).values
        self.gain_curve_ = gain_curve(rows, self.order_)
        if self.gain_curve_.n_features > 1 and rows_are_ordered(rows):
            n_shifted = gain_curve(rows, self.order_, (shifted,)).n_features
            if n_shifted < self.gain_curve_.n_features:
                warn(
                    f'n_features_to_select="auto" keeps {self.gain_curve_.n_features} features, '
                    "but every row resembles the row before it, as in a time series, and the count "
                    "assumes rows that could come in any order. Compared with columns shifted in "
                    f"time, {max(1, n_shifted)} would be kept: pass a number of features"
                )
        if self.gain_curve_.n_features == 0:
            warn(
                'n_features_to_select="auto" keeps one feature: no feature explains more of the '
                "others than it would of shuffled columns. The columns may be independent; pass a "
                "number to keep more features"
            )
        return self._suggested(self.gain_curve_)

    def _suggested(self, found):
        """Number of features that a GainCurve suggests, as the constraints allow."""
        include, exclude = self._given()
        return int(np.clip(found.suggested, len(include), (~exclude).sum()))

    def set_n_features(self, n_features):
        """Select another number of features, without fitting again.

        The ranking stays as it is. Greedy methods pick one feature after the other, up to the
        largest number that ``fit`` was asked for; more than these ``n_exact_`` features need
        another fit.

        Parameters
        ----------
        n_features : int
            Number of features to keep.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_is_fitted(self)
        if not isinstance(n_features, Integral) or isinstance(n_features, bool):
            raise TypeError(f"n_features must be a whole number, got {n_features!r}")
        self.support_ = self._prefix(int(n_features))
        self.n_features_ = int(n_features)
        return self

    def _prefix(self, n_features):
        """Mask of the first features of the ranking."""
        include, exclude = self._given()
        least, most = max(1, len(include)), int((~exclude).sum())
        if not least <= n_features <= most:
            raise ValueError(
                f"n_features={n_features} is not between {least} and {most}, the numbers of "
                "features that the data and the constraints allow"
            )
        exact = getattr(self, "n_exact_", None)
        if exact is not None and n_features > max(exact, self.n_features_):
            raise ValueError(
                f"{type(self).__name__} has picked {exact} features one by one, and the order of "
                f"the others is an estimate: fit with n_features_to_select={n_features} or more, "
                f"or take order_[:{n_features}] as an approximation"
            )
        self._check_prefix(n_features)
        return self.ranking_ <= n_features

    def _check_prefix(self, n_features):
        """Raise an error if the constraints do not allow the first features of the ranking."""

    def _publish_nested(self):
        """Masks of all selections that ``n_features_to_select`` asks for, if it is a list."""
        if not isinstance(self.n_features_to_select, list | tuple | np.ndarray):
            return
        counts = [n for n in self._all_counts(self.n_features_in_) if n <= self.n_features_]
        self.nested_supports_ = {n: self.ranking_ <= self._most_whole(n) for n in counts}

    def _most_whole(self, n_features):
        """The largest number of first features, up to ``n_features``, that may be kept."""
        return n_features


def by_position(estimator, n_features, names, labels=None):
    """A clone whose constraints refer to columns by position, for data without their names.

    Parameters
    ----------
    estimator : FeatureRanker
    n_features : int
    names : ndarray of str or None
        Names of the columns by which parameters may refer to them.
    labels : sequence or None
        Names of the columns of any type; ``names`` by default.
    """
    labels = names if labels is None else labels
    estimator = clone(estimator)
    given = estimator.get_params(deep=False)
    find = partial(find_columns, n_features=n_features, names=names, labels=labels)
    for name in ("include", "exclude"):
        if given.get(name) is not None:
            estimator.set_params(**{name: find(given[name], parameter=name)})
    if isinstance(costs := given.get("costs"), Mapping):
        found = {find([c], parameter="costs")[0]: cost for c, cost in costs.items()}
        estimator.set_params(costs=found)
    if isinstance(groups := given.get("column_groups"), Mapping):
        found = {group: find(c, parameter="column_groups") for group, c in groups.items()}
        estimator.set_params(column_groups=found)
    for name in ("costs", "column_groups"):
        values = estimator.get_params(deep=False).get(name)
        if values is not None:
            values = in_column_order(values, n_features, labels, parameter=name)
            estimator.set_params(**{name: values})
    return estimator
