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


def test_one_split_without_an_error_decides_nothing():
    estimate = over_splits([0.5])
    assert (estimate.sign, estimate.below(1), str(estimate)) == (0, 0, "+0.500")


def test_splits_without_a_value_do_not_count():
    assert over_splits([0.5, np.nan, 0.7]) == over_splits([0.5, 0.7])
    nothing = over_splits([np.nan])
    assert (nothing.sign, nothing.below(1), str(nothing)) == (0, 0, "not measured")


def test_every_data_set_has_the_same_weight():
    index = pd.MultiIndex.from_tuples(
        [("a", 0), ("a", 1), ("a", 2), ("b", 0)], names=["dataset", "split"]
    )
    estimate = over_sets(pd.Series([0.0, 0.0, np.nan, 1.0], index=index))
    assert (estimate.value, estimate.low, estimate.high) == (0.5, 0.0, 1.0)


def test_bootstrap_with_different_numbers_of_splits(rng):
    groups = {"a": rng.normal(size=5), "b": rng.normal(size=3), "c": rng.normal(size=1)}
    pairs = [(name, split) for name, group in groups.items() for split in range(len(group))]
    index = pd.MultiIndex.from_tuples(pairs, names=["dataset", "split"])
    estimate = over_sets(pd.Series(np.concatenate([*groups.values()]), index), n_resamples=40_000)

    def resampled_mean():
        names = rng.choice(list(groups), size=len(groups))
        return np.mean([rng.choice(groups[name], len(groups[name])).mean() for name in names])

    low, high = np.percentile([resampled_mean() for _ in range(10_000)], [2.5, 97.5])
    assert estimate.value == pytest.approx(np.mean([group.mean() for group in groups.values()]))
    # Errors of the simulation: a fortieth of the width.
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=(high - low) / 40)


def test_signs():
    assert [Estimate(0, *ends).sign for ends in ((0.1, 0.2), (-0.1, 0.2), (-0.2, -0.1))] == [
        1,
        0,
        -1,
    ]
    assert [Estimate(0, *ends).below(0.5) for ends in ((0, 0.5), (0, 1), (0.6, 1))] == [1, 0, -1]
