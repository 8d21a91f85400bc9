"""Shared fixtures: real data where they are available, small synthetic data everywhere."""

import os
from pathlib import Path

# These must be set before the libraries are imported.
# The tests run in one process per core: threads on top of that only slow them down.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# scikit-learn skips its array API check without this, and we skip none.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def small_parts(monkeypatch):
    """Cuts small tables into as many parts as large ones, for tests of what happens to parts."""
    monkeypatch.setattr("graphsieve._rows.cluster._FEWEST_ENTRIES", 2**9)
    monkeypatch.setattr("graphsieve._network.objective.BLOCK_BYTES", 2**10)


@pytest.fixture
def table(rng):
    """A pandas data frame of eight named columns with three factors."""
    import pandas as pd

    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 8)) + 0.3 * rng.normal(size=(40, 8))
    return pd.DataFrame(X, columns=[f"gene_{j}" for j in range(8)])


@pytest.fixture(scope="session")
def real_data():
    """Folder with the paper's data sets, or a skip that says how to get them."""
    folder = os.environ.get("GRAPHSIEVE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("set GRAPHSIEVE_DATA to a folder with the paper's data sets to run this test")
    return Path(folder)


@pytest.fixture(scope="session")
def yale(real_data):
    from scipy.io import loadmat

    return loadmat(real_data / "Yale.mat")["X"].astype(np.float64) / 255
