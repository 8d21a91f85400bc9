"""AEFS: its objective, and what it does with constant columns and large penalties."""

import numpy as np
import pytest
import scipy.io
from scipy.stats import spearmanr

from graphsieve import AEFS


@pytest.fixture
def table(rng):
    return rng.normal(size=(50, 3)) @ rng.normal(size=(3, 12)) + 0.1 * rng.normal(size=(50, 12))


def test_objective_of_the_fit_meets_the_formula(table):
    fitted = AEFS(n_hidden=6, random_state=0, dtype="float64").fit(table)
    X = (table - table.mean(axis=0)) / table.std(axis=0)
    H = 1 / (1 + np.exp(-(X @ fitted.W_in_ + fitted.b_in_)))
    error = ((X - H @ fitted.W_out_ - fitted.b_out_) ** 2).sum() / (2 * len(X))
    value = error + 0.3 * np.linalg.norm(fitted.W_in_, axis=1).sum()
    value += 3e-2 / 2 * ((fitted.W_in_**2).sum() + (fitted.W_out_**2).sum())
    assert fitted.objective_trace_[-1] == pytest.approx(value, rel=1e-6)
    assert (np.diff(fitted.objective_trace_) <= 0).all()


def test_huge_penalty_gives_zero_weights(table):
    with pytest.warns(UserWarning, match="collapsed"):
        fitted = AEFS(n_hidden=6, alpha=1e3, random_state=0, max_iter=400).fit(table)
    assert fitted.scores_.max() < 1e-6


def test_noise_columns_come_last(rng, table):
    X = np.hstack([table, rng.normal(size=(50, 12))])
    order = AEFS(n_hidden=6, random_state=0, max_iter=300).fit(X).order_
    assert (order[:12] < 12).sum() >= 10


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_wide_tables_leave_the_random_start(rng):
    """In variables that suit GAFS alone, the default iterations end a third above the minimum."""
    X = rng.normal(size=(30, 4)) @ rng.normal(size=(4, 200)) + rng.normal(size=(30, 200))
    first, second = (AEFS(n_hidden=128, random_state=seed, n_jobs=1).fit(X) for seed in (0, 1))
    longer = AEFS(n_hidden=128, random_state=0, n_jobs=1, max_iter=400).fit(X)
    assert first.objective_trace_[-1] <= 1.05 * longer.objective_trace_[-1]
    assert spearmanr(first.scores_, second.scores_)[0] > 0.95


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("n_features", "n_iter"), [(2000, 100), (2001, 200)])
def test_wider_tables_get_more_iterations(rng, n_features, n_iter):
    X = rng.normal(size=(4, n_features))
    assert AEFS(n_hidden=1, tol=0, random_state=0, n_jobs=1).fit(X).n_iter_ == n_iter
    assert AEFS(n_hidden=1, tol=0, random_state=0, n_jobs=1, max_iter=3).fit(X).n_iter_ == 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ["Yale", "Isolet", "Prostate-GE"])
def test_the_ranking_is_not_that_of_the_random_start(real_data, name):
    """Two seeds agree on wide data, which they do not when the solver barely moves the weights."""
    X = scipy.io.loadmat(real_data / f"{name}.mat")["X"].astype(float)
    X = X[:180:2] if len(X) >= 160 else X[:90]
    scores = [AEFS(n_hidden=64, random_state=seed).fit(X).scores_ for seed in (0, 1)]
    assert spearmanr(*scores)[0] > 0.9
