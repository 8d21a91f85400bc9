"""GAFS(selection="greedy"): data, graph and code as targets."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import GAFS
from graphsieve._linear.targets import FactorTarget, join_targets
from tests.helpers.mapped import mapped

SETTING = {"n_hidden": 4, "alpha": 1e-3, "decay": 1e-3, "dtype": "float64"}


def fit(X, n_features=6, **params):
    return GAFS(n_features, random_state=0, **SETTING, **params).fit(X)


def table(rng, n=60, d=15):
    return rng.random((n, 4)) @ rng.random((4, d)) + 0.2 * rng.random((n, d))


def ridge_selection(X, T, n_picks, weights, noise=0.1):
    """Refit the ridge regression for every candidate, every time."""
    X, picks = X - X.mean(axis=0), []
    squares = (X**2).sum(axis=0)
    before = (T**2).sum()
    for _ in range(n_picks):
        errors = np.full(X.shape[1], np.inf)
        for j in set(range(X.shape[1])) - set(picks):
            S, s = X[:, [*picks, j]], noise * squares[[*picks, j]]
            B = np.linalg.solve(S.T @ S + np.diag(s), S.T @ T)
            errors[j] = ((T - S @ B) ** 2).sum() + (s[:, None] * B**2).sum()
        picks.append(int(((before - errors) * weights).argmax()))
        before = errors[picks[-1]]
    return picks


def shrunk(method, n):
    r2 = method.predictability_
    return np.where(r2 > 12 / n, 1 - 8 / (n * np.maximum(r2, 12 / n)), 1.0)


@pytest.mark.parametrize("n", [60, 14])
def test_code_as_target_meets_refitting(rng, n):
    X = table(rng, n)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    method = fit(X, targets=("code",))
    first = method.order_[:6][method.layers_[method.order_[:6]] == 1]
    trusted = np.flatnonzero(method.predictability_ > 12 / n)
    candidates = trusted if trusted.size else np.arange(15)
    T = join_targets([method.encode(X)])
    weights = shrunk(method, n)[candidates]
    expected = ridge_selection(scaled[:, candidates], T, len(first), weights)
    assert first.tolist() == candidates[expected].tolist()


def test_data_as_target_meets_refitting(rng):
    X = table(rng)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    away = scaled - scaled.mean(axis=0)
    directions = away / np.linalg.norm(away, axis=1, keepdims=True)
    method = fit(X, targets=("data",))
    first = method.order_[:6][method.layers_[method.order_[:6]] == 1]
    trusted = np.flatnonzero(method.predictability_ > 12 / 60)
    weights = shrunk(method, 60)[trusted]
    expected = ridge_selection(scaled[:, trusted], join_targets([directions]), len(first), weights)
    assert first.tolist() == trusted[expected].tolist()


def test_targets_have_equal_energy(rng):
    parts = [rng.normal(size=(30, 4)), 100 * rng.normal(size=(30, 2)), np.ones((30, 3))]
    T = join_targets(parts)
    assert not T[:, 6:].any()  # a constant part is no target
    assert FactorTarget(T).energy == pytest.approx(1)
    assert (T[:, :4] ** 2).sum() == pytest.approx(0.5)
    np.testing.assert_allclose(T.sum(axis=0), 0, atol=1e-12)


def test_weights_of_targets(rng):
    parts = [rng.normal(size=(30, 4)), 100 * rng.normal(size=(30, 2)), np.ones((30, 3))]
    T = join_targets(parts, [1.0, 0.25, 3.0])
    assert (T[:, :4] ** 2).sum() == pytest.approx(0.8)
    assert (T[:, 4:] ** 2).sum() == pytest.approx(0.2)
    X = table(rng, 60, 30) + rng.random((60, 30))
    orders = {}
    for weight in (1e-9, 1.0, 1e9):
        orders[weight] = fit(X, 10, targets={"data": 1, "graph": weight}).order_[:10].tolist()
    assert orders[1e-9] == fit(X, 10, targets=("data",)).order_[:10].tolist()
    assert orders[1.0] == fit(X, 10).order_[:10].tolist()
    assert orders[1e9] == fit(X, 10, targets=("graph",)).order_[:10].tolist()


def test_targets_make_a_difference(rng):
    X = table(rng, 60, 30) + rng.random((60, 30))
    orders = {tuple(fit(X, 10, targets=(t,)).order_[:10]) for t in ("code", "data", "graph")}
    assert len(orders) == 3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_same_network_as_by_norm_and_full_ranking(rng):
    X = table(rng)
    norm, greedy = fit(X, selection="norm", max_iter=50), fit(X)
    np.testing.assert_array_equal(norm.W_in_, greedy.W_in_)
    assert sorted(greedy.order_) == list(range(15))
    np.testing.assert_array_equal(greedy.scores_[greedy.order_], np.arange(15, 0, -1))
    assert (greedy.layers_ > 0).sum() == 6
    np.testing.assert_array_equal(fit(X, 12).order_[:6], greedy.order_[:6])


def test_sparse_equals_dense(rng):
    X = table(rng, 40, 30)
    X[np.quantile(X, 0.6) > X] = 0
    np.testing.assert_array_equal(fit(X).order_, fit(sp.csr_array(X)).order_)


def test_noise_columns_come_last(rng):
    X = np.hstack([table(rng, 200), rng.random((200, 30))])
    assert (fit(X, 15).order_[:15] < 15).all()


def test_refit_by_norm_forgets_the_gains(rng):
    method = fit(table(rng))
    method.set_params(selection="norm").fit(table(rng))
    assert not hasattr(method, "gains_")
    assert not hasattr(method, "layers_")


@pytest.mark.parametrize(
    "wrong",
    [("labels",), (), ("data", "code", "labels"), {"labels": 1}, {"data": 0}, {"data": "1"}],
)
def test_wrong_targets(rng, wrong):
    with pytest.raises(ValueError, match="targets"):
        fit(table(rng), targets=wrong)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_square_roots_of_counts(rng, container):
    """scale="auto" of counts is scale="minmax" of their roots."""
    counts = rng.poisson(rng.random(20) * rng.exponential(0.15, (150, 1)), (150, 20))
    assert (counts == 0).mean() > 0.9
    assert counts.max() > 1
    # One iteration: more of them magnify the rounding of the roots, differently on every machine.
    settings = {"random_state": 0, "n_jobs": 1, "dtype": "float64", "max_iter": 1}
    sel = GAFS(5, **settings).fit(container(counts))
    wanted = GAFS(5, scale="minmax", **settings).fit(container(np.sqrt(counts)))
    np.testing.assert_array_equal(sel.order_, wanted.order_)
    np.testing.assert_allclose(sel.gains_, wanted.gains_)
    np.testing.assert_allclose(
        sel.encode(container(counts)), wanted.encode(container(np.sqrt(counts)))
    )


def noisy(n, d, seed):
    """Five clusters in the first twenty columns; the others are noise, and the majority."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, :20] += rng.normal(size=(5, 20))[rng.integers(5, size=n)]
    return X / X.std(axis=0)


def test_weak_clusters_among_noise():
    """Structure of all columns, and not of the trusted ones, leads to 40 of these 60."""
    found = [GAFS(20).fit(noisy(300, 800, seed)).order_[:20] < 20 for seed in (1, 2, 3)]
    assert np.sum(found) >= 48


@pytest.mark.parametrize("n", [300, 2100])  # structure is estimated from at most 2,000 rows
def test_storage_does_not_matter_where_most_columns_are_noise(n):
    X = noisy(n, 60, 0)
    X -= X.min(axis=0)
    expected = GAFS(20, random_state=0).fit(X).order_
    for stored in (sp.csr_array(X), mapped(X)):
        assert GAFS(20, random_state=0).fit(stored).order_.tolist() == expected.tolist()
