"""Figures of a selection: each function takes arrays and returns a matplotlib Figure.

Figures are made without pyplot: nothing is shown, kept open or changed globally. The colours are
those of Okabe and Ito, which can be distinguished with colour-blindness; lines differ in their
markers as well.
"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._utils.text import printable
from .inspection import (
    coverage_curve,
    draw_sample,
    explained_curves,
    make_grid,
    representatives,
)
from .inspection.decision import TITLES
from .inspection.halves import CRITERIA

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
MUTED = "#8A8A8A"
# Up to this many features a linear axis shows every one.
_LINEAR = 30


def pixel_mask_figure(image, masks, *, captions=None, n_columns=4):
    """Draw selected pixels over a faint image, one panel per method.

    Parameters
    ----------
    image : array of shape (height, width)
        Background, for instance the mean image; drawn in grey.
    masks : dict of str to bool array of shape (height, width) or (height * width,)
        Selected pixels, by the name of the method.
    captions : dict of str to str, optional
        A line under the panels, by the name of the method.
    n_columns : int, default 4
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
        panel.set_title(name, fontsize=11, fontweight="bold", loc="left")
        panel.set_xlabel(captions.get(name, ""), fontsize=9, loc="left")
    for panel in panels[len(masks) :]:
        panel.remove()
    return figure


def _draw_mask(panel, image, mask):
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    # The darkest grey stays light, so that the selected pixels stand out.
    panel.imshow(image, cmap="Greys", vmin=image.min(), vmax=2.2 * image.max() - image.min())
    squares = [Rectangle((x - 0.42, y - 0.42), 0.84, 0.84) for y, x in np.argwhere(mask)]
    panel.add_collection(PatchCollection(squares, facecolor=COLORS[0], edgecolor="none"))
    panel.set_xticks([])
    panel.set_yticks([])


def comparison_figure(table, best):
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
        panel.set_xlabel("more is better" if higher_is_better else "less is better")
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(axis="x", color="#E5E5E5", linewidth=0.6)
        panel.set_title(TITLES[name], fontsize=11, fontweight="bold", loc="left")
    panels[0].set_yticks(places, [printable(name) for name in table["candidate"]])
    for label in panels[0].get_yticklabels():
        label.set_parse_math(False)
    panels[0].set_ylim(len(table) - 0.5, -0.5)
    panels[0].set_ylabel("best first")
    return figure


def finish_panel(panel, title):
    """Remove the frame at the top and on the right, draw a faint grid, set the title."""
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis="y", color="#E5E5E5", linewidth=0.6)
    if title:
        panel.set_title(title, fontsize=11, fontweight="bold", loc="left")


class SelectionPlots:
    """``sel.plot``: plots of a fitted selector.

    Every method draws into the matplotlib axes ``ax``, or into a new figure, and returns a display
    object with the attributes ``ax_`` and ``figure_`` and the values that are shown.

    Parameters
    ----------
    sel : FeatureRanker
        Fitted selector.
    """

    def __init__(self, sel):
        check_is_fitted(sel)
        self._sel = sel
        names = getattr(sel, "feature_names_in_", None)
        self._names = names
        self._labels = [f"x{j}" for j in range(len(sel.order_))] if names is None else names

    def curve(self, X, *, weights="variance", random_state=0, ax=None):
        """Plot the explained fraction against the number of features.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on; at most 2,000 rows are used.
        weights : {"variance", "equal"}, default "variance"
            Whether columns count by their variance or all alike.
        random_state : int, default 0
            Seed for the rows that are drawn and for the random rankings.
        ax : matplotlib axes, optional

        Returns
        -------
        CurveDisplay
        """
        rng = np.random.default_rng(random_state)
        values = self._sample(X, rng)
        sel = self._sel
        grid = make_grid(len(sel.order_), sel.n_features_)
        coverage = coverage_curve(values, sel.order_, grid).coverage
        curves = explained_curves(values, sel.order_, grid, coverage, rng)[weights]
        return CurveDisplay(grid, curves, sel.n_features_, type(sel).__name__).plot(ax)

    def gains(self, *, ax=None):
        """Plot what every feature adds, and what chance would, for a selection with "auto".

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        GainsDisplay
        """
        found = getattr(self._sel, "gain_curve_", None)
        if found is None:
            raise ValueError(
                'the gains are compared with chance only if n_features_to_select="auto": fit with '
                "it, or use plot.curve(X)"
            )
        return GainsDisplay(found, type(self._sel).__name__).plot(ax)

    def scores(self, *, n_features=20, ax=None):
        """Plot the scores of the best features.

        Parameters
        ----------
        n_features : int, default 20
            Number of features shown.
        ax : matplotlib axes, optional

        Returns
        -------
        BarsDisplay
        """
        best = self._sel.order_[:n_features]
        is_kept = np.arange(len(best)) < self._sel.n_features_
        labels = [self._labels[j] for j in best]
        return BarsDisplay(labels, self._sel.scores_[best], is_kept, "score").plot(ax)

    def coverage(self, X, *, random_state=0, ax=None):
        """Plot how well the dropped features are predicted by the kept ones.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on; at most 2,000 rows are used.
        random_state : int, default 0
            Seed for the rows that are drawn.
        ax : matplotlib axes, optional

        Returns
        -------
        CoverageDisplay
        """
        values = self._sample(X, np.random.default_rng(random_state))
        dropped = self._sel.order_[self._sel.n_features_ :]
        curve = coverage_curve(values, self._sel.order_, [self._sel.n_features_], targets=dropped)
        return CoverageDisplay(dropped, curve.coverage[0]).plot(ax)

    def mask(self, shape, *, image=None, ax=None):
        """Plot the kept features as pixels of an image.

        Parameters
        ----------
        shape : tuple of int
            Height and width.
        image : array of shape (height, width), optional
            Drawn behind the pixels, for instance the mean image.
        ax : matplotlib axes, optional

        Returns
        -------
        MaskDisplay
        """
        return MaskDisplay(self._sel.get_support().reshape(shape), image).plot(ax)

    def groups(self, X, *, n_groups=12, threshold=0.5, random_state=0, ax=None):
        """Plot how many dropped features each kept one stands for.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on; at most 2,000 rows are used.
        n_groups : int, default 12
            Number of kept features shown, those that stand for most first.
        threshold : float, default 0.5
            A dropped feature belongs to the kept one that it is most correlated with if the
            absolute correlation is at least this large.
        random_state : int, default 0
            Seed for the rows that are drawn.
        ax : matplotlib axes, optional

        Returns
        -------
        BarsDisplay
        """
        values = self._sample(X, np.random.default_rng(random_state))
        order, k = self._sel.order_, self._sel.n_features_
        position, correlation = representatives(values, order, k).at(k)
        is_member = ~self._sel.get_support() & (np.abs(correlation) >= threshold)
        sizes = np.bincount(position[is_member], minlength=k)
        largest = np.argsort(-sizes, kind="stable")[:n_groups]
        labels = [self._labels[j] for j in order[largest]]
        kept = np.ones(len(largest), dtype=bool)
        xlabel = f"dropped features with |correlation| of {threshold:g} or more"
        return BarsDisplay(labels, sizes[largest], kept, xlabel).plot(ax)

    def _sample(self, X, rng):
        return draw_sample(X, len(self._labels), self._names, rng).values


class _Display:
    """A plot whose axes are ``ax_`` and whose figure is ``figure_``."""

    def plot(self, ax=None):
        """Draw into ``ax``, or into a new figure.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        self
        """
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self


class CurveDisplay(_Display):
    """Explained fraction against the number of features, compared with simple rankings.

    Parameters
    ----------
    n_kept : array of int
        Numbers of features.
    curves : dict
        As ``graphsieve.inspection.explained_curves`` returns it for one kind of weights.
    n_selected : int
        Number of selected features, which is marked.
    name : str
        Name of the method.
    """

    def __init__(self, n_kept, curves, n_selected, name):
        self.n_kept, self.curves, self.n_selected, self.name = n_kept, curves, n_selected, name

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
        finish_panel(ax, None)


class GainsDisplay(_Display):
    """What every feature adds to those before it, compared with shuffled columns.

    Parameters
    ----------
    gain_curve : object
        Attribute ``gain_curve_`` of a selector.
    name : str
        Name of the method.
    """

    def __init__(self, gain_curve, name):
        self.gain_curve, self.name = gain_curve, name

    def _draw(self, ax):
        found = self.gain_curve
        k = np.arange(1, len(found.gains) + 1)
        ax.fill_between(k, found.chance, color=MUTED, alpha=0.25, lw=0)
        ax.plot(k, found.chance, color=MUTED, ls="--", label="shuffled columns")
        ax.plot(k, found.gains, color=COLORS[0], lw=2.2, marker=".", label=self.name)
        kept = max(1, found.n_features)
        ax.axvline(kept + 0.5, color=COLORS[1], lw=1, label=f"{kept} kept")
        ax.set(xlabel="feature, best first", ylabel="fraction of the variance that it adds")
        ax.set_yscale("log")
        ax.legend(frameon=False, fontsize=9)
        finish_panel(ax, None)


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

    def __init__(self, labels, values, is_kept, xlabel):
        self.labels = [printable(label) for label in labels]
        self.values, self.is_kept, self.xlabel = values, is_kept, xlabel

    def _draw(self, ax):
        rows = np.arange(len(self.values))
        colors = [COLORS[0] if kept else MUTED for kept in self.is_kept]
        ax.barh(rows, self.values, color=colors, height=0.75)
        ax.set_yticks(rows, self.labels)
        for label in ax.get_yticklabels():
            label.set_parse_math(False)  # a name is not a formula, whatever it contains
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.set_xlabel(self.xlabel)
        if np.issubdtype(np.asarray(self.values).dtype, np.integer):
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.spines[["top", "right"]].set_visible(False)


class CoverageDisplay(_Display):
    """Histogram of the coverage of the dropped features.

    Parameters
    ----------
    dropped : array of int
        Dropped features, best first.
    coverage : array of shape (n_dropped,)
        Leave-one-out R^2 of their prediction from the kept ones; NaN for constant features.
    """

    def __init__(self, dropped, coverage):
        self.dropped, self.coverage = dropped, coverage

    def _draw(self, ax):
        known = self.coverage[np.isfinite(self.coverage)]
        ax.hist(known, bins=np.linspace(0, 1, 21), color=COLORS[0], edgecolor="white", lw=0.8)
        ax.set(xlabel="coverage", ylabel="dropped features", xlim=(0, 1), axisbelow=True)
        finish_panel(ax, None)


class MaskDisplay(_Display):
    """Kept features as pixels of an image.

    Parameters
    ----------
    mask : array of bool of shape (height, width)
    image : array of shape (height, width), optional
        Drawn behind the pixels.
    """

    def __init__(self, mask, image=None):
        self.mask = mask
        self.image = np.zeros(mask.shape) if image is None else np.reshape(image, mask.shape)

    def _draw(self, ax):
        _draw_mask(ax, self.image, self.mask)
