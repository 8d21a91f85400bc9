"""Correlation among the selected columns."""

import numpy as np

from .._rows import check_container, split_rows, to_dense
from .._rows.scaling import standardised
from .._utils.threads import blas_for_table


def redundancy(X):
    """Mean absolute correlation over all pairs of columns.

    Constant columns have no correlation: their pairs count as 0. A single column gives 0.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The selected columns.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> round(redundancy([[0.0, 0.0, 1.0], [1.0, -1.0, -2.0], [2.0, -2.0, 1.0]]), 3)
    0.333
    """
    return float(redundancy_path(X)[-1])


@blas_for_table
def redundancy_path(X):
    """``redundancy(X[:, :k])`` for every k = 1, ..., n_features, at the cost of the last one.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        Columns, best first.

    Returns
    -------
    ndarray of shape (n_features,)
        One value per number of columns.

    Examples
    --------
    >>> redundancy_path([[0.0, 0.0, 1.0], [1.0, -1.0, -2.0], [2.0, -2.0, 1.0]]).round(3).tolist()
    [0.0, 1.0, 0.333]
    """
    check_container(X)
    Z = standardised(np.asarray(to_dense(X), dtype=float))[0]
    Z = (Z / np.sqrt(len(Z))).astype(np.float32)
    d = Z.shape[1]
    with_earlier = np.empty(d)
    for rows in split_rows(d, 512):
        correlation = np.abs(Z[:, rows].T @ Z[:, : rows.stop])
        with_earlier[rows] = np.tril(correlation, rows.start - 1).sum(axis=1)
    pairs = np.arange(d) * np.arange(1, d + 1) / 2
    return np.minimum(np.cumsum(with_earlier) / np.maximum(pairs, 1), 1.0)
