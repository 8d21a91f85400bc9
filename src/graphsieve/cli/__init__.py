"""The command line: one file per command, and no maths in any of them."""

import signal
import sys

# The extra that installs a package. The library works without all of them.
_EXTRAS = {
    **dict.fromkeys(("typer", "click", "rich", "pandas", "pyarrow", "matplotlib"), "cli"),
    "jinja2": "report",
    "zarr": "zarr",
    "openpyxl": "excel",
    **dict.fromkeys(("h5py", "anndata"), "anndata"),
    "dask": "dask",
    "distributed": "dask",
}


def main():
    """Run the ``graphsieve`` command."""
    # A terminated run cleans up like an interrupted one: no half-written file stays behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show becomes an escape, not an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        from .app import app

        app()
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRAS:
            raise
        sys.exit(
            f"graphsieve: this command needs {package}, which is not installed. In a clone of the "
            f'repository, run: pip install ".[{_EXTRAS[package]}]"'
        )
