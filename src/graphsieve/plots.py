"""Figures: each function takes a table or arrays and returns a matplotlib Figure.

Figures are made without pyplot: nothing is shown, kept open or changed globally. The colours are
those of Okabe and Ito, which people with colour-blindness can tell apart; lines differ in their
markers as well.
"""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._utils.text import printable
from .evaluation import ALL_FEATURES
from .inspection import (
    coverage_curve,
    draw_sample,
    explained_curves,
    make_grid,
    representatives,
)

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
# What every comparison shows, behind the rest.
BASELINES = ("random", "variance", "RandomRanker", "Variance")
MUTED = "#8A8A8A"
# Inches of a figure that stands among others like it.
PANEL = (4.0, 3.0)
_FEW = 6
# Up to this many features a linear axis shows every one.
_LINEAR = 30
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
LABELS = {
    "accuracy": "classification accuracy",
    "acc": "clustering accuracy (ACC)",
    "nmi": "normalised mutual information (NMI)",
    "reconstruction": "reconstruction error",
    "redundancy": "mean absolute correlation",
    "stability": "stability",
}


def pixel_mask_figure(image, masks, *, captions=None, n_columns=4):
    """Chosen pixels over a faint picture, one small panel per method.

    Parameters
    ----------
    image : array of shape (height, width)
        What the pixels come from, for instance a mean image; drawn in grey.
    masks : dict of str to bool array of shape (height, width) or (height * width,)
        Chosen pixels under the name of the method.
    captions : dict of str to str, optional
        A second line under the names.
    n_columns : int, default 4
        Panels in a row.

    Returns
    -------
    matplotlib.figure.Figure
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

    # The darkest grey stays light, so that the chosen pixels stand out.
    panel.imshow(image, cmap="Greys", vmin=image.min(), vmax=2.2 * image.max() - image.min())
    squares = [Rectangle((x - 0.42, y - 0.42), 0.84, 0.84) for y, x in np.argwhere(mask)]
    panel.add_collection(PatchCollection(squares, facecolor=COLORS[0], edgecolor="none"))
    panel.set_xticks([])
    panel.set_yticks([])


def share_curves_figure(table, metric, *, title=None, legend=True, size=(6.4, 4.2)):
    """A metric against the share of features kept, one curve per method.

    The baselines random and variance are drawn muted behind the others, all features as a
    horizontal line. A band shows one standard deviation over the splits or, for a single split,
    over the repetitions in the column ``<metric>_std`` where there is one.

    Parameters
    ----------
    table : pandas.DataFrame
        As ``graphsieve.evaluation.evaluate`` returns it, of one or several methods.
    metric : str
        A column of the table.
    title : str, optional
    legend : bool, default True
        Without one, see ``legend_figure``.
    size : pair of float, default (6.4, 4.2)
        Width and height in inches.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    figure = Figure(figsize=size, layout="constrained")
    panel = figure.subplots()
    curves = table[table["method"] != ALL_FEATURES]
    for method, style in line_styles(curves["method"].unique()).items():
        _draw_curve(panel, curves[curves["method"] == method], metric, method, style)
    reference = table.loc[table["method"] == ALL_FEATURES, metric].mean()
    if np.isfinite(reference):
        panel.axhline(reference, color="black", linewidth=0.8, label=ALL_FEATURES, zorder=0)
    panel.set_xscale("log")
    low, high = curves["share"].min(), curves["share"].max()
    panel.set_xticks([share for share in _TICKS if low <= share <= high], minor=False)
    panel.set_xticks([], minor=True)
    panel.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    panel.set_xlabel("share of features kept")
    panel.set_ylabel(LABELS.get(metric, metric))
    _finish(panel, title)
    if legend:
        figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    return figure


def line_styles(names):
    """Colour and marker of every name; the baselines are muted and behind the others."""
    styles = {}
    for rank, name in enumerate(n for n in names if n not in BASELINES):
        styles[name] = {
            "color": COLORS[rank % len(COLORS)],
            # A second round of colours comes with other markers.
            "marker": MARKERS[(rank + rank // len(COLORS)) % len(MARKERS)],
            "zorder": 2,
        }
    for rank, name in enumerate(n for n in names if n in BASELINES):
        styles[name] = {"color": MUTED, "linestyle": ("--", ":")[rank % 2], "zorder": 1}
    return styles


def _draw_curve(panel, rows, metric, name, style):
    by_share = rows.groupby("share")[metric]
    mean, spread = by_share.mean(), by_share.std()
    if spread.isna().all() and f"{metric}_std" in rows:
        spread = rows.groupby("share")[f"{metric}_std"].mean()
    panel.plot(mean.index, mean, label=name, markersize=5, linewidth=1.6, **style)
    panel.fill_between(
        mean.index, mean - spread, mean + spread, color=style["color"], alpha=0.15, linewidth=0
    )


def legend_figure(names, *, all_features=False, n_columns=3):
    """The legend alone, for several figures with the same curves.

    Parameters
    ----------
    names : sequence of str
        In the order in which the figures have them.
    all_features : bool, default False
        Add the line of all features.
    n_columns : int, default 3

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    styles = line_styles(names)
    handles = [Line2D([], [], label=n, markersize=5, linewidth=1.6, **styles[n]) for n in styles]
    if all_features:
        handles.append(Line2D([], [], color="black", linewidth=0.8, label=ALL_FEATURES))
    figure = Figure(figsize=(4.2, 0.1 + 0.22 * -(-len(handles) // n_columns)))
    figure.legend(handles=handles, loc="center", ncols=n_columns, frameon=False, fontsize=9)
    return figure


def lines_figure(
    table, x, y, group, *, title=None, xlabel=None, ylabel=None, log="", markers=True, legend=True
):
    """``y`` against ``x``, one line per value of ``group``, the mean where there are several.

    Parameters
    ----------
    table : pandas.DataFrame
    x, y, group : str
        Columns of the table.
    title, xlabel, ylabel : str, optional
        The labels are the names of the columns by default.
    log : {"", "x", "y", "xy"}, default ""
        Axes with a logarithmic scale.
    markers : bool, default True
        Mark the values on the lines.
    legend : bool, default True

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=PANEL, layout="constrained")
    panel = figure.subplots()
    for number, (name, style) in enumerate(line_styles(table[group].unique()).items()):
        line = table[table[group] == name].groupby(x)[y].mean()
        if not markers:
            # Lines that coincide stay visible through their dashes.
            style |= {"marker": "", "linestyle": ("-", "--", "-.", ":")[number % 4]}
        elif "marker" not in style:
            # A baseline may be a single point.
            style |= {"marker": ("x", "+")[number % 2]}
        panel.plot(line.index, line, label=name, markersize=5, linewidth=1.6, **style)
    if "x" in log:
        panel.set_xscale("log")
        values = np.sort(table[x].unique())
        if len(values) <= _FEW:
            # Between a few values the marks of a logarithmic scale would run into each other.
            form = "{:.0%}" if x == "share" else "{:g}"
            panel.set_xticks(values, [form.format(value) for value in values])
            panel.set_xticks([], minor=True)
    if "y" in log:
        panel.set_yscale("log")
    panel.set_xlabel(xlabel or x)
    panel.set_ylabel(ylabel or LABELS.get(y, y))
    _finish(panel, title)
    if legend:
        # Long names would not fit side by side.
        n_columns = 3 if max((len(str(name)) for name in table[group]), default=0) < 16 else 2
        figure.legend(loc="outside lower center", ncols=n_columns, frameon=False, fontsize=8)
    return figure


def heatmap_figure(matrix, *, title=None, xlabel="", ylabel="", decimals=2):
    """Values of a matrix as colours and numbers.

    Parameters
    ----------
    matrix : pandas.DataFrame
        Its index and columns name the rows and columns.
    title, xlabel, ylabel : str, optional
    decimals : int, default 2

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=PANEL, layout="constrained")
    panel = figure.subplots()
    values = matrix.to_numpy(dtype=float)
    # Cividis looks the same to people with and without colour-blindness.
    image = panel.imshow(values, cmap="cividis", aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            dark = image.norm(value) < 0.5
            text = f"{value:.{decimals}f}"
            color = "white" if dark else "black"
            panel.text(column, row, text, ha="center", va="center", fontsize=8, color=color)
    panel.set_xticks(range(len(matrix.columns)), [f"{name:g}" for name in matrix.columns])
    panel.set_yticks(range(len(matrix.index)), [f"{name:g}" for name in matrix.index])
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    if title:
        panel.set_title(title, fontsize=11, fontweight="bold", loc="left")
    return figure


def critical_difference_figure(ranks, difference, *, title=None):
    """Mean ranks on a line; a bar joins methods that the data cannot tell apart.

    Parameters
    ----------
    ranks : dict of str to float
        Mean rank of every method, 1 is best.
    difference : float
        Ranks that differ by less are not significantly different.
    title : str, optional

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure

    ordered = sorted(ranks.items(), key=lambda item: item[1])
    values = np.array([rank for _, rank in ordered])
    groups = _indistinct(values, difference)
    half = -(-len(ordered) // 2)
    figure = Figure(figsize=(5.6, 0.8 + 0.2 * len(groups) + 0.22 * half), layout="constrained")
    panel = figure.subplots()
    n = len(ordered)
    # The names stand beside the scale, so that no line crosses them.
    margin = 0.4 * n
    panel.set_xlim(1 - margin, n + margin)
    bottom = -(len(groups) * 0.5 + half * 0.6 + 0.6)
    panel.set_ylim(bottom, 1.6)
    panel.plot([1, n], [0, 0], color="black", linewidth=1)
    for tick in range(1, n + 1):
        panel.plot([tick, tick], [0, 0.15], color="black", linewidth=1)
        panel.text(tick, 0.25, str(tick), ha="center", va="bottom", fontsize=10)
    panel.plot([1, min(1 + difference, n)], [1.1, 1.1], color=COLORS[1], linewidth=2)
    panel.text(1, 1.2, f"critical difference {difference:.1f}", fontsize=10, color=COLORS[1])
    for level, (first, last) in enumerate(groups):
        ends = [values[first] - 0.05, values[last] + 0.05]
        panel.plot(ends, [-0.3 - 0.4 * level] * 2, color=COLORS[0], linewidth=3)
    for place, (name, rank) in enumerate(ordered):
        left = place < half
        row = place if left else n - 1 - place
        height = -(len(groups) * 0.4 + 0.6 + 0.6 * row)
        edge = 1 - margin if left else n + margin
        panel.plot([rank, rank, edge], [0, height, height], color=MUTED, linewidth=0.8, zorder=0)
        label = f"{name} {rank:.1f}"
        panel.text(
            edge, height + 0.05, label, ha="left" if left else "right", va="bottom", fontsize=10
        )
    panel.axis("off")
    if title:
        panel.set_title(title, fontsize=11, fontweight="bold", loc="left")
    return figure


def _indistinct(values, difference):
    """Longest runs (first, last) of sorted values that differ by less than ``difference``."""
    runs = []
    for first in range(len(values)):
        last = int(np.searchsorted(values, values[first] + difference, side="left")) - 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def kept_pixels_figure(images, order, shares, *, title=None):
    """Images with only the chosen pixels, one row per image and one column per share.

    Parameters
    ----------
    images : array of shape (n_images, height, width)
    order : array of int of shape (height * width,)
        Pixels, best first.
    shares : sequence of float
    title : str, optional

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure

    n_images, height, width = images.shape
    size = (0.75 * len(shares), 0.8 * n_images + 0.4)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(n_images, len(shares), squeeze=False)
    for column, share in enumerate(shares):
        hidden = np.ones(height * width, dtype=bool)
        hidden[order[: max(1, round(share * len(order)))]] = False
        for panel, image in zip(panels[:, column], images, strict=True):
            shown = np.ma.array(image, mask=hidden.reshape(height, width))
            panel.imshow(shown, cmap="gray", vmin=images.min(), vmax=images.max())
            panel.set_xticks([])
            panel.set_yticks([])
            panel.spines[:].set_color("#CCCCCC")
        panels[0, column].set_title(f"{share:.0%}", fontsize=9)
    if title:
        figure.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")
    return figure


def _finish(panel, title):
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
        _finish(ax, None)


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
        _finish(ax, None)


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
