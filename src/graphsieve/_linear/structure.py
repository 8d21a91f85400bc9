"""How much structure columns share: components above noise, and how predictable each column is.

Shuffling every column on its own keeps the columns and removes what they share. Principal
components that are stronger than the first one of shuffled columns are structure; a column is
trusted if the other columns predict it on rows that were held out. Where most columns are noise,
the components of the trusted ones show the structure more clearly. Predictability is then
recomputed from these components alone, unless fewer columns would be trusted.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import row_norms

from .._rows import RowBlocks, chosen_rows
from .._rows.scaling import MOST_ROWS, chosen_sample, column_scaling, robust_scaling, scaled_type
from .._utils.linalg import count_above, largest_singular_value, leading_eigenpairs
from .._utils.threads import Workers, blas_for, single_threaded_blas
from .columns import compact_rows
from .forward import FactorTarget, GramTarget

# Singular values below this fraction of the largest are rounding errors.
_ROUNDING = {np.dtype(np.float32): 1e-3, np.dtype(np.float64): 1e-5}
# More components change neither the number of features nor their order.
_MOST_COMPONENTS = 100
# Coordinates of all rows along the axes: 128 MB. Fewer axes are used for many rows.
_MOST_COORDINATES = 2**24
# From so many entries, single precision is enough, and takes half the time.
_LARGE = 4e5
_N_FOLDS = 5
# A held-out squared correlation below this over n may be chance: 3.5 standard errors, squared.
_CHANCE = 12.0
# With few rows that would exclude nearly all columns.
_MOST_CHANCE = 0.25
# Fewer trusted columns than this have no components of their own.
_FEWEST_TRUSTED = 3
# The first singular value of shuffled entries varies by 3 % for 2,400 to 0.4 % for a million.
_SHUFFLED_ENTRIES, _SHUFFLED_ENTRIES_OF_FEW, _FEW = 2e6, 1e6, 256
_MOST_SHUFFLES = 10
# Keeps divisions by the singular values of constant columns finite.
_TINY = np.finfo(float).tiny ** 0.5


def chance_level(n_rows):
    """Held-out squared correlation up to which a column may be predicted by chance."""
    return min(_CHANCE / n_rows, _MOST_CHANCE)


@dataclass(frozen=True)
class Structure:
    """Structure of the centred directions Z in which rows deviate from the mean row.

    ``rows`` are Z, ``centre`` is the mean row, and ``mean`` that of the directions, the rows less
    ``centre`` times ``scale``, before Z was centred and its columns multiplied by ``weights``.
    ``gram`` is Z Z' or Z'Z, whichever is smaller, ``values`` are the first singular values of Z,
    largest first, and ``vectors`` the eigenvectors of ``gram``. ``edge`` is the largest singular
    value of shuffled columns. ``core`` is the mask of the columns whose components predict all
    columns, if most columns are noise; else None.
    """

    rows: np.ndarray
    centre: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    weights: np.ndarray
    gram: np.ndarray
    values: np.ndarray
    vectors: np.ndarray
    edge: float
    predictability: np.ndarray
    core: np.ndarray | None = None

    @property
    def n_rows(self):
        return len(self.rows)

    @property
    def n_components(self):
        return min(int((self.values > self.edge).sum()), _MOST_COMPONENTS)

    @property
    def trusted(self):
        """Mask of the columns that the others predict."""
        return self.predictability > chance_level(self.n_rows)

    @property
    def untrusted_majority(self):
        """Mask of the columns that are not trusted, where these are the majority; else nothing."""
        varying = np.count_nonzero(self.rows.any(axis=0))
        return ~self.trusted & (np.count_nonzero(self.trusted) < varying / 2)

    @property
    def trust_weights(self):
        """Weight of every column: 1/3 if not trusted, up to 1 if so, by James-Stein shrinkage."""
        chance = chance_level(self.n_rows)
        return 1 - 2 / 3 * chance / np.maximum(self.predictability, chance)

    @property
    def n_kept(self):
        """Number of components that represent the structure, at least two, for the graph."""
        return min(max(self.n_components, 2), len(self.values))

    def axes(self, n_axes=None):
        """The first principal axes of Z, one a column, their largest entries positive."""
        axes = self.vectors[:, :n_axes].copy()
        if _is_wide(self.rows):
            axes /= np.maximum(self.values[:n_axes], _TINY)
            axes = _product(self.rows.T, axes)
        axes *= np.where(axes.max(axis=0) < -axes.min(axis=0), -1.0, 1.0)
        return axes

    def coordinates(self, axes=None):
        """Z along the axes, by default the principal ones, up to their signs."""
        if axes is not None:
            with blas_for(float(self.rows.size) * axes.shape[1]):
                return _product(self.rows, axes)
        if _is_wide(self.rows):
            return self.vectors * self.values
        return _product(self.rows, self.vectors)

    def target(self):
        """Targets T with T T' = Z Z'."""
        if _is_wide(self.rows):
            return GramTarget(self.gram.astype(np.float64, copy=False))
        rows = self.rows.astype(np.float64, copy=False)
        return FactorTarget(rows, scale=self.scale, weights=self.weights)

    def core_axes(self):
        """The first ``n_kept`` principal axes of the core, 0 in the other columns."""
        rows = self.rows[:, self.core]
        found = _first_axes(rows, _gram(rows), np.zeros(len(rows), dtype=bool), self.n_kept)
        axes = np.zeros((len(self.core), found.shape[1]))
        axes[self.core] = found
        return axes

    def denoised(self, coordinates, X, n_jobs=None):
        """All rows X along the components that represent the structure, from ``coordinates``."""
        if self.core is None:
            return coordinates[:, : self.n_kept]
        return all_coordinates(self, X, n_jobs, self.core_axes())

    def projection(self, axes):
        """A function that returns the coordinates of the rows of any block along the axes."""
        W = self.weights[:, np.newaxis] * axes
        return partial(_project, W, self.centre, self.centre @ W, self.mean @ W)


def scaled_sample(data, scale, rng, spread="deviation"):
    """Scaled Rows, a dense sample of at most ``MOST_ROWS`` of them, its mask, and the Scaling.

    ``spread`` is what ``scale="auto"`` makes 1, see ``robust_scaling``.
    """
    chosen = chosen_sample(data.n_samples, MOST_ROWS, rng)
    if scale in ("auto", "standard"):
        spread = spread if scale == "auto" else "deviation"
        scaling = robust_scaling(data, chosen, spread, counts=scale == "auto")
    else:
        scaling = column_scaling(data, scale)
    X = data.scaled(scaling, scaled_type(data))
    return compact_rows(X), X.stack(chosen_rows, chosen), chosen, scaling


def sample_rows(data, most, rng):
    """At most ``most`` random rows of data (None: all), in memory, and their mask."""
    chosen = chosen_sample(data.n_samples, most or data.n_samples, rng)
    if chosen.all():
        return data, chosen
    blocks = data.reduce(lambda block, chosen: [block[chosen]], chosen)
    return RowBlocks(sp.vstack(blocks, "csr") if data.is_sparse else np.concatenate(blocks)), chosen


def all_coordinates(structure, X, n_jobs=None, axes=None):
    """All rows of X along the axes, by default the principal ones, with the structure of some."""
    if structure.n_rows == X.n_samples:
        return structure.coordinates(axes)
    if axes is None:
        axes = structure.axes(max(structure.n_kept, _MOST_COORDINATES // X.n_samples))
    with Workers(n_jobs) as workers:
        return X.stack(structure.projection(axes), workers=workers)


def find_structure(X, n_samples=0, *, balanced=False):
    """Structure of the scaled columns of X, at most ``MOST_ROWS`` of ``n_samples`` rows.

    If X are only some of the rows, it has as many axes as ``all_coordinates`` needs for all.

    Each row is reduced to the direction in which it deviates from the mean row, so that no outlier
    dominates: spherical principal components (Locantore et al. 1999), ``balanced`` or not.
    Predictability is that of standardised columns and plain directions: no columns of large
    variance set the limit of noise for all.
    """
    n_axes = None if n_samples == len(X) else _MOST_COMPONENTS
    if n_samples > len(X):
        n_axes = max(_MOST_COMPONENTS, _MOST_COORDINATES // n_samples)
    centre = X.mean(axis=0, dtype=np.float64)
    X = (X - centre).astype(np.float32 if X.size > _LARGE else X.dtype, copy=False)
    deviation = X.std(axis=0, dtype=np.float64)
    units = np.where(deviation > 0, deviation, 1).astype(X.dtype)
    balanced = balanced and _flags(X).any()
    if np.allclose(units, 1, rtol=1e-3) and not balanced:
        (edge,) = _edges(X, [(None, False)])
        found = replace(_components(X, edge, n_axes), centre=centre)
        return _with_predictability(found, X, found.n_components)
    edge, standard_edge = _edges(X, [(None, balanced), (units, False)])
    found = replace(_components(X, edge, n_axes, balanced), centre=centre)
    X /= units
    Z = _directions(X)[0]
    standard = replace(found, rows=Z, gram=_gram(Z))
    judged = _with_predictability(standard, X, _count_components(standard.gram, standard_edge))
    return replace(found, predictability=judged.predictability, core=judged.core)


def _edges(X, units):
    """Largest singular values of permuted columns, by units (None: their own) and ``balanced``."""
    rows, columns = _by_content(X)
    ordered = X[rows][:, columns].astype(np.float64)  # permuted faster than single precision
    rng = np.random.default_rng(0)  # always the same, so that no seed decides what is structure
    found = []
    few = min(X.shape) < _FEW
    entries = _SHUFFLED_ENTRIES_OF_FEW if few else _SHUFFLED_ENTRIES
    for _ in range(int(np.clip(entries / X.size, 1 + few, _MOST_SHUFFLES))):
        permuted = rng.permuted(ordered, axis=0).astype(X.dtype)
        scaled = ((permuted if unit is None else permuted / unit[columns], b) for unit, b in units)
        directions = (_directions(Z, b)[0].astype(np.float32, copy=False) for Z, b in scaled)
        found.append([*map(largest_singular_value, directions)])
    return np.mean(found, axis=0)


def _components(X, edge, n_axes=None, balanced=False):
    """The structure but for predictability, with ``n_axes``, if None those above the edge."""
    Z, *made = _directions(X, balanced)
    G = _gram(Z)
    n_axes = n_axes or max(_count_components(G, edge), 2)
    square, vectors = leading_eigenpairs(G, min(len(G), n_axes))
    values = np.sqrt(np.maximum(square[::-1].astype(np.float64), 0))
    significant = values > _ROUNDING[Z.dtype] * values[0]
    significant[0] = True  # of constant columns too
    vectors = vectors[:, ::-1][:, significant].astype(np.float64, copy=False)
    centre = np.zeros(X.shape[1])
    return Structure(Z, centre, *made, G, values[significant], vectors, edge, np.empty(0))


def _count_components(G, edge):
    return min(count_above(G, edge**2), _MOST_COMPONENTS)


def _with_predictability(found, X, n_components):
    n_components = max(n_components, 1)
    predictability = _predictability(found.rows, found.gram, n_components)
    return _with_rest(_with_core(replace(found, predictability=predictability), n_components), X)


def _with_core(found, n_components):
    """Predictability from the components of the trusted columns, where they are the minority."""
    core, Z = found.trusted, found.rows
    if not _FEWEST_TRUSTED <= core.sum() <= np.count_nonzero(Z.any(axis=0)) / 2:
        return found
    # With as many axes as columns, a column would be predicted from itself alone.
    n_components = min(n_components, core.sum() - 1)
    predictability = _predictability(Z, _gram(Z[:, core]), n_components, core)
    again = replace(found, predictability=predictability, core=core)
    # Many columns that each carry little predict more together than the few that are trusted.
    return again if again.trusted.sum() >= core.sum() else found


def _with_rest(found, X):
    """Predictability of the other columns among themselves, without reducing rows to directions.

    These hardly depend on columns that differ from their mean in few rows, such as rare flags.
    """
    rest = np.flatnonzero(~found.trusted)
    if len(rest) < 2:
        return found
    R = X[:, rest] - X[:, rest].mean(axis=0)
    rng = np.random.default_rng(0)
    rows, columns = _by_content(R)
    edge = largest_singular_value(rng.permuted(R[rows][:, columns], axis=0))
    G = _gram(R)
    n_components = min(_count_components(G, edge), len(rest) - 1)
    if n_components == 0:
        return found
    predictability = found.predictability.copy()
    predictability[rest] = np.maximum(predictability[rest], _predictability(R, G, n_components))
    return replace(found, predictability=predictability)


def _project(axes, centre, shift, mean, block):
    """Directions of the rows of a block from the centre, less their mean, along weighted axes."""
    squares = row_norms(block, squared=True).astype(np.float64)
    away = squares - 2 * (block @ centre) + centre @ centre
    scale = _inverse_lengths(away, 1e-12 * (squares + centre @ centre))
    return scale[:, None] * (block @ axes - shift) - mean


def _directions(X, balanced=False):
    """Directions Z of the centred rows X, centred, and the parts of Structure that lead to them.

    Near the mean row, flags alone are far from their mean. If ``balanced``, columns of two values
    lose the weight that they gain by this, compared with the typical column.
    """
    away = row_norms(X, squared=True).astype(np.float64)
    scale = _inverse_lengths(away, 1e-24 * away.max(initial=0))
    Z = X * scale[:, None].astype(X.dtype)
    mean = Z.mean(axis=0, dtype=np.float64)
    Z -= mean.astype(X.dtype)
    weights = np.ones(X.shape[1])
    if balanced and (flags := _flags(X)).any():
        before, after = (np.einsum("ij,ij->j", A, A, dtype=np.float64) for A in (X, Z))
        ratio = np.divide(before, after, out=np.zeros_like(after), where=after > 0)
        weights[flags] = np.sqrt(np.minimum(ratio / np.median(ratio[after > 0]), 1))[flags]
        Z *= weights.astype(X.dtype)
    return Z, mean, scale, weights


def _flags(X):
    """Mask of the centred columns with two values, besides gaps, which are their mean."""
    low, high = X.min(axis=0), X.max(axis=0)
    is_either = np.equal(X, low) | np.equal(X, high) | (np.abs(X) <= 1e-6 * (high - low))
    return is_either.all(axis=0) & (low < high)


def _inverse_lengths(away, rounding):
    """1 / sqrt(away), or 0 where these squared distances are rounding errors."""
    return np.where(away > rounding, 1 / np.sqrt(np.maximum(away, _TINY)), 0.0)


def _is_wide(Z):
    return Z.shape[0] <= Z.shape[1]


def _gram(Z):
    with blas_for(float(Z.size) * min(Z.shape)):
        return Z @ Z.T if _is_wide(Z) else Z.T @ Z


def _product(A, B):
    return (A @ B.astype(A.dtype, copy=False)).astype(np.float64, copy=False)


@single_threaded_blas()
def _predictability(Z, G, n_components, core=None):
    """Squared correlation of every column with its held-out prediction from the others.

    The first axes V of the core, by default all columns, are those of the other folds. A regression
    on the coordinates along them predicts z_j, without its own part z_j |V_j|^2 if j is in the
    core. G is the ``_gram`` of the core. Negative correlations count 0.
    """
    C = Z if core is None else Z[:, core]
    fold = _folds(Z)
    folds = [_predict_fold(Z, C, G, fold == k, n_components, core) for k in range(fold.max() + 1)]
    cross, square = np.sum(folds, axis=0)
    norm = np.sqrt(np.einsum("ij,ij->j", Z, Z) * square)
    correlation = np.divide(cross, norm, out=np.zeros(Z.shape[1]), where=norm > 0)
    return np.maximum(correlation, 0) ** 2


def _folds(Z):
    """Number of the fold of every row: by content, and the same for equal rows."""
    distinct, number = np.unique(_row_keys(Z), return_inverse=True)
    number = number if len(distinct) > 1 else np.arange(len(Z))
    return number % min(_N_FOLDS, number.max() + 1)


def _row_keys(X):
    """A number for every row that does not depend on the order of the columns."""
    keys = row_norms(np.square(X), squared=True).astype(np.float64)
    return np.round(keys / max(keys.max(), _TINY), 9)


@single_threaded_blas()
def _by_content(X):
    """Rows, and varying columns, in an order that follows from the entries, not from that in X."""
    rows = np.argsort(_row_keys(X), kind="stable")
    weights = np.empty(len(X), X.dtype)
    weights[rows] = np.random.default_rng(1).normal(size=len(X))
    columns = np.argsort(weights @ X, kind="stable")
    varying = X.any(axis=0)[columns]
    return rows, columns[varying] if varying.any() else columns


def _predict_fold(Z, C, G, held, n_components, core):
    """Products of the held-out columns with their predictions, and squares of the predictions."""
    V = _first_axes(C, G, held, n_components)
    given = C[held]
    mean = given.sum(axis=0) / int(np.count_nonzero(held) - len(C))  # the others': C is centred
    given -= mean
    own = given * row_norms(V, squared=True)
    if core is None:
        prediction = (given @ V) @ V.T - own
    else:
        # Coordinates are orthogonal: each has a coefficient of its own, which is V in the core.
        scores = C @ V - mean @ V
        scores[held] = 0
        coefficients = scores.T @ Z
        coefficients /= np.maximum(row_norms(scores.T, squared=True), _TINY)[:, None]
        prediction = (given @ V) @ coefficients
        prediction[:, core] -= own
    return [np.einsum("ij,ij->j", left, prediction) for left in (Z[held], prediction)]


@single_threaded_blas()
def _first_axes(C, G, held, n_components):
    """First principal axes of the centred rows C but for those held out; G as above."""
    n_known = int(np.count_nonzero(~held))  # no NumPy number, which would double the precision
    q = min(n_components, n_known, C.shape[1])
    if not _is_wide(C):
        given = C[held]
        total = given.sum(axis=0)
        return leading_eigenpairs(G - given.T @ given - np.outer(total, total) / n_known, q)[1]
    K = G[np.ix_(~held, ~held)]
    mean = K.mean(axis=0)
    K -= mean
    K -= (mean - mean.mean())[:, None]
    square, U = leading_eigenpairs(K, q)
    weights = np.zeros((len(C), q), dtype=U.dtype)  # a copy of the known rows would take longer
    weights[~held] = U / np.sqrt(np.maximum(square, 1e-12 * abs(square[-1]) + _TINY))
    return C.T @ weights
