"""Few columns from which every other column can be predicted to a given R^2.

With C the correlation matrix and S the kept columns, the residual correlation is
R = C - C_S C_SS^-1 C_S' = C - L L', one column of L per pick (a pivoted Cholesky factorisation),
and the R^2 of column j on the kept ones is 1 - R_jj. A column is covered when that reaches the
threshold. Each pick is the column that explains most of the columns that are not covered yet,

    argmax_j  sum_{i not covered} R_ij^2 / R_jj,

and the sums s_j are updated, so that a pick costs one product with C. Picks that later ones have
made superfluous are left out at the end, see ``prune``.
"""

from dataclasses import dataclass

import numpy as np

from .prune import prune

# A column with less residual variance than this depends on the kept ones.
_DEPENDENT = 1e-10
# Values that differ by less are equal: the first column in the tie-breaking order wins.
_TIE = 1e-9
# Superfluous picks are looked for if the correlations with them take at most 256 MB.
_MOST_PRUNED = 2**25


@dataclass(frozen=True)
class Cover:
    """Kept columns, in the order in which they were picked, and the R^2 of all columns on them."""

    picked: np.ndarray
    explained: np.ndarray


def cover_columns(apply, take, varying, threshold, *, tie_break, given=(), candidates=None):
    """Keep columns until every column is explained to ``threshold`` by the kept ones jointly.

    Parameters
    ----------
    apply, take : callable
        ``apply(V)`` returns C V for V of shape (n_features, k), with C the correlation matrix, and
        ``take(columns)`` the columns of C at an array of positions.
    varying : ndarray of bool of shape (n_features,)
        Columns that are not constant; the others are neither kept nor counted.
    threshold : float in (0, 1]
        R^2 that every dropped column reaches.
    tie_break : ndarray of int of shape (n_features,)
        Smaller wins between equal columns. If it does not depend on the order of the columns,
        neither does the result.
    given : sequence of int
        Columns that are always kept.
    candidates : ndarray of bool, optional
        Columns that may be kept; all by default.
    """
    state = _Residuals(apply, take, varying, threshold)
    allowed = varying if candidates is None else varying & candidates
    for j in given:
        state.add(j)
    while state.uncovered.any():
        worth = state.worth(allowed)
        if worth.max() <= 0:
            break  # what is left cannot be explained by the columns that may be kept
        ties = np.flatnonzero(worth >= worth.max() * (1 - _TIE))
        state.add(int(ties[np.argmin(tie_break[ties])]))
    picked, residual = np.array(state.picked, dtype=int), state.residual
    if not state.uncovered.any() and 0 < picked.size * len(varying) <= _MOST_PRUNED:
        may_go = np.isin(picked, given, invert=True)
        options = {"may_go": may_go, "tie_break": tie_break}
        picked, residual = prune(take(picked), picked, residual, state.slack, **options)
    return Cover(picked, np.where(varying, 1 - residual, 1.0))


class _Residuals:
    """Residual variances, and how much of the uncovered columns every column would explain."""

    def __init__(self, apply, take, varying, threshold):
        self._apply, self._take = apply, take
        self.slack = 1 - threshold + 1e-9
        d = len(varying)
        self.picked = []
        self.residual = varying.astype(float)
        self.uncovered = varying & (self.residual > self.slack)
        self._factor, self._n_steps = np.empty((d, 16)), 0
        self._sums = self._squared_sums(np.flatnonzero(varying))

    def worth(self, allowed):
        """Variance of uncovered columns that every allowed column would explain; 0 for others."""
        alive = allowed & (self.residual > _DEPENDENT)
        return np.divide(self._sums, self.residual, out=np.zeros_like(self._sums), where=alive)

    def add(self, j):
        self.picked.append(j)
        if self.residual[j] <= _DEPENDENT:
            return  # it adds nothing to the columns kept before it
        column = self._residual_columns(np.array([j]))[:, 0]
        step = column / np.sqrt(column[j])
        masked = np.where(self.uncovered, step, 0.0)
        product = self._residual_product(masked)
        self._sums += step * (step * (masked @ masked) - 2 * product)
        self._append(step)
        self.residual = np.maximum(self.residual - step**2, 0)
        self.residual[j] = 0.0
        covered = self.uncovered & (self.residual <= self.slack)
        self.uncovered &= ~covered
        if covered.any():
            self._sums -= self._squared_sums(np.flatnonzero(covered))
        np.maximum(self._sums, 0, out=self._sums)

    def _squared_sums(self, columns):
        """sum_{i in columns} R_ij^2 for every j, a few columns at a time."""
        total = np.zeros(len(self.residual))
        for start in range(0, len(columns), 256):
            total += np.square(self._residual_columns(columns[start : start + 256])).sum(axis=1)
        return total

    def _residual_columns(self, columns):
        L = self._factor[:, : self._n_steps]
        return self._take(columns) - L @ L[columns].T

    def _residual_product(self, v):
        L = self._factor[:, : self._n_steps]
        return self._apply(v[:, None])[:, 0] - L @ (v @ L)

    def _append(self, step):
        if self._n_steps == self._factor.shape[1]:
            grown = np.empty((len(step), 2 * self._n_steps))
            grown[:, : self._n_steps] = self._factor
            self._factor = grown
        self._factor[:, self._n_steps] = step
        self._n_steps += 1


def keep_uncorrelated(C, varying, threshold, *, tie_break, given=(), candidates=None):
    """The pairwise rule: no two kept columns, and no dropped column without a kept one, correlate
    at ``threshold`` or more in absolute value.

    The column with most correlated columns left is kept first, so the result does not depend on
    the order of the columns. ``C`` are the correlations; the other parameters are those of
    ``cover_columns``. Returns the kept columns, in the order in which they were picked.
    """
    close = np.abs(C) >= threshold - _TIE
    close[:, ~varying] = close[~varying] = False
    left = varying.copy()
    allowed = varying if candidates is None else varying & candidates
    kept = list(given)
    for j in given:
        left &= ~close[j]
        left[j] = False
    while left.any():
        if not (left & allowed).any():
            break
        count = np.where(left & allowed, close[:, left].sum(axis=1), -1)
        ties = np.flatnonzero(count == count.max())
        j = int(ties[np.argmin(tie_break[ties])])
        kept.append(j)
        left &= ~close[j]
        left[j] = False
    return np.array(kept, dtype=int)
