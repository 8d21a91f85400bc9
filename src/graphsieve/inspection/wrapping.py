"""What rankers that fit another selector many times share: its constraints hold for the result."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from sklearn.base import clone

from .._linear.units import Allowance, Units
from .._utils.names import find_columns, in_column_order
from .._utils.order import scores_of
from ..base import FeatureRanker, Given
from ..methods._greedy import GreedyRanker


class WrappingRanker(FeatureRanker):
    """Base class of rankers with a selector as their parameter ``estimator``.

    ``include`` and ``exclude`` of both hold for the result, and so do the costs, budget and groups
    of columns of the selector.
    """

    _accepts_sparse = True

    @property
    def _accepts_gaps(self):
        return getattr(self.estimator, "_accepts_gaps", False)

    def _inner(self):
        """A clone of the selector whose constraints refer to columns by position."""
        labels = self._labels_in()
        return by_position(self.estimator, self.n_features_in_, self._names_to_find(), labels)

    def _resolve(self):
        """The columns that both refer to, and the Rules of the selector if it is greedy."""
        given, inner = super()._resolve(), self._inner()
        include, exclude = given.include.tolist(), given.exclude
        include += [j for j in getattr(inner, "include", None) or [] if j not in include]
        exclude[getattr(inner, "exclude", None) or []] = True
        both = [j for j in include if exclude[j]]
        if both:
            raise ValueError(
                f"column {self._column_name(both[0])} is included and excluded, once here and once "
                "in the selector: remove it from one of them"
            )
        if exclude.all():
            raise ValueError("exclude names all columns: leave at least one to select")
        if not isinstance(inner, GreedyRanker):
            return Given(np.array(include, dtype=int), exclude)
        inner.set_params(include=include, exclude=np.flatnonzero(exclude).tolist())
        rules = inner._rules_for(self.n_features_in_)
        return Given(np.array(rules.include, dtype=int), exclude, rules)

    def _keep(self, scores, count, wanted=None):
        """Decide how many features are kept; returns the scores, or those of an allowed order.

        ``count`` is the most features to keep, and ``wanted`` masks the only ones that may be kept
        besides those included.
        """
        include, exclude, rules = self._given.include, self._given.exclude, self._given.rules
        self._n_kept = int(np.clip(count, max(1, len(include)), (~exclude).sum()))
        if rules is None or rules.units is rules.limits is rules.budget is None:
            return scores
        allowance, units = (
            Allowance(rules, len(scores), self._n_kept),
            Units(rules.units, len(scores)),
        )
        allowance.spend(include)
        kept = list(include)
        seen = exclude.copy() if wanted is None else exclude | ~wanted
        seen[include] = True
        for j in np.argsort(-scores, kind="stable"):
            if not seen[j]:
                members = units.members(j)
                seen[members] = True
                if allowance.fits()[j]:
                    allowance.spend(members)
                    kept += list(members)
        if not kept:
            raise ValueError(
                f"the constraints of {type(self.estimator).__name__} leave no feature to keep: "
                "increase n_features_to_select or the budget"
            )
        self._n_kept = len(kept)
        others = np.argsort(-scores, kind="stable")
        return scores_of(np.concatenate([kept, others[~np.isin(others, kept)]]).astype(int))

    def _most_whole(self, n_features):
        rules = self._given.rules
        if rules is not None and rules.units is not None:
            unit = rules.units[self.order_]
            while 0 < n_features < len(unit) and unit[n_features] == unit[n_features - 1]:
                n_features -= 1
        return n_features

    def _count_features(self, data):
        if isinstance(self.n_features_to_select, str):
            count = min(super()._count_features(data), self._n_kept)
            return self._most_whole(count) or self._n_kept
        return self._n_kept


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
