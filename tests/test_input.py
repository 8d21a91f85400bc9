"""Names survive, and columns that do not hold numbers are named."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import xarray as xr

from graphsieve import GAFS, MCFS, GreedyCSS, LaplacianScore, Variance


@pytest.fixture
def X(rng):
    return rng.normal(size=(30, 4)) * [1, 9, 2, 8]


@pytest.mark.parametrize(
    "columns",
    [
        pd.Index([10, 20, 30, 40], name="position"),
        pd.MultiIndex.from_product([["p", "q"], [1, 2]], names=["plate", "channel"]),
        pd.Index(list("abcd")),
        pd.date_range("2020-01-01", periods=4),
    ],
)
def test_names_come_back_as_they_were(X, columns):
    frame = pd.DataFrame(X, columns=columns, index=np.arange(100, 130))
    sel = Variance(2).set_output(transform="pandas").fit(frame)
    out = sel.transform(frame)
    assert out.columns.equals(columns[[1, 3]])
    assert out.index.equals(frame.index)
    assert list(sel.get_feature_names_out()) == list(columns[[1, 3]])
    rebuilt = sel.reconstructor(frame).predict(out)
    assert rebuilt.columns.equals(columns[[0, 2]])
    assert rebuilt.index.equals(frame.index)
    assert set(sel.coverage(frame)["feature"]) == set(columns[[0, 2]])


def test_arrays_by_default(X):
    frame = pd.DataFrame(X, columns=list("abcd"))
    sel = Variance(2).fit(frame)
    assert isinstance(sel.reconstructor(frame).predict(sel.transform(frame)), np.ndarray)
    assert Variance(2).fit(X).get_feature_names_out().tolist() == ["x1", "x3"]


def test_other_containers(X):
    sel = Variance(2).set_output(transform="polars").fit(X)
    rebuilt = sel.reconstructor(X).predict(sel.transform(X))
    assert rebuilt.columns == ["x0", "x2"]
    from_csr = sel.reconstructor(X).predict(sp.csr_array(X[:, [1, 3]]))
    np.testing.assert_allclose(from_csr, rebuilt)


def test_codes_follow_set_output(X):
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(50, 80))
    sel = GAFS(2, n_hidden=2, random_state=0).fit(frame)
    code = sel.encode(frame)
    named = sel.set_output(transform="pandas").encode(frame)
    assert named.columns.tolist() == ["gafs0", "gafs1"]
    assert named.index.equals(frame.index)
    np.testing.assert_array_equal(named, code)


@pytest.mark.parametrize("make", [pl.DataFrame, lambda X: pa.table(dict(X)), pd.DataFrame])
def test_frames_of_all_kinds(X, make):
    frame = pd.DataFrame(X, columns=list("abcd"))
    sel = Variance(2).fit(make(frame))
    assert sel.get_feature_names_out().tolist() == ["b", "d"]
    np.testing.assert_array_equal(sel.transform(make(frame)), X[:, [1, 3]])


@pytest.mark.parametrize("make", [pl.DataFrame, lambda X: pa.table(dict(X)), pd.DataFrame])
def test_the_same_kind_of_frame_comes_back(X, make):
    frame = make(pd.DataFrame(X, columns=list("abcd")))
    sel = Variance(2).fit(frame)
    out = sel.to_selection().transform(frame)
    assert isinstance(out, type(frame))
    rebuilt = sel.reconstructor(frame).predict(out)
    assert list(sel.reconstructor(frame).names) == ["a", "c"]
    assert rebuilt.shape == (30, 2)
    if not isinstance(frame, pa.Table):  # scikit-learn has no output of this kind
        kind = "polars" if isinstance(frame, pl.DataFrame) else "pandas"
        out = sel.set_output(transform=kind).transform(frame)
        assert isinstance(out, type(frame))
        assert isinstance(rebuilt, type(frame))
    assert list(getattr(out, "column_names", out.columns)) == ["b", "d"]


def test_nullable_and_boolean_columns_are_numbers(X):
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["int"] = pd.array(np.arange(30), dtype="Int64")
    frame["flag"] = pd.array(np.arange(30) % 2 == 0, dtype="boolean")
    frame["bool"] = np.arange(30) % 3 == 0
    frame["object"] = np.array([float(j) for j in range(30)], dtype=object)
    frame["arrow"] = pd.array(np.arange(30), dtype="int64[pyarrow]")
    sel = Variance(2).fit(frame)
    np.testing.assert_allclose(sel.scores_, frame.astype(float).var(ddof=0))
    frame.loc[3, "int"] = pd.NA
    expected = np.nanvar(frame.astype(float), axis=0)
    np.testing.assert_allclose(Variance(2).fit(frame).scores_, expected)
    with pytest.raises(ValueError, match="1 missing values in 1 of 9 columns .'int': 1."):
        MCFS(2).fit(frame)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_columns_without_numbers_are_named(X, make):
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["when"] = pd.date_range("2020-01-01", periods=30)
    frame["who"] = "me"
    with pytest.raises(ValueError) as caught:
        Variance(2).fit(make(frame))
    text = str(caught.value)
    assert "2 of the 6 columns do not hold numbers: 'when' (dates), 'who' (text)" in text
    assert "Leave them out" in text
    assert "select_dtypes" not in text  # pandas counts durations as numbers, polars lacks it


def test_categories_are_named(X):
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = pd.Categorical(np.arange(30) % 3)
    frame["span"] = pd.to_timedelta(np.arange(30), unit="h")
    with pytest.raises(
        ValueError, match=r"'kind' \(categories\), 'span' \(durations\).*graphsieve.encode"
    ):
        Variance(2).fit(frame)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_gaps_are_counted(X, container):
    X[[3, 7], 2] = np.nan
    X[5, 0] = np.nan
    message = (
        r"3 missing values in 2 of 4 columns \(2: 2, 0: 1\), the first at row 3, column 2.*"
        "SimpleImputer.*--impute median"
    )
    with pytest.raises(ValueError, match=message):
        LaplacianScore(2).fit(container(X))
    X[0, 0] = np.inf
    with pytest.raises(
        ValueError, match="1 infinite and 3 missing values, the first infinity at row 0"
    ):
        Variance(2).fit(container(X))


def test_xarray(X):
    coords = {"gene": list("abcd"), "cell": np.arange(100, 130), "donor": ("cell", [1, 2] * 15)}
    array = xr.DataArray(X, dims=("cell", "gene"), coords=coords)
    sel = Variance(2).fit(array)
    assert sel.get_feature_names_out().tolist() == ["b", "d"]
    np.testing.assert_array_equal(sel.transform(array), array[:, [1, 3]])
    rebuilt = sel.reconstructor(array).predict(sel.transform(array))
    np.testing.assert_allclose(rebuilt, sel.reconstructor(X).predict(X[:, [1, 3]]))
    frame = sel.set_output(transform="pandas").transform(array)
    assert frame.columns.tolist() == ["b", "d"]
    assert frame.index.equals(array.indexes["cell"])
    assert GAFS(2, n_hidden=2, random_state=0).fit(array).encode(array).shape == (30, 2)


def test_xarray_without_names_and_with_others(rng):
    array = xr.DataArray(rng.random((30, 2, 3)) * [1, 5, 9], dims=("time", "lat", "lon"))
    array = array.assign_coords(lat=[50, 51], lon=[7, 8, 9])
    with pytest.raises(ValueError, match="dim 3"):
        Variance(2).fit(array)
    with pytest.raises(TypeError, match="xarray.Dataset.*to_dataarray"):
        Variance(2).fit(array.to_dataset(name="t"))
    stacked = array.stack(feature=("lat", "lon"))
    sel = Variance(2).fit(stacked)
    assert list(sel.get_feature_names_out()) == [(50, 9), (51, 9)]
    assert sel.transform(stacked).shape == (30, 2)
    assert Variance(2).fit(stacked.drop_vars(["feature", "lat", "lon"])).n_features_in_ == 6


def test_multi_index_names_are_accepted_by_constraints(X):
    columns = pd.MultiIndex.from_product([["p", "q"], [1, 2]])
    frame = pd.DataFrame(X, columns=columns)
    sel = GreedyCSS(2, include=[("p", 2)], costs={("q", 1): 3.0}).fit(frame)
    assert sel.order_[0] == 1
    assert sel.explain(frame, ("p", 2)).startswith("('p', 2) was kept")
    with pytest.raises(ValueError, match="did you mean \\('q', 1\\)"):
        GreedyCSS(2, exclude=[("Q", 1)]).fit(frame)


@pytest.mark.parametrize(
    "columns",
    [
        pd.Index([10, 20, 30, 40]),
        pd.MultiIndex.from_product([["p", "q"], [1, 2]]),
        pd.date_range("2020-01-01", periods=4),
    ],
)
def test_all_names_are_checked(X, columns):
    frame = pd.DataFrame(X, columns=columns)
    sel = GAFS(2, random_state=0).fit(frame)
    for use in (sel.transform, sel.encode):
        use(frame)
        use(X)
        with pytest.raises(ValueError, match="same names and order as in fit"):
            use(frame.iloc[:, ::-1])
        with pytest.raises(ValueError, match="same names"):
            use(frame.set_axis(list("wxyz"), axis=1))
    with pytest.warns(UserWarning, match="taken by position"):
        sel.transform(pd.DataFrame(X))


def test_default_names_are_no_names(X):
    sel = Variance(2).fit(pd.DataFrame(X))
    with pytest.warns(UserWarning, match="X has feature names"):
        sel.transform(pd.DataFrame(X, columns=list("abcd")))
    with pytest.raises(ValueError, match="same names"):
        sel.transform(pd.DataFrame(X).iloc[:, ::-1])
    assert sel.to_selection().feature_names_in is None


def test_an_infinity_is_found_behind_missing_values(X):
    X[0, 0], X[7, 2] = np.nan, np.inf
    for container in (np.asarray, sp.csr_array):
        with pytest.raises(
            ValueError, match="1 infinite .* first infinity at row 7, column 2"
        ) as e:
            GreedyCSS(2).fit(container(X))
        assert str(e.value).endswith("Replace infinite values by numbers or NaN")


def test_a_list_of_numbers_holds_numbers(X):
    for wanted in ([2, "auto"], [True, 2], ["2"]):
        with pytest.raises(ValueError, match="a list holds numbers"):
            Variance(wanted).fit(X)


def test_group_labels_of_any_type(X):
    batch = np.array([1, "a", 2.5] * 10, dtype=object)
    expected = Variance(2).fit(X, groups=[0, 1, 2] * 10)
    np.testing.assert_allclose(Variance(2).fit(X, groups=batch).scores_, expected.scores_)
    batch[4] = pd.NA
    with pytest.raises(ValueError, match="1 missing labels, the first at row 4"):
        Variance(2).fit(X, groups=batch)
    labels = [1, "a", pd.NA, (2, 3)]
    assert GreedyCSS(2, column_groups=labels).fit(X).n_features_ == 2
