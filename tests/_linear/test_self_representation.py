"""The two forms of one ridge problem, against plain matrices."""

import numpy as np
import pytest

from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._linear.columns import Columns
from graphsieve._linear.self_representation import (
    feature_step,
    ridge_rows,
    sample_step,
)
from graphsieve._rows import RowBlocks
from graphsieve._utils.monitor import Monitor
from graphsieve._utils.threads import Workers
from graphsieve.methods.rsr import robust_self_representation


@pytest.fixture(params=[1, 3])
def workers(request):
    with Workers(request.param) as workers:
        yield workers


@pytest.mark.parametrize("shape", [(40, 90), (90, 40)])
def test_number_of_threads_does_not_matter(rng, shape):
    data = RowBlocks(rng.standard_normal(shape))
    scores = []
    for n_threads in (1, 2, 5):
        with Workers(n_threads) as workers:
            columns = Columns.varying(data, workers, may_fill=True)
            result = robust_self_representation(columns, Monitor(max_iter=20, tol=0), alpha=5.0)
        scores.append(result.x)
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[0], scores[2])


@pytest.mark.parametrize("shape", [(10, 25), (15, 15), (25, 10)])
def test_both_forms_give_the_same_rows(rng, workers, shape):
    X = rng.standard_normal(shape)
    data = RowBlocks(X)
    columns = Columns.varying(data, workers, may_fill=True)
    X = X - X.mean(axis=0)
    L = laplacian(build_graph(data))
    weights = {"fit_weight": 0.7, "graph_weight": 0.3}
    scale = rng.random(shape[1])
    H = 0.7 * X.T @ X + 0.3 * X.T @ (L @ X)
    W = np.linalg.solve(H + np.diag(1 / scale), 0.7 * X.T @ X)
    loss = 0.7 * ((X - X @ W) ** 2).sum() + 0.3 * np.trace(W.T @ X.T @ (L @ X @ W))

    def multiply(scale):
        return X * scale @ X.T, lambda V: scale**2 * columns.squares(V)

    for step in (
        feature_step(columns, L, 2.0, **weights),
        sample_step(columns, L, 2.0, **weights, multiply=multiply),
    ):
        smooth, squares = step(2.0 * scale)
        assert smooth == pytest.approx(loss, rel=1e-10)
        np.testing.assert_allclose(np.sqrt(squares), np.linalg.norm(W, axis=1), rtol=1e-8)


def test_ridge_rows_where_the_scale_vanishes(rng):
    H = np.cov(rng.standard_normal((4, 20)))
    W = ridge_rows(H, H, np.array([1.0, 0.0, 1.0, 1e-300]))
    assert np.isfinite(W).all()
    np.testing.assert_array_equal(W[1], 0)
