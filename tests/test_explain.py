"""coverage, explain and reconstructor, against a refitted regression."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from graphsieve import DropRedundant, GraphSieve, Variance
from graphsieve.inspection import coverage_curve, explained_fraction


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, pd.DataFrame])
@pytest.mark.parametrize("make", [lambda: Variance(4), lambda: DropRedundant(0.5)])
def test_coverage_equals_a_refitted_regression(container, make):
    X = load_wine().data
    sel = make().fit(container(X))
    dropped, kept = np.flatnonzero(~sel.support_), np.flatnonzero(sel.support_)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = Ridge(0.1 * X.shape[1]).fit(Z[:, kept], Z[:, dropped])
    weights = model.coef_
    left_out = cross_val_predict(model, Z[:, kept], Z[:, dropped], cv=LeaveOneOut())
    means = cross_val_predict(DummyRegressor(), Z[:, kept], Z[:, dropped], cv=LeaveOneOut())
    error, total = (((Z[:, dropped] - p) ** 2).sum(axis=0) for p in (left_out, means))
    frame = sel.coverage(container(X))
    assert set(frame["feature"]) == set(dropped)
    for row in frame.itertuples():
        number, i = np.searchsorted(dropped, row.feature), np.searchsorted(kept, row.kept)
        np.testing.assert_allclose(row.r2, 1 - error[number] / total[number], atol=1e-9)
        weight = weights[number, i] * X[:, dropped[number]].std() / X[:, kept[i]].std()
        np.testing.assert_allclose(row.weight, weight, rtol=1e-6)
        importance = abs(weights[number, i]) / abs(weights[number]).sum()
        np.testing.assert_allclose(row.importance, importance, rtol=1e-6)
    first = frame.groupby("feature").first()
    np.testing.assert_array_equal(first["kept"], kept[abs(weights).argmax(axis=1)])


@pytest.fixture
def sums(rng):
    """c = a + 2 b; d is noise, e is constant."""
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "b"])
    X["c"] = X["a"] + 2 * X["b"]
    X["d"] = rng.normal(size=80)
    X["e"] = 1.0
    return X


def test_a_sum_is_explained_by_both(sums):
    sel = DropRedundant(include=["a", "b"]).fit(sums)
    frame = sel.coverage(sums).set_index(["feature", "kept"])
    np.testing.assert_allclose(frame.loc[("c", "a"), "weight"], 1, rtol=0.01)
    np.testing.assert_allclose(frame.loc[("c", "b"), "weight"], 2, rtol=0.01)
    np.testing.assert_allclose(frame.loc["c", "r2"], 1, atol=1e-4)
    text = sel.explain(sums, "c")
    assert text.startswith("'c' was dropped: the 3 kept features predict 100.0% of its variance")
    assert "mainly 'b' (weight 1.99) and 'a' (weight 0.99" in text
    assert sel.explain(sums, "e") == "'e' was dropped: it is constant."
    assert sel.coverage(sums).query("feature == 'e'")[["kept", "r2"]].isna().all(axis=None)


def test_unrelated_features_are_not_called_constant():
    X = np.array([[2.0, 1.0], [2.0, -1.0], [-2.0, 1.0], [-2.0, -1.0]])
    sel = Variance(1).fit(X)
    assert sel.explain(X, 1) == "column 1 was dropped: nothing that was kept predicts it."


def test_words_for_columns_without_variance(sums):
    sums["f"] = np.nan
    sel = DropRedundant(include=["a", "b", "e"]).fit(sums)
    because = "it ranks 3 of 6 because it is included by request, although it is constant."
    assert sel.explain(sums, "e") == f"'e' was kept: {because}"
    assert sel.explain(sums, "f") == "'f' was dropped: it has no values."


def test_nothing_is_predicted_mainly_by_something(rng):
    a, b, noise = rng.normal(size=(3, 2000))
    for weight in np.linspace(0, 0.1, 200):
        X = np.column_stack([3 * a, 2 * b, weight * a + noise])
        sel = Variance(2).fit(X)
        r2 = sel.coverage(X)["r2"].iloc[0]
        if r2 > 0:
            break
    assert 0 < r2 < 0.0005
    assert sel.explain(X, 2) == "column 2 was dropped: nothing that was kept predicts it."


def test_words_for_kept_and_constrained_features(sums):
    sel = GraphSieve(3, include=["d"], exclude=["a"], random_state=0).fit(sums)
    assert "'d' was kept: it ranks 1 of 5 because it is included by request" in sel.explain(
        sums, "d"
    )
    first = sums.columns[sel.order_[1]]
    explained = explained_fraction(coverage_curve(sel, sums, [1, 2]).coverage)
    adds = f"adds {explained[1] - explained[0]:.1%} to what is explained of the table"
    assert adds in sel.explain(sums, first)
    assert "'a' was dropped because it is excluded by request" in sel.explain(sums, "a")
    with pytest.raises(ValueError, match="explain: there is no column 'cc'"):
        sel.explain(sums, "cc")
    plain = Variance(2).fit(sums.to_numpy())
    assert plain.explain(sums, int(plain.order_[0])).startswith(
        f"column {plain.order_[0]} was kept"
    )


@pytest.mark.slow
def test_without_pandas():
    code = (
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'pandas': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "from graphsieve import Variance\n"
        "X = [[0, 1], [1, 3], [2, 8], [3, 10]]\n"
        "sel = Variance(1).fit(X)\n"
        "print(sel.coverage(X)['feature'], sel.coverage(X)['kept'])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.split("\n")[0] == "[0] [1]", run.stderr


@pytest.fixture
def table(rng):
    return pd.DataFrame(rng.normal(size=(20, 4)) * [1, 9, 2, 8], columns=list("abcd"))


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
def test_names_of_a_frame_are_checked(table, convert):
    predict = Variance(2).fit(table).reconstructor(table).predict
    for columns, found, expected in (("cd", "c", "b"), ("db", "d", "b"), ("ba", "a", "d")):
        with pytest.raises(ValueError, match=f"is '{found}' instead of '{expected}'"):
            predict(convert(table[list(columns)]))
    predicted = predict(convert(table[["b", "d"]]))
    assert isinstance(predicted, type(convert(table)))
    assert list(predicted.columns) == ["a", "c"]
    with pytest.raises(ValueError, match="takes the 2 selected columns"):
        predict(table.to_numpy())
    with pytest.raises(ValueError, match="takes the 2 selected columns"):
        predict(convert(table[list("abc")]))
    whole = predict(convert(table.assign(text="more")[["text", *"dcba"]]))
    np.testing.assert_array_equal(whole, predicted)


def test_columns_without_names_are_taken_in_order(table):
    reconstructor = Variance(2).fit(table).reconstructor(table)
    kept = table[["b", "d"]].to_numpy()
    expected = reconstructor.predict(kept)
    assert list(reconstructor.names) == ["a", "c"]
    assert (reconstructor.predict(pd.DataFrame(kept)) == expected).all(axis=None)
    without_names = Variance(2).fit(table.to_numpy()).reconstructor(table)
    assert (without_names.predict(table[["b", "d"]]) == expected).all(axis=None)


def test_integers_remain_integers(rng):
    """Also where no kept column predicts one of the others."""
    a, b = rng.normal(size=(2, 30))
    X = pd.DataFrame(np.column_stack([3 * a, a, b, b * 0]), columns=[4, 5, 7, 9])
    found = Variance(1).fit(X).coverage(X)["kept"]
    assert {str(kept) for kept in found} == {"4", "<NA>"}


def test_nothing_is_dropped(table):
    sel = Variance(4).fit(table)
    assert len(sel.coverage(table)) == 0
    assert sel.reconstructor(table).predict(table).shape == (20, 0)


def test_columns_in_another_order_are_found_by_name(table):
    sel = Variance(2).fit(table)
    pd.testing.assert_frame_equal(sel.coverage(table[list("dcba")]), sel.coverage(table))
    with pytest.raises(ValueError, match="X has no column 'd'"):
        sel.coverage(table[list("abc")])


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame])
def test_reconstructor_needs_no_polars(monkeypatch, container):
    class Missing:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "polars":
                raise ModuleNotFoundError(name)

    monkeypatch.setattr(sys, "meta_path", [Missing, *sys.meta_path])
    monkeypatch.delitem(sys.modules, "polars")
    X = container(load_wine().data)
    sel = Variance(4).fit(X)
    assert isinstance(sel.reconstructor(X).predict(sel.transform(X)), np.ndarray)
