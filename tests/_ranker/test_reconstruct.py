"""``reconstruct`` and its columns; coverage_ and explain, against a refitted regression."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from sklearn.linear_model import LinearRegression, Ridge

from graphsieve import GAFS, DropRedundant, Variance
from graphsieve._linear.ridge import ridge_penalty


def refit(X, support, model):
    """Weights and R^2 of the dropped columns, by scikit-learn."""
    kept, dropped = X[:, support], X[:, ~support]
    model.fit(kept, dropped)
    rest = dropped - model.predict(kept)
    return model.coef_, 1 - rest.var(axis=0) / dropped.var(axis=0)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("make", [lambda: Variance(4), lambda: DropRedundant(0.5)])
def test_coverage_equals_a_refitted_regression(container, make):
    X = load_wine().data
    X = X / X.std(axis=0)
    sel = make().fit(container(X))
    model = LinearRegression()
    if isinstance(sel, Variance):
        energy = len(X) * X[:, sel.support_].var(axis=0).sum()
        model = Ridge(alpha=ridge_penalty(energy, sel.n_features_, len(X)))
    coef, r2 = refit(X, sel.support_, model)
    dropped, kept = np.flatnonzero(~sel.support_), np.flatnonzero(sel.support_)
    frame = sel.coverage_
    assert set(frame["feature"]) == set(dropped)
    for row in frame.itertuples():
        number, i = np.searchsorted(dropped, row.feature), np.searchsorted(kept, row.kept)
        np.testing.assert_allclose(row.r2, r2[number], rtol=1e-6)
        np.testing.assert_allclose(row.weight, coef[number, i], rtol=1e-6)
        importance = abs(coef[number] * X[:, kept].std(axis=0))
        np.testing.assert_allclose(row.importance, importance[i] / importance.sum(), rtol=1e-6)
    first = frame.groupby("feature").first()
    strongest = abs(coef * X[:, kept].std(axis=0)).argmax(axis=1)
    np.testing.assert_array_equal(first["kept"], kept[strongest])


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
    frame = sel.coverage_.set_index(["feature", "kept"])
    np.testing.assert_allclose(frame.loc[("c", "a"), "weight"], 1, rtol=1e-6)
    np.testing.assert_allclose(frame.loc[("c", "b"), "weight"], 2, rtol=1e-6)
    np.testing.assert_allclose(frame.loc["c", "r2"], 1)
    text = sel.explain("c")
    assert text.startswith("'c' was dropped: the 3 kept features predict 100.0% of its variance")
    assert "mainly 'b' (weight 2) and 'a' (weight 1)." in text
    assert sel.explain("e") == "'e' was dropped: it is constant."
    assert sel.coverage_.query("feature == 'e'")["kept"].isna().all()


def test_unrelated_features_are_not_called_constant():
    X = np.array([[2.0, 1.0], [2.0, -1.0], [-2.0, 1.0], [-2.0, -1.0]])
    sel = Variance(1).fit(X)
    assert sel.explain(1) == "column 1 was dropped: nothing that was kept predicts it."


def test_words_for_kept_and_constrained_features(sums):
    sel = GAFS(3, include=["d"], exclude=["a"], random_state=0).fit(sums)
    assert "'d' was kept: it ranks 1 of 5 because it is included by request" in sel.explain("d")
    first = sums.columns[sel.order_[1]]
    gain = f"{sel.gains_[sel.order_[1]]:.1%} of the targets when it was picked"
    assert gain in sel.explain(first)
    assert "'a' was dropped because it is excluded by request" in sel.explain("a")
    with pytest.raises(ValueError, match="explain refers to column 'cc'"):
        sel.explain("cc")
    plain = Variance(2).fit(sums.to_numpy())
    assert plain.explain(int(plain.order_[0])).startswith(f"column {plain.order_[0]} was kept")


def test_large_fits_ask_for_the_data(sums):
    sel = Variance(3).fit(sums).set_n_features(2)
    for ask in (lambda: sel.coverage_, lambda: sel.explain("a")):
        with pytest.raises(AttributeError, match=r"learn_reconstruction\(X\)"):
            ask()
    assert len(sel.learn_reconstruction(sums).coverage_)


@pytest.mark.slow
def test_without_pandas():
    code = (
        "import sys\n"
        "from graphsieve import Variance\n"
        "sel = Variance(1).fit([[0, 1], [1, 3], [2, 8]])\n"
        "sys.modules['pandas'] = None\n"
        "print(sel.coverage_['feature'], sel.coverage_['kept'])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.split("\n")[0] == "[0] [1]", run.stderr


@pytest.fixture
def table(rng):
    return pd.DataFrame(rng.normal(size=(20, 4)) * [1, 9, 2, 8], columns=list("abcd"))


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas])
def test_names_of_a_frame_are_checked(table, convert):
    sel = Variance(2).fit(table)
    for columns, found, expected in (("cd", "c", "b"), ("db", "d", "b"), ("ba", "a", "d")):
        with pytest.raises(ValueError, match=f"is '{found}' instead of '{expected}'"):
            sel.reconstruct(convert(table[list(columns)]))
    assert sel.reconstruct(convert(table[["b", "d"]])).shape == table.shape


def test_columns_without_names_are_taken_in_order(table):
    sel = Variance(2).fit(table)
    kept = table[["b", "d"]].to_numpy()
    expected = sel.reconstruct(kept)
    assert (sel.reconstruct(pd.DataFrame(kept)) == expected).all()
    without_names = Variance(2).fit(table.to_numpy())
    assert (without_names.reconstruct(table[["b", "d"]]) == expected).all()
