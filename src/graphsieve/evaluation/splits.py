"""Training and test rows: balanced splits, and all rows at once."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array, check_consistent_length, check_random_state

from .._graph.neighborhoods import nearest_rows
from .._linear.regression import ReconstructionErrors
from .._rows import RowBlocks, check_container
from .._rows.scaling import SCALES, column_scaling, to_unit_interval
from .._utils.names import check_choice


def balanced_split(y, train_per_class=None, test_per_class=None, random_state=None):
    """Draw training and test rows with the same number of rows of every class.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Classes.
    train_per_class : int, optional
        Training rows of every class. Default: half of the smallest class, rounded up.
    test_per_class : int, optional
        Test rows of every class. Default: what remains of the smallest class.
    random_state : int, RandomState or None, default=None
        Random seed.

    Returns
    -------
    train, test : ndarray of int
        Row numbers, sorted.

    Examples
    --------
    >>> train, test = balanced_split(["a", "a", "a", "b", "b", "b", "b"], random_state=0)
    >>> len(train), len(test)
    (4, 2)
    """
    y = np.asarray(y)
    classes, sizes = np.unique(y, return_counts=True)
    smallest = int(sizes.min())
    n_train = -(-smallest // 2) if train_per_class is None else train_per_class
    n_test = smallest - n_train if test_per_class is None else test_per_class
    if n_train < 1 or n_test < 1 or n_train + n_test > smallest:
        raise ValueError(
            f"cannot take {n_train} training and {n_test} test rows of every class: both must be "
            f"at least 1, and class {classes[sizes.argmin()]!s} has {smallest} rows"
        )
    rng = check_random_state(random_state)
    rows = [rng.permutation(np.flatnonzero(y == c))[: n_train + n_test] for c in classes]
    return (
        np.sort(np.concatenate([r[:n_train] for r in rows])),
        np.sort(np.concatenate([r[n_train:] for r in rows])),
    )


@dataclass(frozen=True)
class Split:
    """Scaled training and test rows, and what all rankings on them share.

    Parameters
    ----------
    X_train, X_test : ndarray or CSR array of shape (n_samples, n_features)
        Everything is learned on the training rows.
    y_train, y_test : ndarray of shape (n_samples,) or None
        Classes.
    """

    X_train: np.ndarray
    X_test: np.ndarray
    y_train: np.ndarray | None = None
    y_test: np.ndarray | None = None

    @cached_property
    def reconstruction_errors(self):
        """Inner products from which the reconstruction error of every ranking follows."""
        return ReconstructionErrors(self.X_train, self.X_test)

    @cached_property
    def known_scores(self):
        """Scores of the sets of features seen so far: settings of a grid often select the same."""
        return {}

    @cached_property
    def test_neighbors(self):
        """Nearest neighbours of every test row among the test rows, from all features."""
        return nearest_rows(self.X_test)


def make_split(
    X, y=None, *, train_per_class=None, test_per_class=None, scale="minmax", random_state=None
):
    """Draw a balanced split, or two random halves without `y`, and scale both parts.

    The scaling is learned on the training rows.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,), optional
        Classes.
    train_per_class, test_per_class : int, optional
        See `balanced_split`.
    scale : {"minmax", "global", "standard", None}, default="minmax"
        As in `evaluate`.
    random_state : int, RandomState or None, default=None
        Random seed.

    Returns
    -------
    Split
        The scaled parts.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> split = make_split(*load_wine(return_X_y=True), random_state=0)
    >>> split.X_train.shape, split.X_test.shape, float(split.X_train.max())
    ((72, 13), (72, 13), 1.0)
    """
    X, y = _checked(X, y, scale)
    if y is None:
        rows = check_random_state(random_state).permutation(X.shape[0])
        half = -(-len(rows) // 2)
        train, test = np.sort(rows[:half]), np.sort(rows[half:])
        labels = (None, None)
    else:
        train, test = balanced_split(y, train_per_class, test_per_class, random_state)
        labels = (y[train], y[test])
    return Split(*_scaled(X[train], X[test], scale), *labels)


def all_rows(X, y=None, *, scale=None):
    """Use every row for training and for testing, for protocols that split later or not at all.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,), optional
        Classes.
    scale : {"minmax", "global", "standard", None}, default=None
        As in `evaluate`.

    Returns
    -------
    Split
        The same rows twice.

    Examples
    --------
    >>> split = all_rows([[0.0, 1.0], [2.0, 3.0]], [0, 1])
    >>> split.X_train is split.X_test
    True
    """
    X, y = _checked(X, y, scale)
    X, _ = _scaled(X, X, scale)
    return Split(X, X, y, y)


def _checked(X, y, scale):
    check_choice("scale", scale, (*SCALES, None))
    check_container(X)
    X = check_array(X, accept_sparse="csr", ensure_min_samples=2)
    if y is not None:
        y = check_array(y, ensure_2d=False, dtype=None)
        check_consistent_length(X, y)
    return X, y


def _scaled(X_train, X_test, scale):
    if scale == "minmax":
        return to_unit_interval(X_train, X_test)
    scaling = column_scaling(RowBlocks(X_train), scale)
    if sp.issparse(X_train):
        # Zeros stay zeros.
        scaling = replace(scaling, offset=np.zeros_like(scaling.offset))
    return tuple(scaling.block(X, np.float64) for X in (X_train, X_test))
