"""DropRedundant: drop the columns that the kept ones predict."""

from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from scipy.linalg import pinvh

from .._linear.columns import Columns
from .._linear.regression import coverage_curve, ridge_penalty
from .._rows import RowBlocks, chosen_rows, split_rows, to_dense
from .._rows.samples import draw_rows
from .._rows.scaling import chosen_sample, divide_columns, robust_scaling
from .._utils.messages import warn
from .._utils.names import scores_of
from .._utils.sklearn_private import Interval, StrOptions
from .._utils.text import counted, listed
from ..base import INCLUDE_CONSTRAINTS, FeatureRanker

# A column with less residual variance depends on the kept ones.
_DEPENDENT = 1e-10
# Values that differ by less are equal: the first column in the tie-breaking order wins.
_TIE = 1e-9
# Superfluous picks are looked for if the correlations with them take at most 256 MB.
_MOST_PRUNED = 2**25
# Up to this many columns the matrix is stored (5,000: 200 MB) and computed in one pass.
_MOST_STORED = 5000
# With fewer, the residual variance on other rows is more than (5 / 4)^2 times that on those used.
_ROWS_PER_COLUMN = 5
# An R^2 below this fraction of what other rows then have is due to a few extreme values.
_MUCH_LESS = 2 / 3
# Gaps are estimated in tables of up to this many columns: a row takes the cube of its gaps.
MOST_COMPLETED = 2000
# Rows from which they are, most iterations, and the change of a correlation that ends them.
_GAP_ROWS, _GAP_STEPS, _GAP_TOL = 2000, 30, 1e-3
# Entries of stacked matrices at a time: 32 MB.
_GAP_ENTRIES = 2**22


class DropRedundant(FeatureRanker):
    """Drop the features that the kept ones predict together.

    Features are kept one at a time, each for what it explains of the features that are not covered
    yet, until a linear regression on the kept features predicts every dropped feature with an R^2
    of at least ``explained`` on the training rows. With C the correlation matrix and S the kept
    features, the residual correlation is R = C - C_S C_SS^-1 C_S', the R^2 of feature j is
    1 - R_jj, and the next pick is ::

        argmax_j  sum_{i not covered} R_ij^2 / R_jj.

    Features that others, kept later, have made superfluous are then dropped. The result does not
    depend on the order of the features. On new rows R^2 is lower, especially after a fit of few
    rows: ``heldout_r2_`` is that of left-out rows. A warning names the features that are predicted
    only because of a few extreme values, such as a row of totals.

    X may have missing values (NaN). C is then estimated from all observed values by expectation
    maximisation, and the R^2 promised is that of a regression on complete rows. In tables of more
    than 2,000 columns C is that of columns filled with their means, and more are kept.

    Parameters
    ----------
    explained : float in (0, 1], default=0.9
        The R^2 with which every dropped feature is predicted, or, with ``by="correlation"``, the
        absolute correlation at which two features are redundant.
    by : {"r2", "correlation"}, default="r2"
        With "r2", the kept features predict a dropped one together. With "correlation", no two kept
        features are redundant, and every dropped feature is so with a kept one.
    include, exclude : list of str or int, mask or None, default=None
        Features that are always kept, and features that are never kept: names, positions or a
        mask. If everything that predicts a feature is excluded, it is dropped with a warning.

    Attributes
    ----------
    n_features_ : int
        Number of kept features.
    r2_, heldout_r2_ : ndarray of shape (n_features,)
        R^2 of every feature, predicted from the kept ones, on the training rows, and on left-out
        rows as in ``coverage(X)``; 1 for kept and for constant features.
    represented_by_ : ndarray of int of shape (n_features,)
        The kept feature that contributes most to ``r2_``: w_cj C_cj for kept feature c and feature
        j, with w the weights of standardised columns. -1 for constant features.
    scores_, order_, ranking_, support_
        As in all rankers: kept features in the order of their picks, then dropped features from
        least to best predicted, then constant ones.

    Examples
    --------
    The last feature is the sum of the first two.

    >>> import numpy as np
    >>> from graphsieve import DropRedundant
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> X[:, 2] = X[:, 0] + X[:, 1]
    >>> int(DropRedundant().fit(X).n_features_)
    2
    >>> int(DropRedundant(by="correlation").fit(X).n_features_)
    3
    """

    _parameter_constraints = {
        **INCLUDE_CONSTRAINTS,
        "explained": [Interval(Real, 0, 1, closed="right")],
        "by": [StrOptions({"r2", "correlation"})],
    }
    _accepts_sparse = True
    _accepts_gaps = True
    _n_copies = 1

    def __init__(
        self, explained: float = 0.9, *, by: str = "r2", include: Any = None, exclude: Any = None
    ) -> None:
        super().__init__(include=include, exclude=exclude)
        self.explained = explained
        self.by = by

    def _check_constraints(self):
        if self.by == "correlation" and self.n_features_in_ > _MOST_STORED:
            raise ValueError(
                'by="correlation" compares all pairs of columns and takes at most '
                f'{_MOST_STORED:,} columns, but X has {self.n_features_in_:,}: use by="r2"'
            )

    def _own_memory(self, n_samples, n_features):
        stored = 4 * n_features if n_features <= _MOST_STORED else 1000
        return 8.0 * stored * n_features

    def _rank(self, data):
        correlations = Correlations(data)
        kept = self._cover(correlations)
        if len(kept) == 0:  # every column is constant
            kept = np.flatnonzero(~self._given.exclude)[:1]
        self._n_kept = len(kept)
        support = np.isin(np.arange(data.n_features), kept)
        varying, C_S = correlations.varying, correlations.take(kept)
        parts = contributions(C_S, kept)
        self.r2_ = np.where(varying & ~support, np.minimum(parts.sum(axis=1), 1), 1.0)
        self.represented_by_ = np.where(varying, kept[parts.argmax(axis=1)], -1)
        self.represented_by_[kept] = kept
        sample = draw_rows(data)
        heldout = coverage_curve(sample.values, kept, [len(kept)]).coverage[0]
        self.heldout_r2_ = np.where(np.isnan(heldout), 1.0, heldout)
        self._check_promise(support, data.n_samples)
        self._check_extremes(sample, kept)
        order = np.lexsort((np.round(self.r2_, 10), ~support, ~varying))
        return scores_of(np.concatenate([kept, order[~support[order]]]))

    def _cover(self, correlations):
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
        # Equal columns are told apart by their names, not by their places.
        tie_break = np.empty(len(names), dtype=int)
        tie_break[np.lexsort((names, *correlations.fingerprints()))] = np.arange(len(names))
        options = {"given": self._given.include, "candidates": ~self._given.exclude}
        which = correlations.varying, self.explained, tie_break
        if self.by == "correlation":
            return keep_uncorrelated(correlations.matrix, *which, **options)
        return cover_columns(correlations.apply, correlations.take, *which, **options)

    def _check_promise(self, support, n_samples):
        if self.by != "r2":
            return
        missed = self.r2_ < self.explained - 1e-6
        if missed.any() and self._given.exclude.any():
            worst = int(np.argmin(self.r2_))
            warn(
                f"{missed.sum()} dropped columns are predicted with an R^2 below "
                f"{self.explained:g}, because the columns that would explain them are excluded: "
                f"column {self._column_name(worst)} has {self.r2_[worst]:.2f}. Exclude fewer "
                "columns if they matter"
            )
        heldout = self.heldout_r2_[~support & ~missed]
        if text := too_few_rows(n_samples, self._n_kept, heldout, self.explained):
            warn(text)

    def _check_extremes(self, sample, kept):
        varying = self.represented_by_ >= 0
        rows = sample.values[~sample.missing[:, varying].any(axis=1)]
        if len(rows) < _ROWS_PER_COLUMN * max(len(kept), 2):
            return
        everything = np.full(len(rows), True)
        limits = robust_scaling(RowBlocks(rows), everything, "deviation", counts=False)
        limited = coverage_curve(limits.block(rows, np.float64), kept, [len(kept)]).coverage[0]
        r2 = self.explained if self.by == "r2" else self.explained**2
        least = _MUCH_LESS * (1 - (1 - r2) * (1 + 1 / (_ROWS_PER_COLUMN - 1)) ** 2)
        found = limited if sample.n_filled else np.fmin(limited, self.heldout_r2_)
        if (low := (found < least) & (self.r2_ >= r2 - 1e-6)).any():
            names = listed([self._labels_in()[j] for j in np.flatnonzero(low)])
            warn(
                f"Dropped because of a few extreme values: {names}. Their R^2 is {r2:.2g} or more "
                f"on the rows used, but as little as {found[low].min():.2f} on left-out rows, or "
                "with outliers limited. Look for rows of totals and codes such as -999, leave them "
                "out or replace them by NaN, and fit again; or include these columns"
            )

    def _count_features(self, data):
        return self._n_kept

    def _check_prefix(self, n_features):
        super()._check_prefix(n_features)
        if n_features != self._n_kept:
            raise ValueError(
                f"the R^2 is promised for the {self._n_kept} features of the fit, not for "
                f"{n_features}: fit with another explained"
            )


def too_few_rows(n_samples, n_kept, heldout, explained):
    """A warning, if the promised R^2 holds for few dropped columns on held-out rows; or None."""
    low = np.count_nonzero(heldout < explained)
    if n_samples >= _ROWS_PER_COLUMN * n_kept or low <= len(heldout) / 2:
        return None
    return (
        f"On held-out rows, {low:,} of the {len(heldout):,} dropped columns are predicted with an "
        f"R^2 below {explained:g} (median {np.median(heldout):.2f}), although it is {explained:g} "
        f"or more on the rows used: {n_samples:,} are too few rows for "
        f"{counted(n_kept, 'kept column')}. Use {_ROWS_PER_COLUMN} or more rows per kept column, "
        "or select a given number of columns with another method"
    )


def cover_columns(apply, take, varying, threshold, tie_break, *, given=(), candidates=True):
    """The columns kept, in the order of their picks.

    ``apply(V)`` returns C V for the correlation matrix C, and ``take(columns)`` some columns of C.
    Columns that are not ``varying`` are neither kept nor counted; those ``given`` are always kept,
    others only if they are ``candidates``. Of equal columns the smallest ``tie_break`` is kept.
    """
    state = _Residuals(apply, take, varying, threshold)
    for j in given:
        state.add(j)
    while state.uncovered.any():
        worth = state.worth(varying & candidates)
        if worth.max() <= 0:
            break  # what is left cannot be explained by the columns that may be kept
        ties = np.flatnonzero(worth >= worth.max() * (1 - _TIE))
        state.add(int(ties[np.argmin(tie_break[ties])]))
    picked = np.array(state.picked, dtype=int)
    if not state.uncovered.any() and 0 < picked.size * len(varying) <= _MOST_PRUNED:
        last = np.where(np.isin(picked, given), -1, tie_break[picked])
        return picked[prune(take(picked), picked, state.residual, state.slack, last)]
    return picked


class _Residuals:
    """Residual variances, and what every column would explain of the uncovered ones."""

    def __init__(self, apply, take, varying, threshold):
        self._apply, self._take = apply, take
        self.slack = 1 - threshold + 1e-9
        self.picked, self.residual = [], varying.astype(float)
        self.uncovered = self.residual > self.slack
        self._factor, self._n_steps = np.empty((len(varying), 16)), 0
        self._sums = self._squared_sums(np.flatnonzero(varying))

    def worth(self, allowed):
        alive = allowed & (self.residual > _DEPENDENT)
        return np.divide(self._sums, self.residual, out=np.zeros_like(self._sums), where=alive)

    def add(self, j):
        self.picked.append(j)
        if self.residual[j] <= _DEPENDENT:
            return  # it adds nothing to the columns kept before it
        column = self._residual_columns(np.array([j]))[:, 0]
        step = column / np.sqrt(column[j])
        masked = np.where(self.uncovered, step, 0.0)
        L = self._factor[:, : self._n_steps]
        product = self._apply(masked[:, None])[:, 0] - L @ (masked @ L)
        self._sums += step * (step * (masked @ masked) - 2 * product)
        if self._n_steps == self._factor.shape[1]:
            self._factor = np.hstack([self._factor, np.empty_like(self._factor)])
        self._factor[:, self._n_steps] = step
        self._n_steps += 1
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


def keep_uncorrelated(C, varying, threshold, tie_break, *, given=(), candidates=True):
    """The pairwise rule: keep the column with most close columns, drop these, and so on."""
    close = np.abs(C) >= threshold - _TIE
    close[:, ~varying] = close[~varying] = False
    np.fill_diagonal(close, True)
    kept = list(given)
    left = varying & ~close[kept].any(axis=0)
    while (left & candidates).any():
        count = np.where(left & candidates, close[:, left].sum(axis=1), -1)
        ties = np.flatnonzero(count == count.max())
        kept.append(int(ties[np.argmin(tie_break[ties])]))
        left &= ~close[kept[-1]]
    return np.array(kept, dtype=int)


def prune(C_S, kept, residual, slack, last):
    """Mask of the kept columns that are needed to cover all columns.

    With P = C_SS^-1 and B = P C_S', leaving out c adds B_ci^2 / P_cc to the residual variance of
    column i. The column whose absence leaves the worst covered column best covered goes first, as
    long as that has no more variance than ``slack``; of equal ones that of the largest ``last``,
    and none below 0.
    """
    P = pinvh(C_S[kept])
    B = P @ C_S.T
    left = np.ones(len(kept), dtype=bool)
    while True:
        own = np.diag(P)
        # Left out, a column has itself the residual variance 1 / P_cc.
        candidates = np.flatnonzero(left & (last >= 0) & (own * slack >= 1))
        worst = np.array([(residual + B[c] ** 2 / own[c]).max() for c in candidates])
        if worst.min(initial=np.inf) > slack:
            break
        ties = candidates[worst <= worst.min() + _TIE]
        c = ties[np.argmax(last[ties])]
        residual = residual + B[c] ** 2 / own[c]
        step = P[:, c] / own[c]
        B -= np.outer(step, B[c])
        P -= np.outer(step, P[c])
        left[c] = False
    # If kept columns are nearly dependent, rounding may have spoilt the updates. Constant columns
    # have no correlations; all others are covered by some of the kept ones.
    unexplained = 1 - contributions(C_S[:, left], kept[left]).sum(axis=1)
    return left | (unexplained[C_S.any(axis=1)].max() > slack)


def contributions(C_S, kept):
    """What every kept column adds to the R^2 of every column: Pratt's measure (1987)."""
    return C_S * (C_S @ pinvh(C_S[kept]))


class Correlations:
    """C, the correlations of the columns, 0 for constant ones; ``matrix`` is None for very many."""

    def __init__(self, data):
        # Columns far from zero are moved there, or their products would lose half of their digits.
        near = divide_columns(data, "standard")
        self._columns = Columns(near)
        squares = self._columns.square_norms
        self.varying = squares > 0
        self._scale = np.divide(1, np.sqrt(squares), out=np.zeros(len(squares)), where=self.varying)
        low, high = near.column_range()
        self._farthest = np.maximum(high - self._columns.mean, self._columns.mean - low)
        self.matrix = None
        varying = np.flatnonzero(self.varying)
        if data.gaps is not None and 0 < len(varying) <= MOST_COMPLETED:
            S = complete_moments(data, varying)[1]
            self.matrix = np.zeros((data.n_features, data.n_features))
            self.matrix[np.ix_(varying, varying)] = S / np.sqrt(np.outer(np.diag(S), np.diag(S)))
        elif data.n_features <= _MOST_STORED:
            self.matrix = self._columns.inner_products()
            self.matrix *= np.outer(self._scale, self._scale)
            np.fill_diagonal(self.matrix, self.varying)

    def apply(self, V):
        if self.matrix is not None:
            return self.matrix @ V
        scale = self._scale[:, np.newaxis]
        return scale * self._columns.products(self._columns.times(scale * V))

    def take(self, columns):
        if self.matrix is not None:
            return self.matrix[:, columns]
        unit = np.arange(len(self.varying))[:, np.newaxis] == columns
        return self.apply(unit.astype(float))

    def fingerprints(self):
        """Numbers that break ties, the most important in the last row."""
        weights = np.random.default_rng(0).normal(size=self._columns.n_samples)
        keys = [self._columns.products(weights[:, np.newaxis])[:, 0], self._farthest]
        keys = [abs(key * self._scale) for key in keys]
        if self.matrix is not None:
            keys.append(np.einsum("ij,ij,ij->j", *[abs(self.matrix)] * 3))
        # Rounded, so that rounding errors do not decide.
        return np.round(keys, 6)


def complete_moments(data, columns):
    """Mean and covariance of some columns of Rows with gaps, by expectation maximisation.

    The rows are taken as draws from a normal distribution with mean m and covariance S. With P the
    inverse of S, what is missing in a row has the expected value m_M - P_MM^-1 P_MO (z_O - m_O) and
    the covariance P_MM^-1. Mean and covariance of the completed rows, plus the average of these
    covariances, are the next m and S. A ridge on S keeps columns with few values from being
    predicted too well. The iterations take a sample of the rows, the last step all of them.
    """
    n, d = data.n_samples, len(columns)
    means, variances = data.column_moments()
    offset = means[columns]
    factor = np.sqrt(data.gaps.present[columns] / variances[columns])
    observed = data.observed()
    chosen = chosen_sample(n, _GAP_ROWS, np.random.RandomState(0))
    sample = RowBlocks(observed.stack(chosen_rows, chosen))
    ridge = ridge_penalty((sample.n_samples, d)) / sample.n_samples

    def step(mean, S, rows):
        precision = np.linalg.inv(S + ridge * np.eye(d))
        moments = partial(_expected_moments, columns, offset + mean / factor, factor, precision)
        shift, *products = rows.reduce(moments) / rows.n_samples
        return mean + shift, np.array(products) - np.outer(shift, shift)

    mean, S = step(np.zeros(d), np.eye(d), sample)
    for _ in range(_GAP_STEPS):
        before, (mean, S) = S, step(mean, S, sample)
        if abs(S - before).max() < _GAP_TOL:
            break
    mean, S = step(mean, S, observed)
    return offset + mean / factor, S / np.outer(factor, factor)


def _expected_moments(columns, offset, factor, precision, block):
    """Expected sums of z (first row) and of z z' over the rows, z = (entries - offset) factor."""
    d = len(columns)
    total = np.zeros((d + 1, d))
    for rows in split_rows(block.shape[0], max(1, _GAP_ENTRIES // d)):
        Z = (to_dense(block[rows])[:, columns] - offset) * factor
        missing = np.isnan(Z)
        Z[missing] = 0
        pull, n_missing = Z @ precision, missing.sum(axis=1)
        for m in np.unique(n_missing[n_missing > 0]):
            alike = np.flatnonzero(n_missing == m)  # so that their inverses are found together
            for part in split_rows(len(alike), max(1, _GAP_ENTRIES // m**2)):
                i = alike[part, np.newaxis]
                M = np.nonzero(missing[alike[part]])[1].reshape(-1, m)
                pairs = M[:, :, np.newaxis], M[:, np.newaxis]
                V = np.linalg.inv(precision[pairs])
                Z[i, M] = -np.einsum("ijk,ik->ij", V, pull[i, M])
                np.add.at(total[1:], pairs, V)
        total[0] += Z.sum(axis=0)
        total[1:] += Z.T @ Z
    return total
