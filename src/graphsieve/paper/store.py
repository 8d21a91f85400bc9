"""Results on disk: one file per cell, written at once, and one table per experiment."""

import json
import os
import secrets
from pathlib import Path


class Store:
    """A folder with ``cells/<key>.json`` and ``<experiment>.parquet``.

    Cells of several experiments and profiles share the folder: a cell that two of them have in
    common is run once.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.cells = self.folder / "cells"
        self.cells.mkdir(parents=True, exist_ok=True)

    def get(self, key):
        """The record of a cell, or None."""
        try:
            return json.loads(self._path(key).read_text("utf-8"))
        except FileNotFoundError:
            return None

    def put(self, key, record):
        """Store a record; whoever reads sees all of it or nothing."""
        # Numbers of NumPy are written as plain ones.
        _write(self._path(key), json.dumps(record, default=lambda value: value.item()).encode())

    def write_table(self, name, rows):
        """Write an experiment's tidy table."""
        import pandas as pd

        _write(self.folder / f"{name}.parquet", pd.DataFrame(rows).to_parquet(index=False))

    def _path(self, key):
        return self.cells / f"{key}.json"


def read_tables(folder):
    """Tables of all experiments in a folder, by name.

    Parameters
    ----------
    folder : path

    Returns
    -------
    dict of str to pandas.DataFrame
    """
    import pandas as pd

    paths = sorted(Path(folder).glob("*.parquet"))
    if not paths:
        raise ValueError(
            f"{folder} holds no results: there should be files such as comparison.parquet, "
            "which graphsieve bench run writes"
        )
    return {path.stem: pd.read_parquet(path) for path in paths}


def _write(path, content):
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
