"""Comparison of gene panels, with or without cell types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from .._linear.regression import coverage_curve, explained_fraction
from .._rows import open_rows, take_rows, to_dense
from .._rows.scaling import chosen_sample
from ..evaluation import (
    classification_accuracy,
    clustering_scores,
    nearest_rows,
    neighborhood_preservation,
    redundancy,
)
from ..plots import draw_measures
from .select import check_anndata, expression, find_genes, gene_mask, labels

if TYPE_CHECKING:
    from anndata import AnnData
    from numpy.typing import ArrayLike
    from pandas import DataFrame

# Cells that are used at most; beyond, neighbour search takes longer and says the same.
_MOST_CELLS = 5000
# Genes that are predicted at most: their mean hardly changes with more of them.
_MOST_TARGETS = 2000
_N_FOLDS = 5
# As many as scanpy computes by default.
_N_COMPONENTS = 50
# Clusters that stand for cell types where these are unknown.
_N_CLUSTERS = 10

# Column of the result, its title in the plot, and whether larger is better.
MEASURES = {
    "neighbor_overlap": ("overlap of neighbours", True),
    "gene_prediction": ("R² of the other genes", True),
    "variance_known": ("known variance", True),
    "clustering_nmi": ("NMI of clusters", True),
    "redundancy": ("mean |correlation|", False),
    "celltype_accuracy": ("accuracy of cell types", True),
}


def evaluate_panel(
    adata: AnnData,
    panels: Mapping[str, Any] | ArrayLike | str,
    celltype_key: str | None = None,
    layer: str | None = None,
    n_neighbors: int = 15,
    random_state: int | np.random.RandomState | None = 0,
) -> DataFrame:
    """Compare gene panels by what they preserve of the data with all genes.

    Parameters
    ----------
    adata : anndata.AnnData
        Log-normalised expression, best of other cells than the panels were selected on.
    panels : dict of str to list of str, array of bool or str
        Genes of every panel: names, a mask, or the name of a boolean column of ``adata.var``. One
        panel needs no dict.
    celltype_key : str or None, default=None
        Column of ``adata.obs`` with the cell types. Measures of types leave out cells without.
    layer : str or None, default=None
        Key of ``adata.layers``; None uses ``adata.X``.
    n_neighbors : int, default=15
        Number of neighbours for ``neighbor_overlap``.
    random_state : int, RandomState or None, default=0
        Random seed of the sampled cells, folds and clusterings.

    Returns
    -------
    pandas.DataFrame
        One row per panel, with the columns

        ``n_genes``
            Number of genes.
        ``neighbor_overlap``
            Fraction of the nearest neighbours of a cell (Euclidean distance in up to 50 principal
            components of all genes) that are among its neighbours in the panel.
        ``gene_prediction``
            Mean coverage of the other genes, see ``graphsieve.inspection.coverage_curve``.
        ``variance_known``
            Fraction of the variance of all genes that is known: all of that of the panel, and the
            fraction ``gene_prediction`` of that of the others.
        ``clustering_nmi``
            Normalised mutual information of k-means clusters of the panel with the cell types;
            without cell types, with ten k-means clusters of all genes.
        ``redundancy``
            Mean absolute correlation of the genes of the panel; lower is better.
        ``celltype_accuracy``
            Accuracy of logistic regression in 5 folds, only with cell types, of which those with
            fewer than 5 cells are left out.

    See Also
    --------
    plot_panels : Draw the result.
    select_genes : Select genes.

    Notes
    -----
    At most 5,000 cells are used, and at most 2,000 genes are predicted, both drawn at random and
    the same for all panels.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from graphsieve.anndata import evaluate_panel
    >>> signal = np.random.default_rng(0).normal(size=(60, 2))
    >>> adata = anndata.AnnData(np.hstack([signal, 2 * signal]))
    >>> frame = evaluate_panel(adata, {"both": ["0", "3"], "one": ["0", "2"]})
    >>> (frame["gene_prediction"] > 0.9).tolist()
    [True, False]
    """
    import pandas as pd

    check_anndata(adata)
    if not isinstance(panels, Mapping):
        panels = {panels if isinstance(panels, str) else "panel": panels}
    genes = {name: _panel(adata, name, panel) for name, panel in panels.items()}
    if not genes:
        raise ValueError("panels is empty: pass a dict from the name of a panel to its genes")
    rng = check_random_state(random_state)
    types = None if celltype_key is None else labels(adata, celltype_key, "celltype_key")[0]
    chosen = chosen_sample(adata.n_obs, _MOST_CELLS, rng)
    X = take_rows(expression(adata, layer), chosen)
    X = X.compute() if hasattr(X, "compute") else X
    X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
    if X.dtype.kind in "bu":  # neither has negative values to compute with
        X = X.astype(np.float64)
    reference = _Reference(X, None if types is None else types[chosen], n_neighbors, rng)
    rows = {name: reference.measure(columns) for name, columns in genes.items()}
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("panel")
    return frame.astype({"n_genes": int})


def plot_panels(frame: DataFrame) -> np.ndarray:
    """Draw the result of `evaluate_panel`, one plot per measure, with the best panel marked.

    Parameters
    ----------
    frame : pandas.DataFrame
        What `evaluate_panel` returns.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        One per measure.
    """
    import matplotlib.pyplot as plt

    measures = []
    for name, (title, higher_is_better) in MEASURES.items():
        if name not in frame:
            continue
        values = frame[name]
        best = values == (values.max() if higher_is_better else values.min())
        measures.append((values, title, higher_is_better, best))
    size = 2.6 * len(measures), 1.2 + 0.3 * len(frame)
    return draw_measures(plt.figure(figsize=size, layout="constrained"), frame.index, measures)


def _panel(adata, name, panel):
    if isinstance(panel, str):
        panel = gene_mask(adata, panel, f"panel {name!r}")
    columns = np.array(find_genes(adata, panel, f"panel {name!r}"), dtype=int)
    if len(columns) == 0:
        raise ValueError(f"panel {name!r} has no genes")
    return columns


class _Reference:
    def __init__(self, X, types, n_neighbors, rng):
        self.X = X
        self.variance = open_rows(X).column_moments()[1]
        # Genes share one unit, so they share one range.
        self.largest = max(X.max(), -X.min()) or 1.0
        self.seed = rng.randint(2**31 - 1)
        n_targets = min(_MOST_TARGETS, X.shape[1])
        self.targets = rng.choice(X.shape[1], n_targets, replace=False)
        embedded = self._embed(X)
        self.neighbors = nearest_rows(embedded, n_neighbors)
        self.has_types, self.classes = types is not None, types
        if not self.has_types:
            clusters = KMeans(min(_N_CLUSTERS, X.shape[0]), n_init=10, random_state=self.seed)
            self.classes = clusters.fit(embedded).labels_

    def measure(self, columns):
        X, known = to_dense(self.X[:, columns]), self.classes >= 0
        embedded, classes = self._embed(X), self.classes[known]
        scores = clustering_scores(embedded[known], classes, n_repeats=10, random_state=self.seed)
        others = np.setdiff1d(self.targets, columns)
        table, panel = np.hstack([X, to_dense(self.X[:, others])]), np.arange(len(columns))
        rest = np.arange(len(columns), table.shape[1])
        coverage = coverage_curve(table, panel, [len(panel)], targets=rest).coverage[0]
        prediction = float(explained_fraction(coverage))
        of_others = np.delete(self.variance, columns).sum()
        unknown = (1 - prediction) * of_others if of_others > 0 else 0.0
        row = {
            "n_genes": len(columns),
            "neighbor_overlap": neighborhood_preservation(self.neighbors, embedded),
            "gene_prediction": prediction,
            "variance_known": 1 - unknown / self.variance.sum(),
            "clustering_nmi": float(scores[:, 1].mean()),
            "redundancy": redundancy(X),
        }
        if self.has_types:
            row["celltype_accuracy"] = self._accuracy(X / self.largest)
        return row

    def _embed(self, X):
        if X.shape[1] <= _N_COMPONENTS or X.shape[0] <= _N_COMPONENTS:
            return to_dense(X)
        # The only solver for sparse and dense data; the same one makes results comparable.
        return PCA(_N_COMPONENTS, svd_solver="arpack", random_state=self.seed).fit_transform(X)

    def _accuracy(self, X):
        size = np.bincount(self.classes[self.classes >= 0])
        frequent = np.flatnonzero(size >= _N_FOLDS)
        if len(frequent) < 2:
            return float("nan")
        known = np.isin(self.classes, frequent)
        X, y = X[known], self.classes[known]
        folds = StratifiedKFold(_N_FOLDS, shuffle=True, random_state=self.seed)
        parts = folds.split(X, y)
        found = [classification_accuracy(X[a], y[a], X[b], y[b]) for a, b in parts]
        return float(np.mean(found))
