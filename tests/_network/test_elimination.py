"""Recursive elimination: its gradient, its rounds and what is left of them."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve import GAFS
from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._network.elimination import (
    Problem,
    TargetObjective,
    eliminate,
    principal_weights,
    unit_norms,
)
from graphsieve._network.lbfgs import lbfgs
from graphsieve._network.objective import Penalties, Weights
from graphsieve._rows import RowBlocks
from graphsieve._utils.monitor import Monitor


def problem_of(rng, n=20, d=6, r=5):
    X = rng.normal(size=(n, d))
    L = laplacian(build_graph(RowBlocks(X), n_neighbors=3))
    T = rng.normal(size=(n, r))
    return Problem(X - X.mean(axis=0), T - T.mean(axis=0), L)


def value(problem, weights, penalties):
    """The objective, sample by sample."""
    X, T, L, _ = problem
    H = np.array([1 / (1 + np.exp(-(x @ weights.W_in + weights.b_in))) for x in X])
    error = sum(
        ((t - h @ weights.W_out - weights.b_out) ** 2).sum() for t, h in zip(T, H, strict=True)
    )
    A = -L.toarray()
    np.fill_diagonal(A, 0)
    rough = sum(
        A[i, j] * ((H[i] - H[j]) ** 2).sum() for i, j in itertools.combinations(range(len(X)), 2)
    )
    squares = (weights.W_in**2).sum() + (weights.W_out**2).sum()
    return (
        error / (2 * len(X))
        + penalties.alpha * np.linalg.norm(weights.W_in, axis=1).sum()
        + penalties.graph_weight * rough
        + penalties.decay / 2 * squares
    )


def test_sparse_columns_are_centred_in_the_products(rng):
    X = rng.normal(size=(20, 6)) * (rng.random((20, 6)) < 0.3)
    mean = X.mean(axis=0)
    dense = problem_of(rng)._replace(X=X - mean)
    sparse = dense._replace(X=sp.csr_array(X), mean=mean)
    np.testing.assert_allclose(sparse.dense(), dense.X)
    z = rng.normal(size=3 * 3 + 3 + 3 * 5 + 5)
    (value, gradient), (expected, slopes) = (
        TargetObjective(problem.of([0, 2, 5]), 3, Penalties(0.1, 0.1, 0.1)).value_and_grad(z)
        for problem in (sparse, dense)
    )
    assert value == pytest.approx(expected)
    np.testing.assert_allclose(gradient, slopes)


@pytest.mark.parametrize("terms", list(itertools.product([0, 0.1], repeat=3)))
def test_value_meets_its_formula_and_gradient_finite_differences(rng, terms):
    problem, penalties = problem_of(rng), Penalties(*terms)
    objective = TargetObjective(problem, 3, penalties)
    z = rng.normal(size=objective.size)
    found, gradient = objective.value_and_grad(z)
    assert found == pytest.approx(value(problem, objective.split(z), penalties), rel=1e-7)
    steps = 1e-6 * np.eye(len(z))
    expected = [
        (objective.value_and_grad(z + e)[0] - objective.value_and_grad(z - e)[0]) / 2e-6
        for e in steps
    ]
    np.testing.assert_allclose(gradient, expected, atol=1e-7)


def train(problem, weights, first):
    objective = TargetObjective(problem, len(weights.b_in), Penalties(1e-3, 1e-3, 1e-3))
    monitor = Monitor(tol=0, max_iter=5)
    result = lbfgs(objective.value_and_grad, objective.pack(weights), monitor)
    assert (np.diff(result.trace) <= 1e-12).all()
    return objective.split(result.x)


def test_one_at_a_time_meets_a_plain_loop(rng):
    problem = problem_of(rng, 40, 12)
    start = principal_weights(problem, 4)
    nothing = np.zeros(12, dtype=bool)
    ranked, rounds = eliminate(
        problem, start, train, fraction=1e-9, n_left=1, columns=np.arange(12), kept=nothing,
        first_out=nothing,
    )  # fmt: skip
    columns, weights, order = list(range(12)), start, []
    while True:
        weights = train(problem._replace(X=problem.X[:, columns]), weights, False)
        score = [
            np.sqrt(sum(w**2 * (row**2).sum() for w, row in zip(w_j, weights.W_out, strict=True)))
            for w_j in weights.W_in
        ]
        worst = int(np.argmin(score))
        order.append(columns.pop(worst))
        if not columns:
            break
        weights = weights._replace(W_in=np.delete(weights.W_in, worst, axis=0))
    assert ranked.tolist() == order[::-1]
    assert rounds[ranked].tolist() == [0, *range(11, 0, -1)]


def test_score_counts_units_by_their_output(rng):
    weights = Weights(rng.normal(size=(5, 3)), None, rng.normal(size=(3, 4)), None)
    full = weights.W_in @ np.diag(np.linalg.norm(weights.W_out, axis=1))
    np.testing.assert_allclose(unit_norms(weights), np.linalg.norm(full, axis=1))


def test_principal_start_reconstructs_what_it_can(rng):
    """Its decoder is the best linear one, and the inputs of its units have variance 1."""
    problem = problem_of(rng, 50, 8)
    weights = principal_weights(problem, 4)
    np.testing.assert_allclose((problem.X @ weights.W_in).std(axis=0), 1)
    H = 1 / (1 + np.exp(-problem.X @ weights.W_in))
    residual = problem.T - H @ weights.W_out - weights.b_out
    np.testing.assert_allclose(residual.T @ H, 0, atol=1e-10)


@pytest.fixture
def table(rng):
    return rng.normal(size=(80, 3)) @ rng.normal(size=(3, 14)) + 0.3 * rng.normal(size=(80, 14))


def test_two_runs_are_equal_to_the_last_bit(table):
    one, other = (GAFS(5, random_state=seed).fit(table) for seed in (0, 1))
    np.testing.assert_array_equal(one.order_, other.order_)
    np.testing.assert_array_equal(one.W_in_, other.W_in_)


def test_units_do_not_matter(table, rng):
    changed = table * 10.0 ** rng.integers(-6, 7, 14) + 3
    np.testing.assert_array_equal(
        GAFS(5, dtype="float64").fit(changed).order_, GAFS(5, dtype="float64").fit(table).order_
    )


def test_included_columns_stay_and_excluded_ones_never_enter(table):
    worst, best = (GAFS(5).fit(table).order_[place] for place in (-1, 0))
    sel = GAFS(5, include=[int(worst)], exclude=[int(best)]).fit(table)
    assert sel.order_[0] == worst
    assert sel.order_[-1] == best
    assert sel.rounds_[worst] == 0
    assert not sel.W_in_[best].any()


def test_the_network_is_that_of_the_selected_features(table):
    sel = GAFS(5).fit(table)
    assert sel.W_in_.shape == (14, 5)
    np.testing.assert_array_equal(np.linalg.norm(sel.W_in_, axis=1) > 0, sel.support_)
    assert (np.diff(sel.objective_trace_) <= 0).all()
    assert sel.n_iter_ == len(sel.objective_trace_) - 1
    scaled = (table - np.median(table, axis=0)) / table.std(axis=0)
    H = 1 / (1 + np.exp(-(scaled @ sel.W_in_ + sel.b_in_)))
    np.testing.assert_allclose(sel.encode(table), H, rtol=1e-5)
    error = ((scaled - H @ sel.W_out_ - sel.b_out_) ** 2).sum() / scaled.size
    assert sel.explained_ == pytest.approx(1 - error, abs=1e-5)
    assert sel.explained_ > 0.7


def test_a_callback_stops_the_elimination(table):
    seen = []

    def callback(iteration, objective):
        seen.append(iteration)
        return iteration == 40

    sel = GAFS(5, callback=callback, tol=0).fit(table)
    assert seen == list(range(1, 41))
    assert 0 < sel.rounds_.max() < GAFS(5, tol=0).fit(table).rounds_.max()


def test_a_sample_of_many_rows(rng):
    X = rng.normal(size=(2500, 3)) @ rng.normal(size=(3, 12)) + 0.1 * rng.normal(size=(2500, 12))
    sel = GAFS(3, random_state=0).fit(X)
    assert sel.encode(X).shape == (2500, 3)
    group = np.abs(np.corrcoef(X.T))[np.ix_(sel.order_[:3], sel.order_[:3])]
    assert (group[np.triu_indices(3, 1)] < 0.95).all()
