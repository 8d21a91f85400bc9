"""Gene panels from AnnData, in scanpy's conventions. Needs the extra ``anndata``."""

from .panels import evaluate_panel, plot_panels
from .select import select_genes

__all__ = ["evaluate_panel", "plot_panels", "select_genes"]
