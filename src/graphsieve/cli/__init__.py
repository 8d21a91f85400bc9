"""The command line: one file per command, and no maths in any of them."""

import signal
import sys

# What the extra "cli" brings; the library itself works without.
_EXTRA = {"typer", "pandas", "pyarrow", "matplotlib"}


def main():
    """Entry point of the ``graphsieve`` command."""
    # A terminated run cleans up like an interrupted one: no half-written file stays behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        from .app import app

        app()
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        sys.exit(
            f"graphsieve: this command needs {error.name}, which is not installed. "
            "Install the command line's packages with: pip install 'graphsieve[cli]'"
        )
