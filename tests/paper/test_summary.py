"""Oracle and exponents on tables whose answer is known."""

import pandas as pd
import pytest

from graphsieve.evaluation import ALL_FEATURES
from graphsieve.paper.summary import exponents, oracle, scores_by_case, unpacked
from tests.paper.conftest import scores


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
