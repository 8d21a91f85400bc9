"""The samples in two dimensions: principal components of all columns and of the kept ones."""

import numpy as np

from .._utils.linalg import some_eigenpairs
from .._utils.threads import single_threaded_blas

_POINTS = 400
# Points this many times farther out than 98 % of them are drawn at the edge of the picture:
# otherwise a single odd sample squeezes all others together.
_FAR = 2.0
_CATEGORIES = 8


@single_threaded_blas()  # products of at most 400 rows
def scatter(Z, order, grid, rng):
    """First two principal components of standardised columns before and after the selection.

    The components of the kept columns, for every grid point, are rotated towards those of all
    columns. ``distances`` are correlations of the distances between samples before and after, and
    ``n_far`` the numbers of points that are drawn at the edge.
    """
    rows = np.arange(len(Z))
    if len(rows) > _POINTS:
        rows = np.sort(rng.choice(rows, _POINTS, replace=False))
    Z = Z[rows] - Z[rows].mean(axis=0)
    products = Z @ Z.T
    pairs = np.triu_indices(len(Z), 1)
    whole, all_distances = _two_components(Z, products), _distances(products, pairs)
    shown = Z[:, order[: grid[-1]]]
    # Of few columns, their inner products have the components that those of the samples have.
    few = shown[:, : len(rows)]
    gram = few.T @ few
    components, agreement = [], []
    products, done = np.zeros_like(products), 0
    for k in grid:
        added = shown[:, done:k]
        products += added @ added.T
        done = k
        smaller = gram[:k, :k] if k < len(rows) else products
        components.append(_two_components(shown[:, :k], smaller))
        agreement.append(_correlation(all_distances, _distances(products, pairs)))
    before, n_far = _framed(whole[np.newaxis])
    # The rotations that bring the components as close as possible to those of all columns.
    U, _, Vt = np.linalg.svd(np.transpose(components, (0, 2, 1)) @ whole)
    after, n_far_after = _framed(components @ (U @ Vt))
    return {
        "rows": rows,
        "before": before[0],
        "after": after,
        "distances": agreement,
        "n_far": {"before": n_far[0], "after": n_far_after},
    }


def _two_components(Z, products):
    last = len(products) - 1
    values, vectors = some_eigenpairs(products, max(0, last - 1), last)
    by_columns = len(products) < len(Z)
    scores = Z @ vectors if by_columns else vectors * np.sqrt(np.maximum(values, 0))
    components = np.zeros((len(Z), 2))
    components[:, : scores.shape[1]] = scores[:, ::-1]
    return components


def _framed(pictures):
    """Points about their median, scaled to lie between -1 and 1, and how many lay farther out.

    ``pictures`` has the shape (n_pictures, n_points, 2).
    """
    points = pictures - np.median(pictures, axis=1, keepdims=True)
    farthest = np.abs(points).max(axis=2, initial=0)
    reach, outermost = np.quantile(farthest, 0.98, axis=1), farthest.max(axis=1)
    reach = np.where(outermost <= _FAR * reach, outermost, reach)[:, np.newaxis]
    scaled = points / np.maximum(reach, np.finfo(float).tiny)[:, :, np.newaxis]
    return np.clip(scaled, -1, 1), np.count_nonzero(farthest > reach, axis=1).tolist()


def _distances(products, pairs):
    i, j = pairs
    square = np.diag(products)
    distances = np.sqrt(np.maximum(square[i] + square[j] - 2 * products[pairs], 0))
    return distances - distances.sum() / max(len(distances), 1)


def _correlation(a, b):
    size = np.sqrt(np.vdot(a, a) * np.vdot(b, b))
    return float(np.vdot(a, b) / size) if size > 0 else 0.0


def color_column(X, color, rows):
    """Values by which the points are coloured, or None.

    A dict with a ``title`` or None; for a few distinct values ``labels`` and their ``codes``,
    otherwise ``values`` between 0 and 1 with ``low`` and ``high``.
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
    labels, codes, counts = np.unique(
        values if is_number else values.astype(str), return_inverse=True, return_counts=True
    )
    if is_number and len(labels) > _CATEGORIES + 2:
        low, high = np.nanmin(values), np.nanmax(values)
        scaled = (np.nan_to_num(values, nan=low) - low) / ((high - low) or 1)
        limits = {"low": float(low), "high": float(high)}
        return {"title": title, "values": scaled.round(3).tolist(), **limits}
    labels = labels.astype(str).tolist()
    if len(labels) > _CATEGORIES + 2:
        # The most frequent values keep their labels; the rest share one.
        shown = np.sort(np.argsort(-counts, kind="stable")[:_CATEGORIES])
        codes = np.where(np.isin(codes, shown), np.searchsorted(shown, codes), len(shown))
        labels = [*(labels[i] for i in shown), f"{len(labels) - len(shown)} others"]
    return {"title": title, "labels": labels, "codes": codes.tolist()}
