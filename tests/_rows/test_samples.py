"""Rows on which a selection is inspected."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from graphsieve._rows.samples import read_sample

NAMES = ["a", "b", "c"]


@pytest.fixture
def X(rng):
    return rng.normal(size=(50, 3))


@pytest.fixture
def containers(X, tmp_path):
    frame = pd.DataFrame(X, columns=NAMES)
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=13)
    return {
        "list": X.tolist(),
        "array": X,
        "CSR": sp.csr_matrix(X),
        "CSC": sp.csc_array(X),
        "pandas": frame,
        "polars": pl.DataFrame(X, schema=NAMES),
        "Parquet": pq.ParquetFile(tmp_path / "x.parquet"),
        "pandas with more columns": frame.assign(label="word")[["label", "c", "b", "a"]],
    }


@pytest.mark.parametrize("most", [20, 1000])
def test_all_containers_give_the_same_rows(containers, X, most, monkeypatch):
    monkeypatch.setattr("graphsieve._rows.samples._MAX_ROWS", most)
    for kind, container in containers.items():
        names = None if kind in ("list", "array", "CSR", "CSC") else NAMES
        sample = read_sample(container, 3, names)
        assert len(sample.rows) == min(most, 50)
        assert sample.n_samples == 50
        np.testing.assert_allclose(sample.values, X[sample.rows], err_msg=kind)


def test_missing_values_become_the_mean(X):
    original = X.copy()
    X[3, 1] = np.nan
    sample = read_sample(X, 3)
    assert sample.n_filled == 1
    assert sample.values[3, 1] == pytest.approx(np.delete(original[:, 1], 3).mean())
    assert np.isnan(X[3, 1])


def test_another_table_is_refused(X):
    with pytest.raises(ValueError, match="X has 2 columns, but the selection was made from 3"):
        read_sample(X[:, :2], 3)
    with pytest.raises(ValueError, match="X has no column 'c'"):
        read_sample(pd.DataFrame(X[:, :2], columns=["a", "b"]), 3, NAMES)


def test_a_file_with_other_columns_is_refused(containers):
    with pytest.raises(ValueError, match="the first that differs is 'a'"):
        read_sample(containers["Parquet"], 3, ["b", "a", "c"])


def test_batches_are_centred(X):
    groups = np.arange(50) % 2
    found = read_sample(X + 100 * groups[:, None], 3, groups=groups).values
    for batch in (0, 1):
        expected = X[groups == batch] - X[groups == batch].mean(axis=0)
        np.testing.assert_allclose(found[groups == batch] - found.mean(axis=0), expected)
