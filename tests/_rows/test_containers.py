"""Dense, CSR, memory map and any block size give the same numbers."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import GAFS, GreedyCSS, Variance
from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._network.objective import Objective
from graphsieve._rows import RowBlocks, find_first
from graphsieve._rows.scaling import column_scaling
from graphsieve._utils.threads import Workers
from tests.helpers.paper import paper_gafs


@pytest.fixture
def table(rng):
    X = rng.random((103, 17)) * (rng.random((103, 17)) < 0.6)
    X[:, 4] = 2 + rng.random(103)  # a column without zeros: min-max shifts it, also when sparse
    return X


def mapped(X, folder):
    path = folder / "X.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


def containers(X, folder):
    return {"dense": X, "csr": sp.csr_array(X), "mapped": mapped(X, folder)}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("kind", ["dense", "csr", "mapped"])
@pytest.mark.parametrize("scale", ["minmax", "global", None])
def test_objective_is_the_same(table, tmp_path, kind, scale):
    X = containers(table, tmp_path)[kind]

    def evaluate(X, n_jobs):
        data = RowBlocks(X)
        scaled = data.scaled(column_scaling(data, scale), np.float64)
        with Workers(n_jobs) as workers:
            objective = Objective(
                scaled,
                laplacian(build_graph(scaled)),
                workers,
                n_hidden=3,
                alpha=0.1,
                graph_weight=0.05,
            )
            theta = objective.start(np.random.RandomState(0))
            return objective.value_and_grad(theta)

    value, grad = evaluate(table, 1)
    for n_jobs in (1, 3):
        other_value, other_grad = evaluate(X, n_jobs)
        assert other_value == pytest.approx(value, rel=1e-9)
        np.testing.assert_allclose(other_grad, grad, atol=1e-9 * abs(grad).max())


@pytest.mark.parametrize("kind", ["csr", "mapped"])
def test_scores_are_the_same(table, tmp_path, kind):
    method = paper_gafs(dtype="float64", max_iter=15, tol=0, n_jobs=1)
    with pytest.warns(match="max_iter"):
        dense = method.fit(table)
    scores, code = dense.scores_, dense.encode(table)
    X = containers(table, tmp_path)[kind]
    with pytest.warns(match="max_iter"):
        other = method.fit(X)
    np.testing.assert_allclose(other.scores_, scores, rtol=1e-9)
    np.testing.assert_allclose(other.encode(X), code, rtol=1e-9)


@pytest.mark.slow
def test_sparse_data_are_never_dense_as_a_whole(rng):
    X = sp.random_array((20_000, 500), density=0.01, format="csr", dtype=np.float32, rng=rng)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two iterations reach nothing
        paper_gafs(max_iter=2, graph_weight=0).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.4 * 4 * np.prod(X.shape)


@pytest.mark.slow
def test_memory_of_the_default_does_not_grow_with_sparse_rows(rng):
    """Beyond a few hundred MB, mostly for copies of the 2,000 rows that are dense."""
    peaks, sizes, d = [], (20_000, 50_000), 2000
    for n in sizes:
        X = sp.random_array((n, d), density=0.003, format="csr", dtype=np.float32, rng=rng)
        tracemalloc.start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # two iterations reach nothing
            GAFS(10, random_state=0, n_jobs=1, max_iter=2).fit(X)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 0.1 * 4 * (sizes[1] - sizes[0]) * d


def test_entries_that_are_stored_twice_add_up(table):
    X = sp.csr_array(table)
    twice = sp.csr_array((X.data / 2, X.indices, X.indptr), shape=X.shape)
    twice = sp.csr_array(
        (
            np.repeat(twice.data, 2),
            np.repeat(twice.indices, 2),
            2 * twice.indptr,
        ),
        shape=X.shape,
    )
    method = paper_gafs(max_iter=5, tol=0, dtype="float64")
    with pytest.warns(match="max_iter"):
        wanted = method.fit(X).scores_
    with pytest.warns(match="max_iter"):
        np.testing.assert_allclose(method.fit(twice).scores_, wanted, rtol=1e-6)


@pytest.mark.parametrize("kind", ["dense", "csr", "mapped"])
def test_column_statistics(table, tmp_path, kind):
    data = RowBlocks(containers(table, tmp_path)[kind])
    low, high = data.column_range()
    mean, variance = data.column_moments()
    np.testing.assert_array_equal(low, table.min(axis=0))
    np.testing.assert_array_equal(high, table.max(axis=0))
    np.testing.assert_allclose(mean, table.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(variance, table.var(axis=0), rtol=1e-10)


def test_variance_of_a_large_offset(rng):
    X = 1e8 + rng.random((50, 3))
    np.testing.assert_allclose(RowBlocks(X).column_moments()[1], X.var(axis=0), rtol=1e-6)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_non_finite_entries_are_found(table, tmp_path, kind):
    table[41, 5] = np.inf
    assert find_first(RowBlocks(containers(table, tmp_path)[kind]), np.isinf) == (41, 5)


@pytest.mark.parametrize("scale", ["minmax", "global", "standard", None])
def test_scaling(table, scale):
    table[:, 6] = 3.0
    data = RowBlocks(table)
    scaled = data.scaled(column_scaling(data, scale), np.float64).whole()
    varying = np.arange(17) != 6
    if scale == "minmax":
        np.testing.assert_allclose(scaled.min(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(scaled.max(axis=0)[varying], 1)
    elif scale == "global":
        np.testing.assert_allclose(scaled, table / table.max())
    elif scale == "standard":
        np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(scaled.std(axis=0)[varying], 1)
    else:
        np.testing.assert_array_equal(scaled, table)
    if scale in ("minmax", "standard"):
        assert (scaled[:, 6] == 0).all()


@pytest.mark.parametrize("kind", ["dense", "csr", "mapped"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_roots_of_data_that_are_mostly_zero(rng, tmp_path, kind, dtype):
    X = rng.poisson(0.06, (60, 5)).astype(float)
    X[0] = 4
    data = RowBlocks(containers(X, tmp_path)[kind])
    scaled = data.scaled(column_scaling(data, "auto"), dtype)
    expected = np.sqrt(X / X.max(axis=0))
    np.testing.assert_allclose(scaled.dense(slice(0, 60)), expected, rtol=1e-6)
    np.testing.assert_allclose(scaled.dense(slice(7, 20)), expected[7:20], 1e-6)


@pytest.mark.parametrize(("rate", "lowest"), [(0.5, 0), (0.06, -1)])
def test_no_roots_of_other_data(rng, rate, lowest):
    """Neither of data that are not mostly zero, nor of negative ones."""
    X = rng.poisson(rate, (60, 5)).astype(float)
    X[0], X[1] = 4, lowest
    data = RowBlocks(X)
    assert not column_scaling(data, "auto").root
    with_roots = data.scaled(column_scaling(data, "auto"), np.float64).whole()
    plain = data.scaled(column_scaling(data, "minmax"), np.float64).whole()
    np.testing.assert_array_equal(with_roots, plain)


@pytest.mark.parametrize("unit", [1e-250, 1e-60, 1e60])
@pytest.mark.parametrize("kind", ["dense", "csr", "mapped"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_units_beyond_single_precision(rng, tmp_path, unit, kind, dtype):
    """The results are in its range, the data need not be."""
    X = rng.random((20, 4))
    X[0, 0] = 0  # sparse data are not shifted: they begin at zero
    data = RowBlocks(containers(unit * X, tmp_path)[kind])
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        scaled = data.scaled(column_scaling(data, "global"), dtype).dense(slice(0, 20))
    np.testing.assert_allclose(scaled, X / X.max(), atol=1e-6)


def test_ranges_that_have_no_inverse_count_as_constant(rng):
    X = rng.random((20, 4))
    X[:, 2] *= 1e-310
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        assert Variance(1).fit(X).order_[-1] == 2
        assert GreedyCSS(1).fit(X).order_[-1] == 2
