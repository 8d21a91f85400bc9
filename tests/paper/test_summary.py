"""Oracle, ranks and exponents on tables whose answer is known."""

import itertools

import numpy as np
import pandas as pd
import pytest

from graphsieve.evaluation import ALL_FEATURES
from graphsieve.paper.summary import exponents, mean_ranks, oracle, scores_by_case, unpacked


def scores(value, methods=("a", "b", "c"), datasets=("d1", "d2", "d3"), settings=(0,), splits=(0,)):
    """A table of scores, each from value(dataset, method, setting, share, split)."""
    cases = itertools.product(datasets, methods, settings, (0.1, 0.5), splits)
    rows = [
        {
            "dataset": dataset,
            "method": method,
            "setting": setting,
            "share": share,
            "split": split,
            "params": f'{{"power": {setting}}}',
            "acc": value(dataset, method, setting, share, split),
        }
        for dataset, method, setting, share, split in cases
    ]
    return pd.DataFrame(rows)


def test_oracle_takes_the_best_mean_over_the_splits():
    values = {(0, 0): 0.9, (0, 1): 0.1, (1, 0): 0.6, (1, 1): 0.6}
    table = scores(
        lambda d, m, setting, s, split: values[setting, split], ("a",), ("d1",), (0, 1), (0, 1)
    )
    best = oracle(table, "acc")
    assert set(best["setting"]) == {1}
    assert len(best) == 4  # two shares, two splits


def test_oracle_chooses_for_every_share():
    def value(dataset, method, setting, share, split):
        return 0.5 + (0.1 if (setting == 1) == (share == 0.1) else 0.0)

    best = oracle(scores(value, ("a",), ("d1",), (0, 1)), "acc")
    assert best.set_index("share")["setting"].to_dict() == {0.1: 1, 0.5: 0}
    assert (best["acc"] == 0.6).all()


def test_mean_ranks():
    place = {("d1", "a"): 3, ("d1", "b"): 2, ("d1", "c"): 1}
    place |= {("d2", "a"): 3, ("d2", "b"): 1, ("d2", "c"): 2}
    place |= {("d3", "a"): 3, ("d3", "b"): 2, ("d3", "c"): 1}
    ranks, difference, p_value = mean_ranks(scores(lambda d, m, *_: place[d, m] / 10), "acc")
    assert ranks == pytest.approx({"a": 1, "b": 7 / 3, "c": 8 / 3})
    # Demšar 2006, table 5: q = 2.343 for 3 methods at 5 %.
    assert difference == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 3)), abs=1e-2)
    assert 0.05 < p_value < 0.15


def test_ranks_leave_out_what_misses_a_data_set():
    table = scores(lambda d, m, *_: ord(m) / 200, ("a", "b", "c", "e"))
    table = table[(table["method"] != "e") | (table["dataset"] != "d2")]
    assert set(mean_ranks(table, "acc")[0]) == {"a", "b", "c"}
    assert mean_ranks(table[table["dataset"] == "d1"], "acc") is None


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
    assert exponents(table, "n_samples")["a"] == pytest.approx(2)
    assert exponents(table, "n_features")["a"] == pytest.approx(0.5)
