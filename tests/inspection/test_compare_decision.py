"""The choice between candidates: the incumbent stays unless another is clearly better."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from graphsieve.inspection.compare import (
    AGREEMENT,
    CRITERIA,
    TITLES,
    Judged,
    choose,
    difference,
    ranked_table,
)
from graphsieve.inspection.stability import Stability


def make(**values):
    """Judged candidates with these neighbourhoods, and reconstruction errors of 1 minus them."""
    rows = [
        {"candidate": name, "half": half, "neighborhood": v, "reconstruction": 1 - v}
        for name, list_ in values.items()
        for half, v in enumerate(list_)
    ]
    table = pd.DataFrame(rows).assign(structure=0.2, redundancy=0.1, seconds=0.5)
    stability = {name: Stability(np.mean(v), (np.mean(v) - 0.1, 1.0)) for name, v in values.items()}
    return Judged(table, stability, 5, 20)


@pytest.mark.parametrize("criterion", ["neighborhood", "reconstruction"])
def test_a_clearly_better_candidate_is_chosen(criterion):
    judged = make(old=[0.3, 0.31, 0.3, 0.32], new=[0.6, 0.62, 0.61, 0.61])
    best, verdict = choose(judged, criterion, "old")
    assert best == "new"
    assert "new is clearly better than old, by 0.302 ± " in verdict


@pytest.mark.parametrize("criterion", ["neighborhood", "reconstruction"])
def test_the_incumbent_stays_when_it_is_not_clear(criterion):
    judged = make(old=[0.3, 0.5, 0.3, 0.6], new=[0.5, 0.3, 0.6, 0.5])
    best, verdict = choose(judged, criterion, "old")
    assert best == "old"
    assert "which is not clear, so old is preferred" in verdict
    assert ranked_table(judged, criterion)["candidate"].tolist() == ["new", "old"]


def test_the_best_incumbent_needs_no_comparison():
    choice = choose(make(old=[0.5, 0.6], new=[0.1, 0.3]), "neighborhood", "old")
    assert choice == ("old", "Decided by preserved neighbours: old is best.")


def test_interval_is_that_of_a_paired_test_with_a_larger_error(rng):
    a, b = rng.random((2, 6))
    judged = make(a=a, b=b)
    gap, half_width = difference(judged, "neighborhood", "a", "b")
    plain = ttest_rel(a, b).confidence_interval(0.95)
    assert gap == pytest.approx((plain.low + plain.high) / 2)
    # Nadeau and Bengio: 1 / n + n_test / n_train in the place of 1 / n.
    assert half_width == pytest.approx((plain.high - plain.low) / 2 * np.sqrt(1 + 6))


def test_stability_has_an_interval_of_its_own():
    judged = make(a=[0.9, 0.9], b=[0.4, 0.4])
    assert difference(judged, "stability", "a", "b") == pytest.approx((0.5, 0.1 * np.sqrt(2)))
    assert choose(judged, "stability", "b")[0] == "a"


def test_agreement_with_labels_is_known_for_every_criterion():
    assert set(AGREEMENT) == set(TITLES) == set(CRITERIA)


def test_table_is_ranked_by_the_criterion():
    table = ranked_table(make(a=[0.2, 0.4], b=[0.5, 0.5], c=[0.1, 0.1]), "reconstruction")
    assert table["candidate"].tolist() == ["b", "a", "c"]
    assert table["rank"].tolist() == [1, 2, 3]
    np.testing.assert_allclose(table["behind"], [0, 0.2, 0.4])
    np.testing.assert_allclose(table["stability"], [0.5, 0.3, 0.1])
