"""The samples in two dimensions: principal components of all columns and of the kept ones."""

import numpy as np
from scipy.linalg import orthogonal_procrustes

from .._utils.linalg import some_eigenpairs
from .._utils.threads import single_threaded_blas

_POINTS = 400
# A picture reaches as far as most points. Where some are this many times farther out than 98 % of
# them, they are drawn at its edge: otherwise a single odd sample squeezes all others together.
_FAR = 2.0
_CATEGORIES = 8


@single_threaded_blas()  # products of at most 400 rows
def scatter(Z, order, grid, rng):
    """First two principal components before and after the selection, for every grid point.

    ``Z`` are standardised columns: all count alike. The components of the kept columns are rotated
    towards those of all columns, so that points can be followed from one picture to the other.

    Returns
    -------
    dict
        ``rows`` of Z that are shown; ``before`` of shape (n_points, 2); ``after`` of shape
        (len(grid), n_points, 2), both between -1 and 1; ``distances``, for every grid point the
        correlation of the distances between samples before and after; ``n_far``, the number of
        points that are drawn at the edge before, and for every grid point.
    """
    rows = np.arange(len(Z))
    if len(rows) > _POINTS:
        rows = np.sort(rng.choice(rows, _POINTS, replace=False))
    Z = Z[rows] - Z[rows].mean(axis=0)
    whole = Z @ Z.T
    target = _two_components(whole)
    before, far_before = _framed(target)
    pairs = np.triu_indices(len(rows), 1)
    all_distances = _distances(whole)[pairs]
    products = np.zeros_like(whole)
    after, agreement, far_after, done = [], [], [], 0
    for k in grid:
        kept = Z[:, order[done:k]]
        products += kept @ kept.T
        done = k
        components = _two_components(products)
        rotation, _ = orthogonal_procrustes(components, target)
        points, far = _framed(components @ rotation)
        after.append(points)
        far_after.append(far)
        agreement.append(_correlation(all_distances, _distances(products)[pairs]))
    return {
        "rows": rows,
        "before": before,
        "after": np.array(after),
        "distances": agreement,
        "n_far": {"before": far_before, "after": far_after},
    }


def _two_components(products):
    last = len(products) - 1
    values, vectors = some_eigenpairs(products, max(0, last - 1), last)
    components = np.zeros((len(products), 2))
    components[:, : vectors.shape[1]] = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1]
    return components


def _framed(points):
    """Points about their median, scaled to lie between -1 and 1, and how many lay farther out."""
    points = points - np.median(points, axis=0)
    farthest = np.abs(points).max(axis=1, initial=0)
    reach = np.quantile(farthest, 0.98)
    if farthest.max() <= _FAR * reach:
        reach = farthest.max()
    scaled = points / max(reach, np.finfo(float).tiny)
    return np.clip(scaled, -1, 1), int(np.count_nonzero(farthest > reach))


def _distances(products):
    square = np.diag(products)
    return np.sqrt(np.maximum(square[:, None] + square - 2 * products, 0))


def _correlation(a, b):
    a, b = a - a.mean(), b - b.mean()
    size = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / size) if size > 0 else 0.0


def color_column(X, color, rows):
    """Values by which the points are coloured, or None.

    ``color`` is the name of a column of the user's table X, or the values themselves. Returns a
    dict with a ``title``, None where the values have no name; for a few distinct values ``labels``
    and their ``codes``, otherwise ``values`` between 0 and 1 with ``low`` and ``high``.
    """
    if color is None:
        return None
    title, values = None, color
    if isinstance(color, str):
        if color not in getattr(X, "columns", ()):
            raise ValueError(
                f"color={color!r} is not a column of X. Pass the name of a column of a data "
                "frame, or one value per sample"
            )
        title, values = color, X[color]
    elif getattr(values, "name", None) is not None:
        title = str(values.name)
    values = np.asarray(values.compute() if hasattr(values, "compute") else values)
    if values.ndim != 1 or len(values) <= rows.max():
        raise ValueError(f"color needs one value per sample, got an array of shape {values.shape}")
    values = values[rows]
    is_number = values.dtype.kind in "iuf"
    distinct, codes, counts = np.unique(
        values if is_number else values.astype(str), return_inverse=True, return_counts=True
    )
    if is_number and len(distinct) > _CATEGORIES + 2:
        return {"title": title, **_on_a_scale(values.astype(float))}
    return {"title": title, **_most_frequent(distinct.astype(str), codes, counts)}


def _on_a_scale(values):
    low, high = np.nanmin(values), np.nanmax(values)
    scaled = (np.nan_to_num(values, nan=low) - low) / ((high - low) or 1)
    return {"values": scaled.round(3).tolist(), "low": float(low), "high": float(high)}


def _most_frequent(distinct, codes, counts):
    """Labels of the most frequent values; the rest share one label."""
    if len(distinct) <= _CATEGORIES + 2:
        return {"labels": distinct.tolist(), "codes": codes.tolist()}
    shown = np.sort(np.argsort(-counts, kind="stable")[:_CATEGORIES])
    new = np.full(len(distinct), len(shown))
    new[shown] = np.arange(len(shown))
    labels = [*distinct[shown].tolist(), f"{len(distinct) - len(shown)} others"]
    return {"labels": labels, "codes": new[codes].tolist()}
