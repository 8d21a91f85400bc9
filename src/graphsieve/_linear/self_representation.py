"""Self-representation: every column as a combination of all columns, X = XW + E.

The methods differ in the loss, but each of their steps is one ridge problem for W (d x d),

    min_W  Tr((Y - XW)' B (Y - XW)) + sum_j |W_j|^2 / s_j,

and of W they need only the row norms. When n <= d these come from n x n matrices: with
T = (X S X' + B^-1)^-1, S = diag(s),

    W = S X' T Y,   Y - XW = B^-1 T Y,   |W_j| = s_j |R' T x_j|   for any R with R R' = Y Y',

so W is never formed. When d < n the d x d normal equations are the smaller ones.
"""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_solve
from sklearn.utils.extmath import row_norms

from .._rows import to_dense
from .._solvers import SMOOTHING, inverse_weights, reweighted_l21
from .._utils.linalg import factorise
from .._utils.warn import warn
from .columns import is_mostly_zero, square_rows

# The default alpha as a fraction of the smallest one for which W = 0.
ALPHA_FRACTION = 0.1

# Sum of the residual norms, relative to that for W = 0, below which a fit is exact, and above which
# a default alpha leaves enough residuals for the order of the columns to mean something.
_EXACT_FIT = 1e-5
_CLEAR_MISFIT = 1e-3

# A default alpha beyond this fraction of the limit is not raised further.
_NEAR_LIMIT = 0.95


def square_memory(n_samples, n_features):
    """Bytes that the square matrices of a self-representation take, and tall data once more."""
    dense = 2 * n_samples * n_features if n_samples > n_features else 0
    return 8.0 * (6 * min(n_samples, n_features) ** 2 + dense)


def robust_self_representation(columns, monitor, *, alpha, power=1.0, norms=None):
    """Minimise sum_i |X_i - X_i W| + alpha sum_j |W_j|^power over W, both norms reweighted.

    The ``x`` of the Result holds the n residual norms |X_i - X_i W|, then the d row norms |W_j|;
    ``norms`` is that of an earlier result, to start from.
    """
    n, d = columns.n_samples, columns.n_features
    length = row_norms(columns.root)
    # Residuals have the units of the data, W has none.
    eps = np.repeat([SMOOTHING * (length.max() or 1.0), SMOOTHING], [n, d])
    weight = np.repeat([1.0, alpha], [n, d])
    power = np.repeat([1.0, power], [n, d])
    if norms is None:
        # The residuals of W = 0, and an even chance for every column.
        norms = np.concatenate([length, np.full(d, 0.5)])
    return reweighted_l21(
        _robust_step(columns, alpha),
        inverse_weights(norms**2, eps, power),
        monitor,
        weight=weight,
        power=power,
        eps=eps,
    )


def robust_limit(columns):
    """The smallest alpha for which W = 0 minimises the robust objective."""
    length = row_norms(columns.root)
    weight = 1 / np.where(length > 0, length, np.inf)
    return columns.correlation(weight).max() or 1.0


def choose_alpha(columns, solve, alpha=None):
    """``solve(alpha)`` for a given alpha, or for one relative to ``robust_limit``; and this alpha.

    If alpha is None, it is ALPHA_FRACTION of the limit. When n > d, the residuals may vanish there;
    alpha then moves towards the limit, half of the way at a time, until they do not. ``solve``
    returns the Result of ``robust_self_representation``.
    """
    if alpha is not None:
        result = solve(alpha)
        _warn_exact_fit(result.x[: columns.n_samples], columns)
        return result, alpha
    limit = robust_limit(columns)
    alpha = ALPHA_FRACTION * limit
    result = solve(alpha)
    while (
        not columns.is_wide
        and _misfit(result.x[: columns.n_samples], columns) < _CLEAR_MISFIT
        and alpha < _NEAR_LIMIT * limit
    ):
        alpha = (alpha + limit) / 2
        result = solve(alpha)
    return result, alpha


def _misfit(residuals, columns):
    """Sum of the residual norms relative to that for W = 0; 1 if the data are constant."""
    total = row_norms(columns.root).sum()
    return residuals.sum() / total if total > 0 else 1.0


def _warn_exact_fit(residuals, columns):
    """Warn if alpha is too small to matter: the residuals are then zero."""
    if _misfit(residuals, columns) < _EXACT_FIT:
        why = (
            "the row norms no longer depend on alpha"
            if columns.is_wide
            else "if they are independent, W is the identity and their order is rounding noise"
        )
        warn(
            f"alpha is so small that the columns represent themselves exactly: {why}. "
            "Use a larger alpha, or alpha=None"
        )


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


def ridge_regression(X, weight):
    """W(inverse, F) that minimises |XW - F|^2 + weight sum_j |W_j|^2 / inverse_j."""
    n, d = X.shape
    if d <= n:
        gram = X.T @ X
        return lambda inverse, F: ridge_rows(gram, X.T @ F, inverse / weight)

    rows = sp.csr_array(X) if is_mostly_zero(X) else X

    def solve(inverse, F):
        root = np.sqrt(inverse / weight)
        scaled = rows * root
        A = to_dense(scaled @ scaled.T)
        A[np.diag_indices_from(A)] += 1
        return root[:, None] * (scaled.T @ cho_solve(factorise(A), F))

    return solve


def ridge_samples(N, B_inverse, R):
    """T R for T = (N + B^-1)^-1; a 1-D ``B_inverse`` is a diagonal."""
    A = N + (B_inverse if B_inverse.ndim == 2 else np.diag(B_inverse))
    return cho_solve(factorise(A), R)


def _robust_step(columns, alpha):
    n = columns.n_samples

    def solve_wide(inverse):
        residual, scale = inverse[:n], inverse[n:] / alpha
        V = ridge_samples(columns.gram(scale), residual, columns.root)
        squares = residual**2 * square_rows(V), scale**2 * columns.squares(V)
        return 0.0, np.concatenate(squares)

    def solve_tall(inverse):
        H = columns.feature_gram(1 / inverse[:n])
        W = ridge_rows(H, H, inverse[n:] / alpha)
        return 0.0, np.concatenate([columns.residual_squares(W), square_rows(W)])

    return solve_wide if columns.is_wide else solve_tall
