"""Figures of the experiments: curves, heat maps, ranks, gains and pixels, as matplotlib Figures."""

import numpy as np
from matplotlib.figure import Figure

from graphsieve.plots import COLORS, MARKERS, MUTED, finish_panel, set_title

from .protocol import ALL_FEATURES

# What every comparison shows, behind the rest.
BASELINES = ("random", "variance", "RandomRanker", "Variance")
# Width and height, in inches, of a figure among others like it.
PANEL = (4.0, 3.0)
LABELS = {
    "accuracy": "classification accuracy",
    "neighbor_accuracy": "1-NN accuracy",
    "forest": "random forest accuracy",
    "acc": "clustering accuracy (ACC)",
    "nmi": "normalised mutual information (NMI)",
    "reconstruction": "reconstruction error",
    "neighborhood": "neighbours preserved",
    "redundancy": "mean absolute correlation",
    "stability": "stability",
}
_FEW = 6
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def _new_panel(width, height):
    """A figure of this size in inches, made without pyplot, and its only panel."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def share_curves_figure(table, metric, *, title=None):
    """Plot a metric against the fraction of features selected, one curve per method.

    The baselines random and variance are grey and behind the others; all features are a
    horizontal line. A band shows one standard deviation over the splits or, for a single split,
    over the repetitions in the column ``<metric>_std``, if there is one. The table is like that of
    `graphsieve.evaluation.evaluate`, of one or several methods; see `legend_figure` for the legend.
    """
    figure, panel = _new_panel(*PANEL)
    curves = table[table["method"] != ALL_FEATURES]
    for method, style in line_styles(curves["method"].unique()).items():
        _draw_curve(panel, curves[curves["method"] == method], metric, method, style)
    reference = table.loc[table["method"] == ALL_FEATURES, metric].mean()
    if np.isfinite(reference):
        panel.axhline(reference, color="black", linewidth=0.8, label=ALL_FEATURES, zorder=0)
    panel.set_xscale("log")
    low, high = curves["share"].min(), curves["share"].max()
    _set_ticks(panel, [share for share in _TICKS if low <= share <= high], "{:.0%}")
    panel.set_xlabel("fraction of features selected")
    panel.set_ylabel(LABELS.get(metric, metric))
    finish_panel(panel, title)
    return figure


def _set_ticks(panel, values, form):
    panel.set_xticks(values, [form.format(value) for value in values])
    panel.set_xticks([], minor=True)


def line_styles(names):
    """Colour and marker of every name; the baselines are grey and behind the others."""
    styles = {}
    for rank, name in enumerate(n for n in names if n not in BASELINES):
        styles[name] = {
            "color": COLORS[rank % len(COLORS)],
            # A second round of colours comes with other markers and dashes.
            "marker": MARKERS[(rank + rank // len(COLORS)) % len(MARKERS)],
            "linestyle": "--" if rank // len(COLORS) % 2 else "-",
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
        mean.index, mean - spread, mean + spread, color=style["color"], alpha=0.08, linewidth=0
    )


def legend_figure(names, *, all_features=False):
    """Draw a legend alone, for several figures with the same curves."""
    from matplotlib.lines import Line2D

    styles = line_styles(names)
    handles = [Line2D([], [], label=n, markersize=5, linewidth=1.6, **styles[n]) for n in styles]
    if all_features:
        handles.append(Line2D([], [], color="black", linewidth=0.8, label=ALL_FEATURES))
    figure = Figure(figsize=(4.2, 0.1 + 0.22 * -(-len(handles) // 3)))
    figure.legend(handles=handles, loc="center", ncols=3, frameon=False, fontsize=9)
    return figure


def lines_figure(table, x, y, group, *, title=None, xlabel=None, ylabel=None, log="", markers=True):
    """Plot the mean of the column ``y`` against ``x``, one line per value of ``group``.

    The labels of the axes are the names of the columns by default. ``log`` names the axes with a
    logarithmic scale: "x", "y" or "xy".
    """
    figure, panel = _new_panel(*PANEL)
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
        # The ticks of a logarithmic scale would overlap.
        if x == "share":
            _set_ticks(panel, [t for t in _TICKS if values[0] <= t <= values[-1]], "{:.0%}")
        elif len(values) <= _FEW:
            _set_ticks(panel, values, "{:g}")
    if "y" in log:
        panel.set_yscale("log")
    panel.set_xlabel(xlabel or x)
    panel.set_ylabel(ylabel or LABELS.get(y, y))
    finish_panel(panel, title)
    # Long names do not fit next to each other.
    n_columns = 3 if max((len(str(name)) for name in table[group]), default=0) < 16 else 2
    figure.legend(loc="outside lower center", ncols=n_columns, frameon=False, fontsize=8)
    return figure


def heatmap_figure(matrix, *, title=None, xlabel="", ylabel=""):
    """Plot a matrix as colours and numbers; its index and columns, numbers, become the ticks."""
    figure, panel = _new_panel(*PANEL)
    values = matrix.to_numpy(dtype=float)
    # Cividis looks the same with and without colour-blindness.
    image = panel.imshow(values, cmap="cividis", aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            dark = image.norm(value) < 0.5
            style = {"fontsize": 8, "color": "white" if dark else "black"}
            panel.text(column, row, f"{value:.3f}", ha="center", va="center", **style)
    panel.set_xticks(range(len(matrix.columns)), [f"{name:g}" for name in matrix.columns])
    panel.set_yticks(range(len(matrix.index)), [f"{name:g}" for name in matrix.index])
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    set_title(panel, title)
    return figure


def critical_difference_figure(ranks, difference, *, title=None):
    """Plot mean ranks (method to rank, 1 is best) on a line.

    A bar joins methods whose ranks differ by less than ``difference``, the critical one.
    """
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    values = np.array([rank for _, rank in ordered])
    groups = _indistinct(values, difference)
    half = -(-len(ordered) // 2)
    figure, panel = _new_panel(5.6, 0.8 + 0.2 * len(groups) + 0.22 * half)
    n = len(ordered)
    # The names stand left and right of the scale, so that no line crosses them.
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
    set_title(panel, title)
    return figure


def _indistinct(values, difference):
    """Longest runs (first, last) of sorted values that differ by less than `difference`."""
    runs = []
    for first in range(len(values)):
        last = int(np.searchsorted(values, values[first] + difference, side="left")) - 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def kept_pixels_figure(images, order, shares, *, title=None):
    """Show only the selected pixels of images, one row per image, one column per fraction.

    ``images`` has the shape (n_images, height, width), ``order`` has the pixels, best first.
    """
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


def gains_figure(table, *, reference, title=None):
    """Plot mean gains over a reference method, with their intervals, from what `gains` returns."""
    figure, panel = _new_panel(5.6, 0.9 + 0.22 * len(table))
    rows = np.arange(len(table))[::-1]
    # Intervals on one side of zero stand out.
    clear = ((table["low"] > 0) | (table["high"] < 0)).to_numpy()
    for shown, color in ((clear, COLORS[0]), (~clear, MUTED)):
        part = table[shown]
        panel.hlines(rows[shown], part["low"], part["high"], color=color, linewidth=2)
        panel.plot(part["gain"], rows[shown], "o", color=color, markersize=5)
    panel.axvline(0, color="black", linewidth=0.8)
    panel.set_yticks(rows, table["method"])
    panel.set_xlabel(f"gain over {reference}")
    finish_panel(panel, title, grid="both")
    return figure
