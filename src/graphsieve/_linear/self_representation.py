"""Self-representation: every column as a combination of all columns, X = XW + E.

The methods differ in the loss, but each of their steps is one ridge problem for W (d x d),

    min_W  Tr((Y - XW)' B (Y - XW)) + sum_j |W_j|^2 / s_j,

and of W they need only the row norms. When n <= d these come from n x n matrices: with
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
    """Bytes that the square matrices of a self-representation take, and tall data once more."""
    dense = 2 * n_samples * n_features if n_samples > n_features else 0
    return 8.0 * (6 * min(n_samples, n_features) ** 2 + dense)


def graph_loss_features(columns, L, *, fit_weight, graph_weight):
    """The loss fit_weight |X - XW|^2 + graph_weight Tr(W'X'LXW), for ``quadratic_step``.

    Returns H, R and the constant with loss = <W, HW> - 2 <W, P> + constant, R R' = P P'.
    """
    X = columns.dense()
    H = fit_weight * (X.T @ X) + graph_weight * (X.T @ (L @ X))
    return H, fit_weight * (X.T @ columns.root), fit_weight * np.vdot(X, X)


def graph_loss_samples(columns, L, *, fit_weight, graph_weight):
    """The same loss as |Y - XW|_B^2 + constant: B^-1, a root of Y Y', and the constant.

    The targets Y = fit_weight B^-1 X are the data smoothed over the graph.
    """
    identity = np.eye(columns.n_samples)
    B = fit_weight * identity + graph_weight * L.toarray()
    B_inverse = cho_solve(factorise(B), identity)
    R = fit_weight * (B_inverse @ columns.root)
    return B_inverse, R, fit_weight * np.vdot(columns.root, columns.root - R)


def quadratic_step(H, R, constant, alpha):
    """Step for f(W) = <W, HW> - 2 <W, P> + constant in d x d matrices, for R R' = P P'.

    The rows of (H + D)^-1 R are as long as those of W = (H + D)^-1 P, and H W = P - D W saves f
    the product with H.
    """

    def solve(inverse):
        scale = inverse / alpha
        rows = ridge_rows(H, R, scale)
        squares = square_rows(rows)
        return constant - np.vdot(rows, R) - np.sum(squares / scale), squares

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
