"""Greedy column subset selection."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import GreedyCSS


def reconstruction_error(X, columns):
    """Share of the variance that least squares on the given columns leaves."""
    X = X - X.mean(axis=0)
    S = X[:, columns]
    return ((X - S @ np.linalg.lstsq(S, X, rcond=None)[0]) ** 2).sum() / (X**2).sum()


def brute_force(X, n_picks):
    picks = []
    for _ in range(n_picks):
        left = [j for j in range(X.shape[1]) if j not in picks]
        picks.append(min(left, key=lambda j: reconstruction_error(X, [*picks, j])))
    return picks


def low_rank(rng, n=60, d=15, rank=4):
    return rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))


@pytest.mark.parametrize("n", [50, 12])
def test_equals_brute_force(rng, n):
    X = low_rank(rng, n) + 0.3 * rng.standard_normal((n, 15))
    assert GreedyCSS(8, scale=None, layer_share=1).fit(X).order_[:8].tolist() == brute_force(X, 8)


def test_first_pick_has_the_largest_weighted_projection(rng):
    X = rng.standard_normal((30, 10)) * rng.random(10)
    Xc = X - X.mean(axis=0)
    projection = ((Xc.T @ Xc) ** 2).sum(axis=0) / (Xc**2).sum(axis=0)
    method = GreedyCSS(1, scale=None).fit(X)
    assert method.order_[0] == projection.argmax()
    np.testing.assert_allclose(method.gains_[method.order_[0]], projection.max() / (Xc**2).sum())


def test_as_many_columns_as_the_rank_leave_no_error(rng):
    X = low_rank(rng)
    method = GreedyCSS(4, scale=None).fit(X)
    assert reconstruction_error(X, method.order_[:4]) < 1e-12
    np.testing.assert_allclose(method.gains_[method.order_[:4]].sum(), 1)


def test_scores_count_down_and_layers_follow_the_order(rng):
    X = rng.standard_normal((10, 30))
    method = GreedyCSS(25, scale=None).fit(X)
    np.testing.assert_array_equal(method.scores_[method.order_], np.arange(30, 0, -1))
    layers = method.layers_[method.order_]
    assert (np.diff(layers) >= 0).all()
    assert layers[0] == 1
    assert layers[-1] > 1


def test_textbook_passes_use_up_the_rank(rng):
    """layer_share=1: each layer takes n - 1 columns, the rank of the centred data."""
    method = GreedyCSS(25, scale=None, layer_share=1).fit(rng.standard_normal((10, 30)))
    assert np.bincount(method.layers_).tolist() == [0, 9, 9, 9, 3]


def test_auto_keeps_the_columns_that_matter(rng):
    """Five sources seen 100 times."""
    sources = np.linalg.qr(rng.standard_normal((60, 5)))[0]
    X = np.repeat(sources, 20, axis=1) + 0.01 * rng.standard_normal((60, 100))
    kept = np.flatnonzero(GreedyCSS("auto", scale=None).fit(X).get_support())
    assert sorted(kept // 20) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("X", "kept"),
    [
        (np.outer(np.arange(6), [1, 2, 3, 4]), 1),
        (np.kron(np.eye(2), np.outer(np.arange(6), [1, 2])), 2),
    ],
    ids=["one direction", "two directions"],
)
def test_auto_on_few_directions(X, kept):
    assert GreedyCSS("auto", scale=None).fit(X).n_features_ == kept


def test_auto_on_noise_keeps_one_and_says_so(rng):
    with pytest.warns(UserWarning, match="keeps one feature"):
        assert GreedyCSS("auto").fit(rng.random((100, 20))).n_features_ == 1


def test_ends_of_the_share(rng):
    with pytest.raises(ValueError, match="layer_share"):
        GreedyCSS(scale=None, layer_share=0.0).fit(rng.random((5, 4)))
    with pytest.raises(ValueError, match="layer_share"):
        GreedyCSS(scale=None, layer_share=1.1).fit(rng.random((5, 4)))


@pytest.mark.parametrize("name", ["PCMAC", "BASEHOCK", "RELATHE"])
def test_text_as_csr(real_data, name):
    from scipy.io import loadmat

    X = loadmat(real_data / f"{name}.mat")["X"][::4]
    method = GreedyCSS(60, scale=None).fit(sp.csr_array(X))
    assert sorted(method.order_) == list(range(X.shape[1]))
    picks = method.order_[:60]
    first = picks[method.layers_[picks] == 1]
    error = reconstruction_error(X.astype(float), first)
    np.testing.assert_allclose(1 - method.gains_[first].sum(), error, atol=1e-8)


def test_explains_more_than_random_columns_do(yale, rng):
    error = reconstruction_error(yale, GreedyCSS(30, scale=None).fit(yale).order_[:30])
    random = [reconstruction_error(yale, rng.permutation(1024)[:30]) for _ in range(10)]
    assert error < 0.8 * min(random)
