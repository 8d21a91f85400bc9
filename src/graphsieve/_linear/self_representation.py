"""Self-representation: every column as a combination of all columns, X = XW + E.

The methods differ in the loss, but each of their steps is one ridge problem for W (d x d),

    min_W  Tr((Y - XW)' B (Y - XW)) + sum_j |W_j|^2 / s_j,

of whose solution they need the row norms. When n <= d these come from n x n matrices: with
T = (X S X' + B^-1)^-1, S = diag(s),

    W = S X' T Y,   Y - XW = B^-1 T Y,   |W_j| = s_j |R' T x_j|   for any R with R R' = Y Y',

so W is never formed. When d < n the d x d normal equations are the smaller ones.
"""

import numpy as np
from scipy.linalg import cho_solve

from .._utils.linalg import factorise
from .columns import square_rows

# The default alpha as a fraction of the smallest one for which W = 0.
ALPHA_FRACTION = 0.1


def square_memory(n_samples, n_features):
    """Bytes of the square matrices of a self-representation, and of tall data once more."""
    dense = 2 * n_samples * n_features if n_samples > n_features else 0
    return 8.0 * (6 * min(n_samples, n_features) ** 2 + dense)


def feature_step(columns, L, alpha, *, fit_weight, graph_weight, penalty=0.0):
    """Step for fit_weight |X - XW|^2 + graph_weight Tr(W'X'LXW) + Tr(W' penalty W), d x d.

    That is <W, HW> - 2 <W, P> + constant, and the step solves (H + D) W = P. With R R' = P P', the
    rows of (H + D)^-1 R are as long as those of W, and H W = P - D W saves a product with H.
    """
    X = columns.dense()
    H = fit_weight * (X.T @ X) + graph_weight * (X.T @ (L @ X)) + penalty
    R, constant = fit_weight * (X.T @ columns.root), fit_weight * np.vdot(X, X)

    def solve(inverse):
        scale = inverse / alpha
        rows = ridge_rows(H, R, scale)
        squares = square_rows(rows)
        return constant - np.vdot(rows, R) - np.sum(squares / scale), squares

    return solve


def sample_step(columns, L, alpha, *, fit_weight, graph_weight, multiply=None):
    """Step for the same loss in n x n matrices, as |Y - XW|_B^2 + constant.

    The targets Y = fit_weight B^-1 X are the data smoothed over the graph. Where there is a
    penalty, ``multiply(scale)`` is X Z^-1 X' for Z = diag(1 / scale) + penalty, and a function of V
    that returns the squared lengths of the rows of Z^-1 X'V.
    """
    B = fit_weight * np.eye(columns.n_samples) + graph_weight * L.toarray()
    B_inverse = cho_solve(factorise(B), np.eye(columns.n_samples))
    R = fit_weight * (B_inverse @ columns.root)
    constant = fit_weight * np.vdot(columns.root, columns.root - R)

    def without_penalty(scale):
        return columns.gram(scale), lambda V: scale**2 * columns.squares(V)

    def solve(inverse):
        scale = inverse / alpha
        N, squares_of = (multiply or without_penalty)(scale)
        V = ridge_samples(N, B_inverse, R)
        squares = squares_of(V)
        # <V, B^-1 V> + <W, penalty W> for W = Z^-1 X'V, from (X Z^-1 X' + B^-1) V = R.
        return np.vdot(V, R) - np.sum(squares / scale) + constant, squares

    return solve


def ridge_rows(H, R, scale):
    """W with (H + diag(1 / scale)) W = R, also where ``scale`` is almost zero."""
    s = np.sqrt(scale)
    A = s[:, None] * H * s
    A[np.diag_indices_from(A)] += 1
    return s[:, None] * cho_solve(factorise(A), s[:, None] * R)


def ridge_samples(N, B_inverse, R):
    """T R for T = (N + B^-1)^-1; a 1-D ``B_inverse`` is a diagonal."""
    A = N + (B_inverse if B_inverse.ndim == 2 else np.diag(B_inverse))
    return cho_solve(factorise(A), R)
