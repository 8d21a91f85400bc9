"""AnnData files in ``graphsieve select``: genes in one unit, the selection marked."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np


def prepare_genes(estimator, parameters):
    """Scale all genes alike, as ``select_genes`` does, unless ``--set`` says how to scale."""
    from ..anndata.rank import share_unit

    if not any(setting.startswith("scale=") for setting in parameters or []):
        share_unit(estimator)


def check_counts(features, key):
    """Warn of raw counts."""
    from ..anndata.rank import warn_of_counts

    warn_of_counts(features.X[:1000], features.X.min(), key or "X")


@dataclass(frozen=True)
class MarkedGenes:
    """A copy of an AnnData file in which the selected genes are marked.

    Parameters
    ----------
    source : Path
    columns : dict of str to ndarray
        What is added to ``var``.
    record : dict
        What is added to ``uns``.
    subset : bool
        Whether the other genes are left out.
    """

    source: Path
    columns: dict
    record: dict
    subset: bool

    def write(self, path):
        from ..anndata.files import annotate_h5ad

        annotate_h5ad(self.source, path, self.columns, self.record, subset=self.subset)


def mark_genes(source, table, roles, estimator, *, subset, method, settings):
    """Return the MarkedGenes of a fitted estimator.

    Parameters
    ----------
    source : Path
    table : Table
        What was read from it.
    roles : Roles
    estimator : FeatureRanker
        Fitted on the features of the table.
    subset : bool
    method : str
        For the record, like ``settings``.
    settings : dict
    """
    from ..anndata.columns import make_record, panel_columns

    given, genes = estimator.get_params(deep=False), np.array(roles.features)
    names = np.array(table.names, dtype=object)[genes]
    place = np.full(len(table.names), np.inf)
    place[genes] = estimator.ranking_ - 1
    score = np.full(len(table.names), np.nan)
    score[genes] = estimator.scores_
    score[genes[given["exclude"] or []]] = np.nan
    selecting = getattr(estimator, "n_groups_selected_", None)
    if selecting is not None:
        counts = np.zeros(len(table.names), dtype=int)
        counts[genes] = selecting
        selecting = counts, estimator.n_groups_
    chosen = {name: names[given[name] or []].tolist() or None for name in ("include", "exclude")}
    columns = panel_columns(place, score, estimator.n_features_, selecting)
    columns = {f"highly_variable{ending}": values for ending, values in columns.items()}
    record = make_record(method, {"n_top_genes": estimator.n_features_, **chosen, **settings})
    return MarkedGenes(source, columns, record, subset)
