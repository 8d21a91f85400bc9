"""What users see while they wait: warnings that point at their line, and progress."""

import sys
import time
import warnings
from contextlib import contextmanager

# Frames of these packages stand between the user's call and the place that warns.
_INTERNAL = ("graphsieve", "sklearn", "joblib", "concurrent", "threading", "contextlib")
# Seconds between two lines about progress.
_LINE_SECONDS = 5.0


def warn(message, category=UserWarning):
    """Issue a warning that is attributed to the caller of graphsieve."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _INTERNAL:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


class Progress:
    """Lines about at most ``total`` steps on standard error, one every few seconds if ``verbose``.

    Use it by ``with``, and call ``update(step, text)`` after every step.
    """

    def __init__(self, title, total, verbose):
        self._title, self._total, self._verbose = title, total, verbose
        self._last_time, self._line, self._shown = -float("inf"), None, None

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self._show()

    def update(self, step, text=""):
        self._line = f"{self._title}: {step}/{self._total} {text}".rstrip()
        if time.monotonic() - self._last_time >= _LINE_SECONDS:
            self._show()

    def _show(self):
        if self._verbose and self._line != self._shown:
            self._last_time, self._shown = time.monotonic(), self._line
            print(self._line, file=sys.stderr, flush=True)


def shown(results, title, total, verbose, names=None):
    """Yield the results, and show their number, and their names, while they come if ``verbose``."""
    with Progress(title, total, verbose) as progress:
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
            text = f"{self._title}: {stage} took {self.seconds[stage]:.1f} s"
            print(text, file=sys.stderr, flush=True)

    def steps(self, stage, total):
        """The Progress of the steps of a stage."""
        return Progress(f"{self._title}: {stage}", total, self._verbose)
