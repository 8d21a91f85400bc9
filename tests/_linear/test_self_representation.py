"""Centred columns and the two forms of one ridge problem, against plain matrices."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._linear.self_representation import (
    CentredColumns,
    graph_loss_features,
    graph_loss_samples,
    quadratic_step,
    ridge_rows,
    ridge_samples,
    robust_self_representation,
)
from graphsieve._rows import RowBlocks
from graphsieve._solvers import Monitor
from graphsieve._utils.threads import Workers


@pytest.fixture(params=[1, 3])
def workers(request):
    with Workers(request.param) as workers:
        yield workers


def counts(rng, n, d, rate):
    X = rng.poisson(rate, (n, d)).astype(float)
    X[:, 2] = 0
    return X


@pytest.mark.parametrize("rate", [0.05, 0.6])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("shape", [(12, 30), (30, 12)])
def test_products_of_centred_columns(rng, workers, container, shape, rate):
    X = counts(rng, *shape, rate)
    columns = CentredColumns(RowBlocks(container(X)), workers)
    varying = X.std(axis=0) > 0
    Xc = (X - X.mean(axis=0))[:, varying]
    assert columns.is_wide == (len(X) <= varying.sum())
    np.testing.assert_array_equal(columns.index, np.flatnonzero(varying))
    np.testing.assert_allclose(columns.dense(), Xc)
    scale, V = rng.random(varying.sum()), rng.standard_normal((len(X), 4))
    np.testing.assert_allclose(columns.squares(V), ((V.T @ Xc) ** 2).sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(columns.root @ columns.root.T, Xc @ Xc.T, atol=1e-12)
    weight = rng.random(len(X))
    np.testing.assert_allclose(
        columns.correlation(weight), np.linalg.norm(Xc.T * weight @ Xc, axis=0), atol=1e-12
    )
    if columns.is_wide:
        np.testing.assert_allclose(columns.gram(scale), Xc * scale @ Xc.T, atol=1e-12)
        W = rng.standard_normal((varying.sum(), 3))
        np.testing.assert_allclose(columns.times(W), Xc @ W, atol=1e-12)
    else:
        W = rng.standard_normal((varying.sum(), varying.sum()))
        np.testing.assert_allclose(columns.feature_gram(weight), Xc.T * weight @ Xc, atol=1e-12)
        np.testing.assert_allclose(
            columns.residual_squares(W), ((Xc - Xc @ W) ** 2).sum(axis=1), rtol=1e-10
        )
    assert columns.scores(scale)[2] == 0
    np.testing.assert_array_equal(columns.scores(scale)[varying], scale)


@pytest.mark.parametrize("shape", [(40, 90), (90, 40)])
def test_number_of_threads_does_not_matter(rng, shape):
    data = RowBlocks(rng.standard_normal(shape))
    scores = []
    for n_threads in (1, 2, 5):
        with Workers(n_threads) as workers:
            columns = CentredColumns(data, workers)
            result = robust_self_representation(columns, Monitor(max_iter=20, tol=0), alpha=5.0)
        scores.append(result.x)
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[0], scores[2])


@pytest.mark.parametrize("shape", [(10, 25), (15, 15), (25, 10)])
def test_both_forms_give_the_same_rows(rng, workers, shape):
    X = rng.standard_normal(shape)
    data = RowBlocks(X)
    columns = CentredColumns(data, workers)
    X = X - X.mean(axis=0)
    L = laplacian(build_graph(data))
    weights = {"fit_weight": 0.7, "graph_weight": 0.3}
    scale = rng.random(shape[1])
    H, R, constant = graph_loss_features(columns, L, **weights)
    W = ridge_rows(H, 0.7 * X.T @ X, scale)
    loss = 0.7 * ((X - X @ W) ** 2).sum() + 0.3 * np.trace(W.T @ X.T @ (L @ X @ W))
    smooth, squares = quadratic_step(H, R, constant, 1.0)(scale)
    assert smooth == pytest.approx(loss, rel=1e-10)
    np.testing.assert_allclose(np.sqrt(squares), np.linalg.norm(W, axis=1), rtol=1e-8)

    B_inverse, root, constant = graph_loss_samples(columns, L, **weights)
    V = ridge_samples(X * scale @ X.T, B_inverse, root)
    assert np.vdot(V, B_inverse @ V) + constant == pytest.approx(loss, rel=1e-10)
    np.testing.assert_allclose(
        scale * np.sqrt(columns.squares(V)), np.linalg.norm(W, axis=1), rtol=1e-8
    )


def test_ridge_rows_where_the_scale_vanishes(rng):
    H = np.cov(rng.standard_normal((4, 20)))
    W = ridge_rows(H, H, np.array([1.0, 0.0, 1.0, 1e-300]))
    assert np.isfinite(W).all()
    np.testing.assert_array_equal(W[1], 0)
