"""The runner: stopped runs go on, failed cells are written down, Dask gives the same table."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from graphsieve.evaluation import ALL_FEATURES, score_order
from graphsieve.methods import REGISTRY, Variance
from graphsieve.paper import Store, load_experiment, run
from graphsieve.paper.cells import plan
from tests.paper.conftest import SMALL

TIMES = ["fit_seconds", "fit_cpu_seconds"]


def assert_same(left, right):
    pd.testing.assert_frame_equal(left.drop(columns=TIMES), right.drop(columns=TIMES))


def test_table_is_tidy_and_has_provenance(small, tmp_path):
    table = run(small, tmp_path)
    assert len(table) == 2 * 2 * (1 + 2 * (3 + 1 + 1))
    assert not table.duplicated(["dataset", "split", "method", "setting", "share"]).any()
    assert (table["status"] == "ok").all()
    for column in ("graphsieve", "numpy", "scikit_learn", "cpu", "seed", "commit", "protocol"):
        assert table[column].notna().all()
    assert (table["accuracy"] > 0).all()
    pd.testing.assert_frame_equal(table, pd.read_parquet(tmp_path / "small.parquet"))


def test_numbers_are_those_of_the_evaluation(small, tmp_path):
    table = run(small, tmp_path, datasets=["wine"], methods=["variance"])
    rows = table[(table["method"] == "variance") & (table["split"] == 0)]
    cell = plan(small, "quick", datasets=["wine"])[0][0]
    split = cell.load_split()
    order = Variance().fit(split.X_train).order_
    expected = score_order(order, split, shares=[0.2, 0.5], n_repeats=2, random_state=cell.seed)
    for score in ("accuracy", "acc", "nmi"):
        assert rows[score].tolist() == expected[score].tolist()


def test_finished_cells_are_not_run_again(small, tmp_path, monkeypatch):
    first = run(small, tmp_path)
    monkeypatch.setattr("graphsieve.paper.runner.run_cell", None)
    calls = []
    second = run(small, tmp_path, progress=lambda *state: calls.append(state))
    pd.testing.assert_frame_equal(first, second)
    assert calls == [(24, 24, 0, None)]


def test_failed_cell_is_recorded_and_the_run_goes_on(small, tmp_path, monkeypatch):
    class Broken(Variance):
        def _rank(self, data):
            raise RuntimeError("broken on purpose")

    monkeypatch.setitem(REGISTRY, "variance", Broken)
    counts = []
    table = run(small, tmp_path, progress=lambda done, total, failed, cell: counts.append(failed))
    failed = table[table["status"] == "failed"]
    assert counts[-1] == 4 == len(failed)
    assert set(failed["method"]) == {"variance"}
    assert set(failed["error"]) == {"RuntimeError: broken on purpose"}
    assert (table.loc[table["method"] != "variance", "status"] == "ok").all()

    monkeypatch.setitem(REGISTRY, "variance", Variance)
    assert (run(small, tmp_path)["status"] == "failed").sum() == 4
    assert (run(small, tmp_path, retry=True)["status"] == "ok").all()


SCRIPT = """
import sys, time
from graphsieve.paper import read_experiment, run
from graphsieve.paper import runner
text, folder, n_jobs = sys.argv[1:]
if n_jobs == "1":
    plain = runner.run_cell
    def slowly(cell):
        time.sleep(0.05)
        return plain(cell)
    runner.run_cell = slowly
run(read_experiment(text, "small"), folder, n_jobs=int(n_jobs))
"""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_killed_run_resumes_to_the_same_table(small, tmp_path, n_jobs):
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    command = [sys.executable, "-c", SCRIPT, SMALL, str(killed), str(n_jobs)]
    process = subprocess.Popen(command, start_new_session=True)
    deadline = time.monotonic() + 120
    while len(list(killed.glob("cells/*.json"))) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    stored = len(list(killed.glob("cells/*.json")))
    assert stored >= 4
    assert n_jobs > 1 or stored < 24
    starts = []
    resumed = run(small, killed, progress=lambda *state: starts.append(state))
    assert starts[0] == (stored, 24, 0, None)
    assert_same(resumed, run(small, whole))


def test_stored_record_is_whole_or_absent(tmp_path):
    store = Store(tmp_path)
    assert store.get("a") is None
    with pytest.raises(AttributeError):
        store.put("a", {"value": object()})
    assert store.get("a") is None
    store.put("a", {"value": 1.5})
    assert store.get("a") == {"value": 1.5}
    assert [path.name for path in store.cells.iterdir()] == ["a.json"]


def test_processes_give_the_same_table(small, tmp_path):
    assert_same(run(small, tmp_path / "one"), run(small, tmp_path / "two", n_jobs=2))


def test_dask_gives_the_same_table(small, tmp_path):
    distributed = pytest.importorskip("dask.distributed")
    local = run(small, tmp_path / "local")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        remote = run(small, tmp_path / "dask", backend="dask", n_jobs=-1)
    assert_same(local, remote)


def test_unknown_backend(small, tmp_path):
    with pytest.raises(ValueError, match="loky, dask"):
        run(small, tmp_path, backend="spark")


def test_traces_orders_and_costs(tmp_path):
    trace = run(load_experiment("convergence"), tmp_path, datasets=["iris"])
    assert trace.groupby("setting")["objective"].apply(lambda o: o.iloc[-1] < o.iloc[0]).all()
    order = run(load_experiment("yale_masks"), tmp_path, datasets=["digits"])
    assert (order.groupby("method")["feature"].apply(sorted).map(len) == 64).all()
    cost = run(load_experiment("complexity"), tmp_path, datasets=["planted_30x20"])
    assert set(zip(cost["n_samples"], cost["n_features"], strict=True)) == {(30, 20)}
    assert ALL_FEATURES not in set(cost["method"])
