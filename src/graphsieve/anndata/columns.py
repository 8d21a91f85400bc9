"""A selection of genes as columns of ``var`` and a record in ``uns``."""

import re
from importlib.metadata import version

import numpy as np


def panel_columns(place, score, size, selecting=None):
    """The columns of a selection of ``size`` genes, by the endings of their names.

    ``place`` is the position in the ranking, 0 is best, and infinity for genes that cannot be
    selected. ``selecting`` has the number of batches that select a gene, and the number of batches.
    """
    selected = place < size
    columns = {"": selected, "_rank": np.where(selected, place, np.nan), "_score": score}
    if selecting is not None:
        count, n_batches = selecting
        columns |= {"_nbatches": count, "_intersection": count == n_batches}
    return columns


def add_columns(var, frame, key_added="highly_variable"):
    """Write the columns of a selection to ``adata.var``."""
    # Columns of an earlier selection, with batches or of several sizes, would contradict the new.
    earlier = re.compile(re.escape(key_added) + r"_(nbatches|intersection|[0-9]+)")
    for name in [name for name in var if earlier.fullmatch(str(name))]:
        del var[name]
    for name in frame:
        # As an array: names of genes may be duplicated.
        var[name] = np.asarray(frame[name])


def make_record(method, parameters):
    """Method, parameters and versions, in types that .h5ad files can hold."""
    return {
        "method": method if isinstance(method, str) else repr(method),
        "parameters": {k: v for k, v in parameters.items() if v is not None},
        "versions": {name: version(name) for name in ("graphsieve", "scikit-learn", "anndata")},
    }
