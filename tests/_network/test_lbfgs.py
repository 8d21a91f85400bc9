"""Solvers find known minima and report what they did."""

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from graphsieve._network.lbfgs import _between, lbfgs
from graphsieve._utils.monitor import Monitor, last_change


def quadratic(x):
    scale = np.arange(1.0, len(x) + 1)
    return 1 + 0.5 * (scale * (x - 1) ** 2).sum(), scale * (x - 1)


def rosenbrock(x):
    return 1 + rosen(x), rosen_der(x)


@pytest.mark.parametrize("function", [quadratic, rosenbrock])
def test_lbfgs_finds_the_minimum(function):
    result = lbfgs(function, np.zeros(10), Monitor(max_iter=500, tol=1e-14))
    assert result.converged
    np.testing.assert_allclose(result.x, 1, atol=1e-4)


@pytest.mark.parametrize("size", [2, 10, 200])
@pytest.mark.parametrize("function", [quadratic, rosenbrock])
def test_lbfgs_needs_no_more_than_scipy(function, size):
    start = np.random.default_rng(0).normal(size=size)
    calls = []

    def counted(x):
        calls.append(x)
        return function(x)

    options = {"maxcor": 10, "ftol": 1e-12, "gtol": 0, "maxiter": 5000, "maxfun": 10**5}
    theirs = minimize(function, start, jac=True, method="L-BFGS-B", options=options)
    ours = lbfgs(counted, start, Monitor(max_iter=5000, tol=1e-12), memory=10)
    assert ours.trace[-1] == pytest.approx(theirs.fun, rel=1e-6)
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-3)
    assert len(calls) <= 1.2 * theirs.nfev + 10


def test_trace_and_stopping_rule():
    result = lbfgs(rosenbrock, np.zeros(10), Monitor(max_iter=500, tol=1e-3))
    assert result.trace[0] == rosenbrock(np.zeros(10))[0]
    assert len(result.trace) == result.n_iter + 1
    assert (np.diff(result.trace) <= 0).all()
    change = abs(np.diff(result.trace)) / result.trace[1:]
    assert change[-1] < 1e-3
    assert (change[:-1] >= 1e-3).all()
    assert last_change(result.trace) == pytest.approx(change[-1])


def test_the_rule_is_relative_for_small_objectives():
    """SciPy's own rule counts in absolute terms below one and would stop at once."""

    def tiny(x):
        value, grad = rosenbrock(x)
        return 1e-6 * (value - 1), 1e-6 * grad

    assert lbfgs(tiny, np.zeros(5), Monitor(max_iter=500, tol=1e-5)).n_iter > 10


def test_max_iter():
    result = lbfgs(rosenbrock, np.zeros(10), Monitor(max_iter=3, tol=0))
    assert result.n_iter == 3
    assert result.status == "max_iter"


def test_callback_sees_every_iteration_and_stops():
    seen = []

    def callback(iteration, objective):
        seen.append((iteration, objective))
        return iteration == 4

    result = lbfgs(rosenbrock, np.zeros(10), Monitor(max_iter=100, tol=0, callback=callback))
    assert result.status == "stopped"
    assert [iteration for iteration, _ in seen] == [1, 2, 3, 4]
    np.testing.assert_array_equal([value for _, value in seen], result.trace[1:])


def test_start_at_the_minimum():
    result = lbfgs(quadratic, np.ones(3), Monitor(max_iter=10, tol=1e-5))
    assert result.converged
    np.testing.assert_array_equal(result.x, 1)


def test_a_gradient_whose_square_vanishes_is_zero():
    result = lbfgs(
        lambda x: (1.0, 1e-170 * np.ones_like(x)), np.ones(3), Monitor(max_iter=5, tol=0)
    )
    assert result.converged
    assert result.n_iter == 0


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_cubic_of_large_and_small_slopes(unit):
    """x^3 - x has its minimum at 1 / sqrt(3), in any unit."""
    low, high = (0.0, 0.0, -unit), (1.0, 0.0, 2 * unit)
    assert _between(low, high) == pytest.approx(3**-0.5)
