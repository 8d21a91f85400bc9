"""Figures: each function takes a table or arrays and returns a matplotlib Figure.

Figures are made without pyplot: nothing is shown, kept open or changed globally. The colours are
those of Okabe and Ito, which people with colour-blindness can tell apart; lines differ in their
markers as well.
"""

import numpy as np

from .evaluation import ALL_FEATURES

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
# What every comparison shows, behind the rest.
BASELINES = ("random", "variance", "RandomRanker", "Variance")
MUTED = "#8A8A8A"
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


def share_curves_figure(table, metric):
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

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    panel = figure.subplots()
    curves = table[table["method"] != ALL_FEATURES]
    methods = curves["method"].unique()
    for rank, method in enumerate(m for m in methods if m not in BASELINES):
        style = {
            "color": COLORS[rank % len(COLORS)],
            # A second round of colours comes with other markers.
            "marker": MARKERS[(rank + rank // len(COLORS)) % len(MARKERS)],
            "zorder": 2,
        }
        _draw_curve(panel, curves[curves["method"] == method], metric, method, style)
    for rank, method in enumerate(m for m in methods if m in BASELINES):
        style = {"color": MUTED, "linestyle": ("--", ":")[rank % 2], "zorder": 1}
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
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis="y", color="#E5E5E5", linewidth=0.6)
    figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    return figure


def _draw_curve(panel, rows, metric, name, style):
    by_share = rows.groupby("share")[metric]
    mean, spread = by_share.mean(), by_share.std()
    if spread.isna().all() and f"{metric}_std" in rows:
        spread = rows.groupby("share")[f"{metric}_std"].mean()
    panel.plot(mean.index, mean, label=name, markersize=5, linewidth=1.6, **style)
    panel.fill_between(
        mean.index, mean - spread, mean + spread, color=style["color"], alpha=0.15, linewidth=0
    )
