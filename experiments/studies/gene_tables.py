"""Writes the tables on labelled cells from packages into the pages, from the stored numbers.

    python -m experiments.studies.gene_tables

``experiments.studies.gene_panels`` computes the numbers, one file for each set of cells.
"""

import pandas as pd

from experiments.studies.tables import RECORDS, ROOT, markdown, write_page

PAGES = (ROOT / "docs" / "gene_panels.md", RECORDS / "gene_panels.md")
SETS = ("baron", "li", "pollen", "zeisel", "citeseq")
HVG = tuple(f"HVG {one}" for one in ("seurat", "cell_ranger", "seurat_v3", "pearson_residuals"))
PANELS = ("sieve", "gafs", "css", "mrsf", "random", "variance", *HVG, "PCA loadings")
SHOWN = {"sieve": "GraphSieve", "random": "random", "variance": "variance"} | {p: p for p in HVG}
MEASURES = {"celltype_accuracy": "types", "neighbor_overlap": "neighbours"}
FEW, MANY = 20, 100


def stored():
    """The rows of all sets, with the name of the set in ``data``."""
    frames = [pd.read_csv(RECORDS / "gene_panels" / f"{name}.csv") for name in SETS]
    return (
        pd.concat(frames, keys=SETS, names=["data"]).reset_index("data").query("panel in @PANELS")
    )


def by_panel(measure):
    """Mean over the splits: a row for every set and size, then the means of the sets."""
    table = stored().groupby(["data", "genes", "panel"])[measure].mean().unstack()
    means = pd.concat({"mean": table.groupby("genes").mean()}, names=["data"])
    table = pd.concat([table.loc[list(SETS)], means])[list(PANELS)].round(3)
    best = table.eq(table.max(axis=1), axis=0)
    cells = table.map("{:.3f}".format)
    return cells.where(~best, "**" + cells + "**").reset_index()


def few_genes():
    """Means of the sets, for few and for many genes."""
    frame = stored().rename(columns=MEASURES).query("panel in @SHOWN and genes in [@FEW, @MANY]")
    means = frame.groupby(["panel", "genes"])[list(MEASURES.values())].mean().unstack()
    means.columns = [f"{measure}, {size} genes" for measure, size in means.columns]
    return means.loc[list(SHOWN)].map("{:.3f}".format).rename(index=SHOWN).reset_index()


def few_against_many():
    """GraphSieve with few genes minus others with as many and with more, ± one standard error.

    For a set it is that over the splits, for the mean that over the sets.
    """
    frame = stored().set_index(["data", "split", "panel", "genes"])["celltype_accuracy"]
    values = frame.unstack(["panel", "genes"])
    rows = {}
    for size in (FEW, MANY):
        for panel in ("variance", *HVG):
            gain = (values["sieve", FEW] - values[panel, size]).groupby("data")
            means = gain.mean()
            rows[f"{size} genes, {panel}"] = {
                **{name: _plus_minus(means[name], gain.sem()[name]) for name in SETS},
                "mean": _plus_minus(means.mean(), means.sem()),
            }
    return pd.DataFrame(rows).T.reset_index(names="20 of sieve against")


def _plus_minus(value, error):
    return f"{value:+.3f} ± {error:.3f}"


TABLES = {
    "few_genes": few_genes,
    "few_against_many": few_against_many,
    "types_by_panel": lambda: by_panel("celltype_accuracy"),
    "neighbors_by_panel": lambda: by_panel("neighbor_overlap"),
}


def write(name):
    """The table of a mark, None if it is another study's."""
    return markdown(TABLES[name]()) if name in TABLES else None


def main():
    for page in PAGES:
        write_page(page, write)


if __name__ == "__main__":
    main()
