"""Explained variance against the number of features: this ranking, variance, random."""

import numpy as np

from .._utils.threads import blas_for_table
from .coverage import coverage_curve, explained_fraction

# Numbers of features for which values are computed; all of them where there are no more. After
# rounding, 50 to 75 of them differ.
_GRID = 90
# The grid ends here unless more features were selected.
_FARTHEST = 1000
_RANDOM_DRAWS = 5
# Columns on which the curves of the other rankings are estimated.
_TARGETS = 500
# Where the largest variance is so many times the median, a few columns would decide every weighted
# mean (word counts: about 1,000 times).
_FEW_DECIDE = 100


def make_grid(n_features, n_selected):
    """Increasing numbers of features, dense at the start, with ``n_selected`` among them."""
    last = min(n_features, max(_FARTHEST, n_selected))
    if last <= _GRID:
        return np.arange(1, last + 1)
    grid = np.round(np.geomspace(1, last, _GRID)).astype(int)
    return np.unique(np.append(grid, n_selected))


def column_weights(variance):
    """Ways to weigh the columns: by variance, or all alike except constant ones."""
    return {"variance": variance, "equal": (variance > 0).astype(float)}


def has_unequal_variances(variance, ratio=_FEW_DECIDE):
    """Whether a few columns would decide everything if columns were weighed by their variance."""
    variance = variance[variance > 0]
    return variance.size > 1 and variance.max() > ratio * np.median(variance)


@blas_for_table
def explained_curves(X, order, grid, coverage, rng):
    """Curves of the explained fraction over a grid of numbers of features.

    ``coverage`` is that of all columns by this ranking, one row per entry of the grid.

    Returns
    -------
    dict of str to dict
        For the weights ``"variance"`` and ``"equal"``: lists ``this``, ``by_variance``,
        ``random_low``, ``random_mid``, ``random_high`` and ``alone``. ``alone`` is the curve of
        this ranking if the columns were unrelated (the expectation for data whose columns are
        shuffled independently): then every kept column explains only itself.
    """
    n_features = X.shape[1]
    variance = X.var(axis=0)
    targets = np.arange(n_features)
    if n_features > _TARGETS:
        targets = np.sort(rng.choice(n_features, _TARGETS, replace=False))
    rankings = [np.argsort(-variance, kind="stable")]
    rankings += [rng.permutation(n_features) for _ in range(_RANDOM_DRAWS)]
    others = [coverage_curve(X, ranking, grid, targets=targets).coverage for ranking in rankings]
    curves = {}
    for name, weights in column_weights(variance).items():
        by_variance, *random = (explained_fraction(c, weights[targets]) for c in others)
        this = explained_fraction(coverage, weights)
        alone = np.cumsum(weights[order])[grid - 1] / max(weights.sum(), np.finfo(float).tiny)
        curves[name] = {
            "this": this,
            "by_variance": by_variance,
            "random_low": np.min(random, axis=0),
            "random_mid": np.mean(random, axis=0),
            "random_high": np.max(random, axis=0),
            "alone": alone,
        }
    return curves
