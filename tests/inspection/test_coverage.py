"""Coverage, the closest kept feature of every column, and curves of the explained fraction."""

import numpy as np
import pandas as pd

from graphsieve import GreedyCSS, RandomRanker, Variance
from graphsieve._linear import regression
from graphsieve.inspection import coverage_curve, representatives
from graphsieve.inspection.coverage import explained_curves, make_grid


def test_coverage_of_a_selector_is_that_of_its_ranking(rng):
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 12)) + 0.3 * rng.normal(size=(40, 12))
    X[3, 2] = np.nan
    frame = pd.DataFrame(X).add_prefix("c")
    sel = GreedyCSS(4).fit(frame)
    filled = frame.fillna(frame.mean()).to_numpy()
    expected = regression.coverage_curve(filled, sel.order_, range(1, 13))
    found = coverage_curve(sel, frame)
    assert found.n_kept.tolist() == list(range(1, 13))
    np.testing.assert_allclose(found.coverage, expected.coverage)
    saved = coverage_curve(sel.to_selection(), frame[frame.columns[::-1]], [4, 9])
    np.testing.assert_allclose(saved.coverage, expected.coverage[[3, 8]])
    batch = np.arange(40) % 2
    shifted = frame + 100 * batch[:, np.newaxis]
    np.testing.assert_allclose(
        coverage_curve(sel, shifted, [4], groups=batch).coverage,
        coverage_curve(sel, frame, [4], groups=batch).coverage,
    )


def test_equals_the_correlation_matrix(rng):
    X = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 40)) + rng.normal(size=(50, 40))
    sel = RandomRanker(5, random_state=0).fit(X)
    order, closest = sel.order_, representatives(sel, X, 30)
    R = np.corrcoef(X.T)
    for k in (1, 2, 10, 30):
        position, correlation = closest.at(k)
        for column in np.setdiff1d(np.arange(40), order[:k]):
            expected = order[:k][np.abs(R[column, order[:k]]).argmax()]
            assert order[position[column]] == expected
            np.testing.assert_allclose(correlation[column], R[column, expected])


def test_blocks_do_not_change_the_result(rng, monkeypatch):
    X = rng.normal(size=(30, 20))
    sel = Variance(20).fit(X)
    whole = representatives(sel, X)
    monkeypatch.setattr("graphsieve.inspection.coverage._BLOCK", 3)
    in_blocks = representatives(sel, X)
    for k in (1, 7, 20):
        np.testing.assert_array_equal(in_blocks.at(k)[0], whole.at(k)[0])


def test_constant_columns_stand_for_nothing(rng):
    X = np.column_stack([np.full(20, 0.1), rng.normal(size=(20, 2)) * [2, 1]])
    sel = Variance(2, include=[0]).fit(X)
    position, correlation = representatives(sel, X).at(2)
    assert position.tolist() == [-1, -1, 1]
    assert correlation[0] == 0


def test_grid_has_every_number_of_a_small_table():
    assert make_grid(7, 3).tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_grid_of_a_wide_table_is_short_and_has_the_selected_number():
    grid = make_grid(20_000, 137)
    assert 50 <= len(grid) <= 76
    assert 137 in grid
    assert (np.diff(grid) > 0).all()
    assert make_grid(20_000, 3000)[-1] == 3000


def curves_of(X, order, rng):
    grid = make_grid(X.shape[1], 3)
    return explained_curves(X, order, grid, regression.coverage_curve(X, order, grid).coverage, rng)


def test_unrelated_columns_explain_themselves(rng):
    X = rng.normal(size=(400, 30))
    curves = curves_of(X, np.arange(30), rng)
    np.testing.assert_allclose(curves["this"], curves["alone"], atol=0.03)
    np.testing.assert_allclose(curves["alone"], np.arange(1, 31) / 30)


def test_one_column_per_factor_explains_nearly_all(rng):
    factors = rng.normal(size=(400, 4))
    X = np.repeat(factors, 10, axis=1) + 0.1 * rng.normal(size=(400, 40))
    order = np.arange(40).reshape(4, 10).T.ravel()
    curves = curves_of(X, order, rng)
    assert curves["this"][3] > 0.97
    assert (curves["random_low"] <= curves["random_mid"]).all()
    assert (curves["random_mid"] <= curves["random_high"]).all()


def test_random_rankings_are_worse_than_one_per_factor(rng):
    factors = rng.normal(size=(200, 10))
    X = np.repeat(factors, 5, axis=1) + 0.1 * rng.normal(size=(200, 50))
    order = np.arange(50).reshape(10, 5).T.ravel()
    curves = curves_of(X, order, rng)
    assert curves["this"][9] > curves["random_high"][9] + 0.1
