"""Missing values: the same result in every container, by the formulas of the methods."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.utils import get_tags

from graphsieve import (
    GAFS,
    MCFS,
    REGISTRY,
    DropRedundant,
    GreedyCSS,
    GroupedRanker,
    LaplacianScore,
    Selection,
    StabilitySelection,
    Variance,
)
from graphsieve._rows import fill_gaps, open_rows
from graphsieve._rows.scaling import Scaling, divide_columns


@pytest.fixture
def complete(rng):
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 8)) + 0.2 * rng.normal(size=(60, 8))
    return X * np.arange(1, 9) + 5


@pytest.fixture
def X(rng, complete):
    complete[rng.random(complete.shape) < 0.1] = np.nan
    return complete


def containers(X, folder):
    """The same table in memory, sparse, mapped, in Parquet, Zarr and Dask."""
    import dask.array as da
    import pyarrow as pa
    import pyarrow.parquet as pq
    import zarr

    np.save(folder / "X.npy", X)
    pq.write_table(pa.table(dict(pd.DataFrame(X).add_prefix("c"))), folder / "X.parquet")
    return {
        "csr": sp.csr_array(X),
        "map": np.load(folder / "X.npy", mmap_mode="r"),
        "parquet": pq.ParquetFile(folder / "X.parquet"),
        "zarr": zarr.array(X, chunks=(20, 8)),
        "dask": da.from_array(X, chunks=(25, 8)),
        "masked": np.ma.MaskedArray(np.where(np.isnan(X), -9, X), mask=np.isnan(X)),
        "nullable": pd.DataFrame(X).astype("Float64"),
    }


@pytest.mark.parametrize("scale", [None, "minmax", "global"])
def test_variance_is_that_of_the_observed_values(X, scale):
    spread = {
        None: 1.0,
        "minmax": np.nanmax(X, axis=0) - np.nanmin(X, axis=0),
        "global": np.nanmax(X) - np.nanmin(X),
    }
    expected = np.nanvar(X, axis=0) / spread[scale] ** 2
    np.testing.assert_allclose(Variance(2, scale=scale).fit(X).scores_, expected, rtol=1e-12)


def test_greedy_selection_is_that_of_filled_columns_with_their_variance(X):
    """Means in the gaps, then a factor for the variance of the observed values."""
    filled = SimpleImputer().fit_transform(X)
    mean, present = filled.mean(axis=0), 1 - np.isnan(X).mean(axis=0)
    rescaled = (filled - mean) / np.sqrt(present) + mean
    np.testing.assert_allclose(rescaled.var(axis=0), np.nanvar(X, axis=0))
    found, expected = GreedyCSS(8, scale=None).fit(X), GreedyCSS(8, scale=None).fit(rescaled)
    np.testing.assert_array_equal(found.order_, expected.order_)
    np.testing.assert_allclose(found.gains_, expected.gains_, atol=1e-9)


def test_few_gaps_change_little(complete):
    whole = GreedyCSS(3).fit(complete)
    complete[3, 5] = np.nan
    np.testing.assert_array_equal(GreedyCSS(3).fit(complete).order_[:3], whole.order_[:3])


@pytest.mark.parametrize("method", [Variance(3), GreedyCSS(3)])
def test_every_container(X, tmp_path, method):
    expected = method.fit(X).scores_
    reconstruction = method.reconstructor(X).predict(X[:, method.support_])
    for name, container in containers(X, tmp_path).items():
        fitted = method.fit(container)
        np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-9, err_msg=name)
        found = fitted.reconstructor(container).predict(X[:, method.support_])
        np.testing.assert_allclose(found, reconstruction, rtol=1e-6, err_msg=name)


def test_a_mapped_file_is_filled_as_it_is_read(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    data = open_rows(np.load(tmp_path / "X.npy", mmap_mode="r"))
    filled = fill_gaps(data)
    expected = SimpleImputer().fit_transform(X)
    np.testing.assert_allclose(filled.whole(), expected)
    np.testing.assert_allclose(filled.rows(slice(5, 9)), expected[5:9])
    np.testing.assert_allclose(filled.rows([3, 1]), expected[[3, 1]])
    scaled = filled.scaled(Scaling(np.ones(8), np.full(8, 2.0)), np.float64)
    np.testing.assert_allclose(scaled.whole(), 2 * (expected - 1))
    assert np.isnan(filled.observed().whole()).any()


def test_complete_rows_stay_as_they_are(complete):
    data = open_rows(complete)
    assert fill_gaps(data) is data
    assert data.observed() is data
    assert divide_columns(data, None) is data


@pytest.mark.parametrize(
    "method",
    [
        GAFS(3, random_state=0),
        DropRedundant(0.5),
        GroupedRanker(Variance(2)),
        StabilitySelection(GreedyCSS(2), n_resamples=4, random_state=0),
    ],
)
def test_other_methods_that_accept_gaps(X, method):
    groups = np.arange(len(X)) % 2 if isinstance(method, GroupedRanker) else None
    sel = method.fit(X, groups=groups)
    assert get_tags(sel).input_tags.allow_nan
    np.testing.assert_array_equal(sel.transform(X), X[:, sel.get_support()])
    assert np.isfinite(sel.reconstructor(X, groups=groups).predict(sel.transform(X))).all()
    assert "predict" in sel.explain(X, int(sel.order_[-1]), groups=groups)


def test_batches_are_centred_on_what_they_have(X):
    batch = np.arange(60) % 2
    shifted = X + 100 * batch[:, np.newaxis]
    expected = Variance(2).fit(X - [np.nanmean(X[batch == b], axis=0) for b in batch]).scores_
    found = Variance(2).fit(shifted, groups=batch).scores_
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_a_column_without_values_is_last(X):
    X[:, 4] = np.nan
    for method in (Variance(3), GreedyCSS(3), GAFS(3, random_state=0)):
        assert method.fit(X).order_[-1] == 4
        assert method.explain(X, 4).endswith("it has no values.")


def test_all_other_methods_count_the_gaps(X):
    accepting = {"css", "gafs", "random", "sieve", "variance"}
    assert {name for name, cls in REGISTRY.items() if cls()._accepts_gaps} == accepting
    message = r"missing values in 8 of 8 columns.*SimpleImputer.*GAFS, GreedyCSS, DropRedundant"
    for method in (MCFS(2), LaplacianScore(2), GAFS.paper(2)):
        assert not get_tags(method).input_tags.allow_nan
        with pytest.raises(ValueError, match=message):
            method.fit(X)
    with pytest.raises(ValueError, match="missing values in 8 of 8 columns"):
        GAFS(2, random_state=0).fit(X).encode(X)


def test_infinity_stays_an_error(X):
    X[2, 3] = np.inf
    for method in (Variance(2), GreedyCSS(2), GAFS(2, random_state=0)):
        with pytest.raises(ValueError, match="1 infinite and .* missing values"):
            method.fit(X)


def test_huge_values_with_gaps_are_named(X):
    X[:2, 3] = 1e300, np.nan
    with pytest.raises(ValueError, match=r"column 3 has values up to 1\.0e\+300.*Rescale"):
        Variance(2).fit(X)


def test_selection_files_pass_gaps_on(X, tmp_path):
    sel = Variance(2).fit(X)
    sel.save(tmp_path / "kept.json")
    np.testing.assert_array_equal(
        Selection.load(tmp_path / "kept.json").transform(X), sel.transform(X)
    )
