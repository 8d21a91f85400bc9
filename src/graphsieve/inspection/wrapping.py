"""What rankers that fit another selector many times share: its constraints hold for the result."""

import numpy as np

from .._linear.forward import Allowance, Units
from .._ranker.greedy import GreedyConstraints
from .._ranker.support import by_position
from .._utils.order import scores_of
from ..base import FeatureRanker


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

    def _given(self):
        return self._joint_constraints()[:2]

    def _joint_constraints(self):
        """Included columns, mask of the excluded ones, and the Rules of the selector or None."""
        include, exclude = super()._given()
        inner = self._inner()
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
        if not isinstance(inner, GreedyConstraints):
            return include, exclude, None
        inner.set_params(include=include, exclude=np.flatnonzero(exclude).tolist())
        rules = inner._rules_for(self.n_features_in_)
        return list(rules.include), exclude, rules

    def _keep(self, scores, count, wanted=None):
        """Decide how many features are kept; returns the scores, or those of an allowed order.

        ``count`` is the most features to keep, and ``wanted`` masks the only ones that may be kept
        besides those included.
        """
        include, exclude, rules = self._joint_constraints()
        self._n_kept = int(np.clip(count, max(1, len(include)), (~exclude).sum()))
        if rules is None or rules.units is rules.limits is rules.budget is None:
            return scores
        allowance, units = (
            Allowance(rules, len(scores), self._n_kept),
            Units(rules.units, len(scores)),
        )
        allowance.spend(np.array(include, dtype=int))
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
        rules = self._joint_constraints()[2]
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
