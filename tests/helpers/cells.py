"""Cells of four types, in the conventions of AnnData."""

import anndata
import numpy as np
import pandas as pd
import scipy.sparse as sp

N_CELLS, N_GENES = 120, 60


def make_cells(*, sparse=True):
    """Log-normalised counts of four cell types with ten genes each, in two donors."""
    rng = np.random.default_rng(0)
    kind = np.arange(N_CELLS) % 4
    rate = np.tile(rng.gamma(1.0, 1.0, N_GENES), (N_CELLS, 1))
    for number in range(4):
        rate[kind == number, 10 * number : 10 * (number + 1)] += 5
    counts = rng.poisson(rate)
    X = np.log1p(1e3 * counts / counts.sum(axis=1, keepdims=True))
    adata = anndata.AnnData(sp.csr_matrix(X) if sparse else X)
    adata.var_names = [f"gene{j}" for j in range(N_GENES)]
    adata.obs_names = [f"cell{i}" for i in range(N_CELLS)]
    adata.obs["donor"] = pd.Categorical(np.where(np.arange(N_CELLS) < 60, "a", "b"))
    adata.obs["kind"] = pd.Categorical([f"type {number}" for number in kind])
    adata.layers["counts"] = sp.csr_matrix(counts)
    return adata


def panel(adata, key="highly_variable"):
    """The selected genes, best first."""
    return list(adata.var[adata.var[key]].sort_values(f"{key}_rank").index)
