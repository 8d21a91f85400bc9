"""Small data with classes."""

import numpy as np


def blobs(rng, n=60, d=8, classes=3):
    """Classes of equal size."""
    y = np.repeat(np.arange(classes), n // classes)
    return rng.random((classes, d))[y] + 0.15 * rng.standard_normal((n, d)), y


def unequal(rng):
    """Classes of 20, 24 and 30 rows, in random order."""
    y = rng.permutation(np.repeat([0, 1, 2], [20, 24, 30]))
    return rng.random((3, 15))[y] + 0.3 * rng.random((74, 15)), y
