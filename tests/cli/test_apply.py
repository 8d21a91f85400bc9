"""Constraints, saved selections and pages from the command line."""

import json

import pandas as pd
import pytest
from sklearn.datasets import load_wine
from typer.testing import CliRunner

from graphsieve.cli.app import app


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = load_wine(as_frame=True).data
    frame.to_csv("wine.csv", index=False)
    (tmp_path / "panel.txt").write_text("hue\nash\n")
    return tmp_path


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_include_exclude_save_and_apply(folder):
    run(
        *("select", "wine.csv", "-k", 4, "--include", "panel.txt", "--exclude", "flav*"),
        *("-o", "out.csv", "--save", "kept.json"),
    )
    kept = pd.read_csv("out.csv").columns.tolist()
    assert {"hue", "ash"} <= set(kept)
    assert "flavanoids" not in kept
    assert json.loads((folder / "kept.json").read_text())["kept_names"] == kept
    run("apply", "kept.json", "wine.csv", "-o", "applied.csv")
    assert pd.read_csv("applied.csv").columns.tolist() == kept


def test_apply_names_missing_columns_and_overwrites_nothing(folder):
    run("select", "wine.csv", "-k", 3, "--include", "hue", "--save", "kept.json")
    pd.read_csv("wine.csv").rename(columns={"hue": "Hue"}).to_csv("other.csv", index=False)
    message = run("apply", "kept.json", "other.csv", "-o", "out.csv", code=1)
    assert "'hue'" in message
    assert "Did you mean 'Hue'?" in message
    assert not (folder / "out.csv").exists()
    run("apply", "kept.json", "wine.csv", "-o", "out.csv")
    assert "--force" in run("apply", "kept.json", "wine.csv", "-o", "out.csv", code=2)


@pytest.mark.slow
def test_pages(folder):
    run("select", "wine.csv", "-k", 3, "--save", "kept.json", "--report", "page.html")
    run("report", "kept.json", "wine.csv", "-o", "again.html")
    for page in ("page.html", "again.html"):
        text = (folder / page).read_text()
        assert text.startswith("<!DOCTYPE html>") or text.startswith("<!doctype html>")
        assert "proline" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--include", "hu"], "did you mean hue"),
        (["--save", "kept.txt"], "should end in .json"),
        (["--report", "page.pdf"], "should end in .html"),
        (["--image-shape", "round"], "such as 32x32"),
        (["--include", "hue", "--exclude", "hue"], "hue"),
    ],
)
def test_mistakes(folder, arguments, words):
    result = CliRunner().invoke(app, ["select", "wine.csv", "-k", "3", *arguments])
    assert result.exit_code in (1, 2)
    assert words in " ".join(result.output.split())
