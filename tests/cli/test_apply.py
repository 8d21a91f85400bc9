"""Constraints, saved selections and pages from the command line."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from typer.testing import CliRunner

from graphsieve.cli.app import app

from ..helpers.cells import make_cells


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = load_wine(as_frame=True).data
    frame.to_csv("wine.csv", index=False)
    (tmp_path / "panel.txt").write_text("hue\nash\n")
    return tmp_path


@pytest.fixture
def run_cells(folder):
    """run_cells(*options) -> the columns of obs that apply writes after select with the options."""
    make_cells().write_h5ad("cells.h5ad")

    def call(*options):
        run(
            "select", "cells.h5ad", "-k", 4, "-m", "css", "--save", "kept.json", "--force", *options
        )
        run("apply", "kept.json", "cells.h5ad", "-o", "out.csv", "--force")
        return pd.read_csv("out.csv", nrows=1).columns[:-4].tolist()

    return call


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


@pytest.mark.parametrize("method", ["css", "variance"])
def test_included_columns_come_first_in_the_order_given(folder, method):
    names = ("--include", "hue,ash", "--include", "alco*")
    run("select", "wine.csv", "-k", 4, "-m", method, *names, "--scores", "scores.csv")
    assert pd.read_csv("scores.csv")["feature"].tolist()[:3] == ["hue", "ash", "alcohol"]


def test_apply_names_missing_columns_and_overwrites_nothing(folder):
    run("select", "wine.csv", "-k", 3, "--include", "hue", "--save", "kept.json")
    pd.read_csv("wine.csv").rename(columns={"hue": "Hue"}).to_csv("other.csv", index=False)
    message = run("apply", "kept.json", "other.csv", "-o", "out.csv", code=1)
    assert "'hue'" in message
    assert "(did you mean Hue" in message
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


def test_reading_options_and_colours(folder):
    """What select can read, apply and report can read; a column of classes is not a feature."""
    wine = load_wine(as_frame=True)
    frame = wine.data.iloc[:40].assign(kind=[f"kind {t}" for t in range(2)] * 20)
    with (folder / "latin.csv").open("w", encoding="cp1252") as file:
        file.write("# é\n")
        frame.to_csv(file, sep="|", index=False)
    reading = ("--sep", "pipe", "--encoding", "cp1252")
    run(
        *("select", "latin.csv", "-k", 3, "-m", "css", *reading, "--color", "kind"),
        *("--save", "kept.json", "--report", "page.html", "-o", "out.csv"),
    )
    assert "kind" in pd.read_csv("out.csv").columns
    run("report", "kept.json", "latin.csv", *reading, "--color", "kind", "-o", "again.html")
    for page in ("page.html", "again.html"):
        assert "kind 1" in (folder / page).read_text()
    run("apply", "kept.json", "latin.csv", *reading, "-o", "applied.csv")
    assert len(pd.read_csv("applied.csv")) == 40


def test_a_page_about_text_says_where_to_get_one(folder):
    frame = load_wine(as_frame=True).data.iloc[:40, :3].assign(kind=["a", "b"] * 20)
    frame.to_csv("text.csv", index=False)
    run("select", "text.csv", "-k", 2, "-m", "css", "--encode", "onehot", "--save", "kept.json")
    message = run("report", "kept.json", "text.csv", code=1)
    assert "not numeric: 'kind'" in message
    assert "--encode onehot --report" in message


def test_a_page_about_a_selection_within_batches(folder):
    frame = pd.read_csv("wine.csv")
    frame.insert(0, "cellar", np.arange(len(frame)) % 2)
    frame.to_csv("cellars.csv", index=False)
    options = ("-k", 3, "-m", "css", "--batch", "cellar", "--save", "kept.json")
    run("select", "cellars.csv", *options)
    page = ("report", "kept.json", "cellars.csv", "-o", "page.html", "--force")
    assert "within each of 2 batches" in run(*page)
    assert "batches" not in run(*page, "--batch", "cellar")


def test_a_page_that_cannot_be_made_leaves_no_file(folder):
    options = ("-k", 3, "-m", "css", "-o", "out.csv", "--report", "page.html")
    assert "no column 'x9'" in run("select", "wine.csv", *options, "--color", "x9", code=1)
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--include", "hu"], "did you mean hue"),
        (["--include", "hue.txt"], "there is neither a column nor a file 'hue.txt'"),
        (["--include", "hue", "--keep", "hue"], "--include: not selected from"),
        (["--save", "kept.txt"], "use .json"),
        (["--report", "page.pdf"], "use .html"),
        (["--include", "hue", "--exclude", "hue"], "hue"),
    ],
)
def test_mistakes(folder, arguments, words):
    result = CliRunner().invoke(app, ["select", "wine.csv", "-k", "3", *arguments])
    assert result.exit_code in (1, 2)
    assert words in " ".join(result.output.split())


def test_apply_carries_what_select_carried_and_never_what_was_dropped(folder):
    frame = pd.read_csv("wine.csv")
    frame.insert(0, "bottle", [f"{i:04}" for i in range(len(frame))])
    frame = frame.assign(tmp=frame["hue"] * 2, kind="red")
    frame.to_csv("bottles.csv", index=False)
    options = ("--keep", "kind", "--drop", "tmp", "--save", "kept.json", "-o", "out.csv")
    run("select", "bottles.csv", "-k", 3, "-m", "css", *options)
    run("apply", "kept.json", "bottles.csv", "-o", "applied.csv")
    assert (folder / "applied.csv").read_text() == (folder / "out.csv").read_text()
    assert "0007" in (folder / "applied.csv").read_text()
    frame.drop(columns="kind").assign(new=1).to_csv("new.csv", index=False)
    said = run("apply", "kept.json", "new.csv", "-o", "less.csv")
    assert "new.csv lacks columns that the selection carries: 'kind'" in said
    assert "left out: 'new' (--extra adds them)" in said
    run("apply", "kept.json", "new.csv", "-o", "more.csv", "--extra")
    names = pd.read_csv("more.csv", nrows=1).columns.tolist()
    assert names[0] == "bottle"
    assert "new" in names
    assert "tmp" not in names


def test_apply_carries_columns_of_obs(run_cells):
    assert run_cells("--keep", "donor") == ["obs_names", "donor"]
    assert run_cells() == ["obs_names"]


def test_apply_says_what_it_assumed_and_what_it_left_out(folder):
    run("select", "wine.csv", "-k", 4, "--method", "variance", "--save", "kept.json")
    frame = pd.read_csv("wine.csv")
    frame.insert(0, "bottle", [f"b{i}" for i in range(len(frame))])
    frame.to_csv("new.csv", index=False, sep=";", decimal=",")
    said = run("apply", "kept.json", "new.csv", "-o", "applied.csv")
    assert "separated by semicolons; decimal comma" in said
    assert "left out: 'bottle' (--extra adds them)" in said
    assert "left out" not in run("apply", "kept.json", "new.csv", "-o", "all.csv", "--extra")


def test_report_names_the_missing_columns(folder):
    run("select", "wine.csv", "-k", 4, "--method", "variance", "--save", "kept.json")
    pd.read_csv("wine.csv").drop(columns=["hue", "ash"]).to_csv("less.csv", index=False)
    said = run("report", "kept.json", "less.csv", code=1)
    assert "less.csv lacks 2 of the 13 columns ranked: 'ash', 'hue'" in said


def test_positions_are_those_of_the_file(folder):
    frame = pd.read_csv("wine.csv")
    frame.insert(0, "bottle", [f"b{i}" for i in range(len(frame))])
    frame.to_csv("bottles.csv", index=False)
    options = ("-k", 1, "-m", "css", "--save", "kept.json")
    run("select", "bottles.csv", *options, "--include", 2)
    assert json.loads((folder / "kept.json").read_text())["kept_names"] == [frame.columns[2]]
    assert "'bottle'" in run("select", "bottles.csv", *options, "--force", "--include", 0, code=1)


def test_apply_and_report_read_standard_input(folder):
    run("select", "wine.csv", "-k", 3, "-m", "css", "-o", "out.csv", "--save", "kept.json")
    table = (folder / "wine.csv").read_text()
    for command in (["apply", "-o", "applied.csv"], ["report", "-o", "page.html"]):
        name, *output = command
        result = CliRunner().invoke(app, [name, "kept.json", "-", *output], input=table)
        assert result.exit_code == 0, result.output
    assert (folder / "applied.csv").read_text() == (folder / "out.csv").read_text()
    assert "<title>standard input" in (folder / "page.html").read_text()


def test_apply_says_that_names_have_changed(folder):
    frame = pd.read_csv("wine.csv").rename(columns={"hue": "=hue"})
    frame.to_csv("formula.csv", index=False)
    options = ("-k", 1, "-m", "css", "--include", "=hue", "--save", "kept.json")
    run("select", "formula.csv", *options)
    assert "apostrophe" in run("apply", "kept.json", "formula.csv", "-o", "applied.csv")


def test_the_same_command_saves_the_same_file(folder):
    options = ("select", "wine.csv", "-k", 3, "--report", "page.html", "--force", "--save")
    for path in ("first.json", "second.json"):
        run(*options, path)
        assert "<function" not in (folder / "page.html").read_text()
    assert (folder / "first.json").read_text() == (folder / "second.json").read_text()
