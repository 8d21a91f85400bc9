"""The commit in the provenance is the project's, wherever the package lies."""

import subprocess

import pytest

from experiments.provenance import commit_of, provenance


@pytest.fixture
def repository(tmp_path):
    """A repository with one commit."""

    def git(*arguments):
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        command = ["git", "-C", str(tmp_path), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet")
    (tmp_path / "file").write_text("content")
    git("add", "file")
    git("commit", "--quiet", "--message", "first")
    return tmp_path, git


def package(folder):
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    return folder


def test_source_tree_of_the_project(repository):
    root, git = repository
    source = package(root / "src" / "graphsieve")
    git("add", ".")
    git("commit", "--quiet", "--message", "second")
    commit = git("rev-parse", "HEAD")[:12]
    assert commit_of(source) == commit
    (source / "__init__.py").write_text("changed")
    assert commit_of(source) == f"{commit}-dirty"


def test_only_changes_of_the_code_count(repository):
    root, git = repository
    source = package(root / "src" / "graphsieve")
    experiment = root / "experiments" / "specs" / "one.toml"
    experiment.parent.mkdir(parents=True)
    experiment.write_text("a = 1")
    git("add", ".")
    git("commit", "--quiet", "--message", "second")
    # Experiments are in the rows, and other files take no part.
    experiment.write_text("a = 2")
    (root / "file").write_text("changed")
    assert git("rev-parse", "HEAD")[:12] == commit_of(source)
    (source / "new.py").write_text("")
    assert commit_of(source).endswith("-dirty")
    (source / "new.py").unlink()
    (root / "experiments" / "cells.py").write_text("")
    assert commit_of(source).endswith("-dirty")


def test_environment_inside_another_repository(repository):
    root, _ = repository
    installed = package(root / ".venv" / "lib" / "site-packages" / "graphsieve")
    assert commit_of(installed) == ""


def test_no_repository(tmp_path):
    assert commit_of(package(tmp_path / "src" / "graphsieve")) == ""


def test_git_variables_do_not_mislead(repository, tmp_path_factory, monkeypatch):
    root, _ = repository
    monkeypatch.setenv("GIT_DIR", str(root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(root))
    elsewhere = package(tmp_path_factory.mktemp("elsewhere") / "src" / "graphsieve")
    assert commit_of(elsewhere) == ""


def test_provenance_is_plain():
    values = provenance()
    assert {"graphsieve", "numpy", "python", "cpu", "commit"} <= set(values)
    assert all(isinstance(value, str | int) for value in values.values())
