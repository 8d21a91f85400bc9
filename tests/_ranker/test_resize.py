"""Other numbers of features from one fit."""

import numpy as np
import pytest

from graphsieve import GAFS, Variance


@pytest.fixture
def X(rng):
    return rng.normal(size=(40, 3)) @ rng.normal(size=(3, 10)) + 0.3 * rng.normal(size=(40, 10))


def test_the_same_as_another_fit(X):
    sel = GAFS(6, random_state=0).fit(X)
    for k in (1, 4, 6):
        again = GAFS(k, random_state=0).fit(X)
        np.testing.assert_array_equal(sel.set_n_features(k).support_, again.support_)
        assert sel.n_features_ == k
        np.testing.assert_array_equal(sel.transform(X), again.transform(X))
    rebuilt = sel.set_n_features(4).learn_reconstruction(X).reconstruct(sel.transform(X))
    again = GAFS(4, random_state=0).fit(X)
    np.testing.assert_allclose(rebuilt, again.reconstruct(again.transform(X)))


def test_beyond_the_exact_picks(X):
    sel = GAFS(6, random_state=0).fit(X)
    assert sel.n_exact_ == 6
    with pytest.raises(ValueError, match="picked 6 features.*n_features_to_select=7 or more"):
        sel.set_n_features(7)
    assert sel.n_features_ == 6  # nothing has changed
    assert sel.set_n_features(2).set_n_features(6).n_features_ == 6
    # Scores rank all features exactly.
    assert Variance(2).fit(X).set_n_features(9).support_.sum() == 9


def test_impossible_numbers(X):
    sel = Variance(3, include=[0, 1], exclude=[9]).fit(X)
    for k in (0, 1, 10):
        with pytest.raises(ValueError, match="not between 2 and 9"):
            sel.set_n_features(k)
    with pytest.raises(TypeError, match="whole number"):
        sel.set_n_features(0.5)


def test_reconstruction_asks_for_the_data(X):
    sel = Variance(3).fit(X).set_n_features(2)
    with pytest.raises(AttributeError, match="set_n_features was called.*learn_reconstruction"):
        sel.reconstruct(sel.transform(X))


def test_groups_are_not_split(X):
    sel = GAFS(6, groups=np.arange(10) // 3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="would split a group of columns.*use 3"):
        sel.set_n_features(2)
    assert sel.set_n_features(3).support_.sum() == 3


def test_nested_selections(X):
    sel = GAFS([2, 6, 0.4], random_state=0).fit(X)
    assert sel.n_features_ == 6
    assert list(sel.nested_supports_) == [2, 4, 6]
    for k, support in sel.nested_supports_.items():
        np.testing.assert_array_equal(support, GAFS(k, random_state=0).fit(X).support_)
    assert not hasattr(sel.set_params(n_features_to_select=3).fit(X), "nested_supports_")
    with pytest.raises(ValueError, match="n_features_to_select=11"):
        Variance([2, 11]).fit(X)
    with pytest.raises(ValueError, match="empty list"):
        Variance([]).fit(X)
