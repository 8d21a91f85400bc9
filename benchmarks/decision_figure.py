"""The figure of docs/choosing.md: for every purpose, how the methods rank on the data sets.

    python benchmarks/decision_figure.py

Reads results/quality/quality.parquet and results/quality/other_sets.csv, and writes
docs/images/choosing.png. A cell is the mean rank of a method among those shown, over the data sets.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
WIDE = ROOT / "results" / "quality" / "quality.parquet"
OTHER = ROOT / "results" / "quality" / "other_sets.csv"
OUT = ROOT / "docs" / "images" / "choosing.png"
METHODS = {
    "gafs": "GAFS",
    "css": "Greedy\nCSS",
    "gsr_sfs": "GSRSFS",
    "mrsf": "MRSF",
    "scufs": "SCUFS",
    "mcfs": "MCFS",
    "pfa": "PFA",
    "rsr": "RSR",
    "lap_score": "Laplacian\nscore",
    "variance": "Variance",
    "random": "Random",
}
# Purpose: (score, whether more is better, whether the other sets have it).
PURPOSES = {
    "tell classes apart\n(softmax accuracy)": ("accuracy", True, True),
    "find similar samples\n(1-NN accuracy)": ("neighbor_accuracy", True, True),
    "find clusters\n(k-means ACC)": ("acc", True, True),
    "find clusters\n(k-means NMI)": ("nmi", True, True),
    "predict dropped columns\n(held-out error)": ("reconstruction", False, False),
    "keep neighbourhoods\n(overlap of neighbours)": ("neighborhood", True, False),
}


def mean_ranks():
    """One row per purpose, one column per method, and the number of data sets."""
    wide = pd.read_parquet(WIDE)
    tables = {
        "wide": wide[wide["method"].isin(METHODS)],
        "other": pd.read_csv(OTHER).query("method in @METHODS"),
    }
    rows, counts = {}, {}
    for purpose, (score, more, both) in PURPOSES.items():
        chosen = tables.values() if both else [tables["wide"]]
        values = pd.concat(
            table.groupby(["dataset", "method"])[score].mean().unstack("method") for table in chosen
        )
        rows[purpose] = values.rank(axis=1, ascending=not more).mean()[list(METHODS)]
        counts[purpose] = len(values)
    return pd.DataFrame(rows).T, counts


def draw(ranks, counts):
    figure, axes = plt.subplots(figsize=(11, 4.8), layout="constrained")
    shown = axes.imshow(ranks, cmap="cividis_r", vmin=1, vmax=len(METHODS), aspect="auto")
    middle = (1 + len(METHODS)) / 2
    for i, (_, row) in enumerate(ranks.iterrows()):
        for j, rank in enumerate(row):
            best = rank == row.min()
            axes.text(
                *(j, i, f"{rank:.1f}"),
                **{"ha": "center", "va": "center", "weight": "bold" if best else "normal"},
                color="black" if rank < middle else "white",
            )
            if best:
                box = plt.Rectangle((j - 0.47, i - 0.46), 0.94, 0.92, fill=False, lw=2.5)
                axes.add_patch(box)
    axes.set_xticks(range(len(METHODS)), METHODS.values())
    axes.set_yticks(range(len(ranks)), [f"{p[:-1]}, {counts[p]} sets)" for p in ranks.index])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_ylabel("what you want to do")
    figure.colorbar(shown, label="mean rank (1 is best)", shrink=0.9)
    return figure


if __name__ == "__main__":
    draw(*mean_ranks()).savefig(OUT, dpi=110)
    print(f"Written: {OUT.relative_to(ROOT)}")
