"""Every benchmark runs on a tiny size, and its table can be drawn and written into the docs."""

import importlib
import json
import sys
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
SMALL = {"datasets": ("digits",), "iterations": 3, "n_samples": 200}

# Arguments that make a part of run.py small.
CASES = {
    "objective": {"sizes": ((60, 20, 3),), "repeats": 1, "enough": 0, "turns": 1},
    "fit": {"dataset": "digits", "iterations": 3, "per_class": 5},
    "scaling": {
        "dataset": "digits",
        "along_n": ((100, 64, 2), (200, 64, 2)),
        "along_d": ((50, 64, 2), (50, 128, 2)),
        "along_m": ((50, 64, 2), (50, 64, 4)),
        "neighbors": "exact",
        "iterations": 1,
        "repeats": 1,
    },
    "peers": {
        "peers": {"peers_skfeature": ("wine",), "peers_fastcan": ("wine",)},
        "repeats": 1,
        "enough": 0,
    },
    "methods": {"datasets": ("wine",), "names": ("mcfs", "gafs"), "before": None, "repeats": 1},
    "graph_recall": {
        "dataset": "digits",
        "sizes": (100, 200),
        "searches": ("exact", "scikit-learn"),
    },
    "solver_overhead": {"n": 20, "d": 30, "m": 3, "iterations": 3},
    "solver_start": {**SMALL, "seeds": (0, 1)},
    "solver_coordinates": {**SMALL, "seeds": (0,)},
    "solver_path": {**SMALL, "alphas": (1e-2, 1e-3)},
}
NEEDED = {"fit": ("torch",), "peers": ("skfeature", "fastcan")}


@pytest.fixture
def run(monkeypatch):
    """The module benchmarks/run.py, importable with its neighbours for the time of a test."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(FOLDER)
    yield importlib.import_module("run")
    for name in set(sys.modules) - before:
        if str(FOLDER) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_part_runs_and_is_drawn_and_written(run, name):
    for package in NEEDED.get(name, ()):
        pytest.importorskip(package)
    part = run.PARTS[name]
    rows = getattr(importlib.import_module(part.module), part.function)
    table = pd.DataFrame(rows(**CASES[name]))
    run.tables.FIGURES[name](table).savefig(BytesIO())
    page = f"# Page\n\n<!-- table: {name} -->\nto be replaced\n<!-- end -->\n\nText\n"
    text = run.tables.update(page, {name: table})
    assert "to be replaced" not in text
    assert text.startswith(f"# Page\n\n<!-- table: {name} -->\n| ")
    assert text.endswith(" |\n<!-- end -->\n\nText\n")
    assert all(claim["kept"] in ("yes", "no") for claim in run.claims.rows({name: table}))


def test_every_part_has_a_quick_run_and_a_mark_in_the_docs(run):
    text = "".join(page.read_text() for page in run.tables.PAGES)
    for name, part in run.PARTS.items():
        assert part.quick, name
        assert f"<!-- table: {name} -->" in text
        if name in run.tables.FIGURES:
            assert f"results/speed/{name}.png" in text


@pytest.mark.slow
def test_tables_of_quality_in_the_docs_are_those_of_the_results(run):
    quality = importlib.import_module("quality_tables")
    for page in quality.PAGES:
        text = page.read_text("utf-8")
        assert run.tables.fill_marks(text, lambda name: quality.WRITERS[name]()) == text


@pytest.fixture
def label_free(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    yield importlib.import_module("label_free")
    del sys.modules["label_free"]


def test_label_free_agreement_and_losses(label_free):
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


def test_redundancy_compares_rules_on_a_small_table(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    redundancy = importlib.import_module("redundancy")
    X = redundancy.TABLES["breast_cancer"]()[:100, :12]
    rows = redundancy.compare("cancer", X, ["DropRedundant", "by=correlation"])
    assert [row["same"] for row in rows] == ["yes", "yes"]
    assert rows[0]["kept"] <= rows[1]["kept"] < 12
    assert rows[0]["least R^2"] >= redundancy.THRESHOLD


def test_sizes(run, monkeypatch, capsys):
    sizes = importlib.import_module("sizes")
    monkeypatch.setattr(sizes, "CASES", {"wide": (30, 40), "csr": (50, 20)})
    rows = []
    for case, method in (("wide", "css"), ("csr", "udfs")):
        sizes.fit(case, method)
        found = map(json.loads, capsys.readouterr().out.splitlines())
        rows.append({"case": case, "method": method, **next(found), **next(found)})
    table = sizes.table(pd.DataFrame(rows))
    assert "| method | 30 x 40 | 50 x 20 |" in table
    assert "| `udfs` |  | needs dense data |" in table
    assert rows[0]["outcome"] == "ok"
