"""The gradient meets finite differences, the value its formula, with each term on and off.

The fast passes meet the plain ones, and the solver starts where it should.
"""

import inspect
import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._network import objective as objectives
from graphsieve._network.objective import Objective
from graphsieve._rows import RowBlocks
from graphsieve._utils.threads import Workers

# The objective is a sum over parts of the rows: let small tables have several.
pytestmark = pytest.mark.usefixtures("small_parts")

# An objective that is not here fails test_every_objective_is_tested.
OBJECTIVES = {"Objective"}


def finite_difference(function, x, step=1e-6):
    return np.array(
        [(function(x + step * e) - function(x - step * e)) / (2 * step) for e in np.eye(len(x))]
    )


def make_objective(X, workers, dtype=np.float64, **params):
    data = RowBlocks(X, dtype=dtype)
    L = laplacian(build_graph(RowBlocks(X, dtype=np.float64)))
    return Objective(data, L, workers, n_hidden=4, **params)


def plain_objective(weights, X, A, alpha, graph_weight, decay, output):
    """The formula, sample by sample and edge by edge."""
    n = len(X)
    W_in, b_in, W_out, b_out = weights

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
        z = rng.normal(size=objective.size)
        grad = objective.value_and_grad(z)[1]
        expected = finite_difference(lambda t: objective.value_and_grad(t)[0], z)
    np.testing.assert_allclose(grad, expected, atol=1e-6 * abs(expected).max())


@pytest.mark.parametrize(("alpha", "graph_weight", "decay", "output"), TERMS)
def test_value_meets_the_formula(rng, alpha, graph_weight, decay, output):
    X = rng.random((12, 7))
    A = build_graph(RowBlocks(X)).toarray()
    with Workers(1) as workers:
        objective = make_objective(
            X, workers, alpha=alpha, graph_weight=graph_weight, decay=decay, output=output
        )
        z = rng.normal(size=objective.size)
        value = objective.value_and_grad(z)[0]
    expected = plain_objective(objective.unpack(z), X, A, alpha, graph_weight, decay, output)
    assert value == pytest.approx(expected, rel=1e-6)  # the smoothed norm is short by eps a row


def test_start_unpacks_to_the_usual_weights():
    X = 3 + np.random.default_rng(0).random((20, 13))
    with Workers(1) as workers:
        objective = make_objective(X, workers)
        start = objective.start(np.random.RandomState(0))
        W_in, b_in, W_out, b_out = objective.unpack(start)
    expected = np.random.RandomState(0).uniform(-1, 1, 2 * 13 * 4) * np.sqrt(6 / (13 + 4 + 1))
    np.testing.assert_allclose(W_in.ravel(), expected[: 13 * 4])
    np.testing.assert_allclose(W_out.ravel(), expected[13 * 4 :])
    np.testing.assert_allclose(b_in, 0, atol=1e-12)
    np.testing.assert_allclose(b_out, np.log(0.99 / 0.01))


def test_permuted_columns_give_the_same_value(rng):
    X = rng.random((15, 9))
    order = rng.permutation(9)
    terms = {"alpha": 0.1, "graph_weight": 0.05, "decay": 0.02}
    with Workers(1) as workers:
        objective = make_objective(X, workers, **terms)
        z = rng.normal(size=objective.size)
        V, W_out, c, b_out = z[:36].reshape(9, 4), z[36:72].reshape(4, 9), z[72:76], z[76:]
        permuted = np.concatenate([V[order].ravel(), W_out[:, order].ravel(), c, b_out[order]])
        other = make_objective(X[:, order], workers, **terms)
        assert other.value_and_grad(permuted)[0] == pytest.approx(
            objective.value_and_grad(z)[0], rel=1e-12
        )


@pytest.mark.parametrize("output", ["sigmoid", "identity"])
def test_single_precision_agrees(rng, output):
    X = rng.random((300, 40))
    with Workers(2) as workers:
        double = make_objective(X, workers, alpha=0.1, graph_weight=0.05, output=output)
        single = make_objective(X, workers, np.float32, alpha=0.1, graph_weight=0.05, output=output)
        theta = rng.normal(size=double.size)
        (value, grad), (value32, grad32) = (
            objective.value_and_grad(theta) for objective in (double, single)
        )
    assert value32 == pytest.approx(value, rel=1e-4)
    np.testing.assert_allclose(grad32, grad, atol=1e-4 * abs(grad).max())


def test_extreme_weights_stay_finite(rng):
    X = rng.random((10, 5))
    with Workers(1) as workers, np.errstate(all="raise", under="ignore"):
        objective = make_objective(X, workers, np.float32, alpha=0.1, graph_weight=0.05)
        value, grad = objective.value_and_grad(1e4 * rng.normal(size=objective.size))
    assert np.isfinite(value)
    assert np.isfinite(grad).all()


def test_l21_gradient(rng):
    W = rng.normal(size=(6, 3))
    W[2] = 0
    W[3] = 1e-7
    grad = objectives.smoothed_l21(W)[1]
    expected = finite_difference(
        lambda w: objectives.smoothed_l21(w.reshape(6, 3))[0], W.ravel(), 1e-9
    )
    np.testing.assert_allclose(grad.ravel(), expected, atol=1e-4)


def test_l21_is_the_sum_of_row_norms(rng):
    W = rng.normal(size=(6, 3))
    assert objectives.smoothed_l21(W)[0] == pytest.approx(np.linalg.norm(W, axis=1).sum(), rel=1e-6)


def test_every_objective_is_tested():
    found = {
        name
        for name, cls in inspect.getmembers(objectives, inspect.isclass)
        if hasattr(cls, "value_and_grad")
    }
    assert found == OBJECTIVES
