"""How many features to keep: as long as a feature adds more than it would to shuffled columns.

Shuffling every column on its own keeps the columns and removes what they share. A feature of the
ranking is worth keeping if it explains more of all features, on top of those before it, than the
best choice does at that place in shuffled columns.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.extmath import row_norms

from .._rows import RowBlocks
from .._rows.scaling import standardised
from .._utils.threads import blas_for_table
from .forward import ForwardSelection
from .operator import ColumnOperator
from .targets import GramTarget

_N_SHUFFLES = 3
# The ranking ends where a feature and the two after it add no more than chance: a method may well
# pick a feature that adds little by itself and prepares for the next ones.
_PATIENCE = 3
# Tables with more entries are compared in single precision, in less than half the time.
_LARGE = 2**20


@dataclass(frozen=True)
class GainCurve:
    """What the features of a ranking add, one after another, and what chance would.

    Attributes
    ----------
    gains : ndarray of shape (n,)
        Fraction of the variance of all features that each feature adds to those before it.
    chance : ndarray of shape (n,)
        The largest gain at this place in shuffled columns.
    n_features : int
        Number of features before the gains fall to chance; 0 if none is above it.
    """

    gains: np.ndarray
    chance: np.ndarray
    n_features: int


@blas_for_table
def gain_curve(X, order):
    """Compare the gains along a ranking, best first, with those of shuffled columns.

    ``X`` are some rows of the data, at most a few thousand.
    """
    Z = standardised(X)[0]
    if Z.size > _LARGE:
        Z = Z.astype(np.float32)
    given = _gains(Z, order)
    rng = np.random.default_rng(0)  # always the same, so that no seed decides how many
    shuffled = [_gains(rng.permuted(Z, axis=0)) for _ in range(_N_SHUFFLES)]
    gains, chance, below = [], [], 0
    for gain, *others in zip(given, *shuffled, strict=False):
        gains.append(gain)
        chance.append(max(others))
        below = below + 1 if gain <= chance[-1] else 0
        if below == _PATIENCE:
            break
    gains, chance = np.array(gains), np.array(chance)
    return GainCurve(gains, chance, _count_before_chance(gains - chance))


def _count_before_chance(excess):
    """Number of features before the first that, alone and with the next ones, is below chance."""
    for k in range(len(excess)):
        if excess[k] <= 0 and excess[k : k + _PATIENCE].sum() <= 0:
            return k
    return len(excess)


def _gains(Z, order=None):
    """Yield the gains of the columns in this order, or of greedy selection."""
    if Z.shape[0] > Z.shape[1]:
        # A rotation of the rows changes no inner product of columns, and leaves few rows.
        Z = np.linalg.qr(Z, mode="r")
    columns = ColumnOperator(RowBlocks(Z), squares=row_norms(Z.T, squared=True))
    target = GramTarget((Z @ Z.T).astype(np.float64))
    selection = ForwardSelection(columns, target, np.zeros(Z.shape[1]))
    while True:
        if order is None:
            j = selection.pick()
            if j is None or selection.n_layers > 1:
                return
        else:
            if len(selection.order) == len(order):
                return
            j = order[len(selection.order)]
            selection.take(int(j))
        yield selection.gains[j]
