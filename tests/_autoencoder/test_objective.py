"""Every objective meets finite differences, with each term on and off."""

import inspect
import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._autoencoder import objective as objectives
from graphsieve._autoencoder import penalties
from graphsieve._autoencoder.objective import GraphAutoencoder, SolverCoordinates
from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._rows import RowBlocks
from graphsieve._utils.threads import Workers

# An objective that is not here fails test_every_objective_is_tested.
OBJECTIVES = {"GraphAutoencoder", "SolverCoordinates"}
PENALTIES = {"l21": penalties.l21, "squared_l2": penalties.squared_l2}


def finite_difference(function, x, step=1e-6):
    return np.array(
        [(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(len(x))]
    )


def make_objective(X, workers, dtype=np.float64, **params):
    data = RowBlocks(X, dtype=dtype)
    L = laplacian(build_graph(RowBlocks(X, dtype=np.float64)))
    return GraphAutoencoder(data, L, workers, n_hidden=4, **params)


def plain_objective(theta, X, A, m, alpha, graph_weight, decay, output):
    """The formula, sample by sample and edge by edge."""
    n, d = X.shape
    W_in, W_out = theta[: d * m].reshape(d, m), theta[d * m : 2 * d * m].reshape(m, d)
    b_in, b_out = theta[2 * d * m : 2 * d * m + m], theta[2 * d * m + m :]

    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    H = [sigmoid(x @ W_in + b_in) for x in X]
    last = sigmoid if output == "sigmoid" else lambda z: z
    value = sum(((x - last(h @ W_out + b_out)) ** 2).sum() for x, h in zip(X, H, strict=True))
    value /= 2 * n
    value += alpha * sum(np.linalg.norm(row) for row in W_in)
    value += graph_weight * sum(
        0.5 * A[i, j] * ((H[i] - H[j]) ** 2).sum() for i in range(n) for j in range(n)
    )
    return value + decay / 2 * ((W_in**2).sum() + (W_out**2).sum())


TERMS = list(itertools.product([0.0, 0.1], [0.0, 0.05], [0.0, 0.02], ["sigmoid", "identity"]))


@pytest.mark.parametrize(("alpha", "graph_weight", "decay", "output"), TERMS)
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_gradient_meets_finite_differences(rng, alpha, graph_weight, decay, output, container):
    X = rng.random((20, 13)) * (rng.random((20, 13)) < 0.7)
    terms = {"alpha": alpha, "graph_weight": graph_weight, "decay": decay, "output": output}
    with Workers(2) as workers:
        objective = make_objective(container(X), workers, **terms)
        theta = rng.normal(size=objective.n_params)
        grad = objective.value_and_grad(theta)[1]
        expected = finite_difference(lambda t: objective.value_and_grad(t)[0], theta)
    np.testing.assert_allclose(grad, expected, atol=1e-6 * abs(expected).max())


@pytest.mark.parametrize(("alpha", "graph_weight", "decay", "output"), TERMS)
def test_value_meets_the_formula(rng, alpha, graph_weight, decay, output):
    X = rng.random((12, 7))
    A = build_graph(RowBlocks(X)).toarray()
    with Workers(1) as workers:
        objective = make_objective(
            X, workers, alpha=alpha, graph_weight=graph_weight, decay=decay, output=output
        )
        theta = rng.normal(size=objective.n_params)
        value = objective.value_and_grad(theta)[0]
    expected = plain_objective(theta, X, A, 4, alpha, graph_weight, decay, output)
    assert value == pytest.approx(expected, rel=1e-6)  # the smoothed norm is short by eps a row


def test_solver_coordinates_are_a_change_of_variables(rng):
    X = 3 + rng.random((20, 13))
    with Workers(1) as workers:
        objective = make_objective(X, workers, alpha=0.1, graph_weight=0.05, decay=0.02)
        coordinates = SolverCoordinates(objective)
        theta = 0.1 * rng.normal(size=objective.n_params)
        z = coordinates.from_theta(theta)
        np.testing.assert_allclose(coordinates.to_theta(z), theta, atol=1e-12)
        value, grad = coordinates.value_and_grad(z)
        assert value == pytest.approx(objective.value_and_grad(theta)[0], rel=1e-12)
        expected = finite_difference(lambda t: coordinates.value_and_grad(t)[0], z)
    np.testing.assert_allclose(grad, expected, atol=1e-6 * abs(expected).max())


def test_permuted_columns_give_the_same_value(rng):
    X = rng.random((15, 9))
    order = rng.permutation(9)
    terms = {"alpha": 0.1, "graph_weight": 0.05, "decay": 0.02}
    with Workers(1) as workers:
        objective = make_objective(X, workers, **terms)
        theta = rng.normal(size=objective.n_params)
        W_in, W_out, b_in, b_out = objective.unpack(theta)
        permuted = np.concatenate(
            [W_in[order].ravel(), W_out[:, order].ravel(), b_in, b_out[order]]
        )
        other = make_objective(X[:, order], workers, **terms)
        assert other.value_and_grad(permuted)[0] == pytest.approx(
            objective.value_and_grad(theta)[0], rel=1e-12
        )


@pytest.mark.parametrize("output", ["sigmoid", "identity"])
def test_single_precision_agrees(rng, output):
    X = rng.random((300, 40))
    with Workers(2) as workers:
        double = make_objective(X, workers, alpha=0.1, graph_weight=0.05, output=output)
        single = make_objective(X, workers, np.float32, alpha=0.1, graph_weight=0.05, output=output)
        theta = rng.normal(size=double.n_params)
        (value, grad), (value32, grad32) = (
            objective.value_and_grad(theta) for objective in (double, single)
        )
    assert value32 == pytest.approx(value, rel=1e-4)
    np.testing.assert_allclose(grad32, grad, atol=1e-4 * abs(grad).max())


def test_extreme_weights_stay_finite(rng):
    X = rng.random((10, 5))
    with Workers(1) as workers, np.errstate(all="raise", under="ignore"):
        objective = make_objective(X, workers, np.float32, alpha=0.1, graph_weight=0.05)
        value, grad = objective.value_and_grad(1e4 * rng.normal(size=objective.n_params))
    assert np.isfinite(value)
    assert np.isfinite(grad).all()


@pytest.mark.parametrize("name", PENALTIES)
def test_penalty_gradients(rng, name):
    penalty = PENALTIES[name]
    W = rng.normal(size=(6, 3))
    W[2] = 0
    W[3] = 1e-7
    grad = penalty(W)[1]
    expected = finite_difference(lambda w: penalty(w.reshape(6, 3))[0], W.ravel(), 1e-9)
    np.testing.assert_allclose(grad.ravel(), expected, atol=1e-4)


def test_l21_is_the_sum_of_row_norms(rng):
    W = rng.normal(size=(6, 3))
    assert penalties.l21(W)[0] == pytest.approx(np.linalg.norm(W, axis=1).sum(), rel=1e-6)


def test_every_objective_and_penalty_is_tested():
    found = {
        name
        for name, cls in inspect.getmembers(objectives, inspect.isclass)
        if hasattr(cls, "value_and_grad")
    }
    assert found == OBJECTIVES
    with_gradient = {
        name
        for name, function in inspect.getmembers(penalties, inspect.isfunction)
        if "gradient" in (function.__doc__ or "")
    }
    assert with_gradient == set(PENALTIES)
