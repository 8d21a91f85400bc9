"""Lasso with a given number of non-zero weights, by least angle regression."""

import numpy as np
from scipy.linalg.lapack import dposv

# A column counts as dependent on the active ones when it differs from them by less than this.
_DEPENDENT = 1e-9

# Columns whose inner products are computed together: one pass over X costs much the same.
_AHEAD = 16


def lasso(columns, Xty, n_nonzero):
    """min_w |y - X w|^2 / 2 + alpha |w|_1, for the smallest alpha with ``n_nonzero`` weights.

    Follows the solution down from alpha = max |X'y|, where w = 0. Between two events (a weight
    enters, or falls back to zero) it is linear in alpha. It stops just before one weight too many
    would enter, or when nothing is left to explain.

    Parameters
    ----------
    columns : Columns
    Xty : ndarray of shape (n_features,)
    n_nonzero : int

    Returns
    -------
    w : ndarray of shape (n_features,)
    """
    w = np.zeros(len(Xty))
    correlation = Xty.copy()
    alpha = start = abs(Xty).max()
    entering = int(_first_smallest(-abs(Xty), start))
    active, sign = np.empty(0, dtype=int), np.empty(0)
    barred = active  # columns that depend on the active ones
    P = np.empty((n_nonzero, len(Xty)))  # inner products of the active columns with all
    G = np.empty((n_nonzero, n_nonzero))  # and among themselves
    # Without ties an event does not repeat; the limit ends the walk where they make it go round.
    for _ in range(10 * n_nonzero + len(Xty)):
        if alpha <= 1e-10 * start or (entering is not None and len(active) == n_nonzero):
            break
        if entering is not None:
            if not columns.is_kept(entering):
                n_likely = min(len(active) + _AHEAD, len(Xty))
                likely = np.argpartition(-abs(correlation), n_likely - 1)[:n_likely]
                columns.keep(np.append(likely, entering))
            active = np.append(active, entering)
            k = len(active)
            P[k - 1] = columns.with_column(entering)
            G[k - 1, :k] = G[:k, k - 1] = P[k - 1, active]
            sign = np.append(sign, np.sign(correlation[entering]))
        k = len(active)
        direction, outside = _solve(G[:k, :k], sign)
        if entering is not None and outside <= _DEPENDENT * G[k - 1, k - 1]:
            # Its correlation goes down with alpha from here on: rounding alone made them meet.
            barred = np.append(barred, entering)
            active, sign, entering = active[:-1], sign[:-1], None
            continue
        slope = direction @ P[:k]
        step, entering = _next_entry(correlation, slope, alpha, np.append(active, barred))
        falls = np.flatnonzero(direction * sign < 0)
        ends = -w[active[falls]] / direction[falls]
        leaving = None
        if falls.size and ends.min() < step:
            leaving, entering = falls[ends.argmin()], None
            step = ends.min()
        w[active] += step * direction
        correlation -= step * slope
        alpha -= step
        if leaving is not None:
            w[active[leaving]] = 0.0
            P[leaving : k - 1] = P[leaving + 1 : k]
            G[leaving : k - 1] = G[leaving + 1 : k]
            G[:, leaving : k - 1] = G[:, leaving + 1 : k]
            active, sign = np.delete(active, leaving), np.delete(sign, leaving)
            barred = barred[:0]
    if len(active):
        # The steps have added up rounding: solve once more for the alpha that was reached.
        k = len(active)
        w[active] = _solve(G[:k, :k], Xty[active] - alpha * sign)[0]
    return w


def _next_entry(correlation, slope, alpha, known):
    """How far alpha can fall until the correlation of a column meets it, and of which.

    ``known`` columns do not count.
    """
    # Both signs at once: alpha meets c where c rises to it, and -c where c falls to -alpha.
    gap, fall = np.empty((2, 2, len(slope)))
    np.subtract(alpha, correlation, out=gap[0])
    np.add(alpha, correlation, out=gap[1])
    np.maximum(gap, 0, out=gap)
    np.subtract(1, slope, out=fall[0])
    np.add(1, slope, out=fall[1])
    # Where the correlation falls as fast as alpha, or faster, they never meet; copies of an active
    # column are among these.
    never = fall <= _DEPENDENT
    fall[never] = 1
    gap /= fall
    gap[never] = alpha
    steps = gap.min(axis=0)
    steps[known] = alpha
    entering = _first_smallest(steps, alpha)
    if steps[entering] >= alpha * (1 - _DEPENDENT):
        return alpha, None
    return steps[entering], int(entering)


def _first_smallest(values, scale):
    """Index of the smallest value; the first where several differ by rounding only."""
    return (values <= values.min() + 1e-12 * scale).argmax()


def _solve(G, right):
    """G^-1 right, and the squared length of the last column outside of the others."""
    # LAPACK itself: the checks around it take longer than a system of this size.
    factor, solution, info = dposv(G, right)
    if info:
        return np.linalg.lstsq(G, right, rcond=None)[0], 0.0
    return solution, factor[-1, -1] ** 2
