"""Gene panels from AnnData, in scanpy's conventions. Needs the extra ``anndata``."""

from .panels import evaluate_panel, plot_panels
from .select import read_h5ad, select_genes, write_h5ad

__all__ = ["evaluate_panel", "plot_panels", "read_h5ad", "select_genes", "write_h5ad"]
