"""Greedy picks with included columns, costs, budgets and groups of columns."""

from functools import partial

import numpy as np
import pytest

from graphsieve import GraphSieve, GreedyCSS

GREEDY = {"sieve": partial(GraphSieve, random_state=0), "css": GreedyCSS}


@pytest.mark.parametrize("name", GREEDY)
def test_auto_with_costs_and_groups(rng, name):
    """Equal costs change nothing, a budget still limits, and groups are not split."""
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 24)) + 0.3 * rng.normal(size=(80, 24))
    auto = partial(GREEDY[name], "auto")
    n_features = auto().fit(X).n_features_
    assert 1 < n_features < 24
    assert auto(costs=np.ones(24)).fit(X).n_features_ == n_features
    assert auto(costs=np.ones(24), budget=2).fit(X).n_features_ == 2
    groups = np.arange(24) // 4
    kept = auto(column_groups=groups).fit(X).support_.reshape(6, 4)
    assert set(kept.sum(axis=1)) == {0, 4}


@pytest.mark.parametrize("name", GREEDY)
def test_include_makes_the_twin_wait(rng, name):
    """On data where every column is doubled, an included copy stands for both."""
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 10)) + 0.5 * rng.normal(size=(60, 10))
    doubled = np.hstack([X, X])
    for j in range(10):
        sel = GREEDY[name](10, include=[10 + j]).fit(doubled)
        assert sel.order_[0] == 10 + j
        assert not sel.support_[j]
        # Never both columns of a pair before every pair has one.
        assert len(set(sel.order_[:10] % 10)) == 10


def residual_energy(X, columns):
    """What is left of centred data after a regression on some of its columns."""
    Z = X - X.mean(axis=0)
    return ((Z - Z[:, columns] @ np.linalg.lstsq(Z[:, columns], Z, rcond=None)[0]) ** 2).sum()


@pytest.mark.parametrize("shape", [(60, 12), (10, 25)])
@pytest.mark.parametrize("costs", [None, np.linspace(1, 3, 25)])
def test_the_rest_is_forward_selection_on_the_residual(rng, shape, costs):
    X = rng.normal(size=(shape[0], 5)) @ rng.normal(size=(5, shape[1]))
    X += 0.5 * rng.normal(size=shape)
    costs = None if costs is None else costs[: shape[1]]
    given = [7, 3]
    sel = GreedyCSS(7, include=given, costs=costs, scale=None, layer_share=1.0).fit(X)
    picked = list(given)
    while len(picked) < 7:
        left = [j for j in range(shape[1]) if j not in picked]
        price = np.ones(shape[1]) if costs is None else costs
        before = residual_energy(X, picked)
        gain = [(before - residual_energy(X, [*picked, j])) / price[j] for j in left]
        picked.append(left[int(np.argmax(gain))])
    assert sel.order_[:7].tolist() == picked


@pytest.mark.parametrize("shape", [(60, 12), (10, 25)])
def test_groups_of_columns_in_greedy_css(rng, shape):
    X = rng.normal(size=(shape[0], 5)) @ rng.normal(size=(5, shape[1]))
    X += 0.5 * rng.normal(size=shape)
    groups = np.arange(shape[1]) // 3
    sel = GreedyCSS(6, column_groups=groups, scale=None, layer_share=1.0).fit(X)
    picked = []
    for _ in range(2):
        left = {
            group: picked + np.flatnonzero(groups == group).tolist()
            for group in set(groups.tolist())
            if not set(np.flatnonzero(groups == group)) & set(picked)
            and np.count_nonzero(groups == group) == 3
        }
        picked = min(left.values(), key=lambda columns: residual_energy(X, columns))
    assert set(sel.order_[:6]) == set(picked)


def test_the_rest_is_judged_on_top_of_the_included(rng):
    """Two columns carry the same signal; including one makes the other worthless."""
    signal, other = rng.normal(size=(2, 80))
    X = np.column_stack([signal, signal + 0.01 * rng.normal(size=80), other, other * 2])
    X += 0.01 * rng.normal(size=X.shape)
    for first, second in ((0, {2, 3}), (1, {2, 3}), (2, {0, 1}), (3, {0, 1})):
        assert GraphSieve(2, include=[first], random_state=0).fit(X).order_[1] in second


def test_continue_from_a_panel(table):
    panel = GraphSieve(3, random_state=0).fit(table)
    more = GraphSieve(6, include=panel.get_feature_names_out(), random_state=0).fit(table)
    assert set(more.order_[:3]) == set(panel.order_[:3])
    assert set(more.order_[:6]) == set(GraphSieve(6, random_state=0).fit(table).order_[:6])


def test_budget(table):
    costs = {"gene_0": 10.0, "gene_1": 10.0}
    sel = GraphSieve(costs=costs, budget=4.0, random_state=0).fit(table)
    assert sel.n_features_ == 4
    assert not sel.support_[:2].any()
    sel = GraphSieve(2, costs=costs, budget=4.0, random_state=0).fit(table)
    assert sel.n_features_ == 2
    as_array = GraphSieve(costs=[10, 10] + [1] * 6, budget=4.0, random_state=0).fit(table)
    np.testing.assert_array_equal(
        as_array.order_, GraphSieve(costs=costs, budget=4.0, random_state=0).fit(table).order_
    )


def test_groups_enter_as_a_whole(table):
    groups = {"a": ["gene_0", "gene_5"], "b": ["gene_2", "gene_3", "gene_4"]}
    sel = GraphSieve(5, column_groups=groups, random_state=0).fit(table)
    for columns in groups.values():
        assert table.columns.isin(columns)[sel.support_].sum() in (0, len(columns))
    labels = ["a", None, "b", "b", "b", "a", float("nan"), None]
    same = GraphSieve(5, column_groups=labels, random_state=0).fit(table)
    np.testing.assert_array_equal(sel.order_, same.order_)
    # A group that is included by one of its columns is included as a whole.
    sel = GraphSieve(3, column_groups=groups, include=["gene_3"], random_state=0).fit(table)
    assert sel.get_feature_names_out().tolist() == groups["b"]


def test_a_constant_code_stays_with_its_group(table):
    table["gene_3"] = 1.0
    sel = GraphSieve(
        3, column_groups={"b": ["gene_2", "gene_3"]}, include=["gene_2"], random_state=0
    ).fit(table)
    assert sel.support_[[2, 3]].all()
    assert sel.n_features_ == 3


def test_max_per_group(table):
    groups = ["a"] * 4 + ["b"] * 4
    sel = GraphSieve(4, column_groups=groups, max_per_group=2, random_state=0).fit(table)
    assert sel.support_[:4].sum() == sel.support_[4:].sum() == 2


MISTAKES = {
    "misspelt name": ({"include": ["gnee_1"]}, "'gnee_1'.*did you mean gene_1"),
    "other case": ({"exclude": ["GENE_2"]}, "'GENE_2'.*did you mean gene_2"),
    "no such position": ({"include": [8]}, r"column 8, but the data have 8 columns \(0 to 7;"),
    "short mask": ({"exclude": [True, False]}, "mask of 2 entries, but the data have 8"),
    "overlap": (
        {"include": [1], "exclude": ["gene_1"]},
        "'gene_1' is in both include and exclude: remove it",
    ),
    "more included than wanted": (
        {"n_features_to_select": 1, "include": [0, 1]},
        "include has 2 columns.*use 2 or more",
    ),
    "everything excluded": ({"exclude": list(range(8))}, "leave at least one"),
    "too few left": (
        {"n_features_to_select": 7, "exclude": [0, 1]},
        "leave only 6: use 6 or fewer",
    ),
    "budget without costs": ({"budget": 3.0}, "budget needs costs"),
    "budget below the cheapest": (
        {"costs": [5.0] * 7 + [2.0], "budget": 1.0},
        "budget=1 buys no column: the cheapest, 'gene_7', costs 2",
    ),
    "include above the budget": (
        {"costs": np.arange(1.0, 9), "budget": 5.0, "include": [6]},
        "included columns cost 7, more than budget=5: increase",
    ),
    "wrong number of costs": ({"costs": [1.0, 2.0]}, "costs has 2 entries.*8 columns"),
    "free column": ({"costs": {"gene_3": 0.0}}, "positive numbers from .* column 'gene_3' costs 0"),
    "cost of a misspelt name": ({"costs": {"gene3": 1.0}}, "did you mean gene_3"),
    "wrong number of groups": (
        {"column_groups": ["a", "b"]},
        "column_groups has 2 entries.*8 columns",
    ),
    "column in two groups": (
        {"column_groups": {"a": [0, 1], "b": [1, 2]}},
        "'gene_1' is in group 'b' and in another",
    ),
    "part of a group excluded": (
        {"column_groups": {"a": [0, 1]}, "exclude": [1]},
        "'gene_1' is excluded.*exclude the whole group",
    ),
    "limit without groups": ({"max_per_group": 2}, "max_per_group needs column_groups"),
    "more included than the limit": (
        {
            "column_groups": ["a"] * 8,
            "max_per_group": 1,
            "include": [0, 1],
            "n_features_to_select": 2,
        },
        "max_per_group=1|leave only 1",
    ),
    "more wanted than the limit allows": (
        {"column_groups": ["a"] * 8, "max_per_group": 2, "n_features_to_select": 3},
        "leave only 2: use 2 or fewer",
    ),
    "groups too large": (
        {"column_groups": {"a": [0, 1, 2, 3], "b": [4, 5, 6, 7]}, "n_features_to_select": 3},
        "no group of columns is small enough for n_features_to_select=3",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_natural_mistakes(table, mistake):
    parameters, message = MISTAKES[mistake]
    sel = GraphSieve(random_state=0, **parameters)
    with pytest.raises(ValueError, match=message) as caught:
        sel.fit(table)
    assert "\n" not in str(caught.value)
