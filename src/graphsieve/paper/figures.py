"""Curves of the experiments: from a table to a matplotlib Figure."""

import numpy as np

from ..evaluation import ALL_FEATURES
from ..plots import COLORS, MARKERS, MUTED, finish_panel, new_panel

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


def share_curves_figure(table, metric, *, title=None):
    """Plot a metric against the fraction of features selected, one curve per method.

    The baselines random and variance are grey and behind the others; all features are a
    horizontal line. A band shows one standard deviation over the splits or, for a single split,
    over the repetitions in the column ``<metric>_std``, if there is one. The table is like that of
    `graphsieve.evaluation.evaluate`, of one or several methods; see `legend_figure` for the legend.
    """
    figure, panel = new_panel(*PANEL)
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
    from matplotlib.figure import Figure
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
    figure, panel = new_panel(*PANEL)
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
