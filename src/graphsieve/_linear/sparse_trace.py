"""Row-sparse directions of small variation, for UDFS.

Minimises Tr(W'MW) + alpha sum_j |W_j| over W (d x m) with W'W = I, where M = X'BX, by reweighted
eigenproblems: each iteration takes the m smallest eigenpairs of M + alpha diag(1 / (2 |W_j|)).
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, eigsh

from .._solvers import SMOOTHING, Monitor, inverse_weights, reweighted_l21
from .._utils.linalg import some_eigenpairs
from .columns import square_rows

# Number of features up to which a dense eigenproblem is faster than Lanczos, also if n < d.
_SMALL = 500

# Iterations from every start before the best one is continued.
_TRIAL_ITERATIONS = 5


def open_problem(X, B, m):
    """The eigenproblems of M = X'BX for m directions, in the form that is faster.

    ``B`` is sparse and positive semidefinite.
    """
    n, d = X.shape
    return (DenseProblem if d <= max(n, _SMALL, 8 * m) else LanczosProblem)(X, B, m)


def minimise(problem, spread, alpha, monitor):
    """Reweighted eigenproblems from the start that is best after a few iterations.

    ``spread`` are the standard deviations of the columns of X. The ``x`` of the Result holds the
    row norms |W_j|.
    """
    solve = problem.step(alpha)

    def run(norms, monitor):
        inverse = inverse_weights(norms**2, SMOOTHING)
        return reweighted_l21(solve, inverse, monitor, weight=alpha, eps=SMOOTHING)

    trials = [
        run(norms, Monitor(tol=monitor.tol, max_iter=_TRIAL_ITERATIONS))
        for norms in starts(problem, spread)
    ]
    return run(min(trials, key=lambda trial: trial.trace[-1]).x, monitor)


def starts(problem, spread):
    """Row norms of W to start from: in proportion to the spread of the columns, the m columns with
    the smallest diagonal entries of M, and equal norms.

    The last only if d <= n: with n < d, the first eigenvectors would be an arbitrary basis of the
    null space of M, and the result would depend on the order of the columns.
    """
    d, m = len(spread), problem.m
    unit = np.zeros(d)
    unit[np.argsort(problem.diagonal, kind="stable")[:m]] = 1
    norms = [np.sqrt(m) * spread / (np.linalg.norm(spread) or 1.0), unit]
    return [*norms, np.full(d, np.sqrt(m / d))] if d <= problem.n_samples else norms


class DenseProblem:
    """The m smallest eigenpairs of M + diag(alpha / inverse), from the d x d matrix."""

    def __init__(self, X, B, m):
        self.n_samples, self.m = len(X), m
        self.M = X.T @ (B @ X)
        self.diagonal = self.M.diagonal()

    def step(self, alpha):
        def solve(inverse):
            A = self.M + np.diag(alpha / inverse)
            W = some_eigenpairs(A, 0, self.m - 1)[1]
            return np.vdot(W, self.M @ W), square_rows(W)

        return solve


class LanczosProblem:
    """The same from the inverse of M + diag(1 / a), M = QQ': diag(a) minus a matrix of rank n."""

    def __init__(self, X, B, m):
        self.n_samples, self.m = len(X), m
        value, vector = eigh(B.toarray())
        kept = value > 1e-14 * value[-1]
        self.Q = X.T @ (vector[:, kept] * np.sqrt(value[kept]))
        self.diagonal = square_rows(self.Q)

    def step(self, alpha):
        Q, m = self.Q, self.m
        d = len(Q)
        first = np.random.default_rng(0).standard_normal(d)

        def solve(inverse):
            a = inverse / alpha
            scaled = np.sqrt(a)[:, None] * Q
            core = scaled.T @ scaled
            core[np.diag_indices_from(core)] += 1
            factor = cho_factor(core, overwrite_a=True)

            def multiply(v):
                v = a * v.ravel()
                return v - a * (Q @ cho_solve(factor, Q.T @ v))

            operator = LinearOperator((d, d), matvec=multiply, dtype=np.float64)
            W = eigsh(operator, m, which="LA", ncv=max(4 * m, 40), v0=first, tol=1e-12)[1]
            return np.square(Q.T @ W).sum(), square_rows(W)

        return solve
