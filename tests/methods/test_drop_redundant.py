"""DropRedundant keeps its promise, for any order of the columns."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import estimator_checks_generator

from graphsieve import DropRedundant
from graphsieve.methods.drop_redundant import cover_columns, keep_uncorrelated


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


def test_constant_columns_are_dropped(rng):
    X = np.column_stack([rng.normal(size=(30, 2)), np.full(30, 0.1)])
    assert DropRedundant().fit(X).support_.tolist() == [True, True, False]
    assert DropRedundant().fit(np.ones((10, 3))).n_features_ == 1


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
    picked, explained = cover_columns(
        *products(C), np.ones(d, bool), threshold, tie_break=np.arange(d)
    )
    expected = prune_by_brute_force(X, brute_force(X, threshold), threshold)
    assert picked.tolist() == expected
    np.testing.assert_allclose(explained, r2(X, picked), atol=1e-8)
    assert explained.min() >= threshold - 1e-8


def test_superfluous_picks_are_left_out_but_given_columns_stay(rng):
    X = correlated(rng)
    C, every = products(X.T @ X / len(X)), np.ones(X.shape[1], bool)
    n_gone = 0
    for threshold in (0.7, 0.8, 0.9, 0.95, 0.99):
        found = cover_columns(*C, every, threshold, tie_break=np.arange(30))[0]
        gone = set(brute_force(X, threshold)) - set(found)
        n_gone += len(gone)
        options = {"tie_break": np.arange(30), "given": sorted(gone)}
        assert gone <= set(cover_columns(*C, every, threshold, **options)[0])
    assert n_gone > 0


def test_a_sum_of_two_kept_columns_is_dropped(rng):
    X = correlated(rng)[:, :6]
    C = X.T @ X / len(X)
    picked, explained = cover_columns(
        *products(C), np.ones(6, bool), 0.999, tie_break=np.arange(6), given=[1, 2]
    )
    assert 5 not in picked
    assert explained[5] == pytest.approx(1)


def test_constant_columns_are_ignored(rng):
    X = correlated(rng)
    X[:, 3] = 0
    C = X.T @ X / len(X)
    varying = np.arange(30) != 3
    picked, _ = cover_columns(*products(C), varying, 0.9, tie_break=np.arange(30))
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
            found = cover_columns(*products(C), np.ones(d, bool), 0.9, tie_break=name[order])[0]
        else:
            found = keep_uncorrelated(C, np.ones(d, bool), 0.7, tie_break=name[order])
        return set(order[found])

    first = kept(np.arange(X.shape[1]))
    for seed in range(3):
        assert kept(np.random.default_rng(seed).permutation(X.shape[1])) == first
