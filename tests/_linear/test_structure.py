"""Structure is found where it is planted, and nowhere else."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._linear.columns import Columns
from graphsieve._linear.forward import FactorTarget, InnerTarget, join_targets
from graphsieve._linear.structure import _first_axes, _folds, find_structure
from graphsieve._rows import RowBlocks


def needles(n, d, seed, n_informative=20, n_clusters=5):
    """Cluster means in a few columns, noise of the same variance in all others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, :n_informative] += rng.normal(size=(n_clusters, n_informative))[
        rng.integers(n_clusters, size=n)
    ]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


def directions(X, balanced=False):
    """Rows of unit length from the mean row, centred once more; flags gain nothing by this."""
    centred = X - X.mean(axis=0)
    Z = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    Z -= Z.mean(axis=0)
    if not balanced:
        return Z
    ratio = centred.var(axis=0) / Z.var(axis=0)
    is_flag = [len(np.unique(column)) == 2 for column in X.T]
    return Z * np.where(is_flag, np.sqrt(np.minimum(ratio / np.median(ratio), 1)), 1)


def with_flags(X):
    """Every fifth column as a flag of itself."""
    X = X.copy()
    X[:, ::5] = X[:, ::5] > np.median(X[:, ::5], axis=0)
    return X


@pytest.mark.parametrize(("n", "d"), [(300, 500), (500, 100)])
@pytest.mark.parametrize("seed", range(3))
def test_needles_are_trusted_and_noise_is_not(n, d, seed):
    found = find_structure(needles(n, d, seed))
    assert 2 <= found.n_components <= 6
    assert found.trusted[:20].mean() > 0.5  # cluster means that differ little are hard to see
    assert found.trusted[20:].mean() < 0.02


@pytest.mark.parametrize(("n", "d"), [(100, 300), (300, 100)])
def test_noise_has_no_structure(n, d):
    X = np.random.default_rng(0).random((n, d))
    found = find_structure(X)
    assert found.n_components <= 1
    assert found.trusted.mean() < 0.02


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize(("n", "d"), [(60, 90), (90, 60)])
def test_values_and_axes_are_those_of_the_svd(n, d, balanced):
    X = with_flags(needles(n, d, 0))
    found = find_structure(X, balanced=balanced)
    Z = directions(X, balanced)
    _, s, Vt = np.linalg.svd(Z, full_matrices=False)
    np.testing.assert_allclose(found.values[:20], s[:20], rtol=1e-6)
    overlap = np.abs(np.einsum("ij,ij->j", found.axes(5), Vt[:5].T))
    np.testing.assert_allclose(overlap, 1, atol=1e-6)
    np.testing.assert_allclose(abs(found.coordinates()[:, :5]), abs(Z @ found.axes(5)), atol=1e-9)


@pytest.mark.parametrize("container", [np.asarray, np.float32, sp.csr_array])
@pytest.mark.parametrize(("n", "d"), [(60, 90), (90, 60)])
def test_rows_are_projected_as_those_that_were_seen(n, d, container):
    X = with_flags(needles(n, d, 0))
    found = find_structure(X, balanced=True)
    expected = directions(X, True) @ found.axes(4)
    np.testing.assert_allclose(found.projection(found.axes(4))(container(X)), expected, atol=1e-6)


def test_a_row_that_is_the_mean_has_no_direction():
    X = needles(20, 30, 0)
    X[10:] = 1 - X[:10]
    X[4] = X[14] = 0.5
    found = find_structure(X)
    np.testing.assert_allclose(found.rows[[4, 14]] + found.mean, 0, atol=1e-12)


@pytest.mark.parametrize(("n", "d"), [(60, 90), (90, 60)])
def test_predictability_meets_a_plain_loop(n, d):
    X = needles(n, d, 1, n_informative=d)
    X = X / X.std(axis=0)
    found = find_structure(X)
    assert found.core is None
    Z = directions(X)
    p, prediction = max(found.n_components, 1), np.empty_like(Z)
    for fold in range(5):
        held = _folds(Z) == fold
        mean = Z[~held].mean(axis=0)
        V = np.linalg.svd(Z[~held] - mean, full_matrices=False)[2][:p].T
        for i in np.flatnonzero(held):
            z = Z[i] - mean
            for j in range(d):
                others = z @ V - z[j] * V[j]
                prediction[i, j] = others @ V[j]
    cross = (Z * prediction).sum(axis=0)
    correlation = cross / np.sqrt((Z**2).sum(axis=0) * (prediction**2).sum(axis=0))
    expected = np.maximum(correlation, 0) ** 2
    trusted = expected > 12 / max(len(X), 48)  # the others are judged once more, among themselves
    np.testing.assert_allclose(found.predictability[trusted], expected[trusted], atol=1e-8)
    assert (found.predictability >= expected - 1e-8).all()


def many_correlated(n=40, d=200, n_correlated=60):
    """More correlated columns than rows, and noise in most columns."""
    rng = np.random.default_rng(0)
    X = rng.random((n, d))
    X[:, :n_correlated] += 3 * rng.random((n, 2)) @ rng.random((2, n_correlated))
    return X


@pytest.mark.parametrize("X", [needles(300, 500, 0), needles(500, 100, 0), many_correlated()])
def test_core_axes_are_those_of_its_columns(X):
    X = X / X.std(axis=0)
    found = find_structure(X)
    axes, core = found.core_axes(), found.core
    assert axes.shape == (X.shape[1], found.n_kept)
    assert not axes[~core].any()
    V = np.linalg.svd(directions(X)[:, core], full_matrices=False)[2][: found.n_kept].T
    np.testing.assert_allclose(axes[core] @ axes[core].T, V @ V.T, atol=1e-8)


@pytest.mark.parametrize("X", [needles(100, 120, 1), needles(200, 60, 1), many_correlated()])
def test_predictability_from_the_core_meets_a_plain_loop(X):
    X = X / X.std(axis=0)
    found = find_structure(X)
    core, Z = found.core, directions(X)
    p, prediction = min(found.n_components, core.sum() - 1), np.empty_like(Z)
    for fold in range(5):
        held = _folds(Z) == fold
        mean = Z[~held].mean(axis=0)
        others, rows = Z[~held] - mean, Z[held] - mean
        V = np.linalg.svd(others[:, core], full_matrices=False)[2][:p].T
        B = np.linalg.lstsq(others[:, core] @ V, others, rcond=None)[0]
        prediction[held] = rows[:, core] @ V @ B
        prediction[np.ix_(held, core)] -= rows[:, core] * (V**2).sum(axis=1)
    cross = (Z * prediction).sum(axis=0)
    correlation = cross / np.sqrt((Z**2).sum(axis=0) * (prediction**2).sum(axis=0))
    # Columns that this does not predict are looked at once more.
    expected = np.maximum(correlation, 0) ** 2
    sure = expected > min(12 / len(X), 0.25)
    assert sure.sum() >= 8
    np.testing.assert_allclose(found.predictability[sure], expected[sure], atol=1e-8)
    assert (found.predictability >= expected - 1e-8).all()


def test_all_columns_serve_where_most_are_trusted():
    rng = np.random.default_rng(0)
    X = rng.random((100, 3)) @ rng.random((3, 40)) + 0.01 * rng.random((100, 40))
    assert find_structure(X).core is None


def test_many_weak_columns_are_judged_by_all_of_them():
    """The few that are trusted predict less than all do together."""
    rng = np.random.default_rng(1)
    factors, noise = rng.normal(size=(100, 4)), rng.normal(size=(100, 1000))
    X = noise.copy()
    X[:, :300] = 0.1**0.5 * factors[:, rng.integers(4, size=300)] + 0.9**0.5 * noise[:, :300]
    found = find_structure(X)
    assert 3 <= found.trusted.sum() <= 500
    assert found.core is None


@pytest.mark.parametrize("seed", range(5))
def test_three_correlated_columns_stay_trusted(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 33))
    X[:, :3] = rng.normal(size=(50, 1)) + 0.3 * X[:, :3]
    assert find_structure(X).trusted[:3].all()


def test_two_trusted_columns_have_no_components_of_their_own():
    X = np.random.default_rng(0).random((200, 30))
    X[:, 1] = X[:, 0]
    found = find_structure(X)
    assert found.trusted.sum() == 2
    assert found.core is None


@pytest.mark.filterwarnings("error")
def test_rows_without_spread_have_axes():
    """Eigenvalues that are zero up to rounding may all be negative."""
    axes = _first_axes(np.zeros((4, 6)), -1e-16 * np.eye(4), np.zeros(4, dtype=bool), 2)
    assert np.isfinite(axes).all()


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_symmetric_products_are_those_with_the_targets(container):
    rng = np.random.default_rng(0)
    X, T = rng.normal(size=(60, 8)), FactorTarget.centred(rng.normal(size=(60, 2)))
    target = join_targets([find_structure(X, len(X)).target(), T], [1.0, 0.5])
    columns = Columns(RowBlocks(container(X)))
    found = InnerTarget.of(columns, target)
    np.testing.assert_allclose(found.C, columns.products(target.T), atol=1e-12)
    np.testing.assert_allclose(found.S, target.T.T @ target.T, atol=1e-7)
