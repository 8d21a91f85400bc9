"""Records and tables on disk: whole or absent, checked when they are read."""

from pathlib import Path

import pandas as pd
import pytest

import experiments
from experiments.cells import plan
from experiments.runner import run
from experiments.spec import load_experiment
from experiments.store import DamagedRecord, Store, read_table, read_tables

RECORD = {"status": "ok", "error": "", "rows": [{"acc": 0.5}], "provenance": {}}


def test_stored_record_is_whole_or_absent(tmp_path):
    store = Store(tmp_path)
    assert store.get("a") is None
    with pytest.raises(AttributeError):
        store.put("a", RECORD | {"fit": {"value": object()}})
    assert store.get("a") is None
    store.put("a", RECORD)
    assert store.get("a") == RECORD
    assert [path.name for path in store.cells.iterdir()] == ["a.json"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"[]", b"null", b'{"status": "ok"}', b'{"status": "strange"}'],
)
def test_damaged_record_is_named(tmp_path, content):
    store = Store(tmp_path)
    (store.cells / "a.json").write_bytes(content)
    with pytest.raises(DamagedRecord, match=r"a\.json"):
        store.get("a")


def test_numbers_of_a_table_are_rounded(tmp_path):
    row = {"split": 3, "share": 0.02, "acc": 0.123456789, "acc_std": 0.123456789, "key": "a"}
    store = Store(tmp_path)
    store.write_table("scores", [row])
    table = pd.read_parquet(store.table_path("scores"))
    assert table.to_dict("records") == [row | {"acc": 0.12346, "acc_std": 0.1235}]


def test_foreign_parquet_file_is_named(tmp_path):
    pd.DataFrame({"x": [1.0]}).to_parquet(tmp_path / "mine.parquet")
    with pytest.raises(ValueError, match=r"mine\.parquet is not a table of the experiments"):
        read_tables(tmp_path)


def test_table_without_a_column_is_named(small, tmp_path):
    table = run(small, tmp_path).drop(columns="status")
    table.to_parquet(tmp_path / "small.parquet")
    with pytest.raises(ValueError, match=r"small\.parquet .*: it has no column status\."):
        read_tables(tmp_path)


def test_file_that_is_no_parquet_is_named(tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(ValueError, match=r"broken\.parquet cannot be read as a Parquet file"):
        read_tables(tmp_path)


RECORDS = sorted((Path(experiments.__file__).parent / "records" / "paper").glob("*.parquet"))


@pytest.mark.slow
@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_recorded_tables_are_of_cells_that_are_planned(path):
    """What is recorded need not be run again: neither experiment nor defaults have changed."""
    table = read_table(path)
    cells = plan(load_experiment(path.stem), table["profile"].iloc[0])
    assert set(table["key"]) <= {cell.key for cell, _, _ in cells}
