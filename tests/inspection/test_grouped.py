"""Rankings per batch, combined."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from graphsieve import (
    GraphSieve,
    GreedyCSS,
    GroupedRanker,
    LaplacianScore,
    StabilitySelection,
    Variance,
)


@pytest.fixture
def batches(rng):
    """Column 0 varies within all three batches, column 1 within two, column 2 between them."""
    batch = np.repeat(["a", "b", "c"], 10)
    X = 0.1 * rng.normal(size=(30, 4))
    X[:, 0] += 3 * rng.normal(size=30)
    X[:20, 1] += 2 * rng.normal(size=20)
    X[:, 2] += 50 * (batch == "c")
    return X, batch


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_batches_that_agree_are_counted(batches, container):
    X, batch = batches
    sel = GroupedRanker(Variance(2)).fit(container(X), groups=batch)
    assert sel.n_groups_ == 3
    expected = [Variance(2).fit(X[batch == name]) for name in "abc"]
    np.testing.assert_array_equal(sel.rankings_, [fit.ranking_ for fit in expected])
    np.testing.assert_array_equal(
        sel.n_groups_selected_, np.sum([fit.support_ for fit in expected], axis=0)
    )
    assert sel.n_groups_selected_[:2].tolist() == [3, 2]
    assert sel.order_[:2].tolist() == [0, 1]
    assert Variance(2).fit(X).order_[0] == 2  # without batches, their difference comes first
    assert not hasattr(sel, "_groups")


def test_ranks_beyond_the_selection_count_equally():
    spread = np.array([[9, 8, 7, 6, 5], [1, 8, 9, 6, 5]])
    X = np.repeat(spread, 50, axis=0) * np.tile([[-1], [1]], (50, 5))
    sel = GroupedRanker(Variance(1)).fit(X, groups=np.repeat([0, 1], 50))
    assert sel.rankings_[:, 0].tolist() == [1, 5]
    assert sel.rankings_[:, 1].tolist() == [2, 2]
    # Column 0 is selected once and column 1 never, although its mean rank is better.
    assert sel.order_.tolist() == [2, 0, 1, 3, 4]


def test_small_batches_are_left_out(batches):
    X, batch = batches
    batch = batch.astype(object)
    batch[:2] = "tiny"
    with pytest.warns(UserWarning, match="1 of 4 batches have fewer than 4 samples.*tiny"):
        sel = GroupedRanker(Variance(2)).fit(X, groups=batch)
    assert sel.n_groups_ == 3
    with pytest.warns(UserWarning, match="2 of 4 batches have fewer than 10 samples.*a, tiny"):
        sel = GroupedRanker(Variance(2), min_samples=10).fit(X, groups=batch)
    assert sel.n_groups_ == 2
    with pytest.raises(ValueError, match="no batch has 4 samples"):
        GroupedRanker(Variance(2)).fit(X, groups=np.arange(30))


def test_batches_are_required(batches):
    with pytest.raises(ValueError, match=r"fit\(X, groups=batch\).*fit Variance itself"):
        GroupedRanker(Variance(2)).fit(batches[0])


def test_a_given_graph_is_divided_with_the_rows(batches):
    X, batch = batches
    A = sp.csr_array(np.equal.outer(np.arange(30) % 2, np.arange(30) % 2) & ~np.eye(30, dtype=bool))
    sel = GroupedRanker(LaplacianScore(2, affinity=A)).fit(X, groups=batch)
    parts = [np.flatnonzero(batch == name) for name in "abc"]
    expected = [LaplacianScore(2, affinity=A[p][:, p]).fit(X[p]).ranking_ for p in parts]
    np.testing.assert_array_equal(sel.rankings_, expected)
    half = StabilitySelection(LaplacianScore(2, affinity=A), n_resamples=3, random_state=0).fit(X)
    assert half.n_features_ == 2


def test_batches_of_a_dask_array_are_read_one_by_one(batches):
    dask_array = pytest.importorskip("dask.array")
    X, batch = batches
    lazy = dask_array.from_array(X, chunks=(7, 4))
    found = GroupedRanker(GreedyCSS(2)).fit(lazy, groups=batch)
    expected = GroupedRanker(GreedyCSS(2)).fit(X, groups=batch)
    np.testing.assert_array_equal(found.order_, expected.order_)


@pytest.mark.parametrize("make", [GroupedRanker, partial(StabilitySelection, n_resamples=3)])
def test_constraints_of_the_selector_may_use_names(batches, make):
    frame = pd.DataFrame(batches[0], columns=list("abcd"))
    constraints = {"include": ["d"], "exclude": ["a"], "costs": {"b": 2.0}, "budget": 3.0}
    fit = {"groups": batches[1]} if make is GroupedRanker else {}
    sel = make(GraphSieve(column_groups={"g": ["b", "c"]}, random_state=0, **constraints))
    sel.fit(frame, **fit)
    assert sel.support_[3]
    assert not sel.support_[0]
    with pytest.raises(ValueError, match="'bb'"):
        make(Variance(include=["bb"])).fit(frame, **fit)
