"""Results on disk: one file per cell, and one table per experiment."""

import json
from pathlib import Path

from graphsieve._utils.files import remove_leftovers, replacing

from .analysis import finished
from .provenance import provenance

ABOUT = ("experiment", "profile", "dataset", "split", "method", "setting", "params")
_ORIGIN = ("status", "error", "seed", "protocol", "key", "seconds")
_FIT = ("fit_seconds", "fit_cpu_seconds", "n_iter", "converged")
_COLUMNS = (*ABOUT, "status", "error", "key", "commit")
# Decimals of numbers and of standard deviations in a table. Scores of 20 repetitions are known to
# two or three, and all digits would make the file three times as large.
_DECIMALS, _STD_DECIMALS = 5, 4


class DamagedRecord(ValueError):
    """The file of a cell cannot be read."""


class Store:
    """A folder with ``cells/<key>.json`` and ``<experiment>.parquet``, created if it is missing.

    Cells of several experiments and profiles share the folder: a cell that two of them have in
    common is run once.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.cells = self.folder / "cells"
        self.cells.mkdir(parents=True, exist_ok=True)
        for place in (self.folder, self.cells):
            remove_leftovers(place)

    def get(self, key):
        """Return the record of a cell, or None; a `DamagedRecord` if the file is unusable."""
        path = self._path(key)
        try:
            record = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise DamagedRecord(f"{path} is not valid JSON ({error})") from error
        if not _is_record(record):
            raise DamagedRecord(f"{path} does not hold the record of a cell")
        return record

    def put(self, key, record):
        """Store a record; readers see all of it or nothing."""
        # NumPy's numbers are written as plain ones.
        text = json.dumps(record, default=lambda value: value.item())
        with replacing(self._path(key)) as temporary:
            temporary.write_text(text, "utf-8")

    def unpack(self, name):
        """Store the cells of an experiment's table that have no file of their own.

        A table that was copied without its cells is thus continued, and nothing of it is lost when
        it is written again for fewer data sets. Returns the table, or None.
        """
        try:
            table = read_table(self.table_path(name))
        except (FileNotFoundError, ValueError):
            # There is no table, or one that the next table replaces.
            return None
        missing = {key for key in table["key"].unique() if not self._path(key).exists()}
        for key, record in records_of(table[table["key"].isin(missing)]).items():
            self.put(key, record)
        return table

    def write_table(self, name, rows):
        """Write the tidy table of an experiment, with rounded numbers."""
        import pandas as pd

        table = pd.DataFrame(rows)
        decimals = {
            column: _STD_DECIMALS if column.endswith("_std") else _DECIMALS
            for column in table.select_dtypes("float")
        }
        content = table.round(decimals).to_parquet(
            index=False, compression="zstd", compression_level=19
        )
        with replacing(self.table_path(name)) as temporary:
            temporary.write_bytes(content)

    def table_path(self, name):
        """Path of the table of an experiment."""
        return self.folder / f"{name}.parquet"

    def _path(self, key):
        return self.cells / f"{key}.json"


def rows_of(record, experiment, profile, planned):
    """Tidy rows of one cell, one per fraction, iteration or rank, from what `run_cell` returns.

    ``planned`` is an entry of the `plan`: the cell, the label of its method and the number of its
    setting.
    """
    cell, label, setting = planned
    params = json.dumps(cell.params, sort_keys=True)
    values = experiment, profile, cell.dataset, cell.split, label, setting, params
    about = dict(zip(ABOUT, values, strict=True))
    origin = {
        "status": record["status"],
        "error": record["error"],
        "seed": cell.seed,
        "protocol": json.dumps(cell.protocol, sort_keys=True),
        "key": cell.key,
        "seconds": record.get("seconds"),
        **record["provenance"],
    }
    return [about | row | record.get("fit", {}) | origin for row in record["rows"]]


def records_of(table):
    """Records of the cells of a table, by key: the inverse of `rows_of`."""
    records = {}
    names = [*provenance()]
    # A cell may be in the table several times, for example as a fixed setting and in the grid.
    cells = table.drop(columns=[*ABOUT]).drop_duplicates()
    for key, part in cells.groupby("key", sort=False):
        rows = [
            {name: value for name, value in row.items() if value == value and value is not None}
            for row in part.to_dict("records")
        ]
        first = rows[0]
        known = {*_ORIGIN, *_FIT, *names}
        record = {name: first[name] for name in ("status", "error", "seconds") if name in first}
        record["fit"] = {name: first.get(name) for name in _FIT if name in table}
        record["provenance"] = {name: first[name] for name in names if name in first}
        record["rows"] = [
            {name: value for name, value in row.items() if name not in known} for row in rows
        ]
        records[key] = record
    return records


def read_table(path):
    """Read the table of one experiment from a Parquet file, and check that it is one."""
    import pandas as pd

    try:
        table = pd.read_parquet(path)
    except FileNotFoundError:
        raise
    except Exception as error:
        # Every kind of damage has an error of its own.
        raise ValueError(f"{path} cannot be read as a Parquet file: {error}") from error
    missing = [name for name in _COLUMNS if name not in table]
    if missing:
        raise ValueError(
            f"{path} is not a table of the experiments: it has no column "
            f"{', '.join(missing)}. Move it elsewhere, or run the experiment again"
        )
    return table


def read_tables(folder):
    """Read the tables of all experiments in a folder, by the name of the experiment."""
    paths = sorted(Path(folder).glob("*.parquet"))
    if not paths:
        raise ValueError(
            f"{folder} holds no results: there should be files such as comparison.parquet, "
            "which python -m experiments run writes"
        )
    return {path.stem: read_table(path) for path in paths}


def check_columns(table, name, columns):
    """Raise an error that names the missing columns of an experiment's table."""
    missing = [column for column in columns if column not in table]
    if len(finished(table)) and missing:
        raise ValueError(
            f"the table of {name} has no column {', '.join(missing)}: run the experiment again"
        )


def _is_record(record):
    return (
        isinstance(record, dict)
        and record.get("status") in ("ok", "failed", "skipped")
        and isinstance(record.get("error"), str)
        and isinstance(record.get("rows"), list)
        and all(isinstance(row, dict) for row in record["rows"])
        and isinstance(record.get("fit", {}), dict)
        and isinstance(record.get("provenance"), dict)
    )
