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
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils.extmath import row_norms

from .._rows import is_constant, split_rows
from .._solvers import SMOOTHING, inverse_weights, reweighted_l21
from .._utils.warn import warn
from .columns import is_mostly_zero

# Without a given alpha: this share of the weight from which on W = 0.
ALPHA_SHARE = 0.1

# Products are cut into as many parts whatever the number of threads: sums round the same.
_N_PARTS = 4


def square_rows(V):
    """Squared Euclidean norm of every row."""
    return np.einsum("ij,ij->i", V, V)


def square_memory(n_samples, n_features):
    """Bytes that the square matrices of a self-representation take, and tall data once more."""
    dense = 2 * n_samples * n_features if n_samples > n_features else 0
    return 8.0 * (6 * min(n_samples, n_features) ** 2 + dense)


def varying_columns(data):
    """Indices of the columns that are not constant; of all columns when none varies."""
    varying = ~is_constant(*data.column_range())
    return np.flatnonzero(varying) if varying.any() else np.arange(data.n_features)


def dense_columns(data, index):
    """A dense float64 copy of some columns of the data."""
    X = data.whole()
    X = X[:, index].toarray() if data.is_sparse else np.take(X, index, axis=1)
    return X.astype(np.float64, copy=False)


class CentredColumns:
    """The columns of the data that vary, centred, through the products that the methods need.

    When n <= d, data of which most entries are zero are kept in CSR, however they came: centring
    then acts on the small side of each product. The costly products of dense data are shared out
    to threads, by columns when n <= d, else by rows.

    Parameters
    ----------
    data : RowBlocks
    workers : Workers

    Attributes
    ----------
    index : ndarray of shape (n_features,)
        Where these columns are in the data.
    is_wide : bool
        n_samples <= n_features: the n x n forms apply.
    root : ndarray of shape (n_samples, min(n_samples, n_features))
        R with R R' = X X'.
    """

    def __init__(self, data, workers):
        self.index = varying_columns(data)
        self.n_samples, self.n_features = data.n_samples, len(self.index)
        self.is_wide = self.n_samples <= self.n_features
        self._n_all = data.n_features
        longer = max(self.n_samples, self.n_features)
        self._parts = split_rows(longer, -(-longer // _N_PARTS))
        self._workers = workers
        self._dense = self._sparse = None
        if self.is_wide and is_mostly_zero(data.whole()):
            X = sp.csr_array(data.whole())
            self._sparse = X[:, self.index].astype(np.float64)
            # A product with a dense matrix is faster by rows of the sparse one.
            self._transposed = sp.csr_array(self._sparse.T)
        else:
            self._dense = _centre(dense_columns(data, self.index))
        self.root = self._make_root()

    def dense(self):
        """X itself, for methods that need it."""
        return _centre(self._sparse.toarray()) if self._dense is None else self._dense

    def _make_root(self):
        if not self.is_wide:
            return self._dense
        if self._sparse is None:
            return np.linalg.qr(self._dense.T, mode="r").T
        value, vector = np.linalg.eigh(self.gram(np.ones(self.n_features)))
        return vector * np.sqrt(np.maximum(value, 0))

    def gram(self, scale):
        """X diag(scale) X', n x n, for n <= d."""
        if self._sparse is None:
            scaled = self._dense * np.sqrt(scale)
            return self._sum(lambda part: scaled[:, part] @ scaled[:, part].T)
        product = ((self._sparse * scale) @ self._sparse.T).toarray()
        product -= product.mean(axis=0)
        product -= product.mean(axis=1, keepdims=True)
        return product

    def times(self, V):
        """X V, for n <= d."""
        if self._sparse is None:
            return self._sum(lambda part: self._dense[:, part] @ V[part])
        product = self._sparse @ V
        product -= product.mean(axis=0)
        return product

    def squares(self, V):
        """|V' x_j|^2 for every column x_j."""
        if not self.is_wide:
            return square_rows(self._dense.T @ V)
        if self._sparse is None:
            return self.join(lambda part: square_rows(self._dense[:, part].T @ V))
        V = V - V.mean(axis=0)
        return self.join(lambda part: square_rows(self._transposed[part] @ V))

    def feature_gram(self, weight):
        """X' diag(weight) X, d x d, for n > d."""
        scaled = np.sqrt(weight)[:, None] * self._dense
        return self._sum(lambda part: scaled[part].T @ scaled[part])

    def residual_squares(self, W):
        """|X_i - X_i W|^2 for every sample, for n > d."""
        X = self._dense
        return self.join(lambda part: square_rows(X[part] - X[part] @ W))

    def correlation(self, weight=1.0):
        """|X' diag(weight) x_j| for every column x_j: how well it tells all columns."""
        return np.sqrt(self.squares(np.reshape(weight, (-1, 1)) * self.root))

    def scores(self, norms):
        """One score per feature of the data; constant columns get zero."""
        scores = np.zeros(self._n_all)
        scores[self.index] = norms
        return scores

    def _sum(self, function):
        return sum(self._workers.map(function, self._parts))

    def join(self, function):
        """``function`` of slices of the longer side, on the threads, one after another."""
        return np.concatenate(self._workers.map(function, self._parts))


def _centre(X):
    X -= X.mean(axis=0)
    return X


def robust_self_representation(columns, monitor, *, alpha, power=1.0, norms=None):
    """Minimise sum_i |X_i - X_i W| + alpha sum_j |W_j|^power over W, both norms reweighted.

    Parameters
    ----------
    columns : CentredColumns
    monitor : Monitor
    norms : ndarray of shape (n_samples + n_features,), optional
        Where to start: the ``x`` of an earlier result.

    Returns
    -------
    Result
        Its ``x`` holds the n residual norms |X_i - X_i W|, then the d row norms |W_j|.
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


def robust_alpha(columns):
    """ALPHA_SHARE of the alpha above which W = 0 minimises the robust objective."""
    length = row_norms(columns.root)
    weight = 1 / np.where(length > 0, length, np.inf)
    return ALPHA_SHARE * (columns.correlation(weight).max() or 1.0)


def warn_exact_fit(residuals, columns):
    """Say so when alpha is too small to matter: the residuals are then zero."""
    if residuals.sum() < 1e-5 * row_norms(columns.root).sum():
        why = (
            "the row norms no longer depend on alpha"
            if columns.is_wide
            else "where they are independent W is the identity and their order rounding noise"
        )
        warn(
            f"alpha is so small that the columns represent themselves exactly: {why}. "
            "Use a larger alpha"
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
    B_inverse = cho_solve(cho_factor(B), identity)
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
    return s[:, None] * cho_solve(cho_factor(A, overwrite_a=True), s[:, None] * R)


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
        A = scaled @ scaled.T
        A = A.toarray() if sp.issparse(A) else A
        A[np.diag_indices_from(A)] += 1
        return root[:, None] * (scaled.T @ cho_solve(cho_factor(A, overwrite_a=True), F))

    return solve


def ridge_samples(N, B_inverse, R):
    """T R for T = (N + B^-1)^-1; a 1-D ``B_inverse`` is a diagonal."""
    A = N + (B_inverse if B_inverse.ndim == 2 else np.diag(B_inverse))
    return cho_solve(cho_factor(A, overwrite_a=True), R)


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
