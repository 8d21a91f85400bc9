"""What users see while they wait: warnings that point at their line, and progress."""

import sys
import time
import warnings
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec

# Frames of these packages stand between the user's call and the place that warns.
_INTERNAL = ("graphsieve", "sklearn", "joblib", "concurrent", "threading", "contextlib")


def warn(message, category=UserWarning):
    """Issue a warning that is attributed to the caller of graphsieve."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _package(frame) in _INTERNAL:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _package(frame):
    return frame.f_globals.get("__name__", "").partition(".")[0]


# Seconds between two lines where there is no terminal to draw a bar on.
_LINE_SECONDS = 5.0


def open_progress(title, total, *, time_left=True):
    """A display of at most ``total`` steps: ``with`` it, call ``update(step, text)`` after each."""
    if sys.stderr.isatty() and find_spec("rich") is not None:
        return _Bar(title, total, time_left)
    return _Lines(title, total)


def shown(results, title, total, verbose, names=None):
    """Yield the results, and show their number, and their names, while they come if ``verbose``."""
    if not verbose:
        yield from results
        return
    with open_progress(title, total) as progress:
        for number, result in enumerate(results):
            progress.update(number + 1, names[number] if names else "")
            yield result


class Stages:
    """Seconds of every stage, ``with stages("picks")``; a line for each if ``verbose``."""

    def __init__(self, title, verbose=0):
        self._title, self._verbose = title, verbose
        self.seconds = {}

    @contextmanager
    def __call__(self, stage):
        start = time.perf_counter()
        yield
        self.seconds[stage] = time.perf_counter() - start
        if self._verbose:
            sys.stderr.write(f"{self._title}: {stage} took {self.seconds[stage]:.1f} s\n")
            sys.stderr.flush()

    def steps(self, stage, total):
        """A display for the steps of a stage: ``with`` gives it, or None unless ``verbose``."""
        title = f"{self._title}: {stage}"
        return open_progress(title, total) if self._verbose else nullcontext()


class _Bar:
    """A bar with the number of steps, a text and, if asked for, the time left, drawn by rich."""

    def __init__(self, title, total, time_left):
        from rich import progress
        from rich.console import Console
        from rich.markup import escape

        text = progress.TextColumn("{task.description}"), progress.TextColumn("{task.fields[text]}")
        columns = [text[0], progress.BarColumn(), progress.MofNCompleteColumn(), text[1]]
        if time_left:
            columns.append(progress.TimeRemainingColumn())
        self._bar = progress.Progress(*columns, console=Console(stderr=True))
        self._task = self._bar.add_task(escape(title), total=total, text="")

    def __enter__(self):
        self._bar.start()
        return self

    def __exit__(self, *exc_info):
        self._bar.stop()

    def update(self, step, text=""):
        self._bar.update(self._task, completed=step, text=text)


class _Lines:
    """Plain lines on standard error, one every few seconds."""

    def __init__(self, title, total):
        self._title, self._total = title, total
        self._last_time = -float("inf")
        self._last_line = self._shown = None

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        if self._last_line != self._shown:
            self._show()

    def update(self, step, text=""):
        self._last_line = f"{self._title}: {step}/{self._total} {text}".rstrip()
        if time.monotonic() - self._last_time >= _LINE_SECONDS:
            self._show()

    def _show(self):
        self._last_time, self._shown = time.monotonic(), self._last_line
        sys.stderr.write(f"{self._last_line}\n")
        sys.stderr.flush()
