"""Coverage is one number: in Python, in words, on the page, in the plot and on the command line."""

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from graphsieve import GreedyCSS
from graphsieve.cli.app import app
from graphsieve.inspection import coverage_curve, explained_fraction
from graphsieve.report.summary import summarise


def table(seed):
    """Columns of different shapes that share four factors, in random units and with offsets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 9)) + 0.7 * rng.normal(size=(60, 9))
    X[:, 0], X[:, 1] = np.exp(X[:, 0]), X[:, 1] > 0
    X = (X + rng.normal(size=9)) * 10.0 ** rng.integers(-6, 7, 9)
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(9)])


def refitted(X, kept, j):
    """Leave-one-out R^2 of a ridge regression, row by row."""
    Z = ((X - X.mean()) / X.std(ddof=0)).to_numpy()
    K, z, penalty = Z[:, kept], Z[:, j], 0.1 * min(Z.shape)
    error = total = 0.0
    for i in range(len(Z)):
        rest = np.arange(len(Z)) != i
        A, y = K[rest] - K[rest].mean(axis=0), z[rest] - z[rest].mean()
        b = np.linalg.solve(A.T @ A + penalty * np.eye(len(kept)), A.T @ y)
        error += (z[i] - z[rest].mean() - (K[i] - K[rest].mean(axis=0)) @ b) ** 2
        total += (z[i] - z[rest].mean()) ** 2
    return max(0.0, 1 - error / total)


@pytest.mark.parametrize("seed", range(10))
def test_all_places_show_the_same_coverage(seed, tmp_path):
    X = table(seed)
    sel = GreedyCSS(3).fit(X)
    kept = np.flatnonzero(sel.support_)
    found = sel.coverage(X).groupby("feature")["r2"].first()
    wanted = pd.Series({f"c{j}": refitted(X, kept, j) for j in range(9) if j not in kept})
    np.testing.assert_allclose(found[wanted.index], wanted, atol=1e-6)
    np.testing.assert_allclose(sel.reconstructor(X).r2, wanted, atol=1e-6)
    for name, r2 in wanted.items():
        said = re.search(r"predicts? ([\d.]+)%", sel.explain(X, name))
        assert said is None or float(said[1]) == pytest.approx(100 * r2, abs=0.051)
    curve = coverage_curve(sel, X, [3])
    summary = summarise(sel, X)
    place = list(summary["grid"]).index(3)
    assert summary["curves"]["this"][place] == pytest.approx(
        float(explained_fraction(curve.coverage)[0]), abs=1e-6
    )
    np.testing.assert_allclose(curve.coverage[0, [int(n[1:]) for n in wanted.index]], wanted)
    X.to_csv(tmp_path / "X.csv", index=False)
    command = ["select", "X.csv", "-k", "3", "--method", "css", "--explain", "--scores", "s.csv"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0
    together = float(re.search(r"Together they explain ([\d.]+)% of the table", shown.stdout)[1])
    assert together == pytest.approx(100 * explained_fraction(curve.coverage)[0], abs=0.051)
    written = pd.read_csv(tmp_path / "s.csv", index_col="feature")["r2"].dropna()
    np.testing.assert_allclose(written[wanted.index], wanted, atol=1e-6)
