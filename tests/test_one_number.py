"""Coverage is one number: in Python, in words, on the page, in the plot and on the command line."""

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from graphsieve import GAFS, RSR, DropRedundant, GraphSieve, GreedyCSS, Selection
from graphsieve.cli.app import app
from graphsieve.inspection import StabilitySelection, coverage_curve, explained_fraction
from graphsieve.report import make_report
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


def run(X, tmp_path, command, *options):
    """What a command prints about a table."""
    X.to_csv(tmp_path / "X.csv", index=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        result = CliRunner().invoke(app, [command, "X.csv", *options])
    assert result.exit_code == 0, result.output
    return result.stdout


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
    shown = run(
        X, tmp_path, "select", "-k", "3", "--method", "css", "--explain", "--scores", "s.csv"
    )
    together = float(re.search(r"Together they explain ([\d.]+)% of the table", shown)[1])
    assert together == pytest.approx(100 * explained_fraction(curve.coverage)[0], abs=0.051)
    written = pd.read_csv(tmp_path / "s.csv", index_col="feature")["r2"].dropna()
    np.testing.assert_allclose(written[wanted.index], wanted, atol=1e-6)


def test_all_places_show_what_a_feature_adds_and_stands_for(tmp_path):
    X = table(1).assign(lonely=np.random.default_rng(1).normal(size=60))
    sel = GreedyCSS(2).fit(X)
    summary = summarise(sel, X)
    explained = explained_fraction(coverage_curve(sel, X, range(1, 11)).coverage)
    np.testing.assert_allclose(summary["adds"], np.diff(explained, prepend=0), atol=1e-6)
    closest = abs(np.corrcoef(X.T)[:, sel.order_[:2]])
    stands_for = np.where(sel.support_ | (closest.max(axis=1) < 0.5), -1, closest.argmax(axis=1))
    assert (stands_for[~sel.support_] == -1).any()  # the closest kept one is too far
    lines = run(X, tmp_path, "select", "-k", "2", "--method", "css").splitlines()
    for place, line in enumerate(lines[2:4]):
        rank, name, adds, rest = line.split(maxsplit=3)
        assert (int(rank), name) == (place + 1, X.columns[sel.order_[place]])
        assert adds == f"{summary['adds'][place]:.1%}"
        assert f"adds {adds} to what is explained" in sel.explain(X, name)
        count = np.count_nonzero(stands_for == place)
        assert rest.split(":")[0].strip() == (str(count) if count else "only itself")


@pytest.mark.parametrize("with_gaps", [False, True])
def test_all_places_show_what_was_promised(with_gaps, tmp_path):
    rng = np.random.default_rng(0)
    X = table(2)
    X["copy"] = X["c3"] * 5 - 2
    X["sum"] = X["c4"] / X["c4"].std() + X["c5"] / X["c5"].std() + 0.2 * rng.normal(size=60)
    if with_gaps:
        X = X.mask(rng.random(X.shape) < 0.1)
    sel = DropRedundant(0.8).fit(X)
    page = sel.report(X)
    np.testing.assert_allclose(page.summary["r2"], sel.r2_, rtol=1e-6)
    assert "with an R² of 0.8 or more on the rows used" in page.summary["promise"]
    assert ("gaps filled by means" in page.summary["promise"]) == with_gaps
    assert 'id="to-suggested"' not in page.html  # fewer features would break the promise
    lines = run(X, tmp_path, "drop", "--explained", "0.8", "--explain", "--scores", "s.csv")
    written = pd.read_csv(tmp_path / "s.csv", index_col="feature")
    dropped = X.columns[~sel.support_]
    assert len(dropped) >= 2
    for name in dropped:
        j = X.columns.get_loc(name)
        assert written["training_r2"][name] == pytest.approx(sel.r2_[j])
        assert written["r2"][name] == pytest.approx(sel.heldout_r2_[j])
        r2, heldout = f"{sel.r2_[j]:.2f}", f"{sel.heldout_r2_[j]:.2f}"
        assert re.search(rf"^{name} +{r2} +{heldout} ", lines, re.M)
        assert re.search(rf"^{name} +{heldout} +\S+ \(", lines, re.M)
        said = (
            f"{sel.r2_[j]:.1%} of its variance on the rows used ({sel.heldout_r2_[j]:.1%} on left"
        )
        assert said in sel.explain(X, name)


def test_a_promise_that_excluded_columns_break_is_not_repeated(tmp_path):
    X = table(3)
    lines = run(X, tmp_path, "drop", "--exclude", "c2", "--explained", "0.99")
    assert "0.99 or more, but for 1 column." in lines
    with pytest.warns(UserWarning, match="are excluded"):
        sel = DropRedundant(0.99, exclude=["c2"]).fit(X)
    assert "but 1, because of excluded features" in summarise(sel, X)["promise"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "sel",
    [
        GreedyCSS(3),
        GraphSieve("auto", random_state=0),
        GraphSieve(3, include=["c1", "c2"], exclude=["c3"], random_state=0),
        DropRedundant(0.7),
        GAFS(3, random_state=0),
        GAFS.paper(3, random_state=0),
        RSR(3, max_iter=2),
        StabilitySelection(GreedyCSS(3), n_resamples=5, random_state=0),
    ],
    ids=lambda sel: type(sel).__name__,
)
def test_a_saved_selection_has_the_same_page(sel, tmp_path):
    X = table(4)
    sel.fit(X).save(tmp_path / "kept.json")
    assert make_report(Selection.load(tmp_path / "kept.json"), X).html == sel.report(X).html
