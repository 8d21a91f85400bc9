"""``python -m experiments``: thin, and clear about what is wrong."""

import hashlib
from dataclasses import replace

import pandas as pd
import pytest
from scipy.io import savemat

from experiments.data import DATASETS


@pytest.mark.parametrize("command", [[], ["run"], ["report"], ["data"]])
def test_help_has_examples(run_command, command):
    result = run_command(*command, "--help")
    assert result.exit_code == 0
    examples = result.stdout.partition("Examples:")[2]
    assert f"python -m experiments {' '.join(command)}".strip() in examples


def test_run_writes_the_table_and_goes_on(run_command, tmp_path):
    command = ["run", "quality", "--datasets", "iris", "--methods", "variance,random"]
    command += ["--jobs", "1", "--out", tmp_path]
    first = run_command(*command)
    assert first.exit_code == 0, first.output
    assert "0/3 cells" in first.output
    table = pd.read_parquet(tmp_path / "quality.parquet")
    assert set(table["method"]) == {"variance", "random", "all features"}
    assert "3/3 cells" in run_command(*command).output
    more = run_command(*command, "--splits", "2")
    assert "3/6 cells" in more.output


def test_unknown_names(run_command, tmp_path):
    for arguments, message in (
        (["comparision"], "comparison, comparison_sample"),
        (["comparison", "--datasets", "irish"], "no data set is called 'irish'"),
        (["comparison", "--methods", "pca"], "has no method 'pca'"),
    ):
        done = run_command("run", *arguments, "--out", tmp_path / "out")
        assert done.exit_code == 1
        assert message in done.output
        assert not (tmp_path / "out").exists()


def test_report_overwrites_only_with_force(run_command, tmp_path):
    command = ["run", "quality", "--datasets", "iris", "--methods", "variance"]
    assert run_command(*command, "--jobs", "1", "--out", tmp_path).exit_code == 0
    page = tmp_path / "page.html"
    page.write_text("old")
    report = ["report", tmp_path, "-o", page]
    done = run_command(*report)
    assert done.exit_code == 2
    assert "page.html exists; add --force" in done.stderr
    assert page.read_text() == "old"
    done = run_command(*report, "--force")
    assert done.exit_code == 0, done.output
    assert "<html" in page.read_text()


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Folder of GRAPHSIEVE_DATA with the file of one data set; nothing else is to be had."""
    path = tmp_path / "Yale.mat"
    savemat(path, {"X": [[1.0, 2.0]], "Y": [[1]]})
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    for name, entry in list(DATASETS.items()):
        nowhere = entry.url and f"http://127.0.0.1:9/{entry.file}"
        monkeypatch.setitem(DATASETS, name, replace(entry, url=nowhere, sha256=(found,)))
    monkeypatch.setenv("GRAPHSIEVE_DATA", str(tmp_path))
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache" / project)
    return path


def test_list(run_command, here):
    result = run_command("data", "list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    entries = {
        title.split()[0]: about for title, about in zip(lines[::2], lines[1::2], strict=True)
    }
    assert set(entries) == set(DATASETS)
    assert entries["yale"].strip() == "165 x 1,024, 15 classes, here"
    assert entries["mnist"].endswith(", to download")
    assert entries["wine"].endswith(", in scikit-learn")
    assert entries["cub200"].endswith(", to be made from images")


def test_path(run_command, here):
    result = run_command("data", "path", "yale")
    assert (result.exit_code, result.stdout) == (0, f"{here}\n")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mnist", "mnist has not been downloaded. Run: python -m experiments data fetch mnist"),
        ("wine", "wine ships with scikit-learn"),
        ("yael", "no data set is called 'yael'"),
    ],
)
def test_no_path(run_command, here, name, message):
    result = run_command("data", "path", name)
    assert result.exit_code == 1
    assert message in result.stderr
    assert not result.stdout


def test_fetch_goes_on_after_a_failure(run_command, here):
    result = run_command("data", "fetch", "mnist", "yale")
    assert result.exit_code == 1
    assert "could not download mnist" in result.stderr
    assert "set GRAPHSIEVE_DATA" in result.stderr
    assert result.stdout == f"{here}\n"


def test_fetch(run_command, here):
    result = run_command("data", "fetch", "yale")
    assert (result.exit_code, result.stdout) == (0, f"{here}\n")


def test_fetch_all_is_what_can_be_downloaded(run_command, here):
    result = run_command("data", "fetch", "all")
    assert result.exit_code == 1
    assert "could not download isolet" in result.stderr
    assert "wine" not in result.stderr
    assert "cub200" not in result.stderr
