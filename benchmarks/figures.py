"""One picture per table of ``run.py``: table -> Figure, in the style of ``graphsieve.plots``."""

import numpy as np
import scaling
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from graphsieve.plots import COLORS, MARKERS

OURS, OTHER = COLORS[0], COLORS[1]


def objective(table):
    figure, (panel,) = panels(1, size=(6.2, 2.6))
    names = [f"n {r.n:,}, d {r.d:,}, m {r.m}" for r in table.itertuples()]
    bars(panel, names, table["over_products"], OURS, "{:.2f}")
    for place, limit in enumerate(table["limit"]):
        if np.isfinite(limit):
            panel.plot([limit] * 2, [place - 0.45, place + 0.45], color=OTHER, linewidth=2.5)
            panel.text(
                limit, place - 0.47, f"limit {limit:g}", color=OTHER, ha="center", fontsize=8
            )
    panel.axvline(1, color="black", linewidth=0.8)
    panel.set_xlim(0, 1.12 * np.nanmax([*table["over_products"], *table["limit"]]))
    panel.set_xlabel("time of one evaluation / time of its five matrix products")
    return figure


def fit(table):
    figure, (panel,) = panels(1, size=(6.2, 3.4))
    for style, (name, trace) in zip(styles(), table.groupby("fit", sort=False), strict=False):
        panel.plot(trace["seconds"], trace["objective"], label=name, markevery=[-1], **style)
    log_scale(panel, "x")
    panel.set_ylim(
        0.95 * table["objective"].min(), 1.3 * table.groupby("fit")["objective"].last().max()
    )
    panel.set_xlabel("seconds")
    panel.set_ylabel("objective")
    panel.legend(frameon=False, fontsize=8)
    return figure


def scaling_figure(table):
    figure, found = panels(table["along"].nunique(), size=(6.4, 2.8))
    slopes = scaling.slopes(table).set_index(["method", "along"])["slope"]
    for panel, (along, group) in zip(found, table.groupby("along", sort=False), strict=True):
        for style, (method, rows) in zip(
            styles(), group.groupby("method", sort=False), strict=False
        ):
            label = f"{method}, slope {slopes[method, along]:.2f}"
            panel.plot(rows[along], rows["seconds"], label=label, **style)
        few_ticks(panel, group[along].unique())
        log_scale(panel, "y")
        panel.set_xlabel({"n": "samples n", "d": "features d"}[along])
        panel.legend(frameon=False, fontsize=8)
    found[0].set_ylabel("seconds")
    return figure


def sparse_text(table):
    methods = list(table["method"].unique())
    figure, (panel,) = panels(1, size=(6.2, 0.9 + 0.32 * len(methods)))
    for style, (name, rows) in zip(styles(), table.groupby("data", sort=False), strict=False):
        share = rows["csr_peak_mb"] / rows["dense_array_mb"]
        place = [methods.index(method) for method in rows["method"]]
        panel.plot(share, place, label=name, **style | {"linestyle": ""})
    panel.axvline(1, color="black", linewidth=0.8)
    panel.set_yticks(range(len(methods)), methods)
    panel.invert_yaxis()
    log_scale(panel, "x")
    panel.set_xlabel("peak memory of a fit on CSR data / size of the dense float32 array")
    legend_above(panel)
    return figure


def peers(table):
    table = table.sort_values("ratio", ascending=False)
    figure, (panel,) = panels(1, size=(6.4, 0.9 + 0.18 * len(table)))
    names = [f"{r.method} · {r.data}" for r in table.itertuples()]
    kinds = dict(zip(table["peer"].unique(), (COLORS[0], COLORS[2], COLORS[4]), strict=False))
    bars(panel, names, table["ratio"], [kinds[peer] for peer in table["peer"]], "{:.2f} x", left=1)
    for peer, color in kinds.items():
        panel.barh([0], [0], left=1, color=color, label=peer)
    panel.axvline(1, color="black", linewidth=1)
    log_scale(panel, "x")
    panel.set_xlim(table["ratio"].min() / 2.5, 3 * table["ratio"].max())
    panel.set_xlabel("time of the peer / time of graphsieve (below 1: slower)")
    panel.legend(frameon=False, fontsize=8, loc="lower right")
    panel.tick_params(axis="y", labelsize=8)
    return figure


def solver_overhead(table):
    figure, (panel,) = panels(1, size=(6.6, 2.0))
    bars(panel, table["solver"], table["share_of_evaluation"], [OURS, OTHER, OTHER], "{:.2f}")
    panel.set_xlabel("time of the solver per iteration / time of one evaluation")
    return figure


FIGURES = {
    "objective": objective,
    "fit": fit,
    "scaling": scaling_figure,
    "sparse_text": sparse_text,
    "peers": peers,
    "solver_overhead": solver_overhead,
}


def panels(count, size):
    figure = Figure(figsize=size, layout="constrained")
    found = figure.subplots(1, count, squeeze=False)[0]
    for panel in found:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="#E5E5E5", linewidth=0.6)
        panel.set_axisbelow(True)
    return figure, found


def styles():
    for color, marker in zip(COLORS, MARKERS, strict=True):
        yield {"color": color, "marker": marker, "markersize": 5, "linewidth": 1.6}


def bars(panel, names, values, color, form, left=0):
    """Horizontal bars from ``left``, the first on top, with their values beside them."""
    values = np.asarray(values)
    place = np.arange(len(values))
    panel.barh(place, values - left, left=left, color=color, height=0.65)
    for y, value in zip(place, values, strict=True):
        inside = value < left
        panel.annotate(
            form.format(value),
            (value, y),
            xytext=(-3 if inside else 3, 0),
            textcoords="offset points",
            ha="right" if inside else "left",
            va="center",
            fontsize=8,
        )
    panel.set_yticks(place, names)
    panel.set_ylim(len(values) - 0.4, -0.7)
    panel.grid(axis="y", visible=False)


def log_scale(panel, axis):
    """With plain numbers at the powers of ten."""
    panel.set(**{f"{axis}scale": "log"})
    getattr(panel, f"{axis}axis").set_major_formatter("{x:g}")
    getattr(panel, f"{axis}axis").set_minor_formatter(NullFormatter())


def legend_above(panel):
    panel.legend(frameon=False, fontsize=8, ncols=3, loc="lower left", bbox_to_anchor=(0, 1))


def few_ticks(panel, values):
    """A logarithmic axis with marks at the values only."""
    panel.set_xscale("log")
    panel.set_xticks(values, [f"{value:,}" for value in values], fontsize=8)
    panel.set_xticks([], minor=True)
