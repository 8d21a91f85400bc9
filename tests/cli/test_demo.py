"""graphsieve demo, cut down to what shows that it works."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from graphsieve.cli import demo


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(demo, "_METHODS", ("gafs", "random", "variance"))
    monkeypatch.setattr(demo, "_SHARES", (0.1, demo._SHARE_OF_PAGE))
    monkeypatch.setattr(demo, "_SPLITS", 1)


@pytest.mark.slow
def test_table_and_page(run, short, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("demo")
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.stdout.splitlines()]
    [accuracy] = [row[1:] for row in rows if row[:1] == ["variance"]]
    assert all(0 < float(value) < 1 for value in accuracy)
    # More pixels tell more.
    assert float(accuracy[0]) < float(accuracy[1])
    assert len([row for row in rows if row[:1] == ["random"]]) == 1
    assert len([row for row in rows if row[:1] == ["gafs"] and len(row) == 3]) == 1
    assert "Warning" not in result.stderr
    assert (tmp_path / "graphsieve-demo.html").as_uri() in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["graphsieve-demo.html"]
    # The page is the demo's own: a second run replaces it.
    assert run("demo").exit_code == 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_all_methods_can_be_made():
    for name in demo._METHODS:
        assert demo._make(name, 3).fit(np.random.default_rng(0).random((12, 6))).n_features_ == 3


def test_no_blank_corner_among_the_pixels():
    X = load_digits().data
    selected = demo._make("sieve", demo._SHARE_OF_PAGE).fit(X).get_support()
    assert (X[:, selected] > 0).mean(axis=0).min() > 0.5
