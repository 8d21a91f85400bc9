"""Curves of the explained fraction."""

import numpy as np

from graphsieve.inspection import coverage_curve, explained_curves, make_grid


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
    return explained_curves(X, order, grid, coverage_curve(X, order, grid).coverage, rng)


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
