"""Figures show what the arrays say."""

import subprocess
import sys
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from graphsieve import GreedyCSS
from graphsieve.inspection import coverage_curve
from graphsieve.plots import comparison_figure


@pytest.mark.slow
def test_pyplot_is_not_loaded():
    code = (
        "import sys; from matplotlib.figure import Figure; from graphsieve import Variance; "
        "sel = Variance(1).fit([[0, 1, 3], [1, 2, 0]]); "
        "sel.plot.mask((1, 3), ax=Figure().subplots()); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


ODD = ["<img src=x onerror=alert(1)>", "$\\frac{$", "[bold]", "\x1b[31mred", "nul\x00", "plain"]


@pytest.fixture
def sel(rng):
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 6)) + 0.3 * rng.normal(size=(60, 6))
    frame = pd.DataFrame(X, columns=ODD)
    return GreedyCSS(2).fit(frame), frame


@pytest.fixture
def ax():
    return Figure().subplots()


def test_plots_draw_into_given_axes_and_return_them(sel, ax):
    sel, X = sel
    for display in (
        sel.plot.curve(X, ax=ax),
        sel.plot.coverage(X, ax=ax),
        sel.plot.mask((2, 3), ax=ax),
    ):
        assert display.ax_ is ax
        assert display.figure_ is ax.figure


def test_curve_shows_the_explained_fraction(sel, ax):
    sel, X = sel
    display = sel.plot.curve(X, ax=ax)
    expected = coverage_curve(sel, X, range(1, 7)).coverage.mean(axis=1)
    line = next(line for line in ax.lines if line.get_label() == "GreedyCSS")
    np.testing.assert_allclose(line.get_ydata(), expected)
    np.testing.assert_allclose(display.values["this"], line.get_ydata())
    assert ax.get_xlabel()
    assert ax.get_ylabel()


def test_gains_show_what_chance_adds(ax, rng):
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 12)) + 0.3 * rng.normal(size=(80, 12))
    sel = GreedyCSS("auto").fit(X)
    shown = sel.plot.gains(ax=ax).ax_.get_lines()
    np.testing.assert_array_equal(shown[0].get_ydata(), sel.gain_curve_.chance)
    np.testing.assert_array_equal(shown[1].get_ydata(), sel.gain_curve_.gains)
    assert shown[2].get_label() == f"{sel.n_features_} above chance"
    fixed = GreedyCSS(12).fit(X).plot
    np.testing.assert_allclose(fixed.gains(X, ax=ax).values["gains"], sel.gain_curve_.gains)
    with pytest.raises(ValueError, match=r"plot\.gains\(X\)"):
        fixed.gains(ax=ax)


def test_coverage_has_one_value_per_dropped_feature(sel, ax):
    sel, X = sel
    display = sel.plot.coverage(X, ax=ax)
    assert set(display.values["features"]) == set(np.flatnonzero(~sel.get_support()))
    assert sum(bar.get_height() for bar in ax.patches) == 4


def test_mask_marks_the_kept_pixels(sel, ax):
    sel, _ = sel
    display = sel.plot.mask((2, 3), ax=ax)
    np.testing.assert_array_equal(display.values["mask"].ravel(), sel.get_support())
    centres = [path.vertices[:4].mean(axis=0) for path in ax.collections[0].get_paths()]
    # x is the column and y the row.
    rows, columns = np.nonzero(display.values["mask"])
    np.testing.assert_allclose(centres, np.column_stack([columns, rows]))


def test_plot_needs_a_fitted_selector():
    with pytest.raises(NotFittedError):
        GreedyCSS().plot  # noqa: B018


def test_accessors_are_no_parameters_and_survive_cloning(sel):
    sel, X = sel
    assert "plot" not in sel.get_params()
    assert clone(sel).fit(X).plot.curve(X, ax=Figure().subplots()).ax_ is not None
    assert "curve" in type(sel).plot.__doc__


def test_comparison_highlights_the_choice():
    table = pd.DataFrame(
        {
            "candidate": ["css", "$x$"],
            "structure": [0.5, 0.4],
            "neighborhood": [0.5, 0.4],
            "reconstruction": [0.1, 0.2],
            "stability": [0.9, 0.8],
            "redundancy": [0.3, 0.6],
        }
    )
    figure = comparison_figure(table, "$x$")
    figure.savefig(BytesIO())
    assert [panel.get_xlabel() for panel in figure.axes] == [
        *("higher is better", "higher is better", "lower is better"),
        *("higher is better", "lower is better"),
    ]
    others, best = figure.axes[2].lines
    assert (others.get_xdata().tolist(), others.get_ydata().tolist()) == ([0.1], [0])
    assert (best.get_xdata().tolist(), best.get_ydata().tolist()) == ([0.2], [1])
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["css", "$x$"]


def test_units_do_not_decide_the_curve(rng):
    X = rng.normal(size=(60, 5))
    X[:, 3] += X[:, 1]
    scaled = X * [1e6, 1, 1e-3, 1, 1] + 7
    plain, other = (GreedyCSS(2).fit(Z).plot.curve(Z).values["this"] for Z in (X, scaled))
    np.testing.assert_allclose(plain, other, rtol=1e-6)
