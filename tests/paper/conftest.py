"""A small experiment on data that ship with scikit-learn."""

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


@pytest.fixture
def small():
    return read_experiment(SMALL, "small")
