"""The shared loop for group norms, on problems with known solutions."""

import numpy as np
import pytest

from graphsieve._linear import reweighted
from graphsieve._linear.reweighted import inverse_weights, reweighted_l21, smoothed_norms
from graphsieve._utils.monitor import Monitor


def minimise(solve, start, *, max_iter, tol, callback=None, **settings):
    monitor = Monitor(max_iter=max_iter, tol=tol, callback=callback)
    return reweighted_l21(solve, start, monitor, **settings)


def ridge(Y, weight):
    """Step for f(W) = |Y - W|_F^2: rows of W are rows of Y, shrunk."""

    def solve(inverse):
        W = Y * (inverse / (inverse + weight))[:, None]
        return ((Y - W) ** 2).sum(), (W**2).sum(axis=1)

    return solve


@pytest.mark.parametrize("weight", [0.5, np.array([0.1, 0.5, 1.0, 2.0, 3.0, 0.2])])
def test_rows_are_soft_thresholded(rng, weight):
    Y = rng.standard_normal((6, 3))
    result = minimise(ridge(Y, weight), np.ones(6), weight=weight, max_iter=5000, tol=1e-14)
    expected = np.maximum(np.linalg.norm(Y, axis=1) - weight / 2, 0)
    np.testing.assert_allclose(result.x, expected, atol=1e-4)
    assert result.converged


@pytest.mark.parametrize("power", [0.3, 0.7, 1.0])
def test_never_rises(rng, power):
    Y = rng.standard_normal((20, 3))
    result = minimise(ridge(Y, 0.8), np.ones(20), weight=0.8, power=power, max_iter=200, tol=0)
    assert result.n_iter == 200
    assert (np.diff(result.trace) <= 1e-10 * result.trace[:-1]).all()
    assert result.trace[-1] < result.trace[0]


def regression(rng):
    """Step for f(W) = |Y - X W|_F^2 with columns of X that resemble each other."""
    X = rng.standard_normal((30, 3)) @ rng.standard_normal((3, 20))
    X += 0.3 * rng.standard_normal((30, 20))
    Y = X[:, :4] @ rng.standard_normal((4, 3)) + rng.standard_normal((30, 3))

    def solve(inverse):
        W = np.linalg.solve(X.T @ X + np.diag(5 / inverse), X.T @ Y)
        return ((Y - X @ W) ** 2).sum(), (W**2).sum(axis=1)

    return solve


@pytest.mark.parametrize("tol", [1e-5, 1e-8])
def test_momentum_gets_lower_in_fewer_steps(rng, monkeypatch, tol):
    solve = regression(rng)

    def run(**settings):
        n_solves.append(0)

        def counted(inverse):
            n_solves[-1] += 1
            return solve(inverse)

        return minimise(counted, np.ones(20), weight=5.0, **settings)

    n_solves = []
    ahead = run(max_iter=1000, tol=tol)
    monkeypatch.setattr(reweighted, "_DELAY", np.inf)
    plain = run(max_iter=1000, tol=tol)
    best = run(max_iter=5000, tol=0)
    assert ahead.converged
    assert plain.converged
    assert n_solves[0] < n_solves[1]
    assert best.trace[-1] <= ahead.trace[-1] <= plain.trace[-1]
    assert (np.diff(ahead.trace) <= 0).all()


def test_the_last_step_is_without_momentum(rng):
    """So that a small change means the same as in the plain iteration."""
    solve, seen = regression(rng), []

    def noted(inverse):
        smooth, squares = solve(inverse)
        seen.append((inverse, squares))
        return smooth, squares

    result = minimise(noted, np.ones(20), weight=5.0, max_iter=1000, tol=1e-6)
    assert result.converged
    eps = 1e-6 * np.sqrt(seen[0][1].max())
    # The solve before the last was ahead and too short; the last starts where that one did.
    assert any(
        np.array_equal(seen[-1][0], inverse_weights(squares, eps)) for _, squares in seen[:-2]
    )


def test_no_momentum_below_power_one(rng, monkeypatch):
    settings = {"weight": 0.8, "power": 0.5, "max_iter": 50, "tol": 0}
    Y = rng.standard_normal((20, 3))
    result = minimise(ridge(Y, 0.8), np.ones(20), **settings)
    monkeypatch.setattr(reweighted, "_DELAY", np.inf)
    plain = minimise(ridge(Y, 0.8), np.ones(20), **settings)
    np.testing.assert_array_equal(result.trace, plain.trace)


def test_trace_is_the_smoothed_objective(rng):
    Y = rng.standard_normal((5, 2))
    result = minimise(ridge(Y, 1.0), np.ones(5), weight=1.0, eps=0.1, max_iter=3, tol=0)
    # Rows of the solution are parallel to rows of Y.
    loss = ((np.linalg.norm(Y, axis=1) - result.x) ** 2).sum()
    assert result.trace[-1] == pytest.approx(loss + np.sqrt(result.x**2 + 0.01).sum())


def test_lower_power_is_sparser(rng):
    Y = rng.standard_normal((50, 2))

    def kept(power):
        result = minimise(
            ridge(Y, 0.5), np.ones(50), weight=0.5, power=power, max_iter=3000, tol=1e-12
        )
        return (result.x > 1e-3).sum()

    assert kept(0.3) < kept(1.0) < 50


@pytest.mark.parametrize("power", [0.2, 0.5, 1.0])
def test_quadratic_lies_above_and_touches(power):
    at, eps = 0.7, 1e-3
    other = np.linspace(0, 3, 50)
    inverse = inverse_weights(at**2, eps, power)
    bound = smoothed_norms(at**2, eps, power) + (other**2 - at**2) / inverse
    assert (bound >= smoothed_norms(other**2, eps, power) - 1e-12).all()


def test_stops(rng):
    Y = rng.standard_normal((6, 3))
    settings = {"weight": 0.5, "tol": 0.0}
    limited = minimise(ridge(Y, 0.5), np.ones(6), max_iter=4, **settings)
    assert (limited.n_iter, limited.status) == (4, "max_iter")
    seen = []
    stopped = minimise(
        ridge(Y, 0.5),
        np.ones(6),
        max_iter=50,
        callback=lambda i, f: seen.append((i, f)) or i == 2,
        **settings,
    )
    assert stopped.status == "stopped"
    assert seen == [(1, stopped.trace[1]), (2, stopped.trace[2])]


def test_all_zero_solution():
    result = minimise(ridge(np.zeros((4, 2)), 1.0), np.ones(4), weight=1.0, max_iter=10, tol=1e-5)
    assert result.converged
    np.testing.assert_array_equal(result.x, np.zeros(4))


@pytest.mark.parametrize("first", [1e-4, 1e-12, 1e-30])
def test_a_group_near_zero_that_should_be_large_is_no_end(rng, first):
    """The objective hardly changes while the group grows: this must not count as convergence."""
    solve = regression(rng)
    best = minimise(solve, np.ones(20), weight=5.0, eps=1e-9, max_iter=5000, tol=1e-13)
    start = np.where(best.x == best.x.max(), first, 1.0)
    result = minimise(solve, start, weight=5.0, eps=1e-9, max_iter=1000, tol=1e-5)
    assert result.converged
    assert result.trace[-1] <= best.trace[-1] * (1 + 1e-4)


def test_all_groups_zero():
    result = minimise(ridge(np.zeros((4, 2)), 1.0), np.ones(4), weight=1.0, max_iter=10, tol=1e-5)
    assert result.converged
    np.testing.assert_array_equal(result.x, 0)
