"""Explained variance against the number of features: this ranking, variance, random."""

import numpy as np

from .._linear.regression import coverage_curve, explained_fraction
from .._utils.threads import blas_for_table

# Numbers of features for which values are computed; all of them where there are no more. After
# rounding, 50 to 75 of them differ.
_GRID = 90
# The grid ends here unless more features were selected.
_FARTHEST = 1000
_RANDOM_DRAWS = 5
# Columns on which the curves of the other rankings are estimated.
_TARGETS = 500


def make_grid(n_features, n_selected):
    """Increasing numbers of features, dense at the start, with ``n_selected`` among them."""
    last = min(n_features, max(_FARTHEST, n_selected))
    if last <= _GRID:
        return np.arange(1, last + 1)
    grid = np.round(np.geomspace(1, last, _GRID)).astype(int)
    return np.unique(np.append(grid, n_selected))


@blas_for_table
def explained_curves(X, order, grid, coverage, rng):
    """Curves of the explained fraction over a grid of numbers of features.

    ``coverage`` is that of all columns by this ranking, one row per entry of the grid.

    Returns
    -------
    dict of str to ndarray
        ``this``, ``by_variance``, ``random_low``, ``random_mid``, ``random_high`` and ``alone``.
        ``alone`` is the curve of this ranking if the columns were unrelated (the expectation for
        data whose columns are shuffled independently): then every kept column explains only itself.
    """
    n_features = X.shape[1]
    targets = np.arange(n_features)
    if n_features > _TARGETS:
        targets = np.sort(rng.choice(n_features, _TARGETS, replace=False))
    rankings = [np.argsort(-X.var(axis=0), kind="stable")]
    rankings += [rng.permutation(n_features) for _ in range(_RANDOM_DRAWS)]
    by_variance, *random = (
        explained_fraction(coverage_curve(X, ranking, grid, targets=targets).coverage)
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
