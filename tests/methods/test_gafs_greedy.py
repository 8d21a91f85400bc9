"""GAFS(selection="greedy"): the fitted model's code, data or both as targets."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import GAFS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SETTING = {"n_hidden": 4, "alpha": 1e-3, "decay": 1e-3, "max_iter": 60, "dtype": "float64"}


def fit(X, n_features=6, **params):
    return GAFS(n_features, selection="greedy", random_state=0, **SETTING, **params).fit(X)


def table(rng, n=60, d=15):
    return rng.random((n, 4)) @ rng.random((4, d)) + 0.2 * rng.random((n, d))


def unit(T):
    T = T - T.mean(axis=0)
    return T / np.linalg.norm(T)


def forward_selection(X, T, n_picks):
    X, picks = X - X.mean(axis=0), []
    for _ in range(n_picks):
        errors = np.full(X.shape[1], np.inf)
        for j in set(range(X.shape[1])) - set(picks):
            S = X[:, [*picks, j]]
            errors[j] = ((T - S @ np.linalg.lstsq(S, T)[0]) ** 2).sum()
        picks.append(int(errors.argmin()))
    return picks


@pytest.mark.parametrize("n", [60, 14])
@pytest.mark.parametrize("targets", ["code", "data", "both"])
def test_equals_forward_selection_on_the_fitted_code(rng, n, targets):
    X = table(rng, n)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    method = fit(X, targets=targets)
    H = method.encode(X)
    T = {"code": unit(H), "data": unit(scaled), "both": np.hstack([unit(scaled), unit(H)])}
    first = method.order_[:6][method.layers_[method.order_[:6]] == 1]
    assert first.tolist() == forward_selection(scaled, T[targets], len(first))
    assert len(first) >= 2


def test_targets_make_a_difference(rng):
    X = table(rng, 60, 30) + rng.random((60, 30))
    orders = {tuple(fit(X, 10, targets=t).order_[:10]) for t in ("code", "data", "both")}
    assert len(orders) == 3


def test_no_copy_before_all_originals_where_the_norm_mixes_them(rng):
    X = table(rng)
    doubled = np.hstack([X, X])
    greedy = fit(doubled, 15).order_[:15] % 15
    assert len(set(greedy)) == 15
    norm = GAFS(15, random_state=0, **SETTING).fit(doubled).order_[:15] % 15
    assert len(set(norm)) < 15


def test_same_model_as_by_norm_and_full_ranking(rng):
    X = table(rng)
    norm, greedy = GAFS(6, random_state=0, **SETTING).fit(X), fit(X)
    np.testing.assert_array_equal(norm.W_in_, greedy.W_in_)
    assert sorted(greedy.order_) == list(range(15))
    np.testing.assert_array_equal(greedy.scores_[greedy.order_], np.arange(15, 0, -1))
    assert (greedy.layers_ > 0).sum() == 6
    np.testing.assert_array_equal(fit(X, 12).order_[:6], greedy.order_[:6])


def test_sparse_equals_dense(rng):
    X = table(rng, 12, 30)
    X[np.quantile(X, 0.6) > X] = 0
    np.testing.assert_array_equal(fit(X).order_, fit(sp.csr_array(X)).order_)


def test_auto_looks_for_the_knee_in_the_gains(rng):
    sources = np.linalg.qr(rng.standard_normal((60, 5)))[0]
    X = np.repeat(sources, 8, axis=1) + 0.002 * rng.standard_normal((60, 40))
    kept = np.flatnonzero(fit(X, "auto", targets="data").get_support())
    assert sorted(kept // 8) == [0, 1, 2, 3, 4]


def test_refit_by_norm_forgets_the_gains(rng):
    method = fit(table(rng))
    method.set_params(selection="norm").fit(table(rng))
    assert not hasattr(method, "gains_")
    assert not hasattr(method, "layers_")


@pytest.mark.parametrize("wrong", [{"targets": "labels"}, {"targets": None}])
def test_unknown_targets(rng, wrong):
    with pytest.raises(ValueError, match="targets"):
        fit(table(rng), **wrong)
