"""The command line: one file per command, and no maths in any of them."""

import signal
import sys

# The extra that brings a package; the library itself works without.
_EXTRA = {"typer": "cli", "pandas": "cli", "pyarrow": "cli", "matplotlib": "cli", "zarr": "zarr"}


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
            f"Install it with: pip install 'graphsieve[{_EXTRA[error.name]}]'"
        )
