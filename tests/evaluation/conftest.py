"""Small data with classes."""

import numpy as np
import pytest


def blobs(rng, n=60, d=8, classes=3):
    y = np.repeat(np.arange(classes), n // classes)
    return rng.random((classes, d))[y] + 0.15 * rng.standard_normal((n, d)), y


@pytest.fixture
def data(rng):
    y = rng.permutation(np.repeat([0, 1, 2], [20, 24, 30]))
    return rng.random((3, 15))[y] + 0.3 * rng.random((74, 15)), y
