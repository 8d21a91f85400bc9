"""graphsieve drop: what it drops, prints and writes."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from graphsieve import DropRedundant
from tests.cli.conftest import load


@pytest.fixture
def cancer(tmp_path):
    frame = load_breast_cancer(as_frame=True).frame
    frame.to_csv(tmp_path / "cancer.csv", index=False)
    return tmp_path / "cancer.csv", frame


def test_dropped_columns_and_what_stands_for_them(run, cancer, tmp_path):
    path, frame = cancer
    outputs = ("-o", tmp_path / "out.csv", "--save", tmp_path / "kept.json")
    result = run("drop", path, "--keep", "target", *outputs)
    assert result.exit_code == 0, result.output
    X = frame.drop(columns="target")
    fitted = DropRedundant(0.9).fit(X)
    heading, names, *lines = result.stdout.splitlines()
    n_dropped = 30 - fitted.n_features_
    assert heading.startswith(f"Dropped {n_dropped} of 30 columns of cancer.csv (569 rows) in ")
    assert names.split("  ")[0] == "dropped"
    assert lines[n_dropped] == (
        f"R^2: predicted from the {fitted.n_features_} kept columns together, 0.9 or more."
    )
    for line in lines[:n_dropped]:
        name = next(name for name in X if line.startswith(f"{name}  "))
        j = list(X).index(name)
        r2, heldout, by = line.removeprefix(name).split(maxsplit=2)
        assert r2 == f"{fitted.r2_[j]:.2f}"
        assert heldout == f"{fitted.heldout_r2_[j]:.2f}"
        assert by.strip() == X.columns[fitted.represented_by_[j]]
    kept = list(fitted.get_feature_names_out())
    assert load(tmp_path / "out.csv")[1] == [*kept, "target"]
    assert json.loads((tmp_path / "kept.json").read_text())["method"] == "DropRedundant"


def test_a_long_list_is_cut(run, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 200))
    pd.DataFrame(X).add_prefix("c").to_csv(tmp_path / "wide.csv", index=False)
    result = run("drop", tmp_path / "wide.csv")
    assert "30 are too few rows for 29 kept columns" in result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) == 2 + 50 + 1 + 2
    assert lines[52] == "... and 121 more, better predicted; --scores lists them"


def test_names_include_and_explained(run, cancer):
    path, frame = cancer
    X = frame.drop(columns="target")
    options = ("--keep", "target", "--include", "mean radius", "--exclude", "worst*")
    result = run("drop", path, "--names", "--explained", 0.8, *options)
    excluded = [name for name in X if name.startswith("worst")]
    with pytest.warns(UserWarning, match="are excluded"):
        fitted = DropRedundant(0.8, include=["mean radius"], exclude=excluded).fit(X)
    assert set(result.stdout.splitlines()) == set(fitted.get_feature_names_out())
    assert "are excluded" in result.stderr


def test_explain_scores_and_page(run, cancer, tmp_path):
    path, _ = cancer
    scores, page = tmp_path / "scores.csv", tmp_path / "page.html"
    outputs = ("--scores", scores, "--report", page, "--explain", "--keep", "target")
    result = run("drop", path, *outputs)
    assert result.exit_code == 0, result.output
    table = pd.read_csv(scores)
    r2 = ["training_r2", "r2"]
    assert table.columns.tolist() == ["feature", "score", "rank", "kept", *r2, "explained_by"]
    assert (table["kept"] == table["r2"].isna()).all()
    assert table["training_r2"].min() >= 0.9
    assert "predicted from (weight)" in result.stdout
    assert "<title>cancer.csv" in page.read_text()


def test_gaps_are_accepted_and_cost_little(run, cancer):
    path, frame = cancer
    X = frame.drop(columns="target")
    X.mask(np.random.default_rng(0).random(X.shape) < 0.1).to_csv(path, index=False)
    result = run("drop", path)
    assert result.exit_code == 0, result.output
    assert int(result.stdout.split()[1]) >= 12
    assert "kept columns together where they are complete, 0.9 or more." in result.stdout


def test_constant_and_text_columns(run, frame, tmp_path):
    path, output = tmp_path / "data.csv", tmp_path / "out.csv"
    frame = frame.assign(flat=1.0, sum=frame["a"] + frame["d"], kind=["x", "y"] * 10)
    frame = frame.assign(same=np.where(frame["kind"] == "x", 1.5, 2.5))
    frame.to_csv(path, index=False)
    result = run("drop", path, "--encode", "onehot", "--include", "kind", "-o", output)
    assert result.exit_code == 0, result.output
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines()[2:]}
    assert rows["flat"] == ["constant"]
    assert (rows["same"][0], rows["same"][-1]) == ("1.00", "kind")
    assert "flat" not in load(output)[1]
    assert {"kind", "b b", "c[red]"} <= set(load(output)[1])


def test_nothing_to_drop(run, frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    result = run("drop", path, "--explained", 1)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Dropped 0 of 6 columns of data.csv (20 rows)")


@pytest.mark.parametrize("wrong", [["--explained", "1.5"], ["-k", "3"], ["--explained", "0"]])
def test_wrong_commands(run, csv, wrong):
    result = run("drop", csv, *wrong)
    assert result.exit_code == 2
    assert wrong[0] in result.stderr
