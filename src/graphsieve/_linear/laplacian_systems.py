"""Systems with the Laplacian of a sparse graph plus a diagonal, for many right-hand sides."""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

# Accuracy of the iteration, and the number of steps above which a factorisation is faster.
_ACCURACY = 1e-12
_MANY_STEPS = 60

# Right-hand sides at a time: what an iteration works on should stay in cache.
_BLOCK_SIDES = 64


def solve_laplacian(L, scale, B):
    """(L + diag(1 / scale))^-1 B for a positive ``scale``.

    With F the diagonal of the matrix, F^-1/2 (L + diag(1 / scale)) F^-1/2 = I - M, and the graph
    says how large the eigenvalues of M are: at most q = max_j L_jj scale_j / (1 + L_jj scale_j).
    Chebyshev's iteration then needs a number of steps that is known before. Where the Laplacian
    outweighs the diagonal they are many, and the matrix is factorised instead.
    """
    weight = L.diagonal() * scale
    q = (weight / (1 + weight)).max()
    n_steps = _count_steps(q)
    if n_steps > _MANY_STEPS:
        return _factorise(L, scale, B)
    root = np.sqrt(scale / (1 + weight))
    M = sp.csr_array(sp.eye_array(len(root)) - sp.diags_array(root) @ L @ sp.diags_array(root))
    M -= sp.diags_array(root**2 / scale)
    solution = np.empty(B.shape)
    for start in range(0, B.shape[1], _BLOCK_SIDES):
        block = slice(start, start + _BLOCK_SIDES)
        sides = np.multiply(root[:, None], B[:, block], order="C")
        solution[:, block] = _chebyshev(M, q, sides, n_steps)
    solution *= root[:, None]
    return solution


def _count_steps(q):
    """Steps after which Chebyshev's polynomial for [-q, q] leaves ``_ACCURACY`` of the error."""
    return int(np.ceil(np.log(2 / _ACCURACY) / np.arccosh(1 / q))) if q > 0 else 0


def _chebyshev(M, q, B, n_steps):
    """(I - M)^-1 B for symmetric M with eigenvalues in [-q, q]."""
    x, before, omega = B, np.zeros_like(B), 2.0
    for _ in range(n_steps):
        # x_{k+1} = omega (M x_k + B - x_{k-1}) + x_{k-1}, omega from the recursion of the T_k.
        omega = 1 / (1 - q**2 / 4 * omega)
        after = M @ x
        after += B
        after -= before
        after *= omega
        after += before
        before, x = x, after
    return x


def _factorise(L, scale, B):
    # Scaled to a unit diagonal the matrix stays well conditioned where the scale vanishes.
    s = np.sqrt(scale)
    scaled = sp.diags_array(s) @ L @ sp.diags_array(s) + sp.eye_array(len(s))
    factor = splu(scaled.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0)
    return s[:, None] * factor.solve(s[:, None] * B)
