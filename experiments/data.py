"""Data sets by name, in memory: those of the GAFS paper and others, and a synthetic one."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from .sources import DATASETS, cache_folder, fetch, find, forget, lookup

__all__ = [
    "DATASETS",
    "Dataset",
    "Planted",
    "cache_folder",
    "fetch",
    "find",
    "load",
    "lookup",
    "make_planted",
]


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
        One of `DATASETS`.
    as_sparse : bool, default=False
        Return `X` as a CSR array, which suits the text data. Not all methods accept it.

    Returns
    -------
    Dataset
        The data set.

    Examples
    --------
    >>> from experiments.data import load
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
    return X.toarray() if sp.issparse(X) else X, y, np.unique(y)


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


class Planted(NamedTuple):
    """Data with known informative columns.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The data.
    y : ndarray of int of shape (n_samples,)
        Classes.
    informative : ndarray of bool of shape (n_features,)
        True for informative columns.
    """

    X: np.ndarray
    y: np.ndarray
    informative: np.ndarray


def make_planted(
    n_samples=300,
    n_informative=20,
    n_noise=180,
    *,
    n_latent=2,
    n_classes=4,
    noise=0.02,
    random_state=None,
):
    """Generate informative columns on a curved manifold, hidden among columns of noise.

    The samples are points of a manifold with `n_latent` coordinates, uniform in [-1, 1]. Every
    column is a smooth wave over it, ``(1 + sin(pi w'z + b)) / 2`` with a random direction w, plus
    a little normal noise. In the noise columns, the rows are then shuffled, independently for each
    column. No column can be recognised alone, by its variance or otherwise: only together do the
    informative columns form a curved surface.

    Parameters
    ----------
    n_samples : int, default=300
        Number of rows.
    n_informative, n_noise : int, default 20 and 180
        Number of columns of each kind; their order is random.
    n_latent : int, default=2
        Dimension of the manifold.
    n_classes : int, default=4
        Classes are slices of equal width along the first coordinate.
    noise : float, default=0.02
        Standard deviation of the noise added to all columns, whose waves lie in [0, 1].
    random_state : int, RandomState or None, default=None
        Random seed.

    Returns
    -------
    X : ndarray of shape (n_samples, n_informative + n_noise)
        The data.
    y : ndarray of int of shape (n_samples,)
        Classes.
    informative : ndarray of bool of shape (n_informative + n_noise,)
        True where a column is informative.

    Examples
    --------
    >>> X, y, informative = make_planted(random_state=0)
    >>> X.shape, int(informative.sum())
    ((300, 200), 20)
    """
    rng = check_random_state(random_state)
    n_features = n_informative + n_noise
    points = rng.uniform(-1, 1, size=(n_samples, n_latent))
    directions = rng.standard_normal((n_latent, n_features))
    directions /= np.linalg.norm(directions, axis=0)
    shifts = rng.uniform(0, 2 * np.pi, size=n_features)
    X = (1 + np.sin(np.pi * points @ directions + shifts)) / 2
    X += noise * rng.standard_normal(X.shape)

    informative = np.zeros(n_features, dtype=bool)
    informative[rng.permutation(n_features)[:n_informative]] = True
    rows = rng.random_sample((n_samples, n_noise)).argsort(axis=0)
    X[:, ~informative] = np.take_along_axis(X[:, ~informative], rows, axis=0)
    y = np.floor((points[:, 0] + 1) / 2 * n_classes).astype(int)
    return Planted(X, y, informative)
