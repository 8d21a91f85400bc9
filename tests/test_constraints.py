"""Every constraint holds, through every ranker that wraps a selector, and however it is given."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest

from graphsieve import (
    GraphSieve,
    GreedyCSS,
    GroupedRanker,
    LaplacianScore,
    StabilitySelection,
    Variance,
)
from graphsieve._utils.names import find_columns

D = 12
WRAPPERS = {
    "stability": partial(StabilitySelection, n_resamples=6, random_state=0),
    "grouped": GroupedRanker,
}


def fitted(sel, X):
    """The selector, fitted on one batch if it needs batches."""
    return sel.fit(X, groups=np.zeros(len(X)) if isinstance(sel, GroupedRanker) else None)


def make_table(seed, n_samples=60):
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n_samples, 4))
    return factors @ rng.normal(size=(4, D)) + rng.normal(size=(n_samples, D))


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", [GreedyCSS, Variance, LaplacianScore])
@pytest.mark.parametrize("where", ["outside", "inside", "both"])
def test_include_and_exclude(wrapper, seed, method, where):
    rng = np.random.default_rng(seed)
    columns = rng.permutation(D)
    include = columns[: rng.integers(4)].tolist()
    exclude = columns[4 : 4 + rng.integers(7)].tolist()
    outside = {"include": include, "exclude": exclude} if where != "inside" else {}
    inside = {"include": include[:1], "exclude": exclude[:2]} if where != "outside" else {}
    if where == "inside":
        inside = {"include": include, "exclude": exclude}
    sel = fitted(WRAPPERS[wrapper](method(4, **inside), **outside), make_table(seed))
    assert sel.support_[include].all()
    assert not sel.support_[exclude].any()
    assert sel.support_.sum() == sel.n_features_


def test_more_excluded_or_included_than_the_selector_keeps():
    X = make_table(0)
    for make in WRAPPERS.values():
        sel = fitted(make(GreedyCSS(4), exclude=list(range(2, D))), X)
        assert np.flatnonzero(sel.support_).tolist() == [0, 1]
        sel = fitted(make(GreedyCSS(4), include=list(range(6))), X)
        assert np.flatnonzero(sel.support_).tolist() == list(range(6))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", [0.3, 0.5, 0.9])
def test_the_least_frequency(seed, level):
    rng = np.random.default_rng(seed)
    columns = rng.permutation(D)
    include, exclude = columns[:2].tolist(), columns[2:4].tolist()
    X = make_table(seed)
    sel = WRAPPERS["stability"](
        GreedyCSS(4), min_frequency=level, include=include, exclude=exclude
    ).fit(X)
    expected = sel.frequency_ >= level
    expected[include], expected[exclude] = True, False
    np.testing.assert_array_equal(sel.support_, expected)


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("seed", range(6))
def test_costs_and_groups(wrapper, seed):
    rng = np.random.default_rng(seed)
    X, make = make_table(seed), WRAPPERS[wrapper]
    costs, labels = rng.uniform(1, 3, D), rng.integers(5, size=D)
    sel = fitted(make(GreedyCSS(costs=costs, budget=6.0)), X)
    assert 0 < costs[sel.support_].sum() <= 6
    for count in (None, 4, "auto", [7, 10]):
        sel = fitted(make(GreedyCSS(7, column_groups=labels), count), X)
        supports = [sel.support_, *getattr(sel, "nested_supports_", {}).values()]
        for support in supports:
            for label in range(5):
                assert support[labels == label].all() or not support[labels == label].any()
    sel = fitted(make(GreedyCSS(4, column_groups=labels, max_per_group=1)), X)
    assert np.bincount(labels[sel.support_]).max() == 1


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_another_number_splits_no_group(wrapper):
    labels = np.arange(D) // 3
    sel = fitted(WRAPPERS[wrapper](GreedyCSS(6, column_groups=labels)), make_table(0))
    assert set(np.bincount(labels[sel.set_n_features(3).support_], minlength=4)) == {0, 3}
    with pytest.raises(ValueError, match="would split a group of columns"):
        sel.set_n_features(4)


def test_contradiction_between_a_wrapper_and_its_selector():
    for make in WRAPPERS.values():
        with pytest.raises(ValueError, match="column 3 is in both include and exclude"):
            fitted(make(GreedyCSS(4, exclude=[3]), include=[3]), make_table(0))


def test_constant_in_a_batch():
    """The second batch says nothing about columns 0 to 5, even if all columns are kept there."""
    X = make_table(0)
    batch = np.repeat([0, 1], 30)
    X[30:, :6] = 1.0
    sel = GroupedRanker(Variance(8)).fit(X, groups=batch)
    assert (sel.n_groups_selected_[:6] <= 1).all()
    assert (sel.rankings_[1, :6] == D).all()
    # The order of columns that are constant there does not matter.
    flipped = GroupedRanker(Variance(8)).fit(X[:, ::-1], groups=batch)
    np.testing.assert_array_equal(sel.n_groups_selected_, flipped.n_groups_selected_[::-1])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["text", "integers", "tuples", "none"])
def test_series_in_another_order(seed, kind):
    rng = np.random.default_rng(seed)
    names = {
        "text": [f"c{j}" for j in range(D)],
        "integers": (10 * rng.permutation(D) + 5).tolist(),
        "tuples": list(itertools.product("pqr", range(4))),
        "none": list(range(D)),
    }[kind]
    index = pd.MultiIndex.from_tuples(names) if kind == "tuples" else pd.Index(names)
    X = pd.DataFrame(make_table(seed), columns=index)
    if kind == "none":
        X = X.to_numpy()
    given = {
        "costs": pd.Series(rng.uniform(1, 5, D), index=index),
        "column_groups": pd.Series(rng.integers(6, size=D), index=index),
        "exclude": pd.Series(rng.integers(6, size=D) == 0, index=index),
    }
    for name, values in given.items():
        expected = GreedyCSS(5, **{name: values.to_numpy()}).fit(X)
        mixed = values.iloc[rng.permutation(D)]
        np.testing.assert_array_equal(GreedyCSS(5, **{name: mixed}).fit(X).order_, expected.order_)
        for make in WRAPPERS.values():
            one, two = (
                fitted(make(GreedyCSS(5, **{name: entry})), X)
                for entry in (values.to_numpy(), mixed)
            )
            np.testing.assert_array_equal(one.order_, two.order_)


def test_series_without_names_go_by_position_and_others_are_refused():
    X = pd.DataFrame(make_table(0), columns=[f"c{j}" for j in range(D)])
    costs = np.arange(1.0, D + 1)
    np.testing.assert_array_equal(
        GreedyCSS(4, costs=pd.Series(costs)).fit(X).order_, GreedyCSS(4, costs=costs).fit(X).order_
    )
    other = pd.Series(costs, index=[f"c{j}" for j in range(1, D + 1)])
    for name, values in {"costs": other, "column_groups": other, "include": other > 9}.items():
        with pytest.raises(ValueError, match=f"index of {name} does not match .* it has 'c12'"):
            GreedyCSS(4, **{name: values}).fit(X)
    with pytest.raises(ValueError, match="it lacks 'c11'"):
        GreedyCSS(4, costs=other.rename({"c12": "c0"}).drop("c11")).fit(X)


@pytest.mark.parametrize("index", [[0, 1, 3, *range(4, D + 1)], [*range(D)][::-1]])
def test_an_integer_is_never_a_name(index):
    """Where it may be one, it is refused; as text it is the name."""
    X = pd.DataFrame(make_table(0), columns=index)
    place, three = index.index(3), {"include": "3", "costs": {"3": 1e-3}}
    for name, given in {**three, "exclude": 3, "column_groups": {"a": [4, 3]}}.items():
        wrong = {"include": [3], "costs": {3: 1.0}}.get(name, given)
        for make in (lambda sel: sel, *WRAPPERS.values()):
            with pytest.raises(ValueError, match=f"{name} refers to column [34], which may be"):
                fitted(make(GreedyCSS(2, **{name: wrong})), X)
            if name in three:
                assert fitted(make(GreedyCSS(2, **{name: given})), X).support_[place]
    sel = GreedyCSS(2, include="3").fit(X)
    assert "was kept" in sel.explain(X, "3")
    with pytest.raises(ValueError, match="explain refers to column 3, which may be a position"):
        sel.explain(X, 3)
    X.columns = range(D)
    assert GreedyCSS(2, include=[3], costs={4: 2.0}).fit(X).support_[3]


def test_a_group_of_an_included_column_must_fit():
    X = make_table(0)
    labels = [0, 0, 0, *range(1, 10)]
    with pytest.raises(ValueError, match="rest of their groups are 3 columns.*use 3 or more"):
        GreedyCSS(1, include=[0], column_groups=labels).fit(X)
    assert GreedyCSS(3, include=[0], column_groups=labels).fit(X).order_[:3].tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="no group of columns is small enough"):
        GreedyCSS(1, column_groups=np.arange(D) // 2).fit(X)


@pytest.mark.parametrize("seed", range(5))
def test_a_list_of_numbers_with_groups(seed):
    labels = np.random.default_rng(seed).integers(6, size=D)
    sel = GreedyCSS([3, 5, 9], column_groups=labels).fit(make_table(seed))
    before = np.zeros(D, dtype=bool)
    for count, support in sel.nested_supports_.items():
        assert support.sum() <= count
        assert support[before].all()
        assert all(len(set(support[labels == label])) <= 1 for label in range(6))
        before = support


def test_the_smallest_number_of_a_list_must_be_possible():
    X, labels = make_table(0), [0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, None]
    for method in (Variance, GreedyCSS):
        with pytest.raises(ValueError, match=r"include has 3 columns, but .*=\[2, 5\] keeps 2"):
            method([2, 5], include=[0, 1, 2]).fit(X)
    with pytest.raises(ValueError, match=r"=\[2, 5\] keeps 2, and groups enter as a whole"):
        GreedyCSS([2, 5], include=[0], column_groups=labels).fit(X)
    with pytest.raises(ValueError, match="small enough for n_features_to_select=2"):
        GreedyCSS([2, 5], column_groups=[*labels[:-1], 1]).fit(X)
    with pytest.raises(ValueError, match="larger than 1: leave 1 out of n_features_to_select"):
        GreedyCSS([1, 5], column_groups=labels).fit(np.where(np.arange(D) == 11, 1.0, X))
    sel = GreedyCSS(np.array([3, 5]), include=[0], column_groups=labels).fit(X)
    assert [support.sum() for support in sel.nested_supports_.values()] == [3, 4]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("method", [GraphSieve, GreedyCSS])
def test_dummies_of_a_random_category_wait(method, seed):
    """Per column they explain less than a column that stands for others."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(200, 2))
    X = np.column_stack(
        [
            np.eye(4)[rng.integers(4, size=200)],
            np.repeat(factors, 3, axis=1) + 0.3 * rng.normal(size=(200, 6)),
        ]
    )
    labels = ["category"] * 4 + [None] * 6
    orders = [method(k, column_groups=labels).fit(X) for k in range(1, 11)]
    assert all(sel.order_[0] >= 4 for sel in orders)
    assert all(set(sel.order_[:2] // 7) <= {0, 1} for sel in orders)
    # Where sizes allow it, one more column is one more column.
    whole = orders[-1]._whole_counts()
    for fewer, more in itertools.pairwise(whole):
        assert set(orders[fewer - 1].order_[:fewer]) <= set(orders[more - 1].order_[:more])


@pytest.mark.parametrize("method", [Variance, GreedyCSS, GraphSieve])
def test_columns_are_looked_up_once_per_fit(method, monkeypatch):
    looked_up = []

    def find(columns, *args, parameter, **options):
        looked_up.append(parameter)
        return find_columns(columns, *args, parameter=parameter, **options)

    monkeypatch.setattr("graphsieve.base.find_columns", find)
    sel = method(3, include=[1], exclude=[2]).fit(make_table(0)).set_n_features(2)
    assert looked_up == ["include", "exclude"]
    assert sel.order_[0] == 1


GENES = [
    "MT-CO1",
    "RPL3",
    "CD3E",
    "MT-ND1",
    "RPS6",
    "CD8A",
    "GAPDH",
    "XRPL",
    "^odd",
    "a*b",
    "CDX",
    "z",
]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("^(MT-|RP[SL])", ["MT-CO1", "RPL3", "MT-ND1", "RPS6"]),
        (["RP?3", "MT-*", "RPL3"], ["RPL3", "MT-CO1", "MT-ND1"]),
        ("^odd", ["^odd"]),  # a name is never read as a pattern
        ("a*b", ["a*b"]),
        (["CD", "z"], "there is no column .*did you mean"),
        ("^mt-", "no column matches '.mt-'; the columns are 'MT-CO1'"),
        ("^(MT-", "is not a valid regular expression: missing"),
    ],
)
def test_patterns_of_names(columns, expected):
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=expected):
            find_columns(columns, D, GENES, parameter="exclude")
        return
    found = find_columns(columns, D, GENES, parameter="exclude")
    assert [GENES[j] for j in found] == expected


@pytest.mark.parametrize(
    "make", [GreedyCSS, *(partial(w, GreedyCSS(3)) for w in WRAPPERS.values())]
)
def test_genes_are_excluded_by_a_pattern(make):
    X = pd.DataFrame(make_table(0), columns=GENES)
    sel = fitted(make(exclude="^(MT-|RP[SL])", include="CD?E"), X)
    kept = sel.get_feature_names_out().tolist()
    assert "CD3E" in kept
    assert not [name for name in kept if name.startswith(("MT-", "RPL", "RPS"))]
    inside = WRAPPERS["grouped"](GreedyCSS(3, costs={"^(MT-|RP[SL])": 5.0}, budget=4.0))
    inside = fitted(inside, X)
    assert not {"MT-CO1", "RPL3", "MT-ND1", "RPS6"} & set(inside.get_feature_names_out())
