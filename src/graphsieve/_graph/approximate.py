"""Approximate nearest neighbours, in time O(n^1.5).

The points are divided into cells around the centres of a k-means clustering, and the neighbours of
a point are searched in the cells nearest to its own. How many cells that takes is measured on some
points whose exact neighbours are computed. Data with many features are searched along their
principal axes, and the best of the candidates are then chosen by their distances in the data.
"""

from functools import partial

import numpy as np
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils.extmath import randomized_svd, row_norms

from .._rows import chosen_rows, split_rows, to_dense
from .neighbors import largest_of_groups

# Data with more features than this are searched along at most as many principal axes: as many as
# explain this fraction of the variance of some rows.
_MOST_AXES = 256
_EXPLAINED = 0.9
_AXES_ROWS = 4096

# Candidates along the axes for every neighbour wanted.
_CANDIDATES = 4

# Number of cells, relative to the square root of the number of points, and points per cell from
# which the centres are computed, in a few iterations: they need not be optimal.
_CELLS = 2.0
_ROWS_PER_CELL = 16
_CELL_ITERATIONS = 5

# Points on which the number of cells to search is measured, and fraction of their neighbours that
# must be found there.
_TRIALS = 256
_RECALL = 0.99

# Coordinates of outliers are cut here (1 is the median distance from the centre), so that those of
# the other points keep their digits in single precision.
_FARTHEST = 1e3

# Numbers in one block of similarities.
_BLOCK_ENTRIES = 2**22


def approximate_pairs(data, points, n_neighbors, workers):
    """Sample and candidate, among them about all of the nearest samples of every sample."""
    numbers = points.searched
    if len(numbers) < 2:
        return numbers[:0], numbers[:0]

    def stack(function, *aligned):
        on_points = partial(_on_points, points, function)
        return data.stack(on_points, np.arange(data.n_samples), *aligned)

    axes = None
    if data.n_features > _MOST_AXES:
        chosen = np.zeros(data.n_samples, dtype=bool)
        chosen[:: -(-data.n_samples // _AXES_ROWS)] = True
        axes = _principal_axes(stack(chosen_rows, chosen))
    Y = stack(partial(_along, axes))[numbers]
    i, j = search_cells(Y, n_neighbors, (1 if axes is None else _CANDIDATES) * n_neighbors, workers)
    return numbers[i], numbers[j]


def _on_points(points, function, block, number, *aligned):
    return function(points.prepare(block, number), *aligned)


def _principal_axes(X):
    """Directions of largest variance, (n_features, n_axes)."""
    X -= X.mean(axis=0)
    n_axes = min(_MOST_AXES, *X.shape)
    _, size, axes = randomized_svd(X, n_axes, n_iter=2, random_state=0)
    explained = np.cumsum(size**2) / max(np.vdot(X, X), np.finfo(X.dtype).tiny)
    n_axes = np.searchsorted(explained, _EXPLAINED) + 1
    return np.ascontiguousarray(axes[:n_axes].T, dtype=X.dtype)


def _along(axes, block):
    block = to_dense(block if axes is None else block @ axes)
    return np.clip(block, -_FARTHEST, _FARTHEST).astype(np.float32)


def search_cells(Y, n_neighbors, n_candidates, workers):
    """Pairs (i, j) of rows of ``Y``: at least ``n_candidates`` near ones for most rows i."""
    centres, cells = _divide(Y)
    square = row_norms(Y, squared=True)
    centres = centres.astype(np.float64)
    distance = row_norms(centres, squared=True) - 2 * centres @ centres.T
    nearest_cells = np.argsort(distance, axis=1, kind="stable")
    n_cells = _count_cells(Y, square, cells, nearest_cells, n_neighbors, workers)

    def search(task):
        cell, part = task
        rows = cells[cell][part]
        columns = np.concatenate([cells[c] for c in nearest_cells[cell, :n_cells]])
        row, column = _best(Y, square, rows, columns, n_candidates)
        return rows[row], columns[column]

    tasks = [
        (cell, part)
        for cell, rows in enumerate(cells)
        for part in split_rows(len(rows), max(1, _BLOCK_ENTRIES // (n_cells * len(rows) + 1)))
    ]
    i, j = zip(*workers.map(search, tasks), strict=True)
    return np.concatenate(i), np.concatenate(j)


def _best(Y, square, rows, columns, k):
    """Row and column of the smallest distances from rows to columns: k, or a few more."""
    S = 2 * Y[rows] @ Y[columns].T
    S -= square[columns]
    S[rows[:, None] == columns] = -np.inf
    bound = largest_of_groups(S, k, max(256, 8 * k))
    mask = (bound[:, None] <= S) & (-np.inf < S)
    crowded = np.flatnonzero(np.count_nonzero(mask, axis=1) > 4 * k)
    if crowded.size:  # copies of one row: the first ones will do
        first = np.argsort(-S[crowded], axis=1, kind="stable")[:, :k]
        mask[crowded] = False
        mask[crowded[:, None], first] = True
    return np.nonzero(mask)


def _divide(Y):
    """Centres of the cells, and the numbers of the rows in each cell."""
    n_cells = max(1, min(len(Y) // 4, int(_CELLS * np.sqrt(len(Y)))))
    sample = np.unique(Y[:: max(1, len(Y) // (_ROWS_PER_CELL * n_cells))], axis=0)
    if len(sample) > n_cells:
        settings = {"init": "random", "n_init": 1, "max_iter": _CELL_ITERATIONS, "tol": 0}
        with config_context(array_api_dispatch=False):
            cells = KMeans(n_cells, random_state=0, **settings).fit(sample)
        sample = cells.cluster_centers_
    label = pairwise_distances_argmin(Y, sample)
    order = np.argsort(label, kind="stable")
    cells = np.split(order, np.searchsorted(label[order], np.arange(1, len(sample))))
    # Cells with many copies of a row are cut: the copies are neighbours in every part.
    most = max(1, 8 * len(Y) // n_cells)
    parts = [
        (c, cell[part]) for c, cell in enumerate(cells) for part in split_rows(len(cell), most)
    ]
    return sample[[c for c, _ in parts]], [rows for _, rows in parts]


def _count_cells(Y, square, cells, nearest_cells, n_neighbors, workers):
    """Number of nearest cells that contain ``_RECALL`` of the neighbours of some rows."""
    cell_of = np.empty(len(Y), dtype=np.intp)
    for cell, rows in enumerate(cells):
        cell_of[rows] = cell
    place = np.empty_like(nearest_cells)
    np.put_along_axis(place, nearest_cells, np.arange(len(cells))[None], axis=1)
    trials = np.arange(0, len(Y), -(-len(Y) // _TRIALS))
    blocks = split_rows(len(trials), max(1, _BLOCK_ENTRIES // len(Y)))
    everywhere = np.arange(len(Y))

    def places(block):
        row, column = _best(Y, square, trials[block], everywhere, n_neighbors)
        return place[cell_of[trials[block][row]], cell_of[column]]

    found = np.concatenate(workers.map(places, blocks))
    return int(np.quantile(found, _RECALL, method="higher")) + 1
