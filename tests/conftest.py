"""Shared fixtures: real data where they are at hand, small synthetic data everywhere."""

import os
from pathlib import Path

# All of these count when a module loads, so they stand before the imports.
# One process per core runs the tests: threads on top of that only get in each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# scikit-learn's array API check is skipped without this, and we skip none.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
if "GRAPHSIEVE_DATA" not in os.environ and DATA.is_dir():
    os.environ["GRAPHSIEVE_DATA"] = str(DATA)


@pytest.fixture(autouse=True)
def many_parts(monkeypatch):
    """Small tables are cut into as many parts as large ones, so that every test sees some."""
    monkeypatch.setattr("graphsieve._rows.parts._FEWEST_ENTRIES", 2**9)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


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
