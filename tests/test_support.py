"""include and exclude, and other numbers of features from one fit."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from graphsieve import REGISTRY, GraphSieve, GreedyCSS, Variance

RANKERS = sorted(REGISTRY)


@pytest.fixture
def X(rng):
    return rng.normal(size=(40, 3)) @ rng.normal(size=(3, 10)) + 0.3 * rng.normal(size=(40, 10))


def quiet_fit(estimator, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X)


@pytest.mark.parametrize("name", RANKERS)
def test_included_first_and_excluded_last(name, table):
    free = quiet_fit(REGISTRY[name](3), table)
    worst, best = free.order_[-1], free.order_[0]
    sel = clone(free).set_params(include=[f"gene_{worst}"], exclude=[int(best)])
    quiet_fit(sel, table)
    assert sel.order_[0] == worst
    assert sel.order_[-1] == best
    assert sel.n_features_ == 3
    assert sel.support_[worst]
    assert not sel.support_[best]


def test_names_positions_and_masks_are_the_same(table):
    mask = np.array([False, True, False, False, True, False, False, False])
    orders = [
        Variance(3, include=include).fit(table).order_.tolist()
        for include in (["gene_1", "gene_4"], [1, 4], [-7, 4], mask, np.array([1, 4]))
    ]
    assert all(order == orders[0] for order in orders)


@pytest.mark.parametrize("method", [Variance, GreedyCSS])
def test_included_columns_come_first_in_the_order_given(table, method):
    for include in ([1, 4, 0], [4, 0, 1]):
        assert method(5, include=include).fit(table).order_[:3].tolist() == include


def test_half_and_auto_stay_within_the_constraints(table):
    assert Variance(exclude=table.columns[:6]).fit(table).n_features_ == 2
    assert Variance(include=table.columns[:7]).fit(table).n_features_ == 7
    sel = Variance("auto", include=table.columns[:7]).fit(table)
    assert sel.support_[:7].all()


def test_names_need_a_table_with_names(table):
    with pytest.raises(ValueError, match="have no column names: pass a data frame"):
        Variance(2, include=["gene_1"]).fit(table.to_numpy())


def test_the_same_as_another_fit(X):
    sel = GraphSieve(6, random_state=0).fit(X)
    for k in (1, 4, 6):
        again = GraphSieve(k, random_state=0).fit(X)
        np.testing.assert_array_equal(sel.set_n_features(k).support_, again.support_)
        assert sel.n_features_ == k
        np.testing.assert_array_equal(sel.transform(X), again.transform(X))
    again = GraphSieve(4, random_state=0).fit(X)
    np.testing.assert_allclose(
        sel.set_n_features(4).reconstructor(X).predict(sel.transform(X)),
        again.reconstructor(X).predict(again.transform(X)),
    )


def test_small_tables_are_picked_to_the_end(X):
    """The order of all columns is that of the picks, whatever number is wanted."""
    orders = [GraphSieve(k, random_state=0).fit(X) for k in (1, 4, "auto", None)]
    assert {sel.n_exact_ for sel in orders} == {10}
    for sel in orders[1:]:
        np.testing.assert_array_equal(sel.order_, orders[0].order_)
    assert orders[0].set_n_features(9).n_features_ == 9


def test_beyond_the_exact_picks(X, monkeypatch):
    monkeypatch.setattr("graphsieve.methods._greedy._CHEAP_WORK_BEYOND", 0)
    sel = GraphSieve(6, random_state=0).fit(X)
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


def test_groups_are_not_split(X):
    sel = GraphSieve(6, column_groups=np.arange(10) // 3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="would split a group of columns.*use 3"):
        sel.set_n_features(2)
    assert sel.set_n_features(3).support_.sum() == 3


def test_nested_selections(X):
    sel = GraphSieve([2, 6, 0.4], random_state=0).fit(X)
    assert sel.n_features_ == 6
    assert list(sel.nested_supports_) == [2, 4, 6]
    for k, support in sel.nested_supports_.items():
        np.testing.assert_array_equal(support, GraphSieve(k, random_state=0).fit(X).support_)
    assert not hasattr(sel.set_params(n_features_to_select=3).fit(X), "nested_supports_")
    with pytest.raises(ValueError, match="n_features_to_select=11"):
        Variance([2, 11]).fit(X)
    with pytest.raises(ValueError, match="empty list"):
        Variance([]).fit(X)
