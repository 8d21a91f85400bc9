"""The number of features above chance: right on planted sources, next to none on noise."""

import numpy as np
import pytest

from graphsieve import GreedyCSS
from graphsieve._linear.how_many import distinct_rows, gain_curve, rows_are_ordered


@pytest.mark.parametrize("seed", range(3))
def test_five_sources_need_five_features(seed):
    rng = np.random.default_rng(seed)
    sources = rng.normal(size=(200, 5))
    X = np.repeat(sources, 8, axis=1) + 0.2 * rng.normal(size=(200, 40))
    order = np.concatenate([np.arange(0, 40, 8), np.setdiff1d(np.arange(40), np.arange(0, 40, 8))])
    found = gain_curve(X, order)
    assert found.n_features == 5
    np.testing.assert_array_less(found.chance[:5], found.gains[:5])


@pytest.mark.parametrize("place", [0, 3])
def test_a_weak_feature_among_strong_ones_does_not_end_the_count(place):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(200, 5)), 8, axis=1) + 0.2 * rng.normal(size=(200, 40))
    X = np.column_stack([X, rng.normal(size=200)])
    order = np.insert(np.arange(0, 40, 8), place, 40)
    found = gain_curve(X, np.append(order, np.setdiff1d(np.arange(41), order)))
    assert found.gains[place] < found.chance[place]
    assert found.n_features == 6


@pytest.mark.parametrize("shape", [(100, 30), (60, 200)])
def test_noise_needs_next_to_none(shape):
    X = np.random.default_rng(0).normal(size=shape)
    found = gain_curve(X, np.arange(shape[1]))
    assert found.n_features <= 2


def test_gains_meet_refitted_regressions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 12)) + 0.3 * rng.normal(size=(50, 12))
    order = rng.permutation(12)
    found = gain_curve(X, order)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    explained = [0.0]
    for k in range(1, len(found.gains) + 1):
        S = Z[:, order[:k]]
        fitted = S @ np.linalg.lstsq(S, Z, rcond=None)[0]
        explained.append(1 - ((Z - fitted) ** 2).sum() / (Z**2).sum())
    np.testing.assert_allclose(found.gains, np.diff(explained), atol=1e-10)


def test_constant_columns(rng):
    X = np.hstack([rng.normal(size=(40, 4)), np.ones((40, 2))])
    assert np.isfinite(gain_curve(X, np.arange(6)).gains).all()


def test_copies_of_columns_change_no_gain(rng):
    """With its copies, the table is large enough for single precision."""
    X = rng.normal(size=(100, 4)) @ rng.normal(size=(4, 200)) + rng.normal(size=(100, 200))
    once = gain_curve(X, np.arange(200))
    often = gain_curve(np.tile(X, 110), np.arange(200))
    np.testing.assert_allclose(often.gains[:4], once.gains[:4], rtol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_repeated_rows_count_once(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 30))
    order = rng.permutation(30)
    once = gain_curve(X, order)
    repeated = gain_curve(X[rng.permutation(np.repeat(np.arange(60), 5))], order)
    assert repeated.n_features <= 2
    np.testing.assert_allclose(repeated.gains[0], once.gains[0])


def test_equal_rows_of_flags_are_no_repeats(rng):
    flags = (rng.random((200, 4)) < 0.5).astype(float)
    assert len(distinct_rows(flags)) == 200
    assert len(distinct_rows(np.repeat(flags[:, :1], 5, axis=1))) == 200


@pytest.mark.parametrize("seed", range(5))
def test_time_series_are_ordered_and_sorted_classes_are_not(seed):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(300, 20))
    assert not rows_are_ordered(noise)
    assert not rows_are_ordered(noise + 5 * np.repeat(rng.normal(size=(3, 20)), 100, axis=0))
    assert rows_are_ordered(np.cumsum(noise, axis=0))
    assert rows_are_ordered(noise[1:] + 0.9 * noise[:-1])


@pytest.mark.parametrize("seed", range(3))
def test_auto_warns_about_time_series(seed):
    X = np.cumsum(np.random.default_rng(seed).normal(size=(300, 20)), axis=0)
    with pytest.warns(UserWarning, match="as in a time series"):
        GreedyCSS("auto").fit(X)


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_unequal_amplitude(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 30)) * np.exp(rng.normal(size=(300, 1)))
    assert gain_curve(X, GreedyCSS(30).fit(X).order_).n_features <= 2
