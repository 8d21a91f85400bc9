"""Selection of genes, with the result where scanpy looks for highly variable genes."""

from numbers import Integral

import numpy as np

from .._rows import view_columns
from .._utils.warn import warn
from ..inspection.grouped import cut_ranks
from .columns import add_columns, make_record, panel_columns
from .data import check_anndata, connectivities, expression, find_genes, gene_mask
from .rank import check_values, find_batches, make_estimator, rank_genes


def select_genes(
    adata,
    n_top_genes=200,
    *,
    method="sieve",
    layer=None,
    batch_key=None,
    mask_var=None,
    include=None,
    exclude=None,
    neighbors_key=None,
    subset=False,
    inplace=True,
    key_added="highly_variable",
    random_state=0,
):
    """Select genes that represent the others and preserve the neighbourhoods of the cells.

    A replacement for ``scanpy.pp.highly_variable_genes``: the selection is written to
    ``adata.var["highly_variable"]``, where scanpy's functions look for it. Expression should be
    log-normalised (``scanpy.pp.normalize_total``, then ``scanpy.pp.log1p``).

    Parameters
    ----------
    adata : anndata.AnnData
        Cells by genes: in memory, backed by a file, or with a Dask array as ``X``.
    n_top_genes : int or list of int, default=200
        Number of genes. For a list, the selections are nested: each has its own column
        ``highly_variable_<number>``, and ``highly_variable`` is the largest.
    method : str or FeatureRanker, default="sieve"
        Name of a method in ``graphsieve.REGISTRY`` ("sieve", "css", "mrsf", ...), or an estimator
        with parameters of your choice, of which a clone is fitted. Methods given by name use
        ``scale="global"``, because genes share one unit. "sieve" uses
        ``graph_weight=0.3``, because expression is noisier than other data, and finds neighbours
        in 50 principal components, as ``scanpy.pp.neighbors`` does.
    layer : str or None, default=None
        Key of ``adata.layers``; None uses ``adata.X``.
    batch_key : str or None, default=None
        Column of ``adata.obs``, such as the donor. Genes are ranked within every batch and
        ordered by their mean rank, in which genes that a batch does not select count equally.
        Differences between batches then have no influence.
    mask_var : str, array of bool or None, default=None
        Genes to use at all: a column of ``adata.var`` or a mask.
    include, exclude : list of str or None, default=None
        Genes that are always selected, first and in the order given, and genes that are
        never selected. Included genes count towards ``n_top_genes``, and the others are selected
        for what they add to them. Excluded genes remain part of the data that the selection is
        to represent; use ``mask_var`` to leave genes out altogether.
    neighbors_key : str or None, default=None
        Use the graph of ``scanpy.pp.neighbors`` stored under this key ("neighbors" is scanpy's
        default) instead of a new one. Only for methods that use a graph.
    subset : bool, default=False
        Keep only the selected genes in ``adata``.
    inplace : bool, default=True
        Write to ``adata``; otherwise return the columns.
    key_added : str, default="highly_variable"
        Name of the column, and prefix of the others.
    random_state : int, RandomState or None, default=0
        Random seed.

    Returns
    -------
    pandas.DataFrame or None
        None if ``inplace``. Otherwise the columns below, for the selected genes if ``subset``.

        ``highly_variable``
            Whether a gene is selected.
        ``highly_variable_rank``
            Position in the selection, 0 for the first; NaN for genes that are not selected.
        ``highly_variable_score``
            Score of the method, higher is better; NaN for genes left out by ``mask_var`` or
            ``exclude``. With batches, minus the mean rank.
        ``highly_variable_nbatches``
            With batches: the number of batches that select a gene.
        ``highly_variable_intersection``
            With batches: whether all batches select it.

        ``adata.uns["graphsieve"]`` records method, parameters and versions.

    See Also
    --------
    evaluate_panel : Compare selections of genes.

    Notes
    -----
    Constant genes are not selected unless they are in ``include``. A backed ``X`` is read in
    pieces if it is dense, and loaded if it is sparse.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from graphsieve.anndata import select_genes
    >>> rng = np.random.default_rng(0)
    >>> adata = anndata.AnnData(np.log1p(rng.poisson(2.0, (60, 30))))
    >>> select_genes(adata, 5, method="css", include=["3"])
    >>> int(adata.var["highly_variable"].sum()), float(adata.var.loc["3", "highly_variable_rank"])
    (5, 0.0)
    """
    check_anndata(adata)
    if subset and inplace and adata.isbacked:
        raise ValueError(
            "subset=True cannot shrink a backed file: call select_genes without it, then "
            f"adata[:, adata.var[{key_added!r}]].to_memory()"
        )
    sizes = _sizes(n_top_genes)
    A = None if neighbors_key is None else connectivities(adata, neighbors_key)
    estimator = make_estimator(method, random_state, A)
    batches = None if batch_key is None else find_batches(adata, batch_key)
    include, exclude = _given_genes(adata, include, exclude)
    usable = gene_mask(adata, mask_var)
    usable[include] = True
    X = expression(adata, layer)
    where = "adata.X" if layer is None else f"adata.layers[{layer!r}]"
    eligible = usable & ~check_values(X, adata.var_names, estimator, where)
    eligible[include], eligible[exclude] = True, False
    sizes = _limit(sizes, len(include), int(eligible.sum()))
    columns = np.flatnonzero(usable)
    if len(columns) < adata.n_vars:
        X = view_columns(X, columns, list(adata.var_names))
    estimator.set_params(
        n_features_to_select=sizes[-1],
        include=np.searchsorted(columns, include).tolist(),
        exclude=np.flatnonzero(np.isin(columns, exclude)).tolist(),
    )
    ranks, scores = rank_genes(estimator, X, A, batches)
    scores[:, np.isin(columns, exclude)] = np.nan
    frame = _frame(
        adata.var_names,
        columns,
        eligible,
        sizes,
        ranks,
        scores,
        nested=np.ndim(n_top_genes) > 0,
        batched=batch_key is not None,
    )
    frame.columns = [f"{key_added}{ending}" for ending in frame.columns]
    if not inplace:
        return frame[frame[key_added]] if subset else frame
    add_columns(adata.var, frame, key_added)
    parameters = {
        "n_top_genes": n_top_genes,
        "layer": layer,
        "batch_key": batch_key,
        "include": adata.var_names[include].tolist() or None,
        "exclude": adata.var_names[exclude].tolist() or None,
        "neighbors_key": neighbors_key,
        "key_added": key_added,
        "random_state": random_state if isinstance(random_state, Integral) else None,
    }
    adata.uns["graphsieve"] = make_record(method, parameters)
    if subset:
        adata._inplace_subset_var(frame[key_added].to_numpy())
    return None


def _sizes(n_top_genes):
    """The numbers of genes, increasing."""
    sizes = [n_top_genes] if np.ndim(n_top_genes) == 0 else list(n_top_genes)
    for size in sizes:
        if not isinstance(size, Integral) or size < 1:
            raise ValueError(f"n_top_genes must be a positive integer or a list, got {size!r}")
    if not sizes:
        raise ValueError("n_top_genes is an empty list: give one number or more")
    return sorted({int(size) for size in sizes})


def _given_genes(adata, include, exclude):
    """Positions of the included and of the excluded genes."""
    include = find_genes(adata, include, "include")
    exclude = find_genes(adata, exclude, "exclude")
    both = [j for j in include if j in set(exclude)]
    if both:
        raise ValueError(
            f"gene {str(adata.var_names[both[0]])!r} is in both include and exclude: remove it "
            "from one of them"
        )
    return include, exclude


def _limit(sizes, n_included, n_eligible):
    """The numbers of genes that can be selected."""
    if sizes[0] < n_included:
        raise ValueError(
            f"include has {n_included} genes, more than n_top_genes={sizes[0]}, which also "
            f"counts them: use {n_included} or more"
        )
    if n_eligible == 0:
        raise ValueError("no gene can be selected: all are constant, excluded or masked")
    if sizes[-1] > n_eligible:
        warn(
            f"only {n_eligible} genes vary and are neither masked nor excluded: all of them are "
            f"selected, instead of n_top_genes={sizes[-1]}"
        )
    return sorted({min(size, n_eligible) for size in sizes})


def _frame(names, columns, eligible, sizes, ranks, scores, *, nested, batched):
    """One row per gene; the columns are the endings of those in ``adata.var``."""
    import pandas as pd

    largest = sizes[-1]
    mean_rank = cut_ranks(ranks, largest).mean(axis=0)
    order = columns[np.lexsort((ranks.mean(axis=0), mean_rank))]
    order = order[eligible[order]]
    place = np.full(len(names), np.inf)
    place[order] = np.arange(len(order))
    score = np.full(len(names), np.nan)
    score[columns] = (
        scores[0] if len(ranks) == 1 else np.where(np.isnan(scores[0]), np.nan, -mean_rank)
    )
    n_batches = np.zeros(len(names), dtype=int)
    n_batches[columns] = (ranks < largest).sum(axis=0)
    columns = panel_columns(place, score, largest, (n_batches, len(ranks)) if batched else None)
    if nested:
        columns |= {f"_{size}": place < size for size in sizes}
    return pd.DataFrame(columns, index=names)
