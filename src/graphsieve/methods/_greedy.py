"""What greedy methods share: costs, a budget and groups of columns, and the picks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from .._linear.forward import Rules, select_columns
from .._utils.names import find_columns, in_column_order, is_missing, scores_of
from .._utils.sklearn_private import Interval
from .._utils.threads import single_threaded_blas
from ..base import FeatureRanker

# Entries that greedy methods read where the number of features is not given, and picks at least.
_MOST_WORK = 2e9
_FEWEST_PICKS = 100
# Entries that they read for picks beyond the number of features: a fraction of a second, and less
# if the number is given. Of tables with more rows than columns, a pick reads inner products.
_CHEAP_WORK, _CHEAP_WORK_BEYOND = 2e8, 5e7
# Gains per cost must not overflow.
_LEAST_COST = 1e-100


class RuledRanker(FeatureRanker):
    """Base of rankers whose ``_given.rules`` may have groups of columns to keep as a whole."""

    def _check_prefix(self, n_features):
        super()._check_prefix(n_features)
        whole = self._whole_counts()
        if n_features not in whole:
            near = min(whole, key=lambda n: abs(n - n_features))
            raise ValueError(
                f"the first {n_features} features would split a group of columns, and groups are "
                f"kept as a whole: use {near}"
            )

    def _most_whole(self, n_features):
        whole = self._whole_counts()
        return int(whole[whole <= n_features].max(initial=0))

    def _whole_counts(self):
        rules, positions = self._given.rules, np.arange(self.n_features_in_)
        if rules is None or rules.units is None:
            return positions + 1
        units = rules.units[self.order_]
        last = np.zeros(units.max() + 1, dtype=int)
        np.maximum.at(last, units, positions)
        return positions[np.maximum.accumulate(last[units]) == positions] + 1


@dataclass(eq=False, repr=False, kw_only=True)
class GreedyRanker(RuledRanker):
    """Base of greedy methods: ``_rank`` runs a ForwardSelection with ``_rules`` by ``_select``."""

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        "costs": ["array-like", Mapping, None],
        "budget": [Interval(Real, 0, None, closed="neither"), None],
        "column_groups": ["array-like", Mapping, None],
        "max_per_group": [Interval(Integral, 1, None, closed="left"), None],
    }

    costs: Any = None
    budget: float | None = None
    column_groups: Any = None
    max_per_group: int | None = None

    def _resolve(self):
        given = super()._resolve()
        if self.column_groups is None and self.max_per_group is not None:
            raise ValueError("max_per_group needs column_groups: pass the group of every column")
        include, exclude = given.include.tolist(), given.exclude
        labels, costs = self._group_numbers(), self._costs()
        units, limits = None, None
        if labels is not None and self.max_per_group is None:
            # A column without a group is a unit of its own.
            alone = labels.max(initial=0) + 1 + np.arange(len(labels))
            units = np.where(labels < 0, alone, labels)
            include = self._whole_units(units, include, exclude)
        elif labels is not None:
            limits = labels, self.max_per_group
            self._check_limits(labels, include)
        if self.budget is not None:
            self._check_budget(costs, units, include, exclude)
        limited = {"costs": costs, "budget": self.budget, "units": units, "limits": limits}
        return replace(given, rules=Rules(tuple(include), exclude, **limited))

    def _rules(self, **of_method):
        return replace(self._given.rules, **of_method)

    def _exact_picks(self, data):
        """Number of features that greedy methods pick one by one: all where that is cheap.

        Without a number in ``n_features_to_select``, the picks stop after some seconds of work.
        """
        n, d = data.n_samples, data.n_features
        n_picks, n_cheap = self._wanted_count(d) or d, _CHEAP_WORK_BEYOND // (min(n, d) * d)
        if self.n_features_to_select is None or isinstance(self.n_features_to_select, str):
            n_picks = min(n_picks, max(_FEWEST_PICKS, int(_MOST_WORK // (n * d))))
            n_cheap = max(n_cheap, _CHEAP_WORK // (n * d))
        return min(d, max(n_picks, int(n_cheap)))

    def _select(self, selection, n_exact, stages):
        count = self._wanted_count(self.n_features_in_) or self.n_features_in_
        if self._is_unconstrained():
            count = np.count_nonzero(~self._given.exclude)
        else:
            n_exact = count
        # Our own threads come first: with one thread for BLAS, n_jobs=None stands for one as well.
        with (
            selection.columns.threads(),
            single_threaded_blas(),
            stages.steps("picks", n_exact) as progress,
        ):
            found, self._n_selected = select_columns(selection, count, n_exact, progress)
        if self._n_selected == 0:
            raise ValueError(_too_large(count))
        self.gains_, self.layers_ = found.gains, found.layers
        self.n_exact_ = found.n_picks
        return scores_of(found.order)

    def _is_unconstrained(self):
        return self.costs is None and self.budget is None and self.column_groups is None

    def _check_constraints(self):
        super()._check_constraints()
        rules = self._given.rules
        if rules.units is None or self.n_features_to_select is None or rules.include:
            return
        if not isinstance(self.n_features_to_select, str):
            count = self._all_counts(self.n_features_in_)[0]
            sizes = np.bincount(rules.units)[rules.units[~rules.exclude]]
            if sizes.min() > count:
                raise ValueError(_too_large(count))

    def _find_constant(self, data):
        # A constant column may belong to a group that is kept.
        constant = super()._find_constant(data)
        return constant if self._is_unconstrained() else np.zeros_like(constant)

    def _wanted_count(self, n_features):
        given, rules = self._given, self._given.rules
        most = n_features - np.count_nonzero(given.exclude)
        if rules.limits is not None:
            allowed = rules.limits[0][~given.exclude]
            sizes = np.bincount(allowed[allowed >= 0])
            most = int(np.minimum(sizes, self.max_per_group).sum() + (allowed < 0).sum())
        if self.budget is not None and self.n_features_to_select is None:
            return most
        count = self._count_within(len(given.include), most, n_features)
        n_whole = len(rules.include)
        if count is None or self.n_features_to_select is None:
            return count and max(count, n_whole)
        fewest = self._all_counts(n_features)[0]
        if fewest < n_whole:
            raise ValueError(
                f"the included columns and the rest of their groups are {n_whole} columns, but "
                f"n_features_to_select={self.n_features_to_select} keeps {fewest}, and groups "
                f"enter as a whole: use {n_whole} or more, or max_per_group"
            )
        return count

    def _count_features(self, data):
        if self._is_unconstrained():
            return super()._count_features(data)
        if not isinstance(self.n_features_to_select, str):
            return self._n_selected
        whole = self._whole_counts()
        enough = whole[whole >= min(super()._count_features(data), self._n_selected)]
        return int(enough[0])

    def _costs(self):
        d, names = self.n_features_in_, self._names_to_find()
        if self.costs is None:
            if self.budget is not None:
                raise ValueError(
                    "budget needs costs: pass the cost of every column, or use "
                    "n_features_to_select if all columns cost the same"
                )
            return None
        if isinstance(self.costs, Mapping):
            costs = np.ones(d)
            for column, cost in self.costs.items():
                costs[find_columns([column], d, names, parameter="costs")] = cost
        else:
            costs = in_column_order(self.costs, d, self._labels_in(), parameter="costs")
            costs = np.asarray(costs, dtype=float)
        if costs.shape != (d,):
            raise ValueError(
                f"costs has {costs.size} entries, but the data have {d} columns: pass one cost per "
                "column, or a dict from column to cost"
            )
        bad = ~((costs >= _LEAST_COST) & (costs <= 1 / _LEAST_COST))
        if bad.any():
            j = int(bad.argmax())
            raise ValueError(
                f"costs must be positive numbers from {_LEAST_COST:g} to {1 / _LEAST_COST:g}: "
                f"column {self._column_name(j)} costs {costs[j]:g}"
            )
        return costs

    def _group_numbers(self):
        if self.column_groups is None:
            return None
        d, names = self.n_features_in_, self._names_to_find()
        labels = np.full(d, -1)
        if isinstance(self.column_groups, Mapping):
            for number, (group, columns) in enumerate(self.column_groups.items()):
                members = find_columns(columns, d, names, parameter="column_groups")
                twice = [j for j in members if labels[j] >= 0]
                if twice:
                    raise ValueError(
                        f"column {self._column_name(twice[0])} is in group {group!r} and in "
                        "another group: a column can belong to one group only"
                    )
                labels[members] = number
            return labels
        groups = in_column_order(
            self.column_groups, d, self._labels_in(), parameter="column_groups"
        )
        groups = list(groups)
        if len(groups) != d:
            raise ValueError(
                f"column_groups has {len(groups)} entries, but the data have {d} columns: pass one "
                "label per column, or a dict from label to columns. Batches of samples are passed "
                "to fit as groups"
            )
        numbers = {}
        for j, group in enumerate(groups):
            if not is_missing(group):
                labels[j] = numbers.setdefault(group, len(numbers))
        return labels

    def _whole_units(self, units, include, exclude):
        split = exclude & np.isin(units, units[~exclude])
        if split.any():
            raise ValueError(
                f"column {self._column_name(int(split.argmax()))} is excluded, but other columns "
                "of its group are not, and groups enter as a whole: exclude the whole group, or "
                "remove the column from column_groups"
            )
        whole = [k for j in include for k in np.flatnonzero(units == units[j]).tolist()]
        return list(dict.fromkeys(whole))

    def _check_limits(self, labels, include):
        given = labels[include]
        counts = np.bincount(given[given >= 0], minlength=1)
        if counts.max() > self.max_per_group:
            first = next(j for j in include if labels[j] == counts.argmax())
            raise ValueError(
                f"include has {counts.max()} columns of the group of column "
                f"{self._column_name(first)}, but max_per_group={self.max_per_group}: increase "
                "it, or include fewer"
            )

    def _check_budget(self, costs, units, include, exclude):
        given = costs[include].sum()
        if given > self.budget * (1 + 1e-12):
            raise ValueError(
                f"the included columns cost {given:g}, more than budget={self.budget:g}: increase "
                "the budget, or include fewer columns"
            )
        prices = costs if units is None else np.bincount(units, costs)[units]
        if not include and prices[~exclude].min() > self.budget:
            j = int(np.argmin(np.where(exclude, np.inf, prices)))
            raise ValueError(
                f"budget={self.budget:g} buys no column: the cheapest, "
                f"{self._column_name(j)}, costs {prices[j]:g}. Increase the budget to at least that"
            )


def _too_large(count):
    return f"no group of columns is small enough for n_features_to_select={count}: increase it"
