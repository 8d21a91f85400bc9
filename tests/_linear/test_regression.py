"""Coverage, predictions and reconstruction errors equal refitted regressions."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from graphsieve._linear.regression import (
    ReconstructionErrors,
    Regression,
    coverage_curve,
    explained_fraction,
    reconstruction_error,
    reconstruction_path,
)


def refitted(X, kept, target):
    """Leave-one-out predictions of one column, by one ridge regression per row."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    rows = np.arange(len(X))
    predictions = np.empty(len(X))
    means = np.empty(len(X))
    for row in rows:
        model = Ridge(0.1 * min(X.shape)).fit(Z[rows != row][:, kept], X[rows != row, target])
        predictions[row] = model.predict(Z[row : row + 1, kept])[0]
        means[row] = X[rows != row, target].mean()
    return predictions, means


def refitted_coverage(X, kept, target):
    predictions, means = refitted(X, kept, target)
    x = X[:, target]
    return max(0, 1 - ((x - predictions) ** 2).sum() / ((x - means) ** 2).sum())


@pytest.fixture
def X(rng):
    X = rng.normal(size=(25, 4)) @ rng.normal(size=(4, 30)) + rng.normal(size=(25, 30))
    return X * 10.0 ** rng.integers(-3, 3, size=30) + 5


@pytest.mark.slow
def test_coverage_equals_refitted_regression(X, rng):
    order = rng.permutation(30)
    # More kept columns than rows at the end.
    n_kept = [1, 2, 7, 28]
    curve = coverage_curve(X, order, n_kept)
    for step, k in enumerate(n_kept):
        for target in range(30):
            if target in order[:k]:
                assert curve.coverage[step, target] == 1
            else:
                expected = refitted_coverage(X, order[:k], target)
                assert curve.coverage[step, target] == pytest.approx(expected, abs=1e-9)


def test_blocks_do_not_change_the_result(X, rng, monkeypatch):
    order = rng.permutation(30)
    whole = coverage_curve(X, order, [5, 20])
    monkeypatch.setattr("graphsieve._linear.regression._BLOCK", 3)
    in_blocks = coverage_curve(X, order, [5, 20])
    np.testing.assert_allclose(in_blocks.coverage, whole.coverage, atol=1e-10)


def test_predictions_equal_refitted_regression(X, rng):
    order = rng.permutation(30)
    curve = coverage_curve(X, order, [6], predict_rows=[3, 8])
    for target in range(30):
        expected = X[:, target] if target in order[:6] else refitted(X, order[:6], target)[0]
        np.testing.assert_allclose(curve.predictions[0, :, target], expected[[3, 8]], rtol=1e-8)


def test_targets_are_a_part_of_the_whole(X, rng):
    order = rng.permutation(30)
    part = coverage_curve(X, order, [4, 9], targets=[2, 17])
    np.testing.assert_allclose(
        part.coverage, coverage_curve(X, order, [4, 9]).coverage[:, [2, 17]], atol=1e-12
    )


def test_a_sum_is_covered_by_its_terms_together(rng):
    a, b = rng.normal(size=(2, 200))
    X = np.column_stack([a, b, a + b])
    one, both = coverage_curve(X, [0, 1, 2], [1, 2]).coverage[:, 2]
    assert 0.3 < one < 0.7
    assert both > 0.999


def test_noise_is_not_covered_however_many_columns_are_kept(rng):
    X = rng.normal(size=(200, 400))
    coverage = coverage_curve(X, np.arange(400), [199, 300]).coverage
    assert coverage[:, 300:].mean() < 0.05


def test_constant_columns_have_no_coverage(rng):
    X = np.column_stack([rng.normal(size=(20, 3)), np.full(20, 0.1)])
    curve = coverage_curve(X, [3, 0, 1, 2], [1, 2])
    assert np.isnan(curve.coverage[:, 3]).all()
    assert np.isfinite(curve.coverage[:, :3]).all()
    explained = explained_fraction(curve.coverage)
    assert explained[0] == pytest.approx(0, abs=1e-12)
    assert 1 / 3 <= explained[1] < 1
    assert np.isnan(explained_fraction(coverage_curve(np.ones((5, 2)), [0], [1]).coverage[0]))


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
def test_predictions_are_those_of_a_ridge_regression(rng, shape):
    X = rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1])) + rng.random(shape)
    kept, dropped = np.arange(0, shape[1], 2), np.arange(1, shape[1], 2)
    scaler = StandardScaler().fit(X)
    Z = scaler.transform(X)
    expected = Ridge(0.1 * min(shape)).fit(Z[:, kept], X[:, dropped])
    new = rng.normal(size=(4, shape[1])) + X.mean(axis=0)
    fitted = Regression(X, kept, dropped)
    found = fitted.predict(new[:, kept])
    np.testing.assert_allclose(found, expected.predict(scaler.transform(new)[:, kept]))
    np.testing.assert_allclose(fitted.coef, expected.coef_.T / scaler.scale_[kept, None])
    np.testing.assert_allclose(
        fitted.r2, [refitted_coverage(X, kept, j) for j in dropped], atol=1e-9
    )


def test_constant_columns_are_predicted_by_their_mean(rng):
    X = np.full((20, 5), 3.0)
    X[:, 4] = rng.random(20)
    fitted = Regression(X, [0], [1, 2, 3, 4])
    np.testing.assert_allclose(fitted.predict([[3.0]]), [[3, 3, 3, X[:, 4].mean()]])


def test_a_gap_counts_as_the_mean(rng):
    X = rng.normal(size=(30, 4)) + 7
    fitted = Regression(X, [0, 1], [2, 3])
    gap = fitted.predict([[np.nan, 8.0]])
    np.testing.assert_allclose(gap, fitted.predict([[X[:, 0].mean(), 8.0]]))


def test_columns_far_from_zero(rng):
    X = rng.random((60, 3)) @ rng.random((3, 8))
    near, far = (coverage_curve(X + shift, np.arange(8), [3]).coverage for shift in (0, 1e7))
    np.testing.assert_allclose(near, far, atol=1e-6)


def test_unseen_rows_when_as_many_columns_as_rows_are_kept(rng):
    """The error stays below that of the mean where least squares would explode."""
    X = rng.normal(size=(120, 3)) @ rng.normal(size=(3, 80)) + 0.5 * rng.normal(size=(120, 80))
    assert reconstruction_error(X[:40], X[40:], np.arange(40)) < 0.5


def ridge_error(X_train, X_test, selected):
    """The same with scikit-learn, column by column."""
    rest = np.setdiff1d(np.arange(X_train.shape[1]), selected)
    scaler = StandardScaler().fit(X_train)
    train, test = scaler.transform(X_train), scaler.transform(X_test)
    ridge = Ridge(0.1 * min(train.shape)).fit(train[:, selected], train[:, rest])
    return ((test[:, rest] - ridge.predict(test[:, selected])) ** 2).sum() / (test**2).sum()


@pytest.mark.parametrize("n_train", [12, 40])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_reconstruction_is_ridge_regression(rng, n_train, container):
    X = rng.random((60, 4)) @ rng.random((4, 20)) + 0.1 * rng.random((60, 20))
    X *= 10.0 ** rng.integers(-6, 7, size=20)
    train, test = X[:n_train], X[n_train:]
    order, counts = rng.permutation(20), [7, 1, 15, 7, 20]
    path = reconstruction_path(container(train), container(test), order, counts)
    expected = [ridge_error(train, test, order[:k]) for k in counts[:4]]
    np.testing.assert_allclose(path[:4], expected, rtol=1e-8)
    assert path[4] == pytest.approx(0, abs=1e-12)
    assert reconstruction_error(train, test, order[:7]) == pytest.approx(path[0])


def test_constant_columns_explain_nothing(rng):
    X = np.column_stack([np.ones(10), rng.random(10)])
    assert reconstruction_error(X, X, [0]) == pytest.approx(1)
    assert reconstruction_error(np.ones((4, 3)), np.ones((2, 3)), [0]) == 0


@pytest.mark.parametrize("n_train", [12, 40])
def test_one_set_of_inner_products_serves_many_rankings(rng, n_train):
    X = rng.random((60, 20))
    train, test = X[:n_train], X[n_train:]
    products = ReconstructionErrors(train, test)
    for _ in range(3):
        order = rng.permutation(20)
        expected = reconstruction_path(train, test, order, [2, 9])
        np.testing.assert_allclose(products.path(order, [2, 9]), expected)
