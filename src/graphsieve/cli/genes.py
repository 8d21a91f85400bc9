"""AnnData files in ``graphsieve select``: genes in one unit, the selection marked."""

from functools import partial

import numpy as np


def prepare_genes(estimator, parameters):
    """Use the defaults of ``select_genes`` for what ``--set`` does not give."""
    from ..anndata.select import adapt_to_expression

    adapt_to_expression(estimator, {setting.partition("=")[0] for setting in parameters or []})


def check_counts(features, key):
    """Warn of raw counts."""
    from ..anndata.select import warn_of_counts

    warn_of_counts(features.X[:1000], features.X.min(), key or "X")


def fewest_cells():
    """Return the number of cells from which a batch counts, as in ``select_genes``."""
    from ..anndata.select import FEWEST_CELLS

    return FEWEST_CELLS


def mark_genes(source, table, roles, estimator, *, subset, method, settings):
    """Return a function that writes a copy of an AnnData file with the selected genes marked.

    The estimator was fitted on the features of the table. With ``subset``, the other genes are left
    out; ``method`` and ``settings`` are for the record.
    """
    from ..anndata.select import annotate_h5ad, make_record, panel_columns

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
    return partial(annotate_h5ad, source, columns=columns, record=record, subset=subset)
