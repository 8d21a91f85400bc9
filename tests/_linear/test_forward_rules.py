"""Forward selection under rules, against refitting for every candidate."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._linear.columns import Columns
from graphsieve._linear.forward import (
    FactorTarget,
    ForwardSelection,
    GramTarget,
    Rules,
    select_columns,
)
from graphsieve._rows import RowBlocks

from .test_forward import ridge_error


def brute_force_units(X, T, noise, units, n_picks, costs):
    """One unit at a time, refitting with every unit that fits, by gain per cost."""
    X, T = X - X.mean(axis=0), T - T.mean(axis=0)
    picked, error = [], (T**2).sum()
    while True:
        best = None
        for unit in np.unique(units):
            members = np.flatnonzero(units == unit).tolist()
            if members[0] in picked or len(picked) + len(members) > n_picks:
                continue
            after = ridge_error(X, T, picked + members, noise)
            worth = (error - after) / costs[members].sum()
            if best is None or worth > best[0]:
                best = worth, members, after
        if best is None:
            return picked
        picked += best[1]
        error = best[2]


def select(X, T, noise, rules, n_picks, container=np.asarray, gram=False):
    T = T - T.mean(axis=0)
    target = GramTarget(T @ T.T) if gram else FactorTarget(T)
    columns = Columns(RowBlocks(container(X)))
    return select_columns(ForwardSelection(columns, target, noise, rules=rules), n_picks)


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 20)) + 0.5 * rng.normal(size=(40, 20))
    T = X[:, :10] @ rng.normal(size=(10, 4)) + rng.normal(size=(40, 4))
    units = np.array([0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 5, 5, 6, 7, 7, 8, 9, 9, 9, 9])
    return X + 3 * (np.arange(20) % 3), T, units


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("level", [0.0, 0.1])
@pytest.mark.parametrize("gram", [False, True])
@pytest.mark.parametrize("seed", [None, 1])
def test_blocks_meet_refitting(problem, container, level, gram, seed):
    X, T, units = problem
    noise = level * X.var(axis=0) * len(X)
    costs = np.ones(20) if seed is None else np.random.default_rng(seed).uniform(0.5, 3, 20)
    found, n = select(X, T, noise, Rules(units=units, costs=costs), 12, container, gram)
    expected = brute_force_units(X, T, noise, units, 12, costs)
    assert n == len(expected)
    assert sorted(found.order[:n]) == sorted(expected)
    assert list(dict.fromkeys(units[found.order[:n]])) == list(dict.fromkeys(units[expected]))


def test_gains_of_a_block_add_up_to_what_it_explains(problem):
    X, T, units = problem
    noise = 0.1 * X.var(axis=0) * len(X)
    found, n = select(X, T, noise, Rules(units=units), 12)
    X, T = X - X.mean(axis=0), T - T.mean(axis=0)
    explained = (T**2).sum() - ridge_error(X, T, found.order[:n], noise)
    np.testing.assert_allclose(found.gains[found.order[:n]].sum() * (T**2).sum(), explained)


def test_codes_of_a_category_are_dependent_but_enter_together(rng):
    """One-hot codes add up to 1: the last one adds nothing and is kept with the others."""
    codes = np.eye(4)[rng.integers(4, size=50)]
    X = np.hstack([codes, 0.1 * rng.normal(size=(50, 3))])
    found, n = select(X, codes, np.zeros(7), Rules(units=np.array([0, 0, 0, 0, 1, 2, 3])), 5)
    assert sorted(found.order[:4]) == [0, 1, 2, 3]
    assert n == 5
    assert np.count_nonzero(found.gains[found.order[:4]] > 1e-12) == 3


def test_units_stay_together_in_the_whole_order(problem):
    X, T, units = problem
    found, _ = select(X, T, np.zeros(20), Rules(units=units), 3)
    runs = [label for label, _ in itertools.groupby(units[found.order])]
    assert len(runs) == len(set(runs))


def test_a_constant_column_of_a_unit(problem):
    X, T, units = problem
    X = X.copy()
    X[:, 1] = 5.0
    found, n = select(X, T, np.zeros(20), Rules(include=(0, 1, 2), units=units), 8)
    assert set(found.order[:3]) == {0, 1, 2}
    assert n <= 8


def test_budget_and_costs(problem):
    X, T, _ = problem
    costs = np.linspace(1, 5, 20)
    found, n = select(X, T, np.zeros(20), Rules(costs=costs, budget=12.0), 20)
    spent = costs[found.order[:n]].sum()
    assert spent <= 12
    # Nothing that still adds something could have been bought from the rest.
    assert costs[found.order[n:]].min() > 12 - spent
    # The first pick has the largest gain per cost.
    Z, T0 = X - X.mean(axis=0), T - T.mean(axis=0)
    gain = ((Z.T @ T0) ** 2).sum(axis=1) / (Z**2).sum(axis=0)
    assert found.order[0] == np.argmax(gain / costs)


def test_at_most_so_many_of_a_group(problem):
    X, T, _ = problem
    labels = np.repeat([0, 1, -1], [8, 8, 4])
    found, n = select(X, T, np.zeros(20), Rules(limits=(labels, 2)), 8)
    assert n == 8
    assert np.bincount(labels[found.order[:8]] + 1).tolist() == [4, 2, 2]
    free, _ = select(X, T, np.zeros(20), Rules(), 8)
    assert np.bincount(labels[free.order[:8]] + 1).tolist() != [4, 2, 2]


def test_columns_without_gain_follow_but_excluded_ones_do_not(rng):
    X = np.column_stack([rng.normal(size=(10, 2)), np.ones((10, 3))])
    exclude = np.array([False, True, False, False, False])
    found, n = select(X, X[:, :1], np.zeros(5), Rules(exclude=exclude), 3)
    assert n == 3
    assert found.order[:3].tolist() == [0, 2, 3]
    found, n = select(X, X[:, :1], np.zeros(5), Rules(costs=np.ones(5), budget=4.0), 5)
    assert set(found.order[:n]) <= {0, 1}  # constant columns are not bought
