"""The command as a whole: help, methods, what is loaded, and how it ends."""

import inspect
import os
import signal
import subprocess
import sys

import pytest

from graphsieve import REGISTRY
from tests.cli.conftest import load


def python(code, *arguments):
    """Run code in a fresh interpreter, as the graphsieve command would be."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def without(package):
    return f"import sys; sys.modules[{package!r}] = None; from graphsieve.cli import main; main()"


@pytest.mark.parametrize("command", [[], ["select"], ["methods"], ["demo"]])
def test_help_has_examples(run, command):
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "Examples:" in result.stdout
    assert f"graphsieve {' '.join(command)}".strip() in result.stdout.partition("Examples:")[2]


@pytest.mark.parametrize("command", ["select", "compare", "report", "apply", "methods", "demo"])
def test_help_fits_in_a_terminal(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    assert "…" not in run(command, "--help").stdout


def test_help_lists_the_commands(run):
    shown = run("--help").stdout
    for name in ("select", "compare", "apply", "report", "methods", "demo"):
        assert f"│ {name} " in shown


def test_unknown_command(run):
    result = run("selct")
    assert result.exit_code == 2
    assert "No such command 'selct'. Did you mean 'select'? Run:" in result.stderr


@pytest.mark.parametrize("wrong", [["--colour", "a"], ["--impute", "foo"], ["--seed", "x"]])
def test_a_wrong_option_is_one_line(run, wrong):
    result = run("select", "data.csv", "-k", "3", *wrong)
    assert result.exit_code == 2
    line, *others = result.stderr.splitlines()
    assert not others
    assert wrong[0] in line
    assert line.endswith("select -h")


def test_help_loads_nothing_slow():
    slow = "{'numpy', 'scipy', 'sklearn', 'pandas', 'matplotlib'}"
    code = f"import sys; import graphsieve.cli.app; print(*{slow}.intersection(sys.modules))"
    assert python(code).stdout.strip() == ""


def test_methods_are_listed(run):
    result = run("methods")
    assert result.exit_code == 0
    rows = [" ".join(line.split()) for line in result.stdout.splitlines()]
    for name, cls in REGISTRY.items():
        assert f"{name} {cls.__name__} {cls.__doc__.splitlines()[0]}" in rows


def test_one_method_is_explained_in_full(run):
    result = run("methods", "gafs")
    assert "alpha |W_in|_{2,1}" in result.stdout
    for parameter in inspect.signature(REGISTRY["gafs"]).parameters:
        assert parameter in result.stdout
    assert "References" in result.stdout


def test_unknown_method_to_explain(run):
    result = run("methods", "gfas")
    assert result.exit_code == 2
    assert "did you mean gafs" in result.stderr


@pytest.mark.slow
def test_installed_command(csv, tmp_path):
    chosen = tmp_path / "chosen.csv"
    code = "from graphsieve.cli import main; main()"
    arguments = ["select", csv, "-k", 2, "--method", "variance", "-o", chosen]
    first = python(code, *arguments)
    assert first.returncode == 0, first.stderr
    assert "Kept 2 of 6 columns" in first.stdout
    assert load(chosen)[1] == ["c[red]", "e"]
    second = python(code, *arguments)
    assert second.returncode == 2
    assert not second.stdout
    assert "--force" in second.stderr


@pytest.mark.slow
@pytest.mark.parametrize("package", ["typer", "rich", "pandas", "pyarrow"])
def test_missing_packages_are_named(csv, package):
    result = python(without(package), "select", csv, "-k", "2", "--method", "variance")
    assert result.returncode == 1
    assert f"needs {package}" in result.stderr
    assert 'pip install ".[cli]"' in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.slow
def test_missing_packages_are_found_before_the_work(csv, tmp_path):
    result = python(without("openpyxl"), "select", csv, "-k", "2", "-o", tmp_path / "chosen.xlsx")
    assert result.returncode == 1
    assert "needs openpyxl" in result.stderr
    assert 'pip install ".[excel]"' in result.stderr
    (tmp_path / "data.zarr").mkdir()
    result = python(without("zarr"), "select", tmp_path / "data.zarr", "-k", "2")
    assert 'pip install ".[zarr]"' in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without asking it")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_killed_run_leaves_nothing_behind(csv, tmp_path, number):
    code = f"""
import os, signal, time
from graphsieve.cli import main
from graphsieve.cli.io import files

def die_half_way(path, table):
    path.write_text("half a fi")
    os.kill(os.getpid(), {int(number)})
    time.sleep(60)

files.FORMATS[".tsv"] = files.Format(None, die_half_way)
# A shell that starts the tests in the background makes its children deaf to Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
    before = sorted(tmp_path.iterdir())
    chosen = tmp_path / "chosen.tsv"
    result = python(code, "select", csv, "-k", 2, "--method", "variance", "-o", chosen)
    assert result.returncode == 128 + number
    assert "Traceback" not in result.stderr
    assert sorted(tmp_path.iterdir()) == before
