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


def test_long_work_writes_plain_lines(lines, monkeypatch):
    with console.progress("gafs on [bold]x.csv\x1b[2J") as update:
        update("iteration 2")
        monkeypatch.setattr(console, "_LINE_SECONDS", 0)
        update("iteration 3")
    assert lines.getvalue() == "gafs on [bold]x.csv\\x1b[2J: iteration 3\n"


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
    assert len(lines.getvalue().splitlines()) == 1


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
