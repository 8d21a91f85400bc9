"""Words and dates as numbers, in Python."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from graphsieve import GraphSieve, encode


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "pay": [3.0, np.nan, 4.0, 8.0, 5.0, 6.0],
            "job": ["cook", "nurse", "cook", None, "pilot", "pilot"],
            "mood": ["never", "often", "always", "often", "never", "rarely"],
            "since": pd.to_datetime(["2024-01-01", "2024-01-03", "2024-02-01"] * 2),
            "flag": [True, False] * 3,
        }
    )


def test_every_kind(frame):
    X, column_groups = encode(frame)
    assert [dtype.kind in "biuf" for dtype in X.dtypes] == [True] * X.shape[1]
    assert dict(zip(X.columns, column_groups, strict=True)) == {
        "pay": "pay",
        **{f"job={value}": "job" for value in ("None", "cook", "nurse", "pilot")},
        "mood": "mood",
        **{f"since={part}": "since" for part in ("days", "month", "weekday")},
        "flag": "flag",
    }
    np.testing.assert_array_equal(X["pay"], frame["pay"])
    np.testing.assert_array_equal(X["job=pilot"], frame["job"] == "pilot")
    np.testing.assert_array_equal(X["mood"], [0, 2, 3, 2, 0, 1])
    np.testing.assert_array_equal(X["since=days"], [0, 2, 31] * 2)


def test_columns_are_kept_whole(frame):
    X, column_groups = encode(frame)
    sel = GraphSieve(5, column_groups=column_groups).fit(X)
    kept = {group for group, is_kept in zip(column_groups, sel.support_, strict=True) if is_kept}
    assert [group in kept for group in column_groups] == sel.support_.tolist()


def test_the_advice_of_a_fit_can_be_followed(frame):
    with pytest.raises(ValueError, match=re.escape("X, column_groups = graphsieve.encode(X)")):
        GraphSieve(2).fit(frame)
    GraphSieve(5).fit(encode(frame)[0])


def test_polars_gives_the_same(frame):
    X, column_groups = encode(pl.from_pandas(frame))
    expected, groups = encode(frame)
    assert column_groups == groups
    np.testing.assert_array_equal(X.to_numpy(float), expected.to_numpy(float))


def test_what_is_not_encoded_is_named(frame):
    for kinds, named in [(["onehot"], "'since'"), (["ordinal", "dates"], "'job'")]:
        with pytest.raises(ValueError, match=f"neither numeric nor encoded: {named}"):
            encode(frame, kinds)
    names = pd.DataFrame({"id": [f"p{i}" for i in range(200)], "x": range(200)})
    with pytest.raises(ValueError, match="'id'.*more than 100"):
        encode(names)
