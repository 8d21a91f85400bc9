"""Forward selection within a number of columns, a budget and limits per group."""

import numpy as np

from .units import Units


class Allowance:
    """What may still be picked. It only shrinks: what does not fit now will not fit later.

    Parameters
    ----------
    rules : Rules
    n_features : int
        Number of columns of the data.
    n_picks : int
        The most columns to pick.
    """

    def __init__(self, rules, n_features, n_picks):
        ones = np.ones(n_features)
        units = Units(rules.units, n_features)
        self._size = units.sums(ones)
        self._costs = ones if rules.costs is None else rules.costs
        self._unit_cost = units.sums(self._costs)
        self._n_left, self._budget = n_picks, rules.budget
        self._labels, self._most = rules.limits or (None, None)
        if self._labels is not None:
            self._count = np.zeros(max(self._labels.max(), 0) + 1, dtype=int)

    def fits(self):
        """Mask of the columns that may be picked with their unit."""
        fits = self._size <= self._n_left
        if self._budget is not None:
            fits &= self._unit_cost <= self._budget * (1 + 1e-12)
        if self._labels is not None:
            fits &= (self._labels < 0) | (self._count[self._labels] < self._most)
        return fits

    def spend(self, columns):
        """Take note of picked columns."""
        self._n_left -= len(columns)
        if self._budget is not None:
            self._budget -= self._costs[columns].sum()
        if self._labels is not None:
            labels = self._labels[columns]
            np.add.at(self._count, labels[labels >= 0], 1)


def select_columns(selection, n_picks):
    """Run a forward selection to at most ``n_picks`` columns, as its rules allow.

    If nothing is left to gain before that, columns without a gain follow, but none is bought from
    a budget.

    Parameters
    ----------
    selection : ForwardSelection
    n_picks : int

    Returns
    -------
    found : ForwardOrder
        With the selected columns first.
    n_selected : int
        Their number.
    """
    rules, n_features = selection.rules, selection.columns.n_features
    allowance = Allowance(rules, n_features, n_picks)
    allowance.spend(selection.order)
    while (n_before := len(selection.order)) < n_picks:
        if selection.pick(allowance.fits()) is None:
            break
        allowance.spend(selection.order[n_before:])
    found = selection.finish()
    order, n_selected = list(found.order[: found.n_picks]), found.n_picks
    if rules.budget is None and n_selected < n_picks:
        order += _fill(found, rules, allowance)
        n_selected = len(order)
    chosen = np.isin(found.order, order)
    return found.reordered(np.concatenate([order, found.order[~chosen]]).astype(int)), n_selected


def _fill(found, rules, allowance):
    """Columns behind the picks that may be taken, although they add nothing."""
    units = Units(rules.units, len(found.order))
    taken = found.layers > 0
    if rules.exclude is not None:
        taken = taken | rules.exclude
    filled = []
    for j in found.order[found.n_picks :]:
        if taken[j]:
            continue
        members = units.members(j)
        taken[members] = True
        if allowance.fits()[j]:
            allowance.spend(members)
            filled += list(members)
    return filled
