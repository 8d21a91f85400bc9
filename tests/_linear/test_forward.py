"""Forward selection against refitting a ridge regression for every candidate."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._linear.columns import Columns
from graphsieve._linear.forward import FactorTarget, ForwardSelection, GramTarget, Rules
from graphsieve._rows import RowBlocks


def ridge_error(X, T, picked, noise):
    """min_B |T - X_S B|^2 + sum_j noise_j |B_j|^2, from the normal equations."""
    X_S = X[:, picked]
    B = np.linalg.solve(
        X_S.T @ X_S + np.diag(noise[picked]) + 1e-12 * np.eye(len(picked)), X_S.T @ T
    )
    return ((T - X_S @ B) ** 2).sum() + (noise[picked][:, None] * B**2).sum()


def brute_force(X, T, noise, n_picks, worth=None, given=()):
    """One column at a time, each time refitting with every candidate."""
    X, T = X - X.mean(axis=0), T - T.mean(axis=0)
    worth = np.ones(X.shape[1]) if worth is None else worth
    picked, errors = list(given), [(T**2).sum()]
    if picked:
        errors.append(ridge_error(X, T, picked, noise))
    while len(picked) < n_picks:
        after = np.array(
            [
                np.inf if j in picked else ridge_error(X, T, [*picked, j], noise)
                for j in range(X.shape[1])
            ]
        )
        j = int(np.argmax((errors[-1] - after) * worth))
        picked.append(j)
        errors.append(after[j])
    return picked, errors


def select(X, T, noise, n_picks, *, container=np.asarray, rules=None, share=1.0):
    T = T - T.mean(axis=0)
    selection = ForwardSelection(
        Columns(RowBlocks(container(X))), FactorTarget(T), noise, share, rules or Rules()
    )
    while len(selection.order) < n_picks and selection.pick() is not None:
        pass
    return selection


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 25)) + 0.5 * rng.normal(size=(40, 25))
    X *= rng.random(X.shape) < 0.7
    T = X[:, :10] @ rng.normal(size=(10, 4)) + rng.normal(size=(40, 4))
    return X + 3 * (rng.random(25) < 0.2), T


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("level", [0.0, 0.1, 1.0])
def test_picks_and_gains_meet_refitting(problem, container, level):
    X, T = problem
    noise = level * X.var(axis=0) * len(X) * np.linspace(0.5, 2, 25)
    selection = select(X, T, noise, 12, container=container)
    picked, errors = brute_force(X, T, noise, 12)
    assert selection.order == picked
    np.testing.assert_allclose(
        selection.gains[picked] * errors[0], -np.diff(errors), rtol=1e-7, atol=1e-9 * errors[0]
    )


@pytest.mark.parametrize("level", [0.0, 0.1])
def test_few_entries_per_column_meet_refitting(rng, level):
    """Products with a picked column come from few rows, unless little of the column is left."""
    X = rng.random((200, 30)) * (rng.random((200, 30)) < 0.1)
    X[:, 20:] = (X[:, :10] + 0.15 * X[:, 10:20]) * rng.uniform(0.9, 1.1, (200, 10))
    X[:, 5] = rng.random(200)
    T = X[:, :12] @ rng.normal(size=(12, 4)) + 0.1 * rng.normal(size=(200, 4))
    noise = level * X.var(axis=0) * len(X)
    selection = select(X, T, noise, 20, container=sp.csr_array)
    picked, errors = brute_force(X, T, noise, 20)
    assert selection.order == picked
    np.testing.assert_allclose(
        selection.gains[picked] * errors[0], -np.diff(errors), rtol=1e-6, atol=1e-9 * errors[0]
    )


def test_products_of_the_picks_take_no_more_memory_than_the_data(rng):
    """Behind as many picks as a column has entries, every pick is multiplied with all rows."""
    X = rng.random((40, 60)) * (rng.random((40, 60)) < 0.1)
    dense = select(X, X, np.zeros(60), 30)
    sparse = select(X, X, np.zeros(60), 30, container=sp.csr_array)
    assert sparse.order == dense.order
    np.testing.assert_allclose(sparse.gains, dense.gains, atol=1e-12)


def test_gram_form_is_the_same(problem):
    X, T = problem
    noise = np.zeros(25)
    centred = T - T.mean(axis=0)
    for container in (np.asarray, sp.csr_array):
        columns = Columns(RowBlocks(container(X)))
        gram = GramTarget(centred @ centred.T)
        np.testing.assert_allclose(gram.forms(columns), FactorTarget(centred).forms(columns))
    selection = ForwardSelection(columns, gram, noise)
    for _ in range(8):
        selection.pick()
    assert selection.order == select(X, T, noise, 8).order


def test_costs_divide_the_gain(problem):
    X, T = problem
    costs = np.random.default_rng(1).uniform(0.2, 5, 25)
    selection = select(X, T, np.zeros(25), 10, rules=Rules(costs=costs))
    assert selection.order == brute_force(X, T, np.zeros(25), 10, worth=1 / costs)[0]


def test_given_columns_come_first_and_the_rest_is_judged_on_top_of_them(problem):
    X, T = problem
    selection = select(X, T, np.zeros(25), 10, rules=Rules(include=(20, 7, 3)))
    assert selection.order == brute_force(X, T, np.zeros(25), 10, given=(20, 7, 3))[0]


def test_a_copy_of_a_given_column_is_never_picked_early(problem):
    X, T = problem
    X = np.hstack([X, 2 * X + 1])
    order = select(X, T, np.zeros(50), 50, rules=Rules(include=(27,))).finish().order.tolist()
    assert order.index(2) >= 25
    assert sorted(order) == list(range(50))


def test_excluded_columns_come_last(problem):
    X, T = problem
    exclude = np.zeros(25, dtype=bool)
    exclude[[0, 4, 9]] = True
    order = select(X, T, np.zeros(25), 25, rules=Rules(exclude=exclude)).finish().order
    assert set(order[-3:]) == {0, 4, 9}


def test_scale_of_a_column_does_not_matter(problem):
    X, T = problem
    squares = X.var(axis=0) * len(X)
    factor = np.ones(25)
    factor[3], factor[8] = 1e3, 1e-3
    for level in (0.0, 0.3):
        plain = select(X, T, level * squares, 12).order
        assert select(X * factor, T, level * squares * factor**2, 12).order == plain


def test_columns_that_come_later_follow_all_others(problem):
    X, T = problem
    later = np.arange(25) % 3 == 0
    order = select(X, T, np.zeros(25), 25, rules=Rules(last=later)).finish().order
    assert later[order[-later.sum() :]].all()
    assert sorted(order) == list(range(25))


@pytest.mark.parametrize(("share", "level"), [(0.5, 0.0), (0.5, 0.1), (1.0, 0.0)])
def test_layers_start_again_on_what_is_left(problem, share, level):
    X, T = problem
    X = np.hstack([X, X + 0.3 * np.random.default_rng(2).normal(size=X.shape)])
    noise = level * X.var(axis=0) * len(X)
    selection = select(X, T, noise, 50, share=share)
    order, layers = selection.order, selection.layers
    assert sorted(order) == list(range(50))
    first = layers[order].tolist().index(2)
    left = np.setdiff1d(np.arange(50), order[:first])
    again = select(X[:, left], T, noise[left], 3, share=share).order
    assert [left[j] for j in again] == order[first : first + 3]
