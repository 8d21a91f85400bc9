"""Choice of parameters without labels."""

import numpy as np
import pytest

from graphsieve import GreedyCSS, Variance
from graphsieve.base import FeatureRanker
from graphsieve.inspection import tune


class Shifted(FeatureRanker):
    """Prefers the columns from ``start`` on."""

    def __init__(self, n_features_to_select=None, *, start=0, include=None, exclude=None):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.start = start

    def _rank(self, data):
        return -np.abs(np.arange(data.n_features) - self.start - 0.5)


@pytest.fixture
def table(rng):
    """Columns 4 and 5 predict all others except the first two, which are noise."""
    factors = rng.normal(size=(80, 2))
    mixed = factors @ rng.normal(size=(2, 6)) + 0.05 * rng.normal(size=(80, 6))
    return np.column_stack([0.3 * rng.random((80, 2)), mixed[:, :2], factors, mixed[:, 2:]])


@pytest.mark.parametrize("criterion", ["structure", "neighborhood", "reconstruction"])
def test_the_clearly_better_setting_is_found(table, criterion):
    found = tune(Shifted(2), table, {"start": [2, 4]}, criterion=criterion)
    assert found.best_params_["start"] != 0
    assert found.table["start"].iloc[-1] == 0
    assert found.best_estimator_.start == found.best_params_["start"]
    assert found.best_estimator_.get_support().sum() == 2


def test_the_setting_of_the_estimator_stays_without_evidence(rng):
    noise = rng.normal(size=(60, 8))
    found = tune(Shifted(2, start=5), noise, {"start": [1, 3]})
    assert found.best_params_ == {"start": 5}
    assert sorted(found.table["start"]) == [1, 3, 5]


def test_grids_are_those_of_scikit_learn(table):
    grid = [{"include": [None, [3]]}, {"exclude": [[0]]}]
    found = tune(GreedyCSS(2), table, grid, n_repeats=1)
    assert found.table[["include", "exclude"]].values.tolist().count([None, None]) == 1
    assert len(found.table) == 3
    assert len(found.halves) == 6


def test_mistakes(table):
    with pytest.raises(ValueError, match="Variance has no parameter 'alpha': it has"):
        tune(Variance(2), table, {"alpha": [1]})
    with pytest.raises(ValueError, match="grid must not vary n_features_to_select"):
        tune(Variance(2), table, {"n_features_to_select": [2, 3]})
    with pytest.raises(ValueError, match="a number or fraction instead of 'auto'"):
        tune(GreedyCSS("auto"), table, {"include": [None]})
    with pytest.raises(ValueError, match="criterion='x' is unknown"):
        tune(Variance(2), table, {"include": [None]}, criterion="x")
