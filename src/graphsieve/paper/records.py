"""Rows of the tidy table from the record of a cell, and back."""

import json

from .provenance import provenance

ABOUT = ("experiment", "profile", "dataset", "split", "method", "setting", "params")
_ORIGIN = ("status", "error", "seed", "protocol", "key", "seconds")
_FIT = ("fit_seconds", "fit_cpu_seconds", "n_iter", "converged")


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
