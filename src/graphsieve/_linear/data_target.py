"""Column subset selection: the columns themselves as the targets, in the form that costs least.

Few samples: the Gram matrix of the samples. Few features: a triangle with the inner products of the
columns takes the place of the data. Otherwise no square matrix is formed: the target is applied as
X (X'q) where the gains before the first pick can be computed exactly, and is approximated by a
truncated SVD, whose explained energy is reported, where they cannot.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .._rows import RowBlocks, split_rows
from .._utils.sklearn_private import product_of_sparse
from .._utils.threads import Workers, blas_for
from .operator import ColumnOperator, centred_squares
from .targets import FactorTarget, GramTarget

# Largest square matrix: 72 MB.
MOST_SQUARE = 3000
# Multiplications that the exact gains before the first pick may take: about ten seconds.
_MOST_PRODUCTS = {"sparse": 5e9, "dense": 5e11}
# Inner products of columns are computed in blocks of this size. Sparse products are fastest if a
# row fills half of the first-level cache, and smaller blocks reuse the memory of those before.
_HEIGHT, _WIDTH = 256, 2048
# Components of a truncated SVD: twice the picks, within these bounds.
_COMPONENTS = (50, 200)
_OVERSAMPLING = 10
_N_ITERATIONS = 2


class Problem(NamedTuple):
    """Columns to pick from, their targets, and the fraction of the data's energy in these."""

    columns: ColumnOperator
    target: object
    energy: float


def data_problem(data, n_picks, rng, n_jobs=None):
    """Columns and targets for the reconstruction of all columns.

    Parameters
    ----------
    data : Rows
        Scaled.
    n_picks : int
        Number of columns that will be picked.
    rng : RandomState
        For the truncated SVD.
    n_jobs : int or None, default=None
        Number of threads for large data.

    Returns
    -------
    Problem
    """
    n, d = data.n_samples, data.n_features
    with blas_for(float(n) * d * min(n, d)):
        return _data_problem(data, n_picks, rng, n_jobs)


def _data_problem(data, n_picks, rng, n_jobs):
    n, d = data.n_samples, data.n_features
    if n > d and d <= MOST_SQUARE:
        triangle = column_triangle(data)
        columns = ColumnOperator(RowBlocks(triangle), squares=centred_squares(data))
        return Problem(columns, GramTarget(triangle @ triangle.T), 1.0)
    columns = ColumnOperator(data, n_jobs=n_jobs)
    if n <= MOST_SQUARE:
        return Problem(columns, GramTarget(_sample_gram(data)), 1.0)
    X = data.resident()
    if X is not None and _is_affordable(X):
        return Problem(columns, DataTarget(X, n_jobs), 1.0)
    n_components = min(max(2 * n_picks, _COMPONENTS[0]), _COMPONENTS[1], n - 1, d)
    target = FactorTarget(*leading_scores(columns, n_components, rng))
    return Problem(columns, target, float(target.energy / columns.squares.sum()))


class DataTarget:
    """All columns as targets, applied as X (X'q): exact, and without a square matrix."""

    def __init__(self, X, n_jobs=None):
        self._X, self._n_jobs = X, n_jobs

    def forms(self, columns):
        """|X'x_j|^2 for every column, a block of X'X at a time.

        X'X is symmetric: what is left of the diagonal is not computed, and what is right of it
        counts for its rows and for its columns.
        """
        self._columns = columns
        self.energy = float(columns.squares.sum())
        mean, forms = columns.mean, np.zeros(columns.n_features)
        heights, widths = split_rows(len(forms), _HEIGHT), split_rows(len(forms), _WIDTH)
        if sp.issparse(self._X):
            # scikit-learn multiplies sparse matrices with the interpreter locked.
            n_jobs, product, shift = 1, product_of_sparse, columns.n_samples * mean
            left = [columns.by_column[:, rows].T.astype(np.float64) for rows in heights]
            right = [columns.in_double[:, others] for others in widths]
        else:
            n_jobs, product, shift = self._n_jobs, np.matmul, None
            X = self._X - mean
            left, right = [X[:, rows].T for rows in heights], [X[:, others] for others in widths]

        def squares(i, j):
            rows, others = heights[i], widths[j]
            first = max(rows.start, others.start)
            whole = first == others.start  # SciPy would copy it
            products = product(left[i], right[j] if whole else right[j][:, first - others.start :])
            if shift is not None:
                products -= np.outer(shift[rows], mean[first : others.stop])
            np.square(products, out=products)
            beyond = max(first, min(rows.stop, others.stop))
            of_columns = products[:, beyond - first :].sum(axis=0)
            return (rows, products.sum(axis=1)), (slice(beyond, others.stop), of_columns)

        pairs = [
            (i, j)
            for j, others in enumerate(widths)
            for i, rows in enumerate(heights)
            if rows.start < others.stop
        ]
        with Workers(n_jobs) as workers:
            for sums in workers.map(squares, *zip(*pairs, strict=True)):
                for place, values in sums:
                    forms[place] += values
        return forms

    def apply(self, q, r=None):
        """X X'q, and X'q, which may be given."""
        if r is None:
            r = self._columns.products(q[np.newaxis])[0]
        return self._columns.combine(r[:, np.newaxis])[:, 0], r


def leading_scores(columns, n_components, rng):
    """Left singular vectors times singular values of the centred columns, by subspace iteration.

    Returns these scores T, and their products T'Z with the columns.

    N. Halko, P. G. Martinsson and J. A. Tropp, "Finding structure with randomness", SIAM Review 53,
    2011, algorithm 4.4.
    """
    size = min(n_components + _OVERSAMPLING, columns.n_samples, columns.n_features)
    Q = np.linalg.qr(columns.combine(rng.standard_normal((columns.n_features, size))))[0]
    for _ in range(_N_ITERATIONS):
        axes = np.linalg.qr(columns.products(Q.T).T)[0]
        Q = np.linalg.qr(columns.combine(axes))[0]
    U, s, Vt = np.linalg.svd(columns.products(Q.T), full_matrices=False)
    U, s, Vt = U[:, :n_components], s[:n_components], Vt[:n_components]
    return Q @ (U * s), Vt * (s * s)[:, np.newaxis]


def column_triangle(data):
    """R, d x d, with the inner products of the centred columns, in one pass over the rows."""
    mean = data.column_moments()[0]
    d = data.n_features
    # Many rows at a time, as two triangles take as long to put together as a square of rows.
    block_bytes = 4 * d * d * data.dtype.itemsize
    R = data.reduce(partial(_factor, mean), combine=_stack_triangles, block_bytes=block_bytes)
    triangle = np.zeros((d, d))
    triangle[: len(R)] = R
    return triangle


def _factor(mean, block):
    if not sp.issparse(block):
        return np.linalg.qr(block - mean, mode="r")
    R = np.empty((0, block.shape[1]))
    for rows in split_rows(block.shape[0], 4 * block.shape[1]):
        R = _stack_triangles(R, block[rows].toarray() - mean)
    return R


def _stack_triangles(one, other):
    return np.linalg.qr(np.vstack([one, other]), mode="r")


def _sample_gram(data):
    """Inner products of the centred rows."""
    X = data.whole()
    if not sp.issparse(X):
        X = X - data.column_moments()[0]
        return X @ X.T
    X = X.astype(np.float64, copy=False)  # centring subtracts numbers of nearly equal size
    K = (X @ X.T).toarray()
    K -= K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    return K


def _is_affordable(X):
    """Whether the inner products of all columns take seconds."""
    if not sp.issparse(X):
        return float(X.shape[0]) * X.shape[1] ** 2 <= _MOST_PRODUCTS["dense"]
    stored = np.diff(X.indptr).astype(np.float64)
    return float(stored @ stored) <= _MOST_PRODUCTS["sparse"]
