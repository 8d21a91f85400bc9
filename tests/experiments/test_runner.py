"""The runner: nothing is run twice, failures are recorded, all backends give the same table."""

from dataclasses import replace

import pandas as pd
import pytest
from sklearn.datasets import load_wine

from experiments import baselines
from experiments.cells import plan
from experiments.protocol import ALL_FEATURES, forest_accuracy, score_order
from experiments.provenance import provenance
from experiments.runner import run
from experiments.spec import load_experiment, read_experiment
from graphsieve.methods import REGISTRY, Variance
from tests.experiments.conftest import assert_same

pytestmark = pytest.mark.slow


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
        assert rows[score].tolist() == expected[score].round(5).tolist()


def test_finished_cells_are_not_run_again(small, tmp_path, monkeypatch):
    first = run(small, tmp_path)
    monkeypatch.setattr("experiments.runner.run_cell", None)
    calls = []
    second = run(small, tmp_path, progress=lambda *state: calls.append(state))
    pd.testing.assert_frame_equal(first, second)
    assert calls == [(24, 24, 0, None, 0)]


def test_outdated_cells_are_run_again(small, tmp_path, monkeypatch):
    run(small, tmp_path)
    now = provenance() | {"commit": "new"}
    monkeypatch.setattr("experiments.runner.provenance", lambda: now)
    monkeypatch.setattr("experiments.cells.provenance", lambda: now)
    assert "new" not in set(run(small, tmp_path)["commit"])
    run(small, tmp_path, methods=["variance"], outdated=True)
    table = run(small, tmp_path)
    assert set(table.loc[table["commit"] == "new", "method"]) == {"variance", ALL_FEATURES}
    calls = []
    run(small, tmp_path, methods=["variance"], outdated=True, progress=lambda *s: calls.append(s))
    assert len(calls) == 1, "nothing is left"


def test_code_of_an_unknown_commit_is_outdated(small, tmp_path, monkeypatch):
    now = provenance() | {"commit": ""}
    monkeypatch.setattr("experiments.runner.provenance", lambda: now)
    monkeypatch.setattr("experiments.cells.provenance", lambda: now)
    options = {"methods": ["variance"], "datasets": ["iris"], "n_splits": 1}
    run(small, tmp_path, **options)
    calls = []
    run(small, tmp_path, **options, outdated=True, progress=lambda *s: calls.append(s))
    assert [call[0] for call in calls] == [0, 1, 2]


def test_rows_of_other_methods_stay_in_the_table(small, tmp_path):
    first = run(small, tmp_path)
    second = run(small, tmp_path, methods=["variance"], n_splits=1)
    order = ["split", "dataset", "method", "setting", "share"]
    assert_same(*(t.sort_values(order, ignore_index=True) for t in (first, second)))
    stored = run(small, tmp_path, methods=["variance"], n_splits=1, only_stored=True)
    assert set(stored["method"]) == {"variance", ALL_FEATURES}


def test_failed_cell_is_recorded_and_the_run_goes_on(small, tmp_path, monkeypatch):
    class Broken(Variance):
        def _rank(self, data):
            raise RuntimeError("broken on purpose")

    monkeypatch.setitem(REGISTRY, "variance", Broken)
    counts = []
    table = run(small, tmp_path, progress=lambda *state: counts.append(state[2]))
    failed = table[table["status"] == "failed"]
    assert counts[-1] == 4 == len(failed)
    assert set(failed["method"]) == {"variance"}
    assert set(failed["error"]) == {"RuntimeError: broken on purpose"}
    assert (table.loc[table["method"] != "variance", "status"] == "ok").all()

    monkeypatch.setitem(REGISTRY, "variance", Variance)
    assert (run(small, tmp_path)["status"] == "failed").sum() == 4
    assert (run(small, tmp_path, retry=True)["status"] == "ok").all()


def test_processes_give_the_same_table(small, tmp_path):
    assert_same(run(small, tmp_path / "one"), run(small, tmp_path / "two", n_jobs=2))


def test_traces_orders_and_costs(tmp_path):
    trace = run(load_experiment("convergence"), tmp_path, datasets=["iris"])
    assert trace.groupby("setting")["objective"].apply(lambda o: o.iloc[-1] < o.iloc[0]).all()
    order = run(load_experiment("yale_masks"), tmp_path, datasets=["digits"])
    assert (order.groupby("method")["feature"].apply(sorted).map(len) == 64).all()
    cost = run(load_experiment("complexity"), tmp_path, datasets=["planted_30x20"])
    assert set(zip(cost["n_samples"], cost["n_features"], strict=True)) == {(30, 20)}
    assert ALL_FEATURES not in set(cost["method"])


WITH_BASELINES = """
title = "baselines"
measure = "shares"
groups = ["baselines"]

[protocol]
n_repeats = 2
shares = [0.2, 0.5]
metrics = ["accuracy", "neighbors", "clustering", "reconstruction", "neighborhood"]

[profiles.quick]
datasets = ["wine"]
methods = ["pfa", "fps"]
"""


def test_missing_package_skips_the_cell_until_it_is_there(tmp_path, monkeypatch):
    pytest.importorskip("skmatter")
    experiment = read_experiment(WITH_BASELINES, "baselines")

    def absent(module):
        raise ModuleNotFoundError(module)

    with monkeypatch.context() as patch:
        patch.setattr(baselines, "import_module", absent)
        table = run(experiment, tmp_path)
    skipped = table[table["status"] == "skipped"]
    assert skipped["method"].tolist() == ["fps"]
    assert "pip install skmatter" in skipped["error"].iloc[0]
    table = run(experiment, tmp_path)
    assert (table["status"] == "ok").all()
    scores = ["accuracy", "neighbor_accuracy", "acc", "nmi", "reconstruction", "neighborhood"]
    assert table[scores].notna().all(axis=None)


def test_pfa_is_fitted_for_every_fraction(tmp_path, monkeypatch):
    sizes = []
    plain = baselines.PFA._rank
    monkeypatch.setattr(
        baselines.PFA,
        "_rank",
        lambda self, data: sizes.append(self.n_features_to_select) or plain(self, data),
    )
    run(read_experiment(WITH_BASELINES, "baselines"), tmp_path, methods=["pfa"])
    assert sizes == [0.2, 0.5]


ALL_ROWS = """
title = "all rows"
measure = "shares"

[protocol]
rows = "all"
rounding = "up"
scale = "none"
metrics = ["forest"]
shares = [0.01, 0.02, 0.5]

[methods.variance]

[profiles.quick]
datasets = ["wine"]
"""


def test_all_rows_and_fractions_rounded_up(tmp_path):
    table = run(read_experiment(ALL_ROWS, "all_rows"), tmp_path)
    rows = table[table["method"] == "variance"]
    assert rows["share"].tolist() == [0.01, 0.02, 0.5]
    assert rows["n_features"].tolist() == [1, 1, 7]
    X, y = load_wine(return_X_y=True)
    column = X[:, [X.var(axis=0).argmax()]]
    seed = plan(read_experiment(ALL_ROWS, "all_rows"), "quick")[0][0].seed
    expected = forest_accuracy(column, y, random_state=seed)
    assert rows["forest"].iloc[0] == round(expected, 5)


def assert_same_content(left, right):
    """Two tables are equal up to the order of the columns and those without values."""
    left, right = (
        t.dropna(axis="columns", how="all").reset_index(drop=True) for t in (left, right)
    )
    pd.testing.assert_frame_equal(left, right, check_dtype=False, check_like=True)


def test_a_table_without_its_cells_is_continued(small, tmp_path, monkeypatch):
    first = run(small, tmp_path / "one", n_splits=1)
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "small.parquet").rename(tmp_path / "two" / "small.parquet")
    monkeypatch.setattr("experiments.runner.run_cell", None)
    options = {"datasets": ["wine"], "only_stored": True}
    again = run(small, tmp_path / "two", n_splits=1, **options)
    assert_same_content(again, first[first["dataset"] == "wine"])
    # The rows of the other data set are not in the new table, but their cells are kept.
    assert_same_content(run(small, tmp_path / "two", n_splits=1), first)


def test_a_cell_with_two_settings_is_restored_once(small, tmp_path):
    """The default of the Laplacian score, 5 neighbours, is the fixed setting and in the grid."""
    grid = replace(small.methods[0], grid={"n_neighbors": (4, 5)})
    twice = replace(small, methods=(grid, *small.methods[1:]))
    first = run(twice, tmp_path / "one", n_splits=1)
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "small.parquet").rename(tmp_path / "two" / "small.parquet")
    assert first.groupby("key").size().max() == 4
    assert_same_content(run(twice, tmp_path / "two", n_splits=1, only_stored=True), first)


def test_only_what_is_stored_completely(small, tmp_path, monkeypatch):
    run(small, tmp_path, n_splits=1)
    run(small, tmp_path, n_splits=2, methods=["variance"])
    monkeypatch.setattr("experiments.runner.run_cell", None)
    calls = []
    other = provenance() | {"commit": "new"}
    monkeypatch.setattr("experiments.runner.provenance", lambda: other)
    options = {"outdated": True, "progress": lambda *state: calls.append(state)}
    table = run(small, tmp_path, n_splits=2, only_stored=True, **options)
    assert calls == [(12, 12, 0, None, 0)]
    assert set(table["split"]) == {0}
    assert set(table["dataset"]) == {"wine", "iris"}
    with pytest.raises(ValueError, match="no data set is complete"):
        run(small, tmp_path / "empty", only_stored=True)
