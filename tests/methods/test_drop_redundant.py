"""DropRedundant keeps its promise, for any order of the columns."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import estimator_checks_generator

from graphsieve import DropRedundant
from graphsieve._rows import fill_gaps, open_rows
from graphsieve.methods import drop_redundant
from graphsieve.methods.drop_redundant import (
    complete_moments,
    contributions,
    cover_columns,
    keep_uncorrelated,
    too_few_rows,
)


def training_r2(X, support):
    """R^2 of the dropped columns, from an independent regression."""
    dropped = X[:, ~support]
    predicted = LinearRegression().fit(X[:, support], dropped).predict(X[:, support])
    total = ((dropped - dropped.mean(axis=0)) ** 2).sum(axis=0)
    return 1 - ((dropped - predicted) ** 2).sum(axis=0)[total > 0] / total[total > 0]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        pytest.param(estimator, check, id=check.func.__name__)
        for estimator, check in estimator_checks_generator(DropRedundant())
    ],
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
@pytest.mark.parametrize("explained", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_promise_holds(load, explained, dtype):
    X = load().data.astype(dtype)
    sel = DropRedundant(explained).fit(X)
    assert training_r2(X.astype(float), sel.support_).min(initial=1) >= explained - 1e-6
    assert 0 < sel.n_features_ < X.shape[1]
    np.testing.assert_allclose(
        sel.r2_[~sel.support_ & (X.std(axis=0) > 0)],
        training_r2(X.astype(float), sel.support_),
        atol=1e-5,
    )


@pytest.mark.parametrize("by", ["r2", "correlation"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_the_order_of_the_columns_does_not_matter(rng, by, load):
    X = load().data
    X = pd.DataFrame(np.hstack([X, X[:, :3]]))  # copies, which only their names tell apart
    X.columns = [f"column {j}" for j in range(X.shape[1])]
    kept = set(DropRedundant(by=by).fit(X).get_feature_names_out())
    for _ in range(3):
        shuffled = X[rng.permutation(X.columns)]
        assert set(DropRedundant(by=by).fit(shuffled).get_feature_names_out()) == kept


def test_held_out_r2(rng):
    """That of ``coverage``; on structureless data it is low, with a warning."""
    X = load_breast_cancer().data
    sel = DropRedundant().fit(X)
    assert (sel.heldout_r2_[sel.support_] == 1).all()
    table = sel.coverage(X).drop_duplicates("feature")
    np.testing.assert_allclose(sel.heldout_r2_[table["feature"]], table["r2"])
    with pytest.warns(UserWarning, match="On held-out rows, .* too few rows"):
        DropRedundant().fit(rng.normal(size=(20, 60)))


def bad_entries(rng, kind):
    """Independent columns, but for a row of totals or the same error code in two of them."""
    X = pd.DataFrame(rng.normal(50, 10, (1000, 6)), columns=list("abcdef"))
    if kind == "totals":
        X.loc[1000] = X.sum()
    else:
        X.iloc[: {99999: 1, -999: 20, -99999: 3}[kind], [1, 3]] = kind
    return X


@pytest.mark.parametrize("by", ["r2", "correlation"])
@pytest.mark.parametrize("kind", ["totals", 99999, -999, -99999])
def test_a_few_bad_rows_are_a_warning(rng, kind, by):
    X = bad_entries(rng, kind)
    with pytest.warns(UserWarning, match=r"few extreme values: .*rows of totals") as caught:
        sel = DropRedundant(0.9, by=by).fit(X)
    assert len(caught) == 1
    assert ", ".join(map(repr, X.columns[~sel.support_])) + "." in str(caught[0].message)
    assert len(X.columns[sel.support_]) == (1 if kind == "totals" else 5)
    X.iloc[rng.integers(500, 1000, 50), rng.integers(6, size=50)] = np.nan
    with pytest.warns(UserWarning, match="few extreme values"):
        DropRedundant(0.9, by=by).fit(X)


@pytest.mark.parametrize("explained", [0.5, 0.9, 0.99])
def test_heavy_tails_alone_are_no_warning(rng, explained):
    """Warnings are errors here: nor do tables without outliers give one."""
    factors = np.exp(1.5 * rng.normal(size=(1000, 6)))
    noise = np.exp(rng.normal(size=(1000, 30)))
    for X in (
        factors @ rng.random((6, 30)) + 0.5 * noise,
        load_breast_cancer().data,
        load_digits().data,
    ):
        DropRedundant(explained).fit(X)


@pytest.mark.filterwarnings("ignore:On held-out rows")
def test_few_rows_per_kept_column_are_a_warning(rng):
    """Also where the held-out R^2 is not hopeless, and on the page; not where it is as promised."""
    factors = rng.normal(size=(200, 8))
    X = factors @ rng.normal(size=(8, 30)) + 0.8 * rng.normal(size=(200, 30))
    with pytest.warns(UserWarning, match="On held-out rows") as warned:
        sel = DropRedundant().fit(X[:40])
    text = str(warned[0].message)
    low = sel.heldout_r2_[~sel.support_] < 0.9
    assert f"{low.sum()} of the {low.size} dropped columns" in text
    assert f"40 are too few rows for {sel.n_features_} kept columns" in text
    assert text in " ".join(note["text"] for note in sel.report(X[:40]).summary["notes"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DropRedundant().fit(X)
        DropRedundant().fit(np.hstack([X[:40, :12], X[:40, :12]]))  # copies
    assert "2 are too few rows for 1 kept column. " in too_few_rows(2, 1, np.zeros(3), 0.9)


def test_sums_of_columns_are_seen(rng):
    X = rng.normal(size=(100, 4))
    X = np.column_stack([X, X.sum(axis=1), X[:, 0] - X[:, 3], X[:, 1]])
    assert DropRedundant(0.99).fit(X).n_features_ == 4
    assert DropRedundant(0.99, by="correlation").fit(X).n_features_ == 6


def test_the_pairwise_rule(rng):
    X = load_breast_cancer().data
    sel = DropRedundant(0.9, by="correlation").fit(X)
    C = abs(np.corrcoef(X.T))
    kept = np.flatnonzero(sel.support_)
    assert np.triu(C[np.ix_(kept, kept)], 1).max() < 0.9
    assert C[np.ix_(~sel.support_, kept)].max(axis=1).min() >= 0.9


@pytest.mark.parametrize("by", ["r2", "correlation"])
def test_sparse_is_the_same(rng, by):
    X = rng.poisson(0.3, size=(200, 6)) @ (rng.random((6, 15)) < 0.3).astype(float)
    dense, sparse = DropRedundant(by=by).fit(X), DropRedundant(by=by).fit(sp.csr_array(X))
    np.testing.assert_array_equal(dense.support_, sparse.support_)
    np.testing.assert_allclose(dense.heldout_r2_, sparse.heldout_r2_, atol=1e-8)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_many_columns_need_no_square_matrix(monkeypatch, container):
    X = load_breast_cancer().data
    stored = DropRedundant().fit(container(X))
    monkeypatch.setattr("graphsieve.methods.drop_redundant._MOST_STORED", 10)
    np.testing.assert_array_equal(DropRedundant().fit(container(X)).order_, stored.order_)
    with pytest.raises(ValueError, match='at most 10 columns, but X has 30: use by="r2"'):
        DropRedundant(by="correlation").fit(X)


@pytest.mark.filterwarnings("ignore:1 dropped columns")
@pytest.mark.parametrize("by", ["r2", "correlation"])
def test_include_and_exclude(by):
    X = load_breast_cancer(as_frame=True).data
    free = DropRedundant(by=by).fit(X)
    first = free.get_feature_names_out()[0]
    include = X.columns[~free.support_][:2]
    sel = DropRedundant(by=by, include=include, exclude=[first]).fit(X)
    assert set(include) <= set(sel.get_feature_names_out())
    assert first not in sel.get_feature_names_out()


def test_what_only_excluded_columns_explain_is_said(rng):
    X = rng.normal(size=(50, 3))
    with pytest.warns(UserWarning, match="1 dropped columns.*are excluded: column 2 has 0.0"):
        sel = DropRedundant(exclude=[2]).fit(X)
    assert sel.support_.tolist() == [True, True, False]


@pytest.mark.filterwarnings("ignore:all columns of X are constant")
def test_constant_columns_are_dropped(rng):
    X = np.column_stack([rng.normal(size=(30, 2)), np.full(30, 0.1)])
    assert DropRedundant().fit(X).support_.tolist() == [True, True, False]
    assert DropRedundant().fit(np.ones((10, 3))).n_features_ == 1
    constant = np.where(rng.random((10, 3)) < 0.3, np.nan, 2.0)
    assert DropRedundant().fit(constant).represented_by_.tolist() == [0, -1, -1]


def _measured_three_times(rng):
    return np.repeat(rng.normal(size=(300, 20)), 3, axis=1) + 0.3 * rng.normal(size=(300, 60))


@pytest.mark.parametrize("most_stored", [0, 5000])
@pytest.mark.parametrize("as_stored", [sp.csr_array, np.float32, np.float64])
def test_an_offset_changes_nothing(rng, monkeypatch, as_stored, most_stored):
    monkeypatch.setattr("graphsieve.methods.drop_redundant._MOST_STORED", most_stored)
    X = _measured_three_times(rng)
    offset = 1e5 if as_stored is np.float32 else 1e7
    expected = DropRedundant().fit(X)
    moved = as_stored(X + offset * rng.choice([-1, 1], 60))
    found = DropRedundant().fit(moved)
    np.testing.assert_array_equal(found.support_, expected.support_)
    dense = moved.toarray() if sp.issparse(moved) else moved.astype(np.float64)
    Z = dense - dense.mean(axis=0)
    kept = Z[:, found.support_]
    residual = Z - kept @ np.linalg.lstsq(kept, Z, rcond=None)[0]
    assert (1 - (residual**2).sum(axis=0) / (Z**2).sum(axis=0)).min() > 0.9 - 1e-6


def test_copies_are_redundant_at_a_correlation_of_one(rng):
    X = rng.normal(size=(200, 100))
    X = np.hstack([X, 3 * X[:, :41] + 7])
    assert DropRedundant(1.0, by="correlation").fit(X).n_features_ == 100


@pytest.mark.parametrize("by", ["r2", "correlation"])
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_and_columns_changes_nothing(seed, by):
    """On flags, whose correlations have many ties."""
    rng = np.random.default_rng(seed)
    flags = rng.random((100, 10)) < 0.3
    X = np.hstack([flags, flags ^ (rng.random((100, 10)) < 0.02)]).astype(float)
    rows, columns = rng.permutation(100), rng.permutation(20)
    shuffled = DropRedundant(by=by).fit(X[rows][:, columns])
    # Of exact copies, any may be kept.
    kept = {column.tobytes() for column in X[:, DropRedundant(by=by).fit(X).support_].T}
    assert kept == {column.tobytes() for column in X[:, columns[shuffled.support_]].T}


def correlated(rng, n=80, d=30):
    X = rng.normal(size=(n, 8)) @ rng.normal(size=(8, d)) + 0.4 * rng.normal(size=(n, d))
    X[:, 5] = X[:, 1] + X[:, 2]
    return (X - X.mean(axis=0)) / X.std(axis=0)


def r2(X, kept):
    fitted = X[:, kept] @ np.linalg.lstsq(X[:, kept], X, rcond=None)[0]
    return 1 - ((X - fitted) ** 2).sum(axis=0) / (X**2).sum(axis=0)


def products(C):
    """Products with C, and its columns."""
    return lambda V: C @ V, lambda columns: C[:, columns]


def prune_by_brute_force(X, kept, threshold):
    """Leave out the column without which the worst R^2 is largest, as long as it is enough."""
    while True:
        rest = {j: r2(X, [k for k in kept if k != j]).min() for j in kept}
        best = max(rest, key=rest.get)
        if rest[best] < threshold:
            return kept
        kept = [j for j in kept if j != best]


def brute_force(X, threshold):
    """Pick what explains most of the columns that are not covered, refitting every time."""
    kept = []
    while True:
        Q = np.linalg.qr(X[:, kept])[0] if kept else np.zeros((len(X), 0))
        E = X - Q @ (Q.T @ X)
        left = (E**2).sum(axis=0) / len(X)
        uncovered = left > 1 - threshold
        if not uncovered.any():
            return kept
        R = E.T @ E / len(X)
        worth = np.where(left > 1e-8, (R[uncovered] ** 2).sum(axis=0) / np.maximum(left, 1e-8), 0)
        kept.append(int(worth.argmax()))


@pytest.mark.parametrize("threshold", [0.5, 0.9, 0.99])
def test_picks_meet_brute_force_and_keep_the_promise(rng, threshold):
    X = correlated(rng)
    C = X.T @ X / len(X)
    d = X.shape[1]
    picked = cover_columns(*products(C), np.ones(d, bool), threshold, tie_break=np.arange(d))
    explained = contributions(C[:, picked], picked).sum(axis=1)
    expected = prune_by_brute_force(X, brute_force(X, threshold), threshold)
    assert picked.tolist() == expected
    np.testing.assert_allclose(explained, r2(X, picked), atol=1e-8)
    assert explained.min() >= threshold - 1e-8


def test_superfluous_picks_are_left_out_but_given_columns_stay(rng):
    X = correlated(rng)
    C, every = products(X.T @ X / len(X)), np.ones(X.shape[1], bool)
    n_gone = 0
    for threshold in (0.7, 0.8, 0.9, 0.95, 0.99):
        found = cover_columns(*C, every, threshold, tie_break=np.arange(30))
        gone = set(brute_force(X, threshold)) - set(found)
        n_gone += len(gone)
        options = {"tie_break": np.arange(30), "given": sorted(gone)}
        assert gone <= set(cover_columns(*C, every, threshold, **options))
    assert n_gone > 0


def test_a_sum_of_two_kept_columns_is_dropped(rng):
    X = correlated(rng)[:, :6]
    C = X.T @ X / len(X)
    picked = cover_columns(
        *products(C), np.ones(6, bool), 0.999, tie_break=np.arange(6), given=[1, 2]
    )
    assert 5 not in picked
    assert contributions(C[:, picked], picked).sum(axis=1)[5] == pytest.approx(1)


def test_constant_columns_are_ignored(rng):
    X = correlated(rng)
    X[:, 3] = 0
    C = X.T @ X / len(X)
    varying = np.arange(30) != 3
    picked = cover_columns(*products(C), varying, 0.9, tie_break=np.arange(30))
    assert 3 not in picked


def test_pairwise_rule(rng):
    X = correlated(rng)
    C = X.T @ X / len(X)
    kept = keep_uncorrelated(C, np.ones(30, bool), 0.7, tie_break=np.arange(30))
    among = np.abs(C[np.ix_(kept, kept)]) - np.eye(len(kept))
    assert among.max() < 0.7
    dropped = np.setdiff1d(np.arange(30), kept)
    assert (np.abs(C[np.ix_(dropped, kept)]).max(axis=1) >= 0.7).all()


@pytest.mark.parametrize("rule", ["r2", "correlation"])
def test_order_of_the_columns_does_not_matter(rng, rule):
    X = correlated(rng)
    X = np.hstack([X, X[:, ::2]])  # copies: ties
    name = rng.permutation(X.shape[1])

    def kept(order):
        Z = X[:, order]
        C, d = Z.T @ Z / len(Z), Z.shape[1]
        if rule == "r2":
            found = cover_columns(*products(C), np.ones(d, bool), 0.9, tie_break=name[order])
        else:
            found = keep_uncorrelated(C, np.ones(d, bool), 0.7, tie_break=name[order])
        return set(order[found])

    first = kept(np.arange(X.shape[1]))
    for seed in range(3):
        assert kept(np.random.default_rng(seed).permutation(X.shape[1])) == first


def with_gaps(rng, X, fraction):
    return np.where(rng.random(X.shape) < fraction, np.nan, X)


@pytest.mark.parametrize("seed", range(5))
def test_gaps_cost_few_columns(seed):
    X = load_breast_cancer().data  # 17 of 30 are kept without gaps
    sel = DropRedundant().fit(with_gaps(np.random.default_rng(seed), X, 0.1))
    assert 14 <= sel.n_features_ <= 20
    assert training_r2(X, sel.support_).min() > 0.85
    assert sel.r2_.min() >= 0.9 - 1e-9


def planted(rng, n_samples):
    """Six signals, a near copy of each (R^2 .96), columns that share .61 with one, and a sum."""
    S = rng.normal(size=(n_samples, 6))
    S[:, :2], S[:, 2:4] = np.exp(S[:, :2]), S[:, 2:4] > 0.5  # amounts and flags
    spread, noise = S.std(axis=0), rng.normal(size=(2, *S.shape))
    total = S[:, 4] + S[:, 5]
    return np.column_stack([S, S + 0.2 * spread * noise[0], S + 0.8 * spread * noise[1], total])


@pytest.mark.parametrize("fraction", [0, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("n_samples", [100, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_planted_redundancy_is_found_despite_gaps(n_samples, fraction, seed):
    """One of every pair is kept, and nothing that is not redundant is dropped, in any units."""
    rng = np.random.default_rng(seed)
    X = with_gaps(rng, planted(rng, n_samples), fraction)
    X = X * 10.0 ** rng.integers(-6, 7, 19) + 1e3 * np.nanstd(X, axis=0) * rng.normal(size=19)
    order = rng.permutation(19)
    sel = DropRedundant().fit(pd.DataFrame(X).add_prefix("c").iloc[:, order])
    kept = np.zeros(19, dtype=bool)
    kept[order] = sel.support_
    assert kept[12:18].all()
    signals = kept[:6] | kept[6:12]
    # Of a sum and its two terms, any two are enough.
    assert signals[:4].all()
    assert signals[4:].sum() + kept[18] == 2
    assert sel.n_features_ == 12
    found = DropRedundant().fit(pd.DataFrame(X).add_prefix("c"))
    assert set(found.get_feature_names_out()) == set(sel.get_feature_names_out())


@pytest.mark.parametrize("present", [0.02, 0.1, 0.5])
def test_few_values_are_not_redundant_by_chance(rng, present):
    X = rng.normal(size=(200, 5)) @ rng.normal(size=(5, 20)) + 0.5 * rng.normal(size=(200, 20))
    x = np.where(rng.random(200) < present, rng.normal(size=200), np.nan)
    assert DropRedundant().fit(np.column_stack([X, x])).support_[-1]


def likelihood(X, mean, S):
    """Log-likelihood of the observed values, row by row."""
    here = ~np.isnan(X)
    return sum(
        multivariate_normal(mean[o], S[np.ix_(o, o)]).logpdf(x[o])
        for x, o in zip(X, here, strict=True)
        if o.any()
    )


def test_correlations_despite_gaps_are_those_of_greatest_likelihood(rng, monkeypatch):
    """No small change of mean and covariance makes the observed values more likely."""
    monkeypatch.setattr(drop_redundant, "ridge_penalty", lambda shape: 0.0)
    monkeypatch.setattr(drop_redundant, "_GAP_TOL", 0.0)
    monkeypatch.setattr(drop_redundant, "_GAP_STEPS", 300)
    X = with_gaps(rng, rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)) + 100, 0.2)
    mean, S = complete_moments(fill_gaps(open_rows(X)), np.arange(4))
    best = likelihood(X, mean, S)
    for _ in range(20):
        step, change = 0.01 * rng.normal(size=4), 0.01 * rng.normal(size=(4, 4))
        assert likelihood(X, mean + step, S) < best
        assert likelihood(X, mean, S + change @ S + S @ change.T + change @ S @ change.T) < best


@pytest.mark.parametrize("by", ["r2", "correlation"])
def test_gaps_are_the_same_in_sparse_data(rng, by):
    X = rng.poisson(0.3, size=(200, 6)) @ (rng.random((6, 15)) < 0.3).astype(float)
    X = with_gaps(rng, X, 0.05)
    dense, sparse = DropRedundant(by=by).fit(X), DropRedundant(by=by).fit(sp.csr_array(X))
    np.testing.assert_array_equal(dense.support_, sparse.support_)
    np.testing.assert_allclose(dense.r2_, sparse.r2_, atol=1e-8)


def test_gaps_in_large_tables_are_estimated_from_a_sample(rng, monkeypatch):
    X = with_gaps(rng, planted(rng, 3000), 0.1)
    every = DropRedundant().fit(X)
    monkeypatch.setattr(drop_redundant, "_GAP_ROWS", 500)
    monkeypatch.setattr(drop_redundant, "_GAP_ENTRIES", 1000)
    np.testing.assert_allclose(DropRedundant().fit(X).r2_, every.r2_, atol=0.01)
    monkeypatch.setattr(drop_redundant, "MOST_COMPLETED", 10)
    assert DropRedundant().fit(X).n_features_ > every.n_features_


def test_what_represents_a_dropped_column(rng):
    a, b = rng.normal(size=(2, 200))
    X = np.column_stack([a, b, 3 * a + b, a + 0.1 * rng.normal(size=200), np.ones(200)])
    sel = DropRedundant(include=[0, 1]).fit(X)
    np.testing.assert_array_equal(sel.represented_by_, [0, 1, 0, 0, -1])
    C = np.corrcoef(X[:, :4].T)
    weights = np.linalg.lstsq(C[:2, :2], C[:2], rcond=None)[0]
    np.testing.assert_allclose(contributions(C[:, :2], [0, 1]), (weights * C[:2]).T, atol=1e-12)
    np.testing.assert_allclose(sel.r2_[:4], (weights * C[:2]).sum(axis=0))


def test_gaps_are_the_same_in_files_and_with_batches(rng, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    X = with_gaps(rng, planted(rng, 300), 0.1)
    expected = DropRedundant().fit(X).r2_
    np.save(tmp_path / "X.npy", X)
    pq.write_table(pa.table(dict(pd.DataFrame(X).add_prefix("c"))), tmp_path / "X.parquet")
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for container in (mapped, pq.ParquetFile(tmp_path / "X.parquet")):
        np.testing.assert_allclose(DropRedundant().fit(container).r2_, expected, atol=1e-8)
    batch = np.arange(300) % 2
    means = np.array([np.nanmean(X[batch == b], axis=0) for b in (0, 1)])
    found = DropRedundant().fit(X + 10 * batch[:, np.newaxis], groups=batch)
    np.testing.assert_allclose(found.r2_, DropRedundant().fit(X - means[batch]).r2_, atol=1e-8)


def test_the_promise_holds_for_one_number():
    X = load_breast_cancer().data
    sel = DropRedundant(0.9).fit(X)
    assert sel.set_n_features(sel.n_features_).n_features_ == sel.n_features_
    with pytest.raises(ValueError, match="the R\\^2 is promised for the 17 features of the fit"):
        sel.set_n_features(3)
