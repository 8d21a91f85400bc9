"""Scaling of columns to the range that a model expects: (X - offset) * factor."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

from .base import Rows, is_constant

SCALES = ("minmax", "global", "standard")


def column_scaling(data: Rows, scale: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Offset and factor of every column.

    Parameters
    ----------
    data : Rows
    scale : {"minmax", "global", "standard"} or None
        "minmax" maps every column to [0, 1]. "global" maps all columns with one common range, for
        pixels and counts. "standard" gives mean 0 and variance 1. None leaves the data unchanged.
        Constant columns become 0 under "minmax" and "standard".

    Returns
    -------
    offset, factor : ndarray of shape (n_features,)
    """
    if scale is None:
        return np.zeros(data.n_features), np.ones(data.n_features)
    if scale == "standard":
        mean, variance = data.column_moments()
        offset, spread = mean, np.sqrt(variance)
    else:
        low, high = (np.asarray(edge, dtype=np.float64) for edge in data.column_range())
        if scale == "global":
            low, high = np.full_like(low, low.min()), np.full_like(high, high.max())
        offset, spread = low, high - low
    if data.is_sparse:
        _check_sparse(offset, scale)
    # The rounding errors of a constant column must not be magnified to the full range.
    constant = is_constant(offset, offset + spread)
    return offset, np.where(constant, 0.0, 1 / np.where(constant, 1.0, spread))


def to_unit_interval(X_train, X_test):
    """Scale training and test rows to the range of the training rows; clip the test rows to it.

    A column that is nearly constant in the training rows may vary a hundred times more in the
    test rows, and would outweigh all others.

    Parameters
    ----------
    X_train, X_test : ndarray or CSR array of shape (n_samples, n_features)

    Returns
    -------
    train, test : ndarray or CSR array of shape (n_samples, n_features)
        In double precision. Columns that are constant in the training rows become 0.
    """
    X_train, X_test = X_train.astype(np.float64), X_test.astype(np.float64)
    if sp.issparse(X_train):
        # Only a division, so that zeros stay zeros.
        scaler = MaxAbsScaler().fit(X_train)
        train, test = scaler.transform(X_train), scaler.transform(X_test)
        np.clip(test.data, -1, 1, out=test.data)
        return train, test
    scaler = MinMaxScaler(clip=True).fit(X_train)
    train, test = scaler.transform(X_train), scaler.transform(X_test)
    constant = is_constant(scaler.data_min_, scaler.data_max_)
    train[:, constant] = test[:, constant] = 0
    return train, test


def _check_sparse(offset, scale):
    if scale == "standard":
        raise ValueError(
            "standardising sparse data would make them dense: pass X.toarray() if it fits in "
            'memory, or use GAFS(scale="minmax"), which preserves zeros'
        )
    if (offset < 0).any():
        raise ValueError(
            f"X is sparse and has negative values (column {int((offset < 0).argmax())}): "
            f"scale={scale!r} would shift them and every zero of the column, and make X dense. "
            "Shift or drop these columns, pass X.toarray(), or use scale=None with "
            'output="identity"'
        )
