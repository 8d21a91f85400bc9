"""Stability selection, and the stability of selections against a plain reference."""

import numpy as np
import pytest
from scipy.stats import norm

from graphsieve import RandomRanker, StabilitySelection, Variance
from graphsieve.inspection.stability import selection_stability


def plain_stability(Z):
    """Nogueira, Sechidis and Brown (2018): definition 4 and theorem 7, with loops."""
    M, d = len(Z), len(Z[0])
    p = [sum(row[f] for row in Z) / M for f in range(d)]
    k = [sum(row) for row in Z]
    k_mean = sum(k) / M
    chance = k_mean / d * (1 - k_mean / d)
    value = 1 - sum(M / (M - 1) * q * (1 - q) for q in p) / d / chance
    phi = []
    for row, size in zip(Z, k, strict=True):
        agreement = sum(z * q for z, q in zip(row, p, strict=True)) / d
        correction = 2 * size * k_mean / d**2 - size / d - k_mean / d + 1
        phi.append((agreement - size * k_mean / d**2 + value / 2 * correction) / chance)
    mean = sum(phi) / M
    deviation = (4 / M**2 * sum((value - mean) ** 2 for value in phi)) ** 0.5
    reach = norm.ppf(0.975) * deviation
    return value, value - reach, min(1.0, value + reach)


@pytest.mark.parametrize("seed", range(5))
def test_stability_equals_the_plain_formula(seed):
    rng = np.random.default_rng(seed)
    Z = (rng.random((12, 9)) < rng.random(9)).astype(int)
    found = selection_stability(Z)
    np.testing.assert_allclose([found.value, *found.interval], plain_stability(Z.tolist()))


def test_stability_of_equal_and_of_random_selections(rng):
    assert selection_stability(np.tile([True, False, True, False], (5, 1))).value == 1
    assert selection_stability(np.ones((5, 4))).value == 1
    chance = selection_stability(rng.permuted(np.tile([1] * 5 + [0] * 15, (400, 1)), axis=1))
    assert abs(chance.value) < 0.01
    assert chance.interval[0] < chance.value < chance.interval[1]
    with pytest.raises(ValueError, match="at least two selections, got 1"):
        selection_stability(np.ones((1, 4)))


@pytest.fixture
def table(rng):
    """Columns of clearly different variance, then two that are hard to tell apart."""
    return rng.normal(size=(60, 6)) * [9, 6, 2, 2, 0.1, 0.01]


def test_frequency_is_the_mean_of_the_selections(table):
    sel = StabilitySelection(Variance(3), n_resamples=20, random_state=0).fit(table)
    np.testing.assert_array_equal(sel.frequency_, sel.supports_.mean(axis=0))
    assert sel.supports_.shape == (20, 6)
    np.testing.assert_array_equal(sel.frequency_[[0, 1, 4, 5]], [1, 1, 0, 0])
    np.testing.assert_allclose(sel.frequency_[[2, 3]].sum(), 1)
    assert sel.n_features_ == 3  # as many as the selector keeps
    assert sel.stability_ == selection_stability(sel.supports_)
    # Features of equal frequency come by their mean rank.
    assert sel.order_[:2].tolist() == [0, 1]
    assert sel.order_[-2:].tolist() == [4, 5]
    frame = sel.to_frame()
    assert frame["feature"].tolist() == sel.order_.tolist()
    assert frame["frequency"].tolist() == sel.frequency_[sel.order_].tolist()
    assert frame["kept"].tolist() == [True] * 3 + [False] * 3


def test_number_of_features(table):
    common = {"n_resamples": 20, "random_state": 0}
    assert StabilitySelection(Variance(3), 2, **common).fit(table).n_features_ == 2
    sel = StabilitySelection(Variance(3), min_frequency=1.0, **common).fit(table)
    assert np.flatnonzero(sel.support_).tolist() == [0, 1]
    sel = StabilitySelection(Variance(3), min_frequency=0.1, **common).fit(table)
    assert np.flatnonzero(sel.support_).tolist() == [0, 1, 2, 3]


@pytest.mark.slow
def test_processes_and_seeds(table):
    sel = StabilitySelection(RandomRanker(2), n_resamples=6, random_state=3)
    one, two = sel.fit(table).supports_, sel.set_params(n_jobs=2).fit(table).supports_
    np.testing.assert_array_equal(one, two)
    assert len(np.unique(one, axis=0)) > 1  # every fit has its own seed


def test_progress(table, capsys):
    StabilitySelection(Variance(3), n_resamples=4, verbose=1).fit(table)
    assert "StabilitySelection: 4/4" in capsys.readouterr().err


def test_one_resample_is_refused(table):
    with pytest.raises(ValueError, match="n_resamples"):
        StabilitySelection(Variance(3), n_resamples=1).fit(table)
