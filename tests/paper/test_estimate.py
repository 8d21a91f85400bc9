"""Intervals, against Student's formula and known coverage."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from graphsieve.paper.estimate import Estimate, over_sets, over_splits


def test_interval_over_splits_is_students(rng):
    values = rng.normal(size=5)
    expected = stats.ttest_1samp(values, 0).confidence_interval()
    estimate = over_splits(values)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))


def test_one_split_has_the_interval_of_its_own_error():
    assert over_splits([0.5], within=0.1).high == pytest.approx(0.5 + 0.196, abs=1e-3)


def test_every_data_set_has_the_same_weight():
    index = pd.MultiIndex.from_tuples(
        [("a", 0), ("a", 1), ("a", 2), ("b", 0)], names=["dataset", "split"]
    )
    estimate = over_sets(pd.Series([0.0, 0.0, np.nan, 1.0], index=index))
    assert (estimate.value, estimate.low, estimate.high) == (0.5, 0.0, 1.0)


def test_signs():
    assert [Estimate(0, *ends).sign for ends in ((0.1, 0.2), (-0.1, 0.2), (-0.2, -0.1))] == [
        1,
        0,
        -1,
    ]
    assert [Estimate(0, *ends).below(0.5) for ends in ((0, 0.5), (0, 1), (0.6, 1))] == [1, 0, -1]
