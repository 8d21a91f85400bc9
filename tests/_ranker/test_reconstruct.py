"""``reconstruct`` takes what ``transform`` returns, and refuses other columns."""

import pandas as pd
import polars as pl
import pytest

from graphsieve import Variance


@pytest.fixture
def table(rng):
    return pd.DataFrame(rng.normal(size=(20, 4)) * [1, 9, 2, 8], columns=list("abcd"))


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
def test_names_of_a_frame_are_checked(table, convert):
    sel = Variance(2).fit(table)
    for columns, found, expected in (("cd", "c", "b"), ("db", "d", "b"), ("ba", "a", "d")):
        with pytest.raises(ValueError, match=f"is '{found}' instead of '{expected}'"):
            sel.reconstruct(convert(table[list(columns)]))
    assert sel.reconstruct(convert(table[["b", "d"]])).shape == table.shape


def test_columns_without_names_are_taken_in_order(table):
    sel = Variance(2).fit(table)
    kept = table[["b", "d"]].to_numpy()
    expected = sel.reconstruct(kept)
    assert (sel.reconstruct(pd.DataFrame(kept)) == expected).all()
    without_names = Variance(2).fit(table.to_numpy())
    assert (without_names.reconstruct(table[["b", "d"]]) == expected).all()
