"""Rows on which a selection is inspected."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from graphsieve.inspection import draw_sample

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
    monkeypatch.setattr("graphsieve.inspection.sample._MAX_ROWS", most)
    for kind, container in containers.items():
        names = None if kind in ("list", "array", "CSR", "CSC") else NAMES
        sample = draw_sample(container, 3, names, np.random.default_rng(0))
        assert len(sample.rows) == min(most, 50)
        assert sample.n_samples == 50
        np.testing.assert_allclose(sample.values, X[sample.rows], err_msg=kind)


def test_missing_values_become_the_mean(X):
    original = X.copy()
    X[3, 1] = np.nan
    sample = draw_sample(X, 3, None, np.random.default_rng(0))
    assert sample.n_filled == 1
    assert sample.values[3, 1] == pytest.approx(np.delete(original[:, 1], 3).mean())
    assert np.isnan(X[3, 1])


def test_another_table_is_refused(X):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="X has 2 columns, but the selection was made from 3"):
        draw_sample(X[:, :2], 3, None, rng)
    with pytest.raises(ValueError, match="X has no column 'c'"):
        draw_sample(pd.DataFrame(X[:, :2], columns=["a", "b"]), 3, NAMES, rng)
