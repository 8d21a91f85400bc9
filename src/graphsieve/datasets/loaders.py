"""Data sets in memory."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .._rows import to_dense
from .files import fetch, forget
from .registry import lookup


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set with the information that the protocol and the plots need.

    Parameters
    ----------
    name : str
        Name in the registry.
    X : ndarray or CSR array of shape (n_samples, n_features)
        The data.
    y : ndarray of int of shape (n_samples,)
        Classes.
    feature_names : ndarray of str of shape (n_features,)
        Names of the columns.
    target_names : ndarray of str of shape (n_classes,)
        Names of the classes, in the order of ``np.unique(y)``.
    train_per_class, test_per_class : int
        Rows of every class in the balanced split.
    image_shape : tuple of int or None
        If columns are pixels, ``X[i].reshape(image_shape)`` is an upright image.
    DESCR : str
        Description, with licence and reference.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    feature_names: np.ndarray
    target_names: np.ndarray
    train_per_class: int
    test_per_class: int
    image_shape: tuple[int, int] | None
    DESCR: str


def load(name, *, as_sparse=False):
    """Load a data set by name.

    Looks in the folder of GRAPHSIEVE_DATA, then in the user's cache, and then downloads the file;
    see `fetch`. Values are those of the file; integers become float32, which represents them
    exactly.

    Parameters
    ----------
    name : str
        One of ``graphsieve.datasets.DATASETS``.
    as_sparse : bool, default=False
        Return `X` as a CSR array, which suits the text data. Not all methods accept it.

    Returns
    -------
    Dataset
        The data set.

    Examples
    --------
    >>> from graphsieve.datasets import load
    >>> digits = load("digits")
    >>> digits.X.shape, digits.train_per_class, digits.image_shape
    ((1797, 64), 87, (8, 8))
    """
    entry = lookup(name)
    if entry.scikit_learn:
        X, y, feature_names, target_names = _from_scikit_learn(entry)
    else:
        path = fetch(name)
        try:
            X, y, target_names = READERS[path.suffix](path)
            _check_shape(entry, X, y, path)
        except Exception:
            forget(entry, path)
            raise
        feature_names = _feature_names(entry)
    if entry.column_major:
        height, width = entry.image_shape
        X = X.reshape(-1, width, height).transpose(0, 2, 1).reshape(len(X), -1)
    if X.dtype.kind in "iu":
        X = X.astype(np.float32)
    return Dataset(
        name=name,
        X=sp.csr_array(X) if as_sparse else np.ascontiguousarray(X),
        y=y.astype(np.int64),
        feature_names=np.asarray(feature_names, dtype=str),
        target_names=np.asarray(target_names, dtype=str),
        train_per_class=entry.train_per_class,
        test_per_class=entry.test_per_class,
        image_shape=entry.image_shape,
        DESCR=describe(entry, len(X)),
    )


def describe(entry, n_samples):
    """Describe a data set in a few sentences."""
    return (
        f"{entry.title}: {n_samples} samples, {entry.n_features} features, {entry.n_classes} "
        f"classes. Balanced split: {entry.train_per_class} training and {entry.test_per_class} "
        f"test samples of every class.\nLicence: {entry.licence}.\nReference: {entry.reference}."
    )


def _read_mat(path):
    from scipy.io import loadmat

    content = loadmat(path)
    X, y = content["X"], content["Y"].ravel()
    return to_dense(X), y, np.unique(y)


def _read_npz(path):
    with np.load(path, allow_pickle=False) as content:
        if "x_train" in content:
            images = np.concatenate([content["x_train"], content["x_test"]])
            y = np.concatenate([content["y_train"], content["y_test"]])
            return images.reshape(len(images), -1), y, np.unique(y)
        return content["X"], content["y"], content["target_names"]


READERS = {".mat": _read_mat, ".npz": _read_npz}


def _from_scikit_learn(entry):
    from sklearn import datasets

    bunch = getattr(datasets, entry.scikit_learn)()
    return bunch.data, bunch.target, bunch.feature_names, bunch.target_names


def _feature_names(entry):
    if entry.image_shape:
        height, width = entry.image_shape
        return [f"pixel_{row}_{column}" for row in range(height) for column in range(width)]
    return [f"{entry.feature}_{j}" for j in range(entry.n_features)]


def _check_shape(entry, X, y, path):
    n_samples = entry.n_samples or len(X)
    found = (*X.shape, len(y), len(np.unique(y)))
    expected = (n_samples, entry.n_features, n_samples, entry.n_classes)
    if found != expected:
        raise ValueError(
            f"{path} does not hold the {entry.name} data set: expected X of shape "
            f"{expected[:2]}, {expected[2]} labels and {expected[3]} classes, got X of shape "
            f"{found[:2]}, {found[2]} labels and {found[3]} classes"
        )
