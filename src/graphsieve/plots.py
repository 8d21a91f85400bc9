"""Figures of a selection: ``sel.plot``, and the figure of a comparison.

Figures are made without pyplot unless ``sel.plot`` has to open one. The colours are those of Okabe
and Ito, which can be distinguished with colour-blindness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ._linear.how_many import gain_curve
from ._linear.regression import coverage_curve
from ._utils.names import check_shape
from ._utils.text import printable
from .base import FeatureRanker
from .inspection.compare import CRITERIA, TITLES
from .inspection.coverage import explained_curves, make_grid, rows_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Display", "SelectionPlots", "comparison_figure"]

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
MUTED = "#8A8A8A"
# Up to this many features a linear axis shows every one.
_LINEAR = 30


@dataclass(frozen=True, eq=False)
class Display:
    """A plot.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure
    values : dict of str to array
        What is shown.
    """

    ax_: Axes
    figure_: Any
    values: dict[str, Any]


class SelectionPlots:
    """``sel.plot``: plots of a fitted selector.

    Every method draws into the matplotlib axes ``ax``, or into a new figure, and returns a
    ``Display``. ``X`` are the data that the selector was fitted on, of which at most 2,000 rows are
    used, and ``groups`` the batch of every sample if it was fitted with them.

    Parameters
    ----------
    sel : FeatureRanker
        Fitted selector.
    """

    def __init__(self, sel: FeatureRanker) -> None:
        check_is_fitted(sel)
        self._sel = sel
        self._name = type(sel).__name__

    def curve(self, X: Any, *, groups: ArrayLike | None = None, ax: Any = None) -> Display:
        """Plot the explained fraction, the mean coverage, against the number of features.

        The values are ``n_kept`` and, for each of these numbers, the explained fractions ``this``,
        ``by_variance``, ``random_low``, ``random_mid``, ``random_high``, and ``alone``, if the
        columns were unrelated.
        """
        sel, rng = self._sel, np.random.default_rng(0)
        table = rows_of(sel, X, groups).values
        k = make_grid(len(sel.order_), sel.n_features_)
        coverage = coverage_curve(table, sel.order_, k).coverage
        curves = explained_curves(table, sel.order_, k, coverage, rng)
        ax = _axes(ax)
        low, high = curves["random_low"], curves["random_high"]
        ax.fill_between(k, low, high, color=MUTED, alpha=0.25, lw=0)
        ax.plot(k, curves["random_mid"], color=MUTED, ls="--", label="random (mean and range)")
        ax.plot(k, curves["by_variance"], color=COLORS[1], ls=(0, (6, 2)), label="by variance")
        ax.plot(k, curves["alone"], color=COLORS[2], ls=":", label="unrelated columns")
        ax.plot(k, curves["this"], color=COLORS[0], lw=2.2, label=self._name)
        at = np.interp(sel.n_features_, k, curves["this"])
        ax.plot(sel.n_features_, at, "o", color=COLORS[0], label=f"{sel.n_features_} selected")
        if k[-1] > _LINEAR:
            ax.set_xscale("log")
            _label_log_axis(ax.xaxis, "{x:g}")
        ax.set(xlabel="number of features", ylabel="explained fraction", ylim=(0, 1.02))
        ax.legend(frameon=False, fontsize=9)
        finish_panel(ax)
        return Display(ax, ax.figure, {"n_kept": k, **curves})

    def gains(self, X: Any = None, *, groups: ArrayLike | None = None, ax: Any = None) -> Display:
        """Plot what every feature adds, and the most that one adds in shuffled columns.

        No X is needed if ``n_features_to_select="auto"``. The values are ``gains`` and ``chance``.
        """
        found = getattr(self._sel, "gain_curve_", None)
        if found is None:
            if X is None:
                raise ValueError('plot.gains(X) needs X unless n_features_to_select="auto"')
            # Beyond these, greedy methods estimate the order.
            exact = self._sel.order_[: getattr(self._sel, "n_exact_", None)]
            rows = rows_of(self._sel, X, groups).values
            predictability = getattr(self._sel, "predictability_", None)
            found = gain_curve(rows, exact, predictability=predictability)
        ax, k = _axes(ax), np.arange(1, len(found.gains) + 1)
        ax.fill_between(k, found.chance, color=MUTED, alpha=0.25, lw=0)
        ax.plot(k, found.chance, color=MUTED, ls="--", label="shuffled columns")
        ax.plot(k, found.gains, color=COLORS[0], lw=2.2, marker=".", label=self._name)
        suggested = found.suggested(*self._sel._allowed())
        number = f"{suggested}" if found.is_complete else f"{suggested} or more"
        ax.axvline(suggested + 0.5, color=COLORS[1], lw=1, label=f"{number} above chance")
        ax.set(xlabel="feature, best first", ylabel="fraction of the variance that it adds")
        ax.set_yscale("log")
        _label_log_axis(ax.yaxis, lambda value, _: f"{100 * value:.3g}%")
        ax.legend(frameon=False, fontsize=9)
        finish_panel(ax)
        return Display(ax, ax.figure, {"gains": found.gains, "chance": found.chance})

    def coverage(self, X: Any, *, groups: ArrayLike | None = None, ax: Any = None) -> Display:
        """Plot a histogram of how well the dropped features are predicted by the kept ones.

        The values are ``features``, their positions, best first, and ``coverage``, their
        leave-one-out R^2, NaN for constant features.
        """
        from matplotlib.ticker import MaxNLocator

        sel = self._sel
        dropped = sel.order_[sel.n_features_ :]
        table, k = rows_of(sel, X, groups).values, [sel.n_features_]
        coverage = coverage_curve(table, sel.order_, k, targets=dropped).coverage[0]
        ax = _axes(ax)
        known = coverage[np.isfinite(coverage)]
        ax.hist(known, bins=np.linspace(0, 1, 21), color=COLORS[0], edgecolor="white", lw=0.8)
        ax.set(xlabel="coverage", ylabel="dropped features", xlim=(0, 1), axisbelow=True)
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        finish_panel(ax)
        return Display(ax, ax.figure, {"features": dropped, "coverage": coverage})

    def mask(
        self, shape: tuple[int, int], *, image: ArrayLike | None = None, ax: Any = None
    ) -> Display:
        """Plot the kept features as pixels of an image of this ``shape``, height and width.

        ``image`` is drawn behind them, for instance the mean image. The value is ``mask``.
        """
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Rectangle

        support = self._sel.get_support()
        mask = support.reshape(check_shape(shape, len(support), "shape"))
        image = np.zeros(mask.shape) if image is None else np.asarray(image)
        ax = _axes(ax)
        # The darkest grey stays light, so that the kept pixels stand out.
        ax.imshow(image, cmap="Greys", vmin=image.min(), vmax=2.2 * image.max() - image.min())
        squares = [Rectangle((x - 0.42, y - 0.42), 0.84, 0.84) for y, x in np.argwhere(mask)]
        ax.add_collection(PatchCollection(squares, facecolor=COLORS[0], edgecolor="none"))
        ax.set(xticks=[], yticks=[])
        return Display(ax, ax.figure, {"mask": mask})


def _axes(ax):
    if ax is None:
        from matplotlib import pyplot as plt

        _, ax = plt.subplots(layout="constrained")
    return ax


def _label_log_axis(axis, form):
    from matplotlib.ticker import LogLocator

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(form)
    axis.set_minor_formatter("")


def comparison_figure(table: pd.DataFrame, best: str) -> Figure:
    """Draw the criteria of several candidates, one panel per criterion.

    Parameters
    ----------
    table : pandas.DataFrame
        The table of a ``graphsieve.inspection.Comparison``; its order is that of the rows.
    best : str
        Candidate that is highlighted.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure

    is_best = table["candidate"] == best
    size = 2.4 * len(CRITERIA) + 1, 1.4 + 0.3 * len(table)
    figure = Figure(figsize=size, layout="constrained")
    measures = [(table[name], TITLES[name], CRITERIA[name], is_best) for name in CRITERIA]
    draw_measures(figure, table["candidate"], measures)[0].set_ylabel("best first")
    return figure


def draw_measures(figure: Figure, names: Any, measures: Sequence[tuple]) -> np.ndarray:
    """One panel per measure: its values, title, whether higher is better, and which row to mark."""
    panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    rows = np.arange(len(names))
    for panel, (values, title, higher_is_better, marked) in zip(panels, measures, strict=True):
        for chosen, color, marker in ((~marked, MUTED, "o"), (marked, COLORS[0], "D")):
            panel.plot(values[chosen], rows[chosen], marker, color=color)
        panel.set_xlabel("higher is better" if higher_is_better else "lower is better")
        finish_panel(panel, title, grid="x")
    _label_rows(panels[0], names)
    return panels


def _label_rows(panel: Axes, names: Sequence[str]) -> None:
    panel.set_yticks(np.arange(len(names)), [printable(name) for name in names])
    for label in panel.get_yticklabels():
        label.set_parse_math(False)  # a name is not a formula, whatever it contains
    panel.set_ylim(len(names) - 0.5, -0.5)


def finish_panel(panel: Axes, title: str | None = None, *, grid: Any = "y") -> None:
    """Remove the frame at the top and on the right, draw a faint grid, set the title."""
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis=grid, color="#E5E5E5", linewidth=0.6)
    set_title(panel, title)


def set_title(panel: Axes, title: str | None) -> None:
    panel.set_title(title or "", fontsize=11, fontweight="bold", loc="left")
