"""Coverage equals refitted regressions."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from graphsieve.inspection import coverage_curve, explained_fraction


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
    monkeypatch.setattr("graphsieve.inspection.coverage._BLOCK", 3)
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
    explained = explained_fraction(curve.coverage, X.var(axis=0))
    assert explained[0] == pytest.approx(0, abs=1e-12)
    assert 0 < explained[1] < 1


def test_single_precision_of_many_targets_is_enough(rng):
    X = rng.normal(size=(40, 5)) @ rng.normal(size=(5, 60_000)) + rng.normal(size=(40, 60_000))
    order, some = np.arange(20), np.arange(30)
    many = coverage_curve(X, order, [1, 20]).coverage[:, some]
    few = coverage_curve(X, order, [1, 20], targets=some).coverage
    np.testing.assert_allclose(many, few, atol=1e-5)
