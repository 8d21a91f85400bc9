"""Batches of samples: donors, plates, sites."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import column_or_1d

from .._rows import RowBlocks, fill_gaps
from .._utils.names import is_missing
from .._utils.warn import warn


def check_groups(groups, n_samples):
    """Number of the batch of every sample, from labels of any type.

    Parameters
    ----------
    groups : array-like of shape (n_samples,)
    n_samples : int

    Returns
    -------
    labels : ndarray
        The batches, sorted.
    number : ndarray of int of shape (n_samples,)
    """
    groups = column_or_1d(groups)
    if len(groups) != n_samples:
        raise ValueError(
            f"groups has {len(groups)} entries, but X has {n_samples} samples: pass one label per "
            "sample"
        )
    missing = np.array([is_missing(label) for label in groups.tolist()])
    if missing.any():
        raise ValueError(
            f"groups has {missing.sum()} missing labels, the first at row {missing.argmax()}. Give "
            "these samples a label, or leave them out of X"
        )
    try:
        return np.unique(groups, return_inverse=True)
    except TypeError:  # labels of several types have no order
        labels = sorted(set(groups.tolist()), key=lambda label: (type(label).__name__, str(label)))
        place = {label: j for j, label in enumerate(labels)}
        found = np.empty(len(labels), dtype=object)
        found[:] = labels
        return found, np.array([place[label] for label in groups.tolist()])


def centre_within(data, number):
    """Rows with the mean of its batch replaced by the mean of all samples in every column.

    Parameters
    ----------
    data : Rows
    number : ndarray of int of shape (n_samples,)
        Batch of every sample.

    Returns
    -------
    RowBlocks
    """
    if data.is_sparse:
        raise TypeError(
            "with groups, the columns are centred within every batch, which would fill in the "
            "zeros of sparse data. Use GroupedRanker, which ranks the features within every batch, "
            "or pass X.toarray()"
        )
    X = data.observed().resident()
    if not isinstance(X, np.ndarray):
        raise TypeError(
            "with groups, the columns are centred within every batch, in memory. Pass an array in "
            "memory (X.compute() for Dask), or subtract the means of the batches before fit"
        )
    _check_sizes(np.bincount(number))
    member = sp.csr_array((np.ones(len(number)), (number, np.arange(len(number)))))
    present = ~np.isnan(X)
    # A batch without a value in a column has no mean there, and no entry to shift.
    means = member @ np.where(present, X, 0) / np.maximum(member @ present, 1)
    # With the common mean, columns keep their place: a column that is constant within every batch
    # is recognised as constant, and angles between samples keep their meaning.
    shift = data.column_moments()[0] - means
    return fill_gaps(RowBlocks((X + shift[number]).astype(X.dtype, copy=False)))


def _check_sizes(sizes):
    """Refuse batches that leave nothing to compare, and warn if they leave little."""
    n_alone, n_samples = np.count_nonzero(sizes == 1), sizes.sum()
    if n_alone == n_samples:
        raise ValueError(
            "every sample is the only one of its batch, which leaves nothing to compare: give "
            "every sample the label of its batch, such as its donor or plate"
        )
    if n_alone > n_samples / 2:
        warn(
            f"{n_alone:,} of {n_samples:,} samples are the only one of their batch, and do not "
            "count, because columns are centred within every batch. Check that the labels are "
            "those of batches, such as donors or plates"
        )
