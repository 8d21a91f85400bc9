"""min |Y - X W|^2 + alpha sum_j |W_j|: a plain solution, and what every solution satisfies."""

import numpy as np


def coordinate_descent(X, Y, alpha):
    """Row after row, each exactly, until none moves."""
    W = np.zeros((X.shape[1], Y.shape[1]))
    R = Y.copy()
    square = (X**2).sum(axis=0)
    for _ in range(50_000):
        before = W.copy()
        for j in np.flatnonzero(square):
            c = X[:, j] @ R + square[j] * W[j]
            w = max(0, 1 - alpha / 2 / max(np.linalg.norm(c), 1e-300)) * c / square[j]
            R += np.outer(X[:, j], W[j] - w)
            W[j] = w
        if abs(W - before).max() <= 1e-12 * abs(W).max():
            break
    return W


def check_optimal(X, Y, W, alpha, tol):
    """|2 x_j'R| <= alpha where W_j = 0, 2 x_j'R = alpha W_j / |W_j| elsewhere."""
    pull = 2 * X.T @ (Y - X @ W)
    norms = np.linalg.norm(W, axis=1)
    on = norms > 0
    assert (np.linalg.norm(pull[~on], axis=1) <= alpha * (1 + tol)).all()
    np.testing.assert_allclose(pull[on], alpha * W[on] / norms[on, None], atol=tol * alpha)
