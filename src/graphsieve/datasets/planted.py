"""A synthetic data set whose informative columns are known."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state


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
