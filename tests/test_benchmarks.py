"""Every benchmark runs on a tiny size, and its table can be drawn and written into the docs."""

import importlib
import re
import sys
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest

from experiments.studies.tables import fill_marks

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"

# Arguments that make a part of run.py small, where --quick is not small enough.
CASES = {
    "objective": {"sizes": ((60, 20, 3),), "repeats": 1, "enough": 0, "turns": 1},
    "fit": {"dataset": "digits", "iterations": 3, "per_class": 5},
    "solver_overhead": {"n": 20, "d": 30, "m": 3, "iterations": 3},
    "floor": {"datasets": ("digits",), "repeats": 1},
    "elimination": {"cases": (("dense", 60, 40, 3), ("csr", 80, 60, 3)), "repeats": 1},
    "tall": {"sizes": ((600, 10),), "repeats": 1},
    "methods": {"cases": {"csr": (50, 20)}, "methods": ("css", "udfs")},
    "peers": {
        "peers": {"skfeature": ("wine",), "fastcan": ("wine",)},
        "repeats": 1,
        "enough": 0,
    },
    "scaling": {
        "dataset": "digits",
        "along_n": ((100, 64), (200, 64)),
        "along_d": ((50, 64), (50, 128)),
        "repeats": 1,
    },
    "storage": {
        "n": 300,
        "d": 10,
        "iterations": 2,
        "kinds": ("memory", "parquet"),
        "dtypes": ("float64",),
    },
    "large": {"shapes": {"csr": (500, 400), "map": (500, 120)}},
    "large_map": {"n": 300, "d": 10, "iterations": 2},
    "genes": {"n": 200, "d": 60, "n_genes": 10, "repeats": 1},
    "busy": {"cases": (("css", (60, 20)), ("report", (60, 20))), "repeats": 1},
}
NEEDED = {
    "fit": ("torch",),
    "peers": ("skfeature", "fastcan"),
    "genes": ("anndata", "dask", "scanpy"),
}


@pytest.fixture
def run(monkeypatch):
    """The module benchmarks/run.py, importable with its neighbours for the time of a test."""
    monkeypatch.syspath_prepend(FOLDER)
    before = set(sys.modules)
    yield importlib.import_module("run")
    for name in set(sys.modules) - before:
        if str(FOLDER) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_part_runs_and_is_drawn_and_written(run, name):
    for package in NEEDED.get(name, ()):
        pytest.importorskip(package)
    tables = importlib.import_module("tables")
    part = run.PARTS[name]
    found = {
        name: pd.DataFrame(
            getattr(importlib.import_module(part.module), part.function)(**CASES[name])
        )
    }
    if name in tables.FIGURES:
        tables.FIGURES[name](found[name]).savefig(BytesIO())
    assert re.match(r"\| .* \|\n\| --- ", tables.write(found, name))
    assert tables.write(found, "another") is None
    assert all(claim["kept"] in ("yes", "no") for claim in tables.check_claims(found))


def test_every_part_is_there_and_has_a_quick_run(run):
    for part in run.PARTS.values():
        assert callable(getattr(importlib.import_module(part.module), part.function))
        assert part.quick


def test_recorded_tables_are_those_of_the_docs(run):
    """Every recorded table and figure is shown, and shown as it is."""
    tables = importlib.import_module("tables")
    recorded = tables.read_tables()
    pages = {page: page.read_text("utf-8") for page in tables.PAGES}
    for name in recorded:
        mark = f"<!-- table: {name} -->"
        assert any(mark in text for text in pages.values()), f"no page has {mark}"
        if name in tables.FIGURES:
            assert any(f"benchmarks/results/{name}.png" in text for text in pages.values()), name
    for page, text in pages.items():
        assert fill_marks(text, lambda name: tables.write(recorded, name)) == text, page


def test_nothing_is_recorded_while_other_programs_are_busy(run, monkeypatch, capsys):
    monkeypatch.setattr(run, "busy_cores", lambda: 1.5)
    with pytest.raises(SystemExit, match=r"1\.5 cores busy: peers was not measured"):
        run.main(["peers"], quick=False)
    assert not capsys.readouterr().out
