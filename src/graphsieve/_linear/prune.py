"""Leave out kept columns that others, kept later, have made superfluous."""

import numpy as np
from scipy.linalg import pinvh

# Values that differ by less are equal.
_TIE = 1e-9


def prune(C_S, kept, residual, slack, *, may_go, tie_break):
    """Kept columns without those that are not needed to cover all columns, and the residuals then.

    With P = C_SS^-1 and the weights B = P C_S' of all columns on the kept ones, leaving out c adds
    B_ci^2 / P_cc to the residual variance of column i. The column whose absence leaves the worst
    covered column best covered goes first.

    Parameters
    ----------
    C_S : ndarray of shape (n_features, n_kept)
        Correlations of all columns with the kept ones.
    kept : ndarray of int of shape (n_kept,)
    residual : ndarray of shape (n_features,)
        Variance of every column of unit variance that the kept ones do not explain.
    slack : float
        The residual variance up to which a column is covered.
    may_go : ndarray of bool of shape (n_kept,)
        Which of the kept columns may be left out.
    tie_break : ndarray of int of shape (n_features,)
        Between equal columns, the larger goes.
    """
    P = pinvh(C_S[kept])
    B = P @ C_S.T
    left, after = np.ones(len(kept), dtype=bool), residual
    while True:
        own = np.diag(P)
        # Left out, a column has itself the residual variance 1 / P_cc.
        candidates = np.flatnonzero(left & may_go & (own * slack >= 1))
        worst = np.array([(after + B[c] ** 2 / own[c]).max() for c in candidates])
        candidates, worst = candidates[worst <= slack], worst[worst <= slack]
        if not len(candidates):
            break
        ties = candidates[worst <= worst.min() + _TIE]
        c = ties[np.argmax(tie_break[kept[ties]])]
        after = after + B[c] ** 2 / own[c]
        step = P[:, c] / own[c]
        B -= np.outer(step, B[c])
        P -= np.outer(step, P[c])
        left[c] = False
    if left.all():
        return kept, residual
    # Constant columns have no correlations; all others are covered by some of the kept ones.
    varying = C_S.any(axis=1)
    after = np.where(varying, residual_variance(C_S[:, left], kept[left]), 0.0)
    # If kept columns are nearly dependent, rounding may have spoilt the updates.
    return (kept[left], after) if after.max() <= slack else (kept, residual)


def residual_variance(C_S, kept):
    """Variance of every column of unit variance that the kept ones leave unexplained."""
    explained = np.einsum("ij,ji->i", C_S, pinvh(C_S[kept]) @ C_S.T)
    return np.maximum(1 - explained, 0)
