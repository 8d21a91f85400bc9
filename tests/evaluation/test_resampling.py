"""Stability against its definition, and of methods whose stability is known."""

import numpy as np
import pytest

from graphsieve import RandomRanker, Variance
from graphsieve.evaluation import selection_stability, stability


def test_stability_from_the_definition(rng):
    Z = rng.random((6, 9)) < 0.4
    M, d = Z.shape
    p = Z.mean(axis=0)
    spread = (M / (M - 1) * p * (1 - p)).sum() / d
    q = Z.sum() / M / d
    assert stability(Z) == pytest.approx(1 - spread / (q * (1 - q)))


def test_stability_at_its_ends(rng):
    same = np.tile(rng.random(20) < 0.5, (5, 1))
    assert stability(same) == 1
    by_chance = [rng.permutation(2000) < 200 for _ in range(20)]
    assert abs(stability(by_chance)) < 0.02
    assert np.isnan(stability(np.ones((3, 4))))
    with pytest.raises(ValueError, match="at least 2 resamples"):
        stability([[True, False]])


def test_stability_tells_a_steady_method_from_a_random_one(data):
    steady, unsteady = (
        selection_stability(method, data[0], shares=[0.2, 0.4])
        for method in (Variance(), RandomRanker())
    )
    assert (steady["stability"] > 0.5).all()
    assert (unsteady["stability"] < 0.3).all()
