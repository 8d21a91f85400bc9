"""Figures of a selection: ``sel.plot``, and figures from tables and arrays.

Figures are made without pyplot unless ``sel.plot`` has to open one: nothing is kept open or changed
globally. The colours are those of Okabe and Ito, which can be distinguished with colour-blindness;
lines differ in their markers as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._linear.how_many import GainCurve, gain_curve
from ._linear.regression import coverage_curve
from ._utils.names import check_shape
from ._utils.text import printable
from .inspection.compare import CRITERIA, TITLES
from .inspection.coverage import explained_curves, make_grid, representatives

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from .base import FeatureRanker

__all__ = [
    "BarsDisplay",
    "CoverageDisplay",
    "CurveDisplay",
    "GainsDisplay",
    "MaskDisplay",
    "SelectionPlots",
    "comparison_figure",
    "pixel_mask_figure",
]

# What all pictures of graphsieve share; not part of the public interface.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
MUTED = "#8A8A8A"
# Up to this many features a linear axis shows every one.
_LINEAR = 30


class SelectionPlots:
    """``sel.plot``: plots of a fitted selector.

    Every method draws into the matplotlib axes ``ax``, or into a new figure, and returns a display
    object with the attributes ``ax_`` and ``figure_`` and the values that are shown. ``X`` are the
    data that the selector was fitted on, of which at most 2,000 rows are used, and ``groups`` the
    batch of every sample if it was fitted with them.

    Parameters
    ----------
    sel : FeatureRanker
        Fitted selector.
    """

    def __init__(self, sel: FeatureRanker) -> None:
        check_is_fitted(sel)
        self._sel = sel
        self._labels = sel._names_of_all()

    def curve(
        self, X: Any, *, groups: ArrayLike | None = None, random_state: int = 0, ax: Any = None
    ) -> CurveDisplay:
        """Plot the explained fraction, the mean coverage, against the number of features.

        Parameters
        ----------
        X, groups, ax
            See the class.
        random_state : int, default=0
            Seed for the random rankings.

        Returns
        -------
        CurveDisplay
        """
        sel, rng = self._sel, np.random.default_rng(random_state)
        values = sel._sample(X, groups).values
        grid = make_grid(len(sel.order_), sel.n_features_)
        coverage = coverage_curve(values, sel.order_, grid).coverage
        curves = explained_curves(values, sel.order_, grid, coverage, rng)
        return CurveDisplay(grid, curves, sel.n_features_, type(sel).__name__).plot(ax)

    def gains(
        self, X: Any = None, *, groups: ArrayLike | None = None, ax: Any = None
    ) -> GainsDisplay:
        """Plot what every feature adds, and the most that one adds in shuffled columns.

        Parameters
        ----------
        X, groups, ax
            See the class. No X is needed if ``n_features_to_select="auto"``.

        Returns
        -------
        GainsDisplay
        """
        found = getattr(self._sel, "gain_curve_", None)
        if found is None:
            if X is None:
                raise ValueError(
                    'plot.gains() needs the data unless n_features_to_select="auto": use '
                    "plot.gains(X)"
                )
            values = self._sel._sample(X, groups).values
            # Beyond these, greedy methods estimate the order.
            n_exact = getattr(self._sel, "n_exact_", len(self._labels))
            trusted = getattr(self._sel, "trusted_", None)
            found = gain_curve(values, self._sel.order_[:n_exact], trusted=trusted)
        return GainsDisplay(found, type(self._sel).__name__).plot(ax)

    def scores(self, *, n_features: int = 20, ax: Any = None) -> BarsDisplay:
        """Plot the scores of the best features.

        Parameters
        ----------
        n_features : int, default=20
            Number of features shown.
        ax
            See the class.

        Returns
        -------
        BarsDisplay
        """
        best = self._sel.order_[:n_features]
        is_kept = np.arange(len(best)) < self._sel.n_features_
        labels = [self._labels[j] for j in best]
        return BarsDisplay(labels, self._sel.scores_[best], is_kept, "score").plot(ax)

    def coverage(
        self, X: Any, *, groups: ArrayLike | None = None, ax: Any = None
    ) -> CoverageDisplay:
        """Plot how well the dropped features are predicted by the kept ones.

        Parameters
        ----------
        X, groups, ax
            See the class.

        Returns
        -------
        CoverageDisplay
        """
        values = self._sel._sample(X, groups).values
        dropped = self._sel.order_[self._sel.n_features_ :]
        curve = coverage_curve(values, self._sel.order_, [self._sel.n_features_], targets=dropped)
        return CoverageDisplay(dropped, curve.coverage[0]).plot(ax)

    def mask(
        self, shape: tuple[int, int], *, image: ArrayLike | None = None, ax: Any = None
    ) -> MaskDisplay:
        """Plot the kept features as pixels of an image.

        Parameters
        ----------
        shape : tuple of int
            Height and width.
        image : array of shape (height, width), optional
            Drawn behind the pixels, for instance the mean image.
        ax
            See the class.

        Returns
        -------
        MaskDisplay
        """
        support = self._sel.get_support()
        shape = check_shape(shape, len(support), "shape")
        return MaskDisplay(support.reshape(shape), image).plot(ax)

    def groups(
        self, X: Any, *, n_groups: int = 12, threshold: float = 0.5, ax: Any = None
    ) -> BarsDisplay:
        """Plot how many dropped features each kept one represents.

        Parameters
        ----------
        X, ax
            See the class.
        n_groups : int, default=12
            Number of kept features shown, those that represent most first.
        threshold : float, default=0.5
            A dropped feature belongs to the kept one that it is most correlated with if the
            absolute correlation is at least this large.

        Returns
        -------
        BarsDisplay
        """
        order, k = self._sel.order_, self._sel.n_features_
        position, correlation = representatives(self._sel, X).at(k)
        is_member = ~self._sel.get_support() & (np.abs(correlation) >= threshold)
        sizes = np.bincount(position[is_member], minlength=k)
        largest = np.argsort(-sizes, kind="stable")[:n_groups]
        labels = [self._labels[j] for j in order[largest]]
        kept = np.ones(len(largest), dtype=bool)
        xlabel = f"dropped features with |correlation| of {threshold:g} or more"
        return BarsDisplay(labels, sizes[largest], kept, xlabel).plot(ax)


@dataclass(eq=False)
class _Display:
    """A plot whose axes are ``ax_`` and whose figure is ``figure_``."""

    ax_: Axes = field(init=False, repr=False)
    figure_: Any = field(init=False, repr=False)

    def plot(self, ax: Axes | None = None) -> Any:
        """Draw into the matplotlib axes ``ax``, or into a new figure; returns the display."""
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self

    def _draw(self, ax: Axes) -> None:
        raise NotImplementedError


@dataclass(eq=False)
class CurveDisplay(_Display):
    """Explained fraction against the number of features, compared with simple rankings.

    Parameters
    ----------
    n_kept : array of int
        Numbers of features.
    curves : dict of str to array
        Explained fraction for each of them: ``this``, ``by_variance``, ``random_low``,
        ``random_mid``, ``random_high`` and ``alone``, if the columns were unrelated.
    n_selected : int
        Number of selected features, which is marked.
    name : str
        Name of the method.
    """

    n_kept: np.ndarray
    curves: dict[str, np.ndarray]
    n_selected: int
    name: str

    def _draw(self, ax):
        from matplotlib.ticker import LogLocator

        k, curves = self.n_kept, self.curves
        ax.fill_between(
            k, curves["random_low"], curves["random_high"], color=MUTED, alpha=0.25, lw=0
        )
        ax.plot(k, curves["random_mid"], color=MUTED, ls="--", label="random (mean and range)")
        ax.plot(k, curves["by_variance"], color=COLORS[1], ls=(0, (6, 2)), label="by variance")
        ax.plot(k, curves["alone"], color=COLORS[2], ls=":", label="unrelated columns")
        ax.plot(k, curves["this"], color=COLORS[0], lw=2.2, label=self.name)
        at = np.interp(self.n_selected, k, curves["this"])
        ax.plot(self.n_selected, at, "o", color=COLORS[0], label=f"{self.n_selected} selected")
        if k[-1] > _LINEAR:
            ax.set_xscale("log")
            ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_formatter("")
        ax.set(xlabel="number of features", ylabel="explained fraction", ylim=(0, 1.02))
        ax.legend(frameon=False, fontsize=9)
        finish_panel(ax)


@dataclass(eq=False)
class GainsDisplay(_Display):
    """What every feature adds to those before it, compared with shuffled columns.

    Parameters
    ----------
    gain_curve : GainCurve
        Attribute ``gain_curve_`` of a selector.
    name : str
        Name of the method.
    """

    gain_curve: GainCurve
    name: str

    def _draw(self, ax):
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

        found = self.gain_curve
        k = np.arange(1, len(found.gains) + 1)
        ax.fill_between(k, found.chance, color=MUTED, alpha=0.25, lw=0)
        ax.plot(k, found.chance, color=MUTED, ls="--", label="shuffled columns")
        ax.plot(k, found.gains, color=COLORS[0], lw=2.2, marker=".", label=self.name)
        kept = found.suggested
        number = f"{kept}" if found.is_complete else f"{kept} or more"
        ax.axvline(kept + 0.5, color=COLORS[1], lw=1, label=f"{number} above chance")
        ax.set(xlabel="feature, best first", ylabel="fraction of the variance that it adds")
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.3g}%"))
        ax.yaxis.set_minor_formatter(NullFormatter())
        ax.legend(frameon=False, fontsize=9)
        finish_panel(ax)


@dataclass(eq=False)
class BarsDisplay(_Display):
    """One bar per feature, the first at the top.

    Parameters
    ----------
    labels : list of str
        Names of the features.
    values : array of shape (n_bars,)
    is_kept : array of bool of shape (n_bars,)
        Whether features are kept; the bars of the others are grey.
    xlabel : str
    """

    labels: list
    values: np.ndarray
    is_kept: np.ndarray
    xlabel: str

    def _draw(self, ax):
        colors = [COLORS[0] if kept else MUTED for kept in self.is_kept]
        ax.barh(np.arange(len(self.values)), self.values, color=colors, height=0.75)
        _label_rows(ax, self.labels)
        ax.set_xlabel(self.xlabel)
        if np.issubdtype(np.asarray(self.values).dtype, np.integer):
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.spines[["top", "right"]].set_visible(False)


@dataclass(eq=False)
class CoverageDisplay(_Display):
    """Histogram of the coverage of the dropped features.

    Parameters
    ----------
    dropped : array of int
        Dropped features, best first.
    coverage : array of shape (n_dropped,)
        Leave-one-out R^2 of their prediction from the kept ones; NaN for constant features.
    """

    dropped: np.ndarray
    coverage: np.ndarray

    def _draw(self, ax):
        from matplotlib.ticker import MaxNLocator

        known = self.coverage[np.isfinite(self.coverage)]
        ax.hist(known, bins=np.linspace(0, 1, 21), color=COLORS[0], edgecolor="white", lw=0.8)
        ax.set(xlabel="coverage", ylabel="dropped features", xlim=(0, 1), axisbelow=True)
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        finish_panel(ax)


@dataclass(eq=False)
class MaskDisplay(_Display):
    """Kept features as pixels of an image.

    Parameters
    ----------
    mask : array of bool of shape (height, width)
    image : array of shape (height, width), optional
        Drawn behind the pixels.
    """

    mask: np.ndarray
    image: ArrayLike | None = None

    def _draw(self, ax):
        image = np.zeros(self.mask.shape) if self.image is None else self.image
        _draw_mask(ax, np.reshape(image, self.mask.shape), self.mask)


def pixel_mask_figure(
    image: ArrayLike,
    masks: Mapping[str, ArrayLike],
    *,
    captions: Mapping[str, str] | None = None,
    n_columns: int = 4,
) -> Figure:
    """Draw selected pixels over a faint image, one panel per method.

    Parameters
    ----------
    image : array of shape (height, width)
        Background, for instance the mean image; drawn in grey.
    masks : dict of str to bool array of shape (height, width) or (height * width,)
        Selected pixels, by the name of the method.
    captions : dict of str to str, optional
        A line under the panels, by the name of the method.
    n_columns : int, default=4
        Panels in a row.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    from matplotlib.figure import Figure

    image = np.asarray(image)
    captions = captions or {}
    n_columns = min(n_columns, len(masks))
    n_rows = -(-len(masks) // n_columns)
    figure = Figure(figsize=(2.2 * n_columns, 2.6 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel, (name, mask) in zip(panels, masks.items(), strict=False):
        _draw_mask(panel, image, np.reshape(mask, image.shape))
        set_title(panel, name)
        panel.set_xlabel(captions.get(name, ""), fontsize=9, loc="left")
    for panel in panels[len(masks) :]:
        panel.remove()
    return figure


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
        The figure.
    """
    from matplotlib.figure import Figure

    places = np.arange(len(table))
    is_best = (table["candidate"] == best).to_numpy()
    height = 1.4 + 0.3 * len(table)
    figure = Figure(figsize=(2.4 * len(CRITERIA) + 1, height), layout="constrained")
    panels = figure.subplots(1, len(CRITERIA), sharey=True)
    for panel, (name, higher_is_better) in zip(panels, CRITERIA.items(), strict=True):
        for chosen, color, marker in ((~is_best, MUTED, "o"), (is_best, COLORS[0], "D")):
            panel.plot(table[name][chosen], places[chosen], marker, color=color)
        panel.set_xlabel("higher is better" if higher_is_better else "lower is better")
        finish_panel(panel, TITLES[name], grid="x")
    _label_rows(panels[0], table["candidate"])
    panels[0].set_ylabel("best first")
    return figure


def _label_rows(panel: Any, names: Sequence[str]) -> None:
    """Write the names of horizontal rows, the first at the top."""
    panel.set_yticks(np.arange(len(names)), [printable(name) for name in names])
    for label in panel.get_yticklabels():
        label.set_parse_math(False)  # a name is not a formula, whatever it contains
    panel.set_ylim(len(names) - 0.5, -0.5)


def _draw_mask(panel, image, mask):
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    # The darkest grey stays light, so that the selected pixels stand out.
    panel.imshow(image, cmap="Greys", vmin=image.min(), vmax=2.2 * image.max() - image.min())
    squares = [Rectangle((x - 0.42, y - 0.42), 0.84, 0.84) for y, x in np.argwhere(mask)]
    panel.add_collection(PatchCollection(squares, facecolor=COLORS[0], edgecolor="none"))
    panel.set_xticks([])
    panel.set_yticks([])


def new_panel(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of this size in inches, made without pyplot, and its only panel."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def finish_panel(panel: Axes, title: str | None = None, *, grid: Any = "y") -> None:
    """Remove the frame at the top and on the right, draw a faint grid, set the title."""
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis=grid, color="#E5E5E5", linewidth=0.6)
    set_title(panel, title)


def set_title(panel: Axes, title: str | None) -> None:
    """Set the title of a panel, if it has one."""
    panel.set_title(title or "", fontsize=11, fontweight="bold", loc="left")
