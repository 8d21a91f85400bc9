"""How many features to keep: as long as a feature adds more than it would to shuffled columns.

A feature of the ranking is worth keeping if it explains more of all features, on top of those
before it, than the best choice does at that place in columns that are shuffled, or whose entries
have random signs, which keep the amplitudes of rows. Where most columns are noise, what a few share
disappears among them: if it is more than a trace, every column counts that the others predict and
those before it do not explain.

This assumes rows that could come in any order. Repeated rows count once. Where rows depend on the
ones before them (time series), columns of pure noise exceed chance.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest
from sklearn.utils.extmath import row_norms

from .._rows import RowBlocks
from .._rows.scaling import standardised
from .._utils.threads import single_threaded_blas
from .columns import Columns
from .forward import ForwardSelection, GramTarget
from .structure import chance_level

_N_SHUFFLES = 3
# The ranking ends where a feature and the two after it add no more than chance: a method may well
# pick a feature that adds little by itself and prepares for the next ones.
_PATIENCE = 3
# Fewer distinct rows than this are the values of a category, not repeated observations.
_FEWEST_DISTINCT = 20
# Rows that are compared with their neighbours, the fewest such windows, and the level of the test.
_WINDOW = 8
_FEWEST_WINDOWS = 10
_SIGNIFICANT = 1e-3
# Tables with more entries are compared in single precision, in less than half the time.
_LARGE = 2**20
# Among noise, a predicted column with a larger fraction left unexplained has something of its own,
# unless the others predict hardly more than a trace of the typical one, such as the depth of cells.
_DISTINCT, _TRACE = 0.2, 0.1


def permuted(Z, rng):
    """Every column in a random order: for rows that could come in any order."""
    return rng.permuted(Z, axis=0)


def flipped(Z, rng):
    """Every entry with a random sign: for rows that differ in amplitude, which remains."""
    return Z * rng.choice(np.array([-1, 1], dtype=Z.dtype), size=Z.shape)


def shifted(Z, rng):
    """Every column moved along by a random number of rows, which keeps its autocorrelation."""
    n, d = Z.shape
    rows = (np.arange(n)[:, np.newaxis] + rng.integers(n, size=d)) % n
    return np.take_along_axis(Z, rows, axis=0)


def distinct_rows(X):
    """Every row once if rows are repeated; all rows of a table in which equal rows are no repeats.

    Rows of a few categories are equal by chance. Where half of the columns have nearly as many
    values as there are distinct rows, equal rows are repeats of one observation.
    """
    seen = {}
    for number, row in enumerate(X + 0.0):  # -0.0 equals 0.0
        seen.setdefault(row.tobytes(), number)
    if len(seen) == len(X) or len(seen) < _FEWEST_DISTINCT:
        return X
    distinct = X[list(seen.values())]
    n_values = np.array([len(np.unique(column)) for column in distinct.T])
    varying = n_values > 1
    if not varying.any() or np.median(n_values[varying]) < len(seen) / 2:
        return X
    return distinct


def rows_are_ordered(X):
    """Whether rows resemble the rows next to them more than others that are a little further away.

    Rows that are sorted by class are alike throughout a window and do not count as ordered.
    """
    Z = standardised(X)[0]
    n_windows = len(Z) // _WINDOW
    if n_windows < _FEWEST_WINDOWS:
        return False
    windows = Z[: n_windows * _WINDOW].reshape(n_windows, _WINDOW, -1)
    K = windows @ windows.transpose(0, 2, 1)
    next_to = K[:, np.arange(_WINDOW - 1), np.arange(1, _WINDOW)].mean(axis=1)
    i, j = np.triu_indices(_WINDOW, 1)
    closer = int((next_to > K[:, i, j].mean(axis=1)).sum())
    return binomtest(closer, n_windows, alternative="greater").pvalue < _SIGNIFICANT


@dataclass(frozen=True)
class GainCurve:
    """What the features of a ranking add, one after another, and what chance would.

    ``gains`` are fractions of the variance of all features, and ``chance`` is the largest gain at
    this place in shuffled columns. ``n_features`` is the number of features before the gains fall
    to chance, or of distinct ones among noise if these are more; 0 if none is above chance. There
    may be more unless the ranking ``is_complete``: it went on until the gains fell to chance.
    """

    gains: np.ndarray
    chance: np.ndarray
    n_features: int
    is_complete: bool

    def suggested(self, least, most):
        """Number of features to keep, if the constraints allow so few and so many."""
        return np.clip(self.n_features, least, most)


@single_threaded_blas()  # many small products
def gain_curve(X, order, nulls=(permuted, flipped), predictability=None):
    """Compare the gains along a ranking, best first, with those of shuffled columns.

    ``X`` are some rows of the data and ``order`` is the ranking, or the first part of it. Every
    function in ``nulls`` shuffles standardised rows with a generator; a gain must exceed that in
    all of them. ``predictability`` of the columns from the others counts where it is known.
    """
    Z = standardised(distinct_rows(X))[0]
    n_distinct = 0 if predictability is None else _count_distinct(Z, order, predictability)
    if Z.size > _LARGE:
        Z = Z.astype(np.float32)
    given = _gains(Z, order)
    rng = np.random.default_rng(0)  # always the same, so that no seed decides how many
    shuffled = [_gains(null(Z, rng)) for null in nulls for _ in range(_N_SHUFFLES)]
    gains, chance, below = [], [], 0
    for gain, *others in zip(given, *shuffled, strict=False):
        gains.append(gain)
        chance.append(max(others))
        below = below + 1 if gain <= chance[-1] else 0
        if below == _PATIENCE:
            break
    gains, chance = np.array(gains), np.array(chance)
    is_complete = below == _PATIENCE or len(gains) < len(order) or len(order) == X.shape[1]
    n_features = _count_before_chance(gains - chance)
    if n_features > 0:
        n_features = max(n_features, n_distinct)
    return GainCurve(gains, chance, n_features, is_complete)


def _count_distinct(Z, order, predictability):
    """Predicted columns that those before them leave unexplained, if most columns are noise."""
    trusted = predictability > chance_level(len(Z))
    if not 0 < np.count_nonzero(trusted) < np.count_nonzero(Z.any(axis=0)) / 2:
        return 0
    if np.median(predictability[trusted]) < _TRACE:
        return 0
    first = np.asarray(order)[trusted[order]][: len(Z) // 2]
    left = np.diagonal(np.linalg.qr(Z[:, first], mode="r")) ** 2
    return np.count_nonzero(left > _DISTINCT * (len(Z) - 1 - np.arange(len(first))))


def _count_before_chance(excess):
    """Number of features before the first that, alone and with the next ones, is below chance."""
    for k in range(len(excess)):
        if excess[k] <= 0 and excess[k : k + _PATIENCE].sum() <= 0:
            return k
    return len(excess)


def _gains(Z, order=None):
    if Z.shape[0] > Z.shape[1]:
        Z = np.linalg.qr(Z, mode="r")  # with the same inner products of columns
    columns = Columns(RowBlocks(Z), square_norms=row_norms(Z.T, squared=True))
    target = GramTarget((Z @ Z.T).astype(np.float64))
    selection = ForwardSelection(columns, target, np.zeros(Z.shape[1]))
    if order is not None:
        for j in order:
            selection.force(j)
            yield selection.gains[j]
        return
    while (j := selection.pick()) is not None and selection.n_layers == 1:
        yield selection.gains[j]
