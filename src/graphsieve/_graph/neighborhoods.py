"""Whether the nearest neighbours of a row stay the same when columns are dropped."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from .._rows import check_container
from .._utils.threads import blas_for_table

# A class of the smallest test parts has as many rows.
N_NEIGHBORS = 5


@blas_for_table
def nearest_rows(X, n_neighbors=N_NEIGHBORS):
    """Nearest neighbours of every row among the other rows.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The data.
    n_neighbors : int, default=5
        Neighbours of each row; fewer where there are fewer other rows.

    Returns
    -------
    ndarray of int of shape (n_samples, n_neighbors)
        Row numbers, nearest first, by Euclidean distance.

    Examples
    --------
    >>> nearest_rows([[0.0], [1.0], [5.0]], 1).ravel().tolist()
    [1, 0, 1]
    """
    check_container(X)
    n_neighbors = min(n_neighbors, np.shape(X)[0] - 1)
    search = NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute", n_jobs=1).fit(X)
    return search.kneighbors(return_distance=False)


def neighborhood_preservation(neighbors, X_selected):
    """Fraction of the nearest neighbours that remain neighbours in the selected columns.

    Parameters
    ----------
    neighbors : ndarray of int of shape (n_samples, n_neighbors)
        What `nearest_rows` finds with all columns.
    X_selected : array-like or CSR matrix of shape (n_samples, n_selected)
        The same rows, selected columns only.

    Returns
    -------
    float
        Between 0 and 1; a random choice of neighbours gives ``n_neighbors / (n_samples - 1)``.

    Examples
    --------
    >>> neighbors = nearest_rows([[0.0, 0.0], [1.0, 9.0], [5.0, 0.0]], 1)
    >>> round(neighborhood_preservation(neighbors, [[0.0], [1.0], [5.0]]), 3)
    0.333
    """
    kept = nearest_rows(X_selected, neighbors.shape[1])
    return float((neighbors[:, :, None] == kept[:, None, :]).any(axis=2).mean())
