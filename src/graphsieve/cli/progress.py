"""What is being done, while it is being done: a live line on a terminal, a plain line elsewhere."""

import threading
import time
from contextlib import contextmanager

from rich.text import Text

from .._utils.text import printable
from .console import err, note

# Off a terminal, nothing is said about what is done within the first seconds.
_FIRST_SECONDS = 2
_NEXT_SECONDS = 20


@contextmanager
def progress(doing):
    """Say what is being done; yields a function that takes the latest state."""
    if err.is_terminal:
        with err.status(Text(printable(doing))) as status:
            yield lambda state: status.update(Text(printable(f"{doing}: {state}")))
        return
    lines = _Lines(doing)
    lines.start()
    try:
        yield lines.update
    finally:
        lines.stop()


class _Lines:
    """A line now and then, from a thread of its own."""

    def __init__(self, doing):
        self._doing, self._state = doing, ""
        self._finished = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._start = time.monotonic()

    def start(self):
        self._thread.start()

    def stop(self):
        self._finished.set()
        self._thread.join()

    def update(self, state):
        self._state = state

    def _run(self):
        wait = _FIRST_SECONDS
        while not self._finished.wait(wait):
            state = f"{self._doing}: {self._state}" if self._state else self._doing
            note(f"{state} ({time.monotonic() - self._start:.0f} s)")
            wait = _NEXT_SECONDS
