"""What the kept features say about the others: coverage, closest kept feature, explained curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._linear import regression
from .._linear.regression import CoverageCurve, explained_fraction
from .._rows.samples import Sample, read_sample
from .._rows.scaling import standardised
from .._utils.threads import blas_for_table
from ..base import FeatureRanker
from ..selection import Selection

# Most numbers of features for which values are computed, and the last unless more are selected.
_GRID, _FARTHEST = 90, 1000
_RANDOM_DRAWS = 5
# Columns on which the curves of the other rankings are estimated.
_TARGETS = 500
# Kept columns whose correlations are computed at once.
_BLOCK = 256
# Correlation from which a kept feature stands for a dropped one.
CLOSE = 0.5
# What every feature adds is computed for at least so many, and for more where at most so many
# entries are read. With fewer rows than this, memory would limit the features.
_ADDED, _ADDED_ENTRIES, _ADDED_ROWS = 50, 1e9, 50


def coverage_curve(
    sel: FeatureRanker | Selection,
    X: Any,
    n_kept: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
) -> CoverageCurve:
    """Coverage of all columns by the first k features of a ranking, for several k.

    The coverage of a column is the leave-one-out R^2 of its ridge regression on the kept columns:

        coverage_j = 1 - sum_i (x_ij - p_ij)^2 / sum_i (x_ij - m_ij)^2,

    where p_ij is the prediction for row i, and m_ij the mean, from all other rows; negative values
    are set to 0. All columns are standardised, and the ridge penalty is 0.1 min(n, d) for n samples
    and d features.

    Parameters
    ----------
    sel : FeatureRanker or Selection
        Fitted selector, or a selection loaded from a file.
    X : container of shape (n_samples, n_features)
        The data that it was fitted on; at most 2,000 rows are used, and missing values replaced
        by the mean of their feature.
    n_kept : sequence of int, default=None
        Increasing numbers of features; by default those of the curve in the report.
    groups : array-like of shape (n_samples,), default=None
        Batch of every sample, if the selector was fitted with them.

    Returns
    -------
    CoverageCurve
        ``n_kept`` and ``coverage``, an array of shape (len(n_kept), n_features).

    Examples
    --------
    >>> import numpy as np
    >>> from graphsieve import GreedyCSS
    >>> from graphsieve.inspection import coverage_curve
    >>> a, b = np.random.default_rng(0).normal(size=(2, 100))
    >>> X = np.column_stack([a, 2 * a, b])
    >>> coverage_curve(GreedyCSS(2).fit(X), X, [1, 2]).coverage.round(2)
    array([[1., 1., 0.],
           [1., 1., 1.]])
    """
    order, n_selected = _ranking(sel)
    grid = make_grid(len(order), n_selected) if n_kept is None else n_kept
    return regression.coverage_curve(rows_of(sel, X, groups).values, order, grid)


@dataclass(frozen=True)
class Representatives:
    """The most correlated feature among the first k of a ranking, for all k at once.

    Records ``start[j]`` to ``start[j + 1]`` are those of column j. Record r says: from
    ``position[r]`` on (0 is the best), the feature there is the closest to the column.

    Attributes
    ----------
    start : ndarray of shape (n_features + 1,)
    position : ndarray of shape (n_records,)
    correlation : ndarray of shape (n_records,)
        Signed; its absolute value increases within a column.
    """

    start: np.ndarray
    position: np.ndarray
    correlation: np.ndarray

    def at(self, n_kept: int) -> tuple[np.ndarray, np.ndarray]:
        """Closest of the first ``n_kept`` features for every column, and its correlation.

        Closest are positions in the ranking, -1 for a constant column.
        """
        count = len(self.start) - 1
        position, correlation = np.full(count, -1), np.zeros(count)
        column = np.repeat(np.arange(count), np.diff(self.start))
        # Later records of a column overwrite earlier ones.
        known = self.position < n_kept
        position[column[known]] = self.position[known]
        correlation[column[known]] = self.correlation[known]
        return position, correlation


def representatives(
    sel: FeatureRanker | Selection,
    X: Any,
    n_kept: int | None = None,
    *,
    groups: ArrayLike | None = None,
) -> Representatives:
    """Find the most correlated of the first k features for every column and all k <= n_kept.

    A feature does not represent itself: its records stop where it is kept.

    Parameters
    ----------
    sel : FeatureRanker or Selection
        Fitted selector, or a selection loaded from a file.
    X : container of shape (n_samples, n_features)
        The data that it was fitted on, as in `coverage_curve`.
    n_kept : int, default=None
        Number of features of the ranking that are considered; by default those that are selected.
    groups : array-like of shape (n_samples,), default=None
        As in `coverage_curve`.

    Returns
    -------
    Representatives

    Examples
    --------
    >>> import numpy as np
    >>> from graphsieve import Variance
    >>> from graphsieve.inspection import representatives
    >>> a, b = np.random.default_rng(0).normal(size=(2, 100))
    >>> X = np.column_stack([2 * a, 3 * b, -a])
    >>> closest = representatives(Variance(2).fit(X), X)
    >>> closest.at(2)[0].tolist(), closest.at(2)[1].round(2).tolist()[2]
    ([0, -1, 1], -1.0)
    """
    order, n_selected = _ranking(sel)
    Z = standardised(rows_of(sel, X, groups).values)[0]
    return closest_kept(Z, order, n_selected if n_kept is None else n_kept)


def overview(
    sel: FeatureRanker,
    X: Any,
    *,
    groups: ArrayLike | None = None,
    column_groups: ArrayLike | None = None,
    most: int | None = None,
) -> tuple[Any, Any]:
    """What every kept column adds, and which dropped columns it stands for.

    Parameters
    ----------
    sel : FeatureRanker
        Fitted selector.
    X : container of shape (n_samples, n_features)
        The data that it was fitted on, as in `coverage_curve`.
    groups : array-like of shape (n_samples,), default=None
        As in `coverage_curve`.
    column_groups : array-like of shape (n_features,), default=None
        Column behind every feature, as `graphsieve.encode` returns them, if they are kept whole.
    most : int, default=None
        Number of kept columns; by default as many as take seconds.

    Returns
    -------
    table : pandas.DataFrame
        The kept columns, best first: ``feature``; ``adds``, the increase of the explained fraction;
        ``stands_for``, the dropped columns closest to it, with a correlation of 0.5 or more.
    coverage : pandas.Series
        Coverage of every feature by all that are kept; see `coverage_curve`.

    Examples
    --------
    >>> import pandas as pd
    >>> from graphsieve import GreedyCSS
    >>> from graphsieve.inspection import overview
    >>> X = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [2.0, 4, 6, 8], "c": [0.0, 1, 1, 0]})
    >>> overview(GreedyCSS(2).fit(X), X)[0][["feature", "stands_for"]].values.tolist()
    [['a', ['b']], ['c', []]]
    """
    import pandas as pd

    values, (order, n_kept) = rows_of(sel, X, groups).values, _ranking(sel)
    names = np.asarray(sel._labels_in() if column_groups is None else column_groups, dtype=object)
    behind = names[order[:n_kept]]
    # The features of one column follow each other, and enter together.
    last = np.append(np.flatnonzero(behind[1:] != behind[:-1]) + 1, n_kept)
    most = min(len(last), most_added(values) if most is None else most)
    steps = np.append(last[:most], last[most:][-1:])
    coverage = regression.coverage_curve(values, order, steps).coverage
    adds = regression.added(coverage)[:most]
    Z = standardised(values)[0]
    position, correlation = closest_kept(Z, order, n_kept).at(n_kept)
    size = abs(correlation)
    found = pd.DataFrame({"dropped": names, "kept": behind[position], "r": size})
    found = found[~sel.support_ & (size >= CLOSE)].sort_values("r", ascending=False, kind="stable")
    by_kept = found.drop_duplicates("dropped").groupby("kept")["dropped"].agg(list)
    kept = behind[last[:most] - 1]
    stands_for = [by_kept.get(name, []) for name in kept]
    table = pd.DataFrame({"feature": kept, "adds": adds, "stands_for": stands_for})
    return table, pd.Series(coverage[-1], names)


def _ranking(sel):
    if isinstance(sel, Selection):
        return np.asarray(sel.order), len(sel.kept)
    return sel.order_, sel.n_features_


def rows_of(sel: FeatureRanker | Selection, X: Any, groups: ArrayLike | None = None) -> Sample:
    """The rows on which a selection is explained, at most 2,000."""
    if isinstance(sel, Selection):
        names = sel.feature_names_in and [str(name) for name in sel.feature_names_in]
        n_batches = sel.fingerprint.get("n_batches", 0)
        return read_sample(X, sel.n_features_in, names, groups=groups, n_batches=n_batches)
    return sel._sample(X, groups)


@blas_for_table
def closest_kept(Z, order, n_kept):
    """`representatives` of standardised columns, for a ranking."""
    order = np.asarray(order)[:n_kept]
    n_samples, n_features = Z.shape
    # From its own position on, a feature is kept and needs no representative.
    own = np.full(n_features, n_kept)
    own[order] = np.arange(len(order))
    best = np.zeros(n_features)
    found = []
    for first in range(0, len(order), _BLOCK):
        positions = np.arange(first, min(first + _BLOCK, len(order)))
        correlation = Z[:, order[positions]].T @ Z / n_samples
        size = np.abs(correlation)
        size[positions[:, None] >= own] = 0
        before = np.maximum.accumulate(np.vstack([best, size]))
        # Rounding does not make an equally correlated feature a closer one.
        row, column = np.nonzero(size > before[:-1] + 1e-9)
        found.append((column, positions[row], correlation[row, column]))
        best = before[-1]
    column, position, value = map(np.concatenate, zip(*found, strict=True))
    by_column = np.lexsort((position, column))
    start = np.searchsorted(column[by_column], np.arange(n_features + 1))
    return Representatives(start, position[by_column], np.clip(value[by_column], -1, 1))


def make_grid(n_features: int, n_selected: int) -> np.ndarray:
    """Increasing numbers of features, dense at the start, with ``n_selected`` among them."""
    last = min(n_features, max(_FARTHEST, n_selected))
    if last <= _GRID:
        return np.arange(1, last + 1)
    grid = np.round(np.geomspace(1, last, _GRID)).astype(int)
    return np.unique(np.append(grid, n_selected))


def most_added(values: np.ndarray) -> int:
    """For how many features what each adds to those before it is computed within seconds."""
    entries = max(len(values), _ADDED_ROWS) * values.shape[1]
    return max(_ADDED, int(_ADDED_ENTRIES // entries))


def explained_curves(X, order, grid, coverage, rng):
    """Curves of the explained fraction over a grid of numbers of features, by name.

    ``coverage`` is that of all columns, by grid point. In ``alone``, columns explain themselves.
    """
    n_features = X.shape[1]
    targets = np.arange(n_features)
    if n_features > _TARGETS:
        targets = np.sort(rng.choice(n_features, _TARGETS, replace=False))
    rankings = [np.argsort(-X.var(axis=0), kind="stable")]
    rankings += [rng.permutation(n_features) for _ in range(_RANDOM_DRAWS)]
    by_variance, *random = (
        explained_fraction(regression.coverage_curve(X, ranking, grid, targets=targets).coverage)
        for ranking in rankings
    )
    varies = ~np.isnan(coverage[0])
    return {
        "this": explained_fraction(coverage),
        "by_variance": by_variance,
        "random_low": np.min(random, axis=0),
        "random_mid": np.mean(random, axis=0),
        "random_high": np.max(random, axis=0),
        "alone": np.cumsum(varies[order])[grid - 1] / max(varies.sum(), 1),
    }
