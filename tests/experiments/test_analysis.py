"""From tables to numbers with intervals: means, gains, ranks and exponents."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from experiments.analysis import (
    Estimate,
    exponents,
    gains,
    mean_ranks,
    oracle,
    over_sets,
    over_splits,
    scores_by_case,
    unpacked,
    wins,
)
from graphsieve.evaluation import ALL_FEATURES
from tests.experiments.conftest import scores


def test_oracle_takes_the_best_mean_over_the_splits():
    values = {(0, 0): 0.9, (0, 1): 0.1, (1, 0): 0.6, (1, 1): 0.6}
    table = scores(
        lambda d, m, setting, s, split: values[setting, split], ("a",), ("d1",), (0, 1), (0, 1)
    )
    best = oracle(table, "acc")
    assert set(best["setting"]) == {1}
    assert len(best) == 4  # two shares, two splits


def test_oracle_leaves_out_splits_without_the_whole_grid():
    table = scores(lambda *_: 0.5, ("a", "b"), ("d1",), (0, 1), (0, 1))
    table = table[(table["method"] == "b") | (table["setting"] == 0) | (table["split"] == 0)]
    assert set(oracle(table, "acc")["split"]) == {0}


def test_oracle_chooses_for_every_share():
    def value(dataset, method, setting, share, split):
        return 0.5 + (0.1 if (setting == 1) == (share == 0.1) else 0.0)

    best = oracle(scores(value, ("a",), ("d1",), (0, 1)), "acc")
    assert best.set_index("share")["setting"].to_dict() == {0.1: 1, 0.5: 0}
    assert (best["acc"] == 0.6).all()


def test_all_features_are_no_method():
    table = scores(lambda *_: 0.5, ("a", ALL_FEATURES))
    assert list(scores_by_case(table, "acc")) == ["a"]


def test_parameters_become_columns():
    assert unpacked(scores(lambda *_: 0.5, settings=(0, 1)))["power"].tolist() == [0, 0, 1, 1] * 9


def test_exponents():
    sizes = [(100, 50), (200, 50), (400, 50), (100, 100), (100, 200)]
    table = pd.DataFrame(
        [
            {"method": "a", "n_samples": n, "n_features": d, "fit_cpu_seconds": n**2 * d**0.5}
            for n, d in sizes
        ]
    )
    table = pd.concat([table.assign(split=0), table.assign(split=1)])
    steeper = (table["split"] == 1) & (table["n_features"] == 50)
    table.loc[steeper, "fit_cpu_seconds"] = table.loc[steeper, "n_samples"] ** 3.0
    assert exponents(table, "n_samples")["a"].value == pytest.approx(2.5)
    assert exponents(table, "n_samples")["a"].high > 3
    assert exponents(table[table["split"] == 0], "n_features")["a"].value == pytest.approx(0.5)


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


def test_mean_ranks():
    place = {("d1", "a"): 3, ("d1", "b"): 2, ("d1", "c"): 1}
    place |= {("d2", "a"): 3, ("d2", "b"): 1, ("d2", "c"): 2}
    place |= {("d3", "a"): 3, ("d3", "b"): 2, ("d3", "c"): 1}
    ranks, difference, p_value = mean_ranks(scores(lambda d, m, *_: place[d, m] / 10), "acc")
    assert ranks == pytest.approx({"a": 1, "b": 7 / 3, "c": 8 / 3})
    # Demšar 2006, table 5: q = 2.343 for 3 methods at 5 %.
    assert difference == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 3)), abs=1e-2)
    assert 0.05 < p_value < 0.15


def test_a_data_set_counts_once_whatever_its_number_of_splits(rng):
    values = {}
    table = scores(lambda *case: values.setdefault(case, rng.random()), splits=range(4))
    table = table[(table["dataset"] != "d2") | (table["split"] < 1)]
    table = table[(table["dataset"] != "d3") | (table["split"] < 3)]
    means = [
        [table[(table["dataset"] == d) & (table["method"] == m)]["acc"].mean() for m in "abc"]
        for d in ("d1", "d2", "d3")
    ]
    place = np.array([[1 + sum(other > value for other in row) for value in row] for row in means])
    statistic = 12 / (3 * 3 * 4) * (place.sum(axis=0) ** 2).sum() - 3 * 3 * 4
    ranks, _, p_value = mean_ranks(table, "acc")
    assert ranks == pytest.approx(dict(zip("abc", place.mean(axis=0), strict=True)))
    assert p_value == pytest.approx(stats.chi2.sf(statistic, 2))


def test_ranks_leave_out_what_misses_a_data_set():
    table = scores(lambda d, m, *_: ord(m) / 200, ("a", "b", "c", "e"))
    table = table[(table["method"] != "e") | (table["dataset"] != "d2")]
    assert set(mean_ranks(table, "acc")[0]) == {"a", "b", "c"}
    assert mean_ranks(table[table["dataset"] == "d1"], "acc") is None


def test_smaller_errors_have_better_ranks():
    table = scores(lambda d, m, *_: ord(m) / 200).rename(columns={"acc": "reconstruction"})
    assert list(mean_ranks(table, "reconstruction")[0]) == ["a", "b", "c"]
    assert list(mean_ranks(table.rename(columns={"reconstruction": "acc"}), "acc")[0]) == [
        "c",
        "b",
        "a",
    ]


def test_gain_is_the_mean_over_data_sets_of_the_paired_difference():
    advantage = {"d1": 0.1, "d2": 0.3, "d3": 0.2}

    def value(dataset, method, setting, share, split):
        # Splits and data sets differ much more than the methods do.
        level = 0.2 * split + ord(dataset[1]) / 100 + share
        return level + advantage[dataset] * (method == "b") - 0.05 * (method == "c")

    table = scores(value, splits=range(5))
    result = gains(table, "acc", "a").set_index("method")
    assert result.index.tolist() == ["b", "c"]
    assert result.loc["b", "gain"] == pytest.approx(0.2)
    # Nothing varies but the choice of data sets.
    assert 0.1 <= result.loc["b", "low"] < 0.17
    assert 0.23 < result.loc["b", "high"] <= 0.3
    np.testing.assert_allclose(result.loc["c", ["gain", "low", "high"]].astype(float), -0.05)


def test_gain_of_a_smaller_error_is_positive():
    table = scores(lambda d, m, *_: {"a": 0.5, "b": 0.4, "c": 0.7}[m])
    table = table.rename(columns={"acc": "reconstruction"})
    result = gains(table, "reconstruction", "a").set_index("method")["gain"]
    assert result.to_dict() == pytest.approx({"b": 0.1, "c": -0.2})


def test_only_common_data_sets_count():
    table = scores(lambda d, m, *_: 0.9 if (d, m) == ("d1", "a") else 0.5)
    table = table[(table["method"] != "b") | (table["dataset"] != "d1")]
    result = gains(table, "acc", "a").set_index("method")
    assert result["n_datasets"].to_dict() == {"b": 2, "c": 3}
    assert result.loc["b", "gain"] == 0
    assert result.loc["c", "gain"] == pytest.approx(-0.4 / 3)


def test_intervals_have_their_coverage(rng):
    """Of 100 studies with a true gain of 0.1, about 95 have it in their interval."""
    hits = 0
    for _ in range(100):
        gain = rng.normal(0.1, 0.05, (14, 1)) + rng.normal(0, 0.03, (14, 5))
        table = scores(
            lambda d, m, setting, share, split, gain=gain: gain[int(d), split] * (m == "b"),
            ("a", "b"),
            [str(d) for d in range(14)],
            splits=range(5),
        )
        row = gains(table, "acc", "a", n_resamples=300).iloc[0]
        hits += row["low"] <= 0.1 <= row["high"]
    assert hits >= 88


def test_wins_and_losses():
    table = scores(
        lambda d, m, *_: {"random": 0.5, "a": 0.5 + (int(d[1]) - 2) / 10, "b": 0.504}[m],
        ("random", "a", "b", ALL_FEATURES)[:3],
    )
    result = wins(table, "acc", margin=0.005).set_index("method")
    assert result.loc["a", ["wins", "ties", "losses"]].tolist() == [1, 1, 1]
    assert result.loc["b", ["wins", "ties", "losses"]].tolist() == [0, 3, 0]
    assert result.loc["a", "worst"] == pytest.approx(-0.1)
    assert result.loc["a", "worst_dataset"] == "d1"


@pytest.mark.parametrize("compare", [lambda t: gains(t, "acc", "x"), lambda t: wins(t, "acc", "x")])
def test_unknown_reference_is_named(compare):
    with pytest.raises(ValueError, match="no method 'x'; it has a, b, c"):
        compare(scores(lambda *_: 0.5))
