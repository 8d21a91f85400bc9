"""Forward selection within a number of columns, a budget and limits per group."""

import numpy as np

from .units import Units


class Allowance:
    """What may still be picked under the Rules, at most ``n_picks`` columns.

    It only shrinks: what does not fit now will not fit later.
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


def select_columns(selection, n_selected, n_picks=None, progress=None):
    """Run a forward selection to at most ``n_selected`` columns, as its rules allow.

    At most ``n_picks`` columns, by default all, are picked one by one. Columns behind the picks
    follow if the picks end earlier, because nothing is left to gain or because there are only
    ``n_picks``; but none of these is bought from a budget. ``progress.update`` is called with the
    number of picks. Returns a ForwardOrder with the selected columns first, and their number.
    """
    rules, n_features = selection.rules, selection.columns.n_features
    n_picks = n_selected if n_picks is None else n_picks
    allowance = Allowance(rules, n_features, n_selected)
    allowance.spend(selection.order)
    while (n_before := len(selection.order)) < n_picks:
        if selection.pick(allowance.fits()) is None:
            break
        allowance.spend(selection.order[n_before:])
        if progress is not None:
            progress.update(len(selection.order))
    found = selection.finish()
    order = list(found.order[: found.n_picks])
    if rules.budget is None and len(order) < n_selected:
        order += _fill(found, rules, allowance, n_selected - len(order))
    chosen = np.isin(found.order, order)
    return found.reordered(np.concatenate([order, found.order[~chosen]]).astype(int)), len(order)


def _fill(found, rules, allowance, n_more):
    """Columns behind the picks that may be taken, best first."""
    rest = found.order[found.n_picks :]
    if rules.exclude is not None:
        rest = rest[~rules.exclude[rest]]
    if rules.units is None and rules.limits is None:
        return list(rest[:n_more])
    units = Units(rules.units, len(found.order))
    seen = np.zeros(len(found.order), dtype=bool)
    filled = []
    for j in rest:
        if not seen[j]:
            members = units.members(j)
            seen[members] = True
            if allowance.fits()[j]:
                allowance.spend(members)
                filled += list(members)
    return filled
