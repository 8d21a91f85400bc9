"""A small experiment on data that ship with scikit-learn."""

import pandas as pd
import pytest

from graphsieve.paper import read_experiment

SMALL = """
title = "small"
measure = "shares"

[protocol]
n_repeats = 2
shares = [0.2, 0.5]

[methods.lap_score.grid]
n_neighbors = [3, 4]

[methods.variance]

[methods.random]

[profiles.quick]
datasets = ["wine", "iris"]
n_splits = 2
"""


TIMES = ["fit_seconds", "fit_cpu_seconds"]


def assert_same(left, right):
    """Two tables of the same experiment differ in the times alone."""
    pd.testing.assert_frame_equal(left.drop(columns=TIMES), right.drop(columns=TIMES))


@pytest.fixture
def small():
    return read_experiment(SMALL, "small")
