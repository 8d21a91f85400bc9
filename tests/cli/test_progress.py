"""Long work says what it is doing, on a terminal and elsewhere."""

import io
import warnings
from contextlib import contextmanager

import pytest
from rich.console import Console

from graphsieve.cli import console, prepare, selecting


@pytest.fixture
def lines(monkeypatch):
    """What is written to stderr, which is no terminal."""
    written = io.StringIO()
    monkeypatch.setattr(console, "err", Console(file=written, width=200))
    return written


def test_short_work_is_silent(lines):
    with console.progress("Reading data.csv"):
        pass
    assert lines.getvalue() == ""


def test_long_work_writes_plain_lines(lines, monkeypatch):
    monkeypatch.setattr(console, "_FIRST_SECONDS", 0.01)
    monkeypatch.setattr(console, "_NEXT_SECONDS", 0.01)
    with console.progress("gafs on [bold]x.csv\x1b[2J") as update:
        update("iteration 3")
        while "iteration 3" not in lines.getvalue():
            pass
    assert "gafs on [bold]x.csv\\x1b[2J: iteration 3 (0 s)\n" in lines.getvalue()


def test_a_terminal_has_a_live_line(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(console, "err", Console(file=written, force_terminal=True, width=80))
    with console.progress("gafs [bold]") as update:
        update("iteration 3")
    assert "gafs [bold]: iteration 3" in written.getvalue()


def test_warnings_come_before_the_work_and_once(lines):
    with console.warnings_shown():
        warnings.warn("it needs about 3.5 GB of memory", stacklevel=1)
        warnings.warn("not for users", FutureWarning, stacklevel=1)
        assert lines.getvalue() == "Warning: it needs about 3.5 GB of memory\n"
        for size in (4.5, 6):
            warnings.warn(f"it needs about {size} GB of memory", stacklevel=1)
    assert lines.getvalue().splitlines()[1:] == ["... and 2 warnings like these"]


def test_the_solver_is_followed(run, csv, monkeypatch):
    seen = []

    @contextmanager
    def watched(doing):
        seen.append(doing)
        yield seen.append

    for module in (prepare, selecting):
        monkeypatch.setattr(module, "progress", watched)
    assert run("select", csv, "-k", 1, "-m", "gafs", "--set", "max_iter=2").exit_code == 0
    assert seen[:2] == ["Reading data.csv", "gafs on 20 rows, 6 columns"]
    assert seen[2].startswith("iteration 1, objective ")
