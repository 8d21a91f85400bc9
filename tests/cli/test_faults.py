"""Faults during ``graphsieve select``: kills at random moments, a full disk, two runs at once.

The command runs in forks of this process, which has run it once: they need not import anything.
"""

import os
import random
import resource
import signal
import time

import numpy as np
import pandas as pd
import pytest

from graphsieve.cli.app import app

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
OLD = "the result of an earlier run\n"
PATIENCE = 60


@pytest.fixture
def table(tmp_path, run):
    path = tmp_path / "data.csv"
    values = np.random.default_rng(0).random((400, 20))
    pd.DataFrame(values, columns=[f"x{j}" for j in range(20)]).to_csv(path, index=False)
    first = tmp_path / "first.csv"
    assert run(*command(path, first)).exit_code == 0
    first.unlink()
    return path


@pytest.fixture
def output(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text(OLD)
    return path


def command(table, output):
    return ["select", str(table), "-k", "5", "-m", "css", "-o", str(output), "--force"]


def start(table, output, prepare=lambda: None):
    """Number of a process that selects five columns and writes them over ``output``."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        prepare()
        code = app(command(table, output), standalone_mode=False) or 0
    finally:
        os._exit(code)


def end(child):
    """Exit code of a process, which must end in time."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the process did not end in time")


def is_whole(output):
    return pd.read_csv(output).shape == (400, 5)


def test_killed_at_random_moments(table, output, tmp_path):
    """The output is that of the earlier run or that of this one, and the next run cleans up."""
    before = time.monotonic()
    assert end(start(table, output)) == 0
    seconds = time.monotonic() - before
    assert is_whole(output)
    moments = random.Random(0)
    for _ in range(8):
        output.write_text(OLD)
        child = start(table, output)
        time.sleep(seconds * moments.random())
        os.kill(child, signal.SIGKILL)
        assert end(child) in (0, -signal.SIGKILL)
        assert output.read_text() == OLD or is_whole(output)
    assert end(start(table, output)) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "out.csv"]


def test_full_disk(table, output, tmp_path):
    """A limit on the size of files acts like a disk without room for the output."""

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    assert end(start(table, output, small_files)) != 0
    assert output.read_text() == OLD
    assert end(start(table, output)) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "out.csv"]


def test_two_runs_at_once(table, output, tmp_path):
    children = [start(table, output) for _ in range(3)]
    assert [end(child) for child in children] == [0, 0, 0]
    assert is_whole(output)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "out.csv"]
