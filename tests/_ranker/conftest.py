"""A table with names, for the tests of constraints."""

import pandas as pd
import pytest


@pytest.fixture
def table(rng):
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 8)) + 0.3 * rng.normal(size=(40, 8))
    return pd.DataFrame(X, columns=[f"gene_{j}" for j in range(8)])
