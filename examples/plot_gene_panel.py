"""
AnnData: a gene panel with given genes, from two donors
=======================================================

Single-cell counts are simulated: four cell types, one of them rare, two donors that differ in the
level of some genes. We select nested panels that contain two given genes, let no difference between
donors count, and compare the result with genes of large variance and with random genes.
"""

import anndata
import matplotlib.pyplot as plt
import numpy as np

from graphsieve.anndata import evaluate_panel, plot_panels, select_genes

rng = np.random.default_rng(0)
n_cells, n_genes = 400, 300
kind = rng.choice(4, size=n_cells, p=[0.4, 0.3, 0.25, 0.05])
donor = rng.integers(2, size=n_cells)
rate = np.tile(rng.gamma(1.0, 1.0, n_genes), (n_cells, 1))
for number in range(4):
    rate[kind == number, 15 * number : 15 * (number + 1)] += 4.0
rate[donor == 1, 100:120] *= 4.0  # technical: no biology in these genes
counts = rng.poisson(rate)

adata = anndata.AnnData(np.log1p(1e3 * counts / counts.sum(axis=1, keepdims=True)))
adata.var_names = [f"gene{j}" for j in range(n_genes)]
adata.obs["donor"] = np.array(["a", "b"])[donor]
adata.obs["type"] = kind.astype(str)

# %%
# Ten and twenty genes in one run. ``highly_variable_nbatches`` says in how many donors a gene is
# selected.

select_genes(adata, [10, 20], batch_key="donor", include=["gene2", "gene200"])
chosen = adata.var[adata.var["highly_variable"]].sort_values("highly_variable_rank")
print(chosen[["highly_variable_rank", "highly_variable_nbatches", "highly_variable_10"]])

# %%
# What the panels preserve of the data with all genes.

largest = np.argsort(-adata.X.var(axis=0))[:20]
frame = evaluate_panel(
    adata,
    {
        "GAFS, 20 genes": "highly_variable",
        "GAFS, 10 genes": "highly_variable_10",
        "20 of largest variance": adata.var_names[largest],
        "20 random": rng.choice(adata.var_names, 20, replace=False),
    },
    celltype_key="type",
)
print(frame.round(2).to_string())
plot_panels(frame)
plt.show()
