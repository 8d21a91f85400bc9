"""Genes of an AnnData with batches whose matrix is a Dask array: select_genes and scanpy.

    python benchmarks/run.py genes

Simulated cells of twelve types, log-normalised CSR counts in chunks of 2,000 cells, four batches,
200 genes. ``highly_variable_genes`` with a ``batch_key`` on such data is scanpy's issue 3736: where
it raises, its seconds are missing. Best of two.
"""

import numpy as np
import scipy.sparse as sp
from large import cells
from measure import best_times, quiet

from graphsieve.anndata import select_genes


def rows(n=20_000, d=5_000, n_batches=4, n_genes=200, repeats=2):
    import anndata
    import dask.array as da
    import scanpy

    X = cells(n, d, 0.05)
    chunks = [sp.csr_matrix(X[start : start + 2_000]) for start in range(0, n, 2_000)]
    arrays = [da.from_array(chunk, chunks=chunk.shape, asarray=False) for chunk in chunks]
    adata = anndata.AnnData(da.concatenate(arrays))
    adata.obs["batch"] = [str(number % n_batches) for number in range(n)]
    found = {
        "select_genes": lambda: select_genes(adata, n_genes, batch_key="batch", inplace=False),
        "highly_variable_genes": lambda: scanpy.pp.highly_variable_genes(
            adata, n_top_genes=n_genes, batch_key="batch", inplace=False
        ),
    }
    for name, function in found.items():
        outcome, seconds = "ok", np.nan
        try:
            with quiet():
                (seconds,) = best_times([function], repeats)
        except Exception as error:  # what scanpy raises differs between its versions
            outcome = f"{type(error).__name__}: {error}".splitlines()[0][:80]
        sizes = {"n": n, "d": d, "batches": n_batches}
        yield {"function": name, **sizes, "seconds": seconds, "outcome": outcome}
