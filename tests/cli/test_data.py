"""``graphsieve data``: what is listed, found and fetched."""

import hashlib
from dataclasses import replace

import pytest
from scipy.io import savemat

from graphsieve.datasets import DATASETS


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


def test_list(run, here):
    result = run("data", "list")
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


def test_path(run, here):
    result = run("data", "path", "yale")
    assert (result.exit_code, result.stdout) == (0, f"{here}\n")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mnist", "mnist has not been downloaded. Run: graphsieve data fetch mnist"),
        ("wine", "wine ships with scikit-learn"),
        ("yael", "no data set is called 'yael'"),
    ],
)
def test_no_path(run, here, name, message):
    result = run("data", "path", name)
    assert result.exit_code == 1
    assert message in result.stderr
    assert not result.stdout


def test_fetch_goes_on_after_a_failure(run, here):
    result = run("data", "fetch", "mnist", "yale")
    assert result.exit_code == 1
    assert "could not download mnist" in result.stderr
    assert "set GRAPHSIEVE_DATA" in result.stderr
    assert result.stdout == f"{here}\n"


def test_fetch(run, here):
    result = run("data", "fetch", "yale")
    assert (result.exit_code, result.stdout) == (0, f"{here}\n")


def test_fetch_all_is_what_can_be_downloaded(run, here):
    result = run("data", "fetch", "all")
    assert result.exit_code == 1
    assert "could not download isolet" in result.stderr
    assert "wine" not in result.stderr
    assert "cub200" not in result.stderr
