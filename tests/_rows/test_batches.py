"""fit(X, groups=...): columns are centred within batches, alone and through metadata routing."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline

from graphsieve import GAFS, GreedyCSS, GroupedRanker, LaplacianScore, Variance


@pytest.fixture
def batches(rng):
    """Column 3 only differs between batches."""
    batch = np.repeat(["x", "y", "z"], 12)
    X = rng.normal(size=(36, 4)) * [1, 2, 3, 0]
    X[:, 3] = 100 * (batch == "y") + 7
    return X, batch


def centred(X, batch):
    X = X.copy()
    for name in np.unique(batch):
        X[batch == name] -= X[batch == name].mean(axis=0)
    return X


def test_differences_between_batches_explain_nothing(batches):
    X, batch = batches
    assert Variance(1).fit(X).order_[0] == 3
    sel = Variance(1).fit(X, groups=batch)
    assert sel.order_[-1] == 3
    np.testing.assert_allclose(sel.scores_, centred(X, batch).var(axis=0), atol=1e-10)


def test_every_method_takes_batches(batches):
    X, batch = batches
    everything = X.mean(axis=0) + centred(X, batch)
    np.testing.assert_allclose(
        LaplacianScore(2).fit(X, groups=batch).scores_[:3],
        LaplacianScore(2).fit(everything).scores_[:3],
    )
    assert GAFS(2, random_state=0).fit(X, groups=batch).order_[-1] == 3


def test_sparse_data_are_ranked_per_batch_instead(batches):
    X, batch = batches
    with pytest.raises(TypeError, match="Use GroupedRanker"):
        Variance(1).fit(sp.csr_array(X), groups=batch)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["a"] * 35, "groups has 35 entries, but X has 36 samples"),
        ([None] + ["a"] * 35, "1 missing labels, the first at row 0"),
        ([1.0] * 20 + [np.nan] * 16, "16 missing labels, the first at row 20"),
    ],
)
def test_impossible_batches(batches, groups, message):
    with pytest.raises(ValueError, match=message):
        Variance(1).fit(batches[0], groups=groups)


@pytest.mark.parametrize("make", [Variance, lambda k: GroupedRanker(Variance(k))])
def test_routing_in_a_pipeline(batches, make):
    X, batch = batches
    y = np.arange(36) % 2
    with sklearn.config_context(enable_metadata_routing=True):
        selector = make(1).set_fit_request(groups=True)
        pipeline = make_pipeline(selector, LogisticRegression())
        pipeline.fit(X, y, groups=batch)
    assert pipeline[0].order_[0] == 2
    np.testing.assert_array_equal(pipeline[0].scores_, make(1).fit(X, groups=batch).scores_)


def test_routing_in_cross_validation(batches):
    X, batch = batches
    y = np.arange(36) % 2
    with sklearn.config_context(enable_metadata_routing=True):
        selector = Variance(1).set_fit_request(groups=True)
        found = cross_validate(
            make_pipeline(selector, LogisticRegression()),
            X,
            y,
            cv=GroupKFold(3),
            params={"groups": batch},
            return_estimator=True,
            error_score="raise",
        )
    # The splitter and the selector both get the batches, the selector those of its own rows.
    assert [fit[0].order_[0] for fit in found["estimator"]] == [2, 2, 2]


def test_batches_of_one_sample(batches):
    X = batches[0]
    with pytest.raises(ValueError, match="every sample is the only one of its batch"):
        Variance(1).fit(X, groups=np.arange(len(X)))
    with pytest.warns(UserWarning, match="34 of 36 samples are the only one of their batch"):
        Variance(1).fit(X, groups=np.maximum(np.arange(len(X)), 1))


def test_advice_for_dask_works(rng):
    da = pytest.importorskip("dask.array")
    X, batch = rng.normal(size=(40, 5)), np.repeat([0, 1], 20)
    lazy = da.from_array(X, chunks=(10, 5))
    with pytest.raises(TypeError, match=r"X\.compute\(\) for Dask"):
        GreedyCSS(2).fit(lazy, groups=batch)
    GreedyCSS(2).fit(lazy.compute(), groups=batch)


def test_words_without_the_batches_of_the_fit_warn(batches):
    X, batch = batches
    sel = Variance(1).fit(X, groups=batch)
    for ask in (sel.coverage, sel.reconstructor, lambda X, **of_rows: sel.explain(X, 0, **of_rows)):
        ask(X, groups=batch)
        with pytest.warns(UserWarning, match="ranked within each of 3 batches") as caught:
            ask(X)
        assert len(caught) == 1


def test_batches_with_the_rows_in_another_order_are_refused(batches):
    X, batch = pd.DataFrame(batches[0]), pd.Series(batches[1])
    expected = Variance(1).fit(X, groups=batch)
    mixed = batch.sample(frac=1, random_state=0)
    for ask in (Variance(1).fit, GroupedRanker(Variance(1)).fit, expected.coverage):
        with pytest.raises(ValueError, match=r"another order: pass groups\.loc\[X\.index\]"):
            ask(X, groups=mixed)
    named = X.set_axis([f"cell {i}" for i in range(36)])
    for table, groups in (
        (X, mixed.loc[X.index]),
        (named, batch),
        (X, batch.set_axis(named.index)),
    ):
        assert (Variance(1).fit(table, groups=groups).scores_ == expected.scores_).all()
