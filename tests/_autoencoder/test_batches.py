"""Batches are right on average, and the solver on them comes as low as L-BFGS."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._autoencoder.objective import Objective
from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._rows import RowBlocks
from graphsieve._solvers import Monitor, adam
from graphsieve._utils.threads import Workers
from tests.helpers.paper import paper_gafs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def table(rng):
    """Three directions and noise, in [0, 1], with zeros."""
    X = rng.random((300, 3)) @ rng.random((3, 15)) / 3 + 0.05 * rng.random((300, 15))
    return X * (rng.random(X.shape) < 0.8)


def fit(X, **params):
    params = {"n_hidden": 4, "alpha": 1e-3, "decay": 1e-3, "graph_weight": 1e-4} | params
    params["scale"] = params.get("scale")
    return paper_gafs(solver="minibatch", dtype="float64", **params).fit(X)


def test_batches_are_unbiased(table):
    """Over many random passes, value and gradient of the batches average to those of all rows."""
    data = RowBlocks(table)
    L = laplacian(build_graph(data))
    with Workers(1) as workers:
        objective = Objective(data, L, workers, n_hidden=3, alpha=0.1, graph_weight=0.01, decay=0.1)
        z = objective.start(np.random.RandomState(0))
        value, grad = objective.value_and_grad(z)
        batches = objective.batches(np.random.RandomState(1))
        found = [batch(z) for _ in range(60) for batch in batches()]
    assert np.mean([v for v, _ in found]) == pytest.approx(value, rel=0.01)
    error = np.mean([g for _, g in found], axis=0) - grad
    assert np.linalg.norm(error) < 0.05 * np.linalg.norm(grad)


def test_every_row_is_in_one_batch(table):
    data = RowBlocks(table)
    with Workers(1) as workers:
        batches = Objective(data, None, workers, n_hidden=2).batches(np.random.RandomState(0))
        rows = [batch.__self__.X.whole() for batch in batches()]
    together = np.vstack(rows)
    assert len(rows) > 1
    np.testing.assert_array_equal(np.sort(together, axis=0), np.sort(table, axis=0))
    assert len(together) == len(table)


@pytest.mark.parametrize("graph_weight", [0.0, 1e-4])
def test_objective_comes_close_to_that_of_lbfgs(table, graph_weight):
    params = {"n_hidden": 4, "alpha": 1e-3, "decay": 1e-3, "scale": None, "random_state": 0}
    reference = paper_gafs(max_iter=1000, tol=1e-7, graph_weight=graph_weight, **params).fit(table)
    found = fit(table, graph_weight=graph_weight, tol=1e-6)
    assert found.objective_trace_[-1] < 1.03 * reference.objective_trace_[-1]
    assert found.converged_


def test_repeats_and_depends_on_the_seed(table):
    first, second = fit(table, max_iter=3), fit(table, max_iter=3, n_jobs=2)
    np.testing.assert_array_equal(first.scores_, second.scores_)
    assert (fit(table, max_iter=3, random_state=1).scores_ != first.scores_).any()


@pytest.mark.parametrize("kind", ["csr", "mapped"])
def test_same_for_every_container(table, tmp_path, kind):
    np.save(tmp_path / "X.npy", table)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    X = {"csr": sp.csr_array(table), "mapped": mapped}[kind]
    for scale in (None, "minmax"):
        expected = fit(table, max_iter=3, scale=scale)
        np.testing.assert_allclose(fit(X, max_iter=3, scale=scale).scores_, expected.scores_, 1e-6)


def test_callback_stops_and_sees_the_objective(table):
    seen = []

    def callback(iteration, objective):
        seen.append((iteration, objective))
        return iteration == 2

    found = fit(table, callback=callback)
    assert found.n_iter_ == 2
    assert [objective for _, objective in seen] == found.objective_trace_[1:].tolist()


def test_few_samples(rng):
    X = rng.random((5, 4))
    assert np.isfinite(fit(X, n_neighbors=2, max_iter=3).scores_).all()


def test_solver_on_least_squares(rng):
    """The mean of |x - a_i|^2 / 2 has its minimum at the mean of the a_i."""
    a = rng.normal(size=(200, 3))

    def on(rows):
        return lambda x: (0.5 * ((x - a[rows]) ** 2).sum(axis=1).mean(), x - a[rows].mean(axis=0))

    def batches():
        return [on(rows) for rows in np.split(rng.permutation(200), 20)]

    result = adam(on(slice(None)), batches, np.full(3, 5.0), Monitor(max_iter=200, tol=1e-9))
    np.testing.assert_allclose(result.x, a.mean(axis=0), atol=1e-2)
    assert result.converged
