"""Faults of the runner's surroundings: kills, damage, full disks, two runs at once.

Every fault is real, in a process of its own where it has to be, and bounded in time.
"""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from experiments import runner
from experiments.cells import plan
from experiments.command import app
from experiments.runner import run
from experiments.spec import read_experiment
from experiments.store import read_tables
from tests.experiments.conftest import SMALL, assert_same

pytestmark = pytest.mark.slow

N_CELLS = 24
PATIENCE = 120
SCRIPT = """
import sys
from experiments.runner import run
from experiments.spec import read_experiment
text, folder, n_jobs = sys.argv[1:]
run(read_experiment(text, "small"), folder, n_jobs=int(n_jobs))
"""


ENDLESS = """
title = "endless"
measure = "cost"

[methods.variance]

[methods.scufs]
fixed = { max_iter = 100000000, tol = 0.0 }

[profiles.quick]
datasets = ["planted_200x100"]
"""


@pytest.fixture
def start():
    """Starts a run in a process of its own; none is left behind, however the test ends."""
    processes = []

    def start_run(folder, n_jobs=1, spec=SMALL, **options):
        command = [sys.executable, "-c", SCRIPT, spec, str(folder), str(n_jobs)]
        options = {"stderr": subprocess.PIPE, "text": True} | options
        process = subprocess.Popen(command, start_new_session=True, **options)
        processes.append(process)
        return process

    yield start_run
    for process in processes:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


def stored(folder):
    return len(list(Path(folder).glob("cells/[!.]*.json")))


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "nothing happened for two minutes"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The table of a run without faults."""
    return run(read_experiment(SMALL, "small"), tmp_path_factory.mktemp("whole"))


@pytest.mark.slow
@pytest.mark.parametrize(("n_jobs", "seed"), [(1, 0), (1, 1), (2, 2)])
def test_run_killed_at_a_random_moment_resumes(start, small, tmp_path, whole, n_jobs, seed):
    moment = random.Random(seed).randrange(1, N_CELLS)
    process = start(tmp_path, n_jobs)
    wait_until(lambda: stored(tmp_path) >= moment or process.poll() is not None)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    before = stored(tmp_path)
    assert before >= moment
    states = []
    resumed = run(small, tmp_path, progress=lambda *state: states.append(state))
    assert states[0][:4] == (before, N_CELLS, 0, None)
    assert_same(resumed, whole)
    assert not list(tmp_path.glob("**/.*")), "leftovers of the killed run"


@pytest.mark.slow
def test_workers_end_with_a_killed_parent(start, tmp_path):
    """Also those in the middle of a cell that would take hours."""
    process = start(tmp_path, n_jobs=2, spec=ENDLESS, stderr=subprocess.DEVNULL)
    wait_until(lambda: stored(tmp_path) >= 1 or process.poll() is not None)
    workers = psutil.Process(process.pid).children(recursive=True)
    assert workers
    process.kill()
    process.wait()
    psutil.wait_procs(workers, timeout=PATIENCE)
    assert not [worker for worker in workers if is_alive(worker)]


def is_alive(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("damage", [b"", b'{"status": "ok", "ro', b"[1, 2]"])
def test_damaged_cell_is_run_again_and_named(small, tmp_path, whole, damage):
    run(small, tmp_path)
    cell = plan(small, "quick")[3][0]
    (tmp_path / "cells" / f"{cell.key}.json").write_bytes(damage)
    states = []
    named = f"result of {cell.dataset}, {cell.method}, split {cell.split} is damaged.*{cell.key}"
    with pytest.warns(UserWarning, match=named):
        table = run(small, tmp_path, progress=lambda *state: states.append(state))
    assert [state[0] for state in states] == [N_CELLS - 1, N_CELLS]
    assert_same(table, whole)


def test_two_runs_at_once_share_the_work(start, tmp_path, whole):
    processes = [start(tmp_path) for _ in range(2)]
    for process in processes:
        assert process.communicate(timeout=PATIENCE) == (None, "")
        assert process.returncode == 0
    assert stored(tmp_path) == N_CELLS
    assert_same(read_tables(tmp_path)["small"], whole)


def test_cells_of_another_run_are_not_run_again(small, tmp_path, whole, monkeypatch):
    """Another run finishes the rest while this one is at its first cell."""
    plain, calls = runner.run_cell, []

    def interrupted(cell):
        calls.append(cell)
        if len(calls) == 1:
            monkeypatch.setattr(runner, "run_cell", plain)
            run(small, tmp_path)
            monkeypatch.setattr(runner, "run_cell", interrupted)
        return plain(cell)

    monkeypatch.setattr(runner, "run_cell", interrupted)
    states = []
    table = run(small, tmp_path, progress=lambda *state: states.append(state))
    assert len(calls) < N_CELLS / 2
    assert states[-1][0] == N_CELLS
    assert_same(table, whole)


def test_full_disk_stops_the_run_with_a_clear_error(start, small, tmp_path, whole):
    """A limit on the size of files acts like a disk without room for the next one."""
    run(small, tmp_path, datasets=["iris"], n_splits=1)
    smallest = min(path.stat().st_size for path in tmp_path.glob("cells/*.json"))
    before = {path.name: path.read_bytes() for path in tmp_path.glob("cells/*.json")}

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (smallest // 2,) * 2)

    process = start(tmp_path, preexec_fn=small_files)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    assert "cannot store a result in" in errors
    assert "run the same command again" in errors
    after = {path.name: path.read_bytes() for path in tmp_path.glob("cells/[!.]*.json")}
    assert after == before
    assert_same(run(small, tmp_path), whole)


def test_files_of_others_in_the_folder_do_no_harm(small, tmp_path, whole):
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells" / "notes.txt").write_text("mine")
    (tmp_path / "cells" / "unknown.json").write_text(json.dumps({"mine": True}))
    assert_same(run(small, tmp_path), whole)
    assert (tmp_path / "cells" / "notes.txt").read_text() == "mine"


def test_command_fails_if_every_cell_has_failed(tmp_path, monkeypatch):
    """The only data set is damaged, so that even all features cannot be scored."""
    (tmp_path / "Yale.mat").write_bytes(b"not a MATLAB file")
    monkeypatch.setenv("GRAPHSIEVE_DATA", str(tmp_path))
    spec = tmp_path / "mine.toml"
    spec.write_text(SMALL.replace('"wine", "iris"', '"yale"'))
    command = ["run", str(spec), "--jobs", "1", "--out", str(tmp_path / "results")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert "no cell succeeded" in done.output
    assert "is not the yale data set" in done.output
    assert (tmp_path / "results" / "mine.parquet").exists()
