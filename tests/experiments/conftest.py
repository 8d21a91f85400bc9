"""A small experiment on data that ship with scikit-learn."""

import itertools

import pandas as pd
import pytest
from typer.testing import CliRunner

from experiments.command import app
from experiments.spec import read_experiment

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


TIMES = ["fit_seconds", "fit_cpu_seconds", "seconds"]


def assert_same(left, right):
    """Two tables of the same experiment differ in the times alone."""
    pd.testing.assert_frame_equal(left.drop(columns=TIMES), right.drop(columns=TIMES))


def scores(value, methods=("a", "b", "c"), datasets=("d1", "d2", "d3"), settings=(0,), splits=(0,)):
    """A table of scores, each from value(dataset, method, setting, share, split)."""
    cases = itertools.product(datasets, methods, settings, (0.1, 0.5), splits)
    rows = [
        {
            "dataset": dataset,
            "method": method,
            "setting": setting,
            "share": share,
            "split": split,
            "params": f'{{"power": {setting}}}',
            "acc": value(dataset, method, setting, share, split),
        }
        for dataset, method, setting, share, split in cases
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def run_command(monkeypatch):
    """run_command("report", folder, ...) -> result with exit_code and output, in one long line."""
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setenv("TERMINAL_WIDTH", "1000")
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def small():
    return read_experiment(SMALL, "small")
