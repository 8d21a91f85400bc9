"""Selection of genes: from AnnData to a ranking, and back to where scanpy looks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from .._graph.affinity import build_graph
from .._linear.columns import Columns, leading_scores
from .._rows import (
    ArrayStream,
    RowBlocks,
    ZarrStream,
    check_container,
    find_first,
    is_constant,
    is_dask,
    open_rows,
    row_pieces,
    view_columns,
)
from .._utils.messages import warn
from .._utils.names import find_columns, in_column_order, suggestion
from .._utils.text import listed
from ..base import FeatureRanker
from ..inspection.grouped import GroupedRanker
from ..methods import REGISTRY, GraphSieve
from .files import ADDED, add_columns

if TYPE_CHECKING:
    from anndata import AnnData
    from numpy.typing import ArrayLike
    from pandas import DataFrame

# A batch with fewer cells says next to nothing about genes.
FEWEST_CELLS = 20
# Weight of the neighbour graph relative to the data, and the number of principal components in
# which neighbours are found, which is that of scanpy. See docs/gene_panels.md.
_GRAPH_WEIGHT = 0.3
_N_COMPONENTS = 50


def select_genes(
    adata: AnnData,
    n_top_genes: int | list[int] | str = 200,
    *,
    method: str | FeatureRanker = "sieve",
    layer: str | None = None,
    batch_key: str | None = None,
    mask_var: str | ArrayLike | None = None,
    include: ArrayLike | None = None,
    exclude: ArrayLike | None = None,
    neighbors_key: str | None = None,
    subset: bool = False,
    inplace: bool = True,
    random_state: int | np.random.RandomState | None = 0,
) -> DataFrame | None:
    """Select genes that represent the others and preserve the neighbourhoods of the cells.

    A replacement for ``scanpy.pp.highly_variable_genes``: the selection is written to
    ``adata.var["highly_variable"]``, where scanpy's functions look for it. Expression should be
    log-normalised (``scanpy.pp.normalize_total``, then ``scanpy.pp.log1p``).

    Parameters
    ----------
    adata : anndata.AnnData
        Cells by genes: in memory, backed by a file, or with a Dask array as ``X``.
    n_top_genes : int, list of int or "auto", default=200
        Number of genes. For a list, the selections are nested: each has its own column
        ``highly_variable_<number>``, and ``highly_variable`` is the largest. "auto" selects the
        genes that add more to those before them than they would to shuffled genes.
    method : str or FeatureRanker, default="sieve"
        Name in ``graphsieve.REGISTRY``, or an estimator, of which a clone is fitted. Methods given
        by name use ``scale="global"``; "sieve" uses ``graph_weight=0.3`` and finds neighbours in 50
        principal components, as ``scanpy.pp.neighbors`` does.
    layer : str or None, default=None
        Key of ``adata.layers``; None uses ``adata.X``.
    batch_key : str or None, default=None
        Column of ``adata.obs``, such as the donor, within which genes are ranked, see
        ``graphsieve.GroupedRanker``. Batches of fewer than 20 cells are left out.
    mask_var : str, array of bool or None, default=None
        Genes to use at all: a column of ``adata.var`` or a mask.
    include, exclude : list of str, pattern or None, default=None
        Genes that are always selected, first and in this order, and count towards
        ``n_top_genes``, and genes that are never selected but remain to be represented. A text that
        starts with ``^`` is a pattern: ``exclude="^(MT-|RP[SL])"``.
    neighbors_key : str or None, default=None
        Key of a graph of ``scanpy.pp.neighbors`` to use, for methods that use one.
    subset : bool, default=False
        Keep only the selected genes in ``adata``.
    inplace : bool, default=True
        Write to ``adata``; otherwise return the columns.
    random_state : int, RandomState or None, default=0
        Random seed.

    Returns
    -------
    pandas.DataFrame or None
        None if ``inplace``. Otherwise the columns below, for the selected genes if ``subset``.

        - ``highly_variable``: whether a gene is selected; constant ones are only if included.
        - ``highly_variable_rank``: 0 for the first; NaN for genes that are not selected.
        - ``highly_variable_score``: score of the method, or minus the mean rank with batches,
          higher is better; NaN for genes left out by ``mask_var`` or ``exclude``.
        - ``highly_variable_nbatches``, ``highly_variable_intersection``: with batches, how many of
          them select a gene, and whether all do.

        ``adata.uns["graphsieve"]`` records method, parameters and versions.

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
    import pandas as pd

    check_anndata(adata)
    if subset and inplace and adata.isbacked:
        raise ValueError(
            "subset=True cannot shrink a backed file: call select_genes without it, then "
            'adata[:, adata.var["highly_variable"]].to_memory()'
        )
    sizes = _sizes(n_top_genes)
    estimator = make_estimator(method, random_state)
    batches = None if batch_key is None else _batches(adata, batch_key)
    included = find_genes(adata, include, "include")
    excluded = find_genes(adata, exclude, "exclude")
    if both := set(included) & set(excluded):
        raise ValueError(
            f"gene {str(adata.var_names[min(both)])!r} is in both include and exclude: remove it "
            "from one of them"
        )
    usable = gene_mask(adata, mask_var)
    usable[included] = True
    if neighbors_key is not None:
        if "affinity" not in estimator.get_params():
            raise ValueError(
                f"{type(estimator).__name__} uses no neighbour graph: leave neighbors_key out, or "
                'use a method with one, such as "sieve" or "lap_score"'
            )
        estimator.set_params(affinity=connectivities(adata, neighbors_key))
    X = expression(adata, layer)
    eligible = usable & ~check_values(X, adata.var_names, _place(layer))
    eligible[included], eligible[excluded] = True, False
    sizes = _limit(sizes, len(included), int(eligible.sum()))
    genes = np.flatnonzero(usable)
    if len(genes) < adata.n_vars:
        X = view_columns(X, genes.tolist(), list(adata.var_names))
    given = {
        "n_features_to_select": sizes[-1],
        "include": np.searchsorted(genes, included).tolist(),
        "exclude": np.flatnonzero(np.isin(genes, excluded)).tolist(),
    }
    estimator.set_params(**given)
    if batches is not None:
        estimator = GroupedRanker(estimator, **given, min_samples=FEWEST_CELLS)
    elif isinstance(getattr(estimator, "affinity", None), CellGraph):
        # From the rows where they are: fit would load them.
        estimator.set_params(affinity=estimator.affinity(X))
    estimator.fit(X, groups=batches)
    frame = pd.DataFrame(gene_columns(estimator, genes, adata.n_vars), index=adata.var_names)
    if np.ndim(n_top_genes) > 0:
        for size in sizes:
            frame[f"{ADDED}_{size}"] = frame[f"{ADDED}_rank"] < size
    if not inplace:
        return frame[frame[ADDED]] if subset else frame
    add_columns(adata.var, frame)
    parameters = {
        "n_top_genes": n_top_genes,
        "layer": layer,
        "batch_key": batch_key,
        "include": adata.var_names[included].tolist() or None,
        "exclude": adata.var_names[excluded].tolist() or None,
        "neighbors_key": neighbors_key,
        "random_state": random_state if isinstance(random_state, Integral) else None,
    }
    adata.uns["graphsieve"] = make_record(method, parameters)
    if subset:
        adata._inplace_subset_var(frame[ADDED].to_numpy())
    return None


def _sizes(n_top_genes):
    if isinstance(n_top_genes, str) and n_top_genes == "auto":
        return [n_top_genes]
    sizes = [n_top_genes] if np.ndim(n_top_genes) == 0 else list(n_top_genes)
    if not sizes or not all(isinstance(size, Integral) and size >= 1 for size in sizes):
        raise ValueError(
            f'n_top_genes must be a positive integer, a list of them or "auto", got {n_top_genes!r}'
        )
    return sorted({int(size) for size in sizes})


def _batches(adata, batch_key):
    number, names = labels(adata, batch_key, "batch_key")
    if (number < 0).any():
        raise ValueError(
            f"adata.obs[{batch_key!r}] is missing for {(number < 0).sum()} cells: fill it, or "
            "leave these cells out"
        )
    return np.asarray(names)[number]


def _limit(sizes, n_included, n_eligible):
    if n_eligible == 0:
        raise ValueError("no gene can be selected: all are constant, excluded or masked")
    if sizes == ["auto"]:
        return sizes
    if sizes[0] < n_included:
        raise ValueError(
            f"include has {n_included} genes, more than n_top_genes={sizes[0]}, which also "
            f"counts them: use {n_included} or more"
        )
    if sizes[-1] > n_eligible:
        warn(
            f"only {n_eligible} genes vary and are neither masked nor excluded: all of them are "
            f"selected, instead of n_top_genes={sizes[-1]}"
        )
    return sorted({min(size, n_eligible) for size in sizes})


@dataclass(frozen=True)
class CellGraph:
    """Neighbour graph in the first components: rare cell types may be in none above noise."""

    n_neighbors: int = 5
    n_jobs: int | None = None

    def __call__(self, X):
        columns = Columns(open_rows(X))
        size = min(_N_COMPONENTS, columns.n_samples - 1, columns.n_features)
        scores, _ = leading_scores(columns, size, np.random.RandomState(0))
        return build_graph(RowBlocks(scores), n_neighbors=self.n_neighbors, n_jobs=self.n_jobs)


def make_estimator(method, random_state=None):
    if isinstance(method, FeatureRanker):
        estimator = clone(method)
    elif method in REGISTRY:
        estimator = REGISTRY[method]()
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=random_state)
        adapt_to_expression(estimator)
    else:
        raise ValueError(
            f"method={method!r} is neither a method of graphsieve nor an estimator"
            f"{suggestion(method, REGISTRY)}; the methods are {', '.join(REGISTRY)}"
        )
    return estimator


def adapt_to_expression(estimator, given=()):
    """Set the parameters that differ from those for other tables, but for those that are given."""
    # A gene that varies little is mostly noise, so all columns are scaled alike. Few genes explain
    # the embedding of the graph, which would decide most picks if it had the weight of the data.
    parameters, wanted = estimator.get_params(), {}
    if parameters.get("scale") is not None:
        wanted["scale"] = "global"
    if isinstance(estimator, GraphSieve):
        wanted["graph_weight"] = _GRAPH_WEIGHT
        wanted["affinity"] = CellGraph(parameters["n_neighbors"], parameters["n_jobs"])
    estimator.set_params(**{name: wanted[name] for name in wanted if name not in given})


def check_values(X, names, where):
    """Refuse values that are not finite; returns the mask of constant genes."""
    data = open_rows(X)
    low, high = data.column_range()
    if not np.isfinite([low, high]).all():
        cell, gene = find_first(data, lambda values: ~np.isfinite(values))
        raise ValueError(
            f"{where} contains NaN or infinity: cell {cell}, gene {str(names[gene])!r}. Filter or "
            "fill such values first"
        )
    first = X[:1000].compute() if is_dask(X) else next(row_pieces(X))[:1000]
    warn_of_values(first, low.min(), where)
    return is_constant(low, high)


def warn_of_values(X, smallest, where):
    """Warn of counts and of scaled values in some of the cells; ``smallest`` is that of all."""
    values = X.data if sp.issparse(X) else X
    largest = values.max(initial=0)
    if smallest < 0:
        warn(
            f"{where} has negative values, as after scanpy.pp.scale: genes that are mostly noise "
            "then count as much as all others. Use the log-normalised values from before scaling, "
            "from a layer or from adata.raw.to_adata(); Pearson residuals can stay as they are"
        )
    elif largest > 1 and (np.floor(values) == values).all():
        warn(
            f"{where} holds integers up to {largest:g}, which look like raw counts: genes with "
            "large counts and deeply sequenced cells dominate the selection. Log-normalise first "
            "(scanpy.pp.normalize_total, then scanpy.pp.log1p), or use a layer with such values"
        )


def check_anndata(adata):
    from anndata import AnnData

    if not isinstance(adata, AnnData):
        raise TypeError(
            f"expected an AnnData object, got {type(adata).__name__}. For arrays and data frames "
            "use an estimator, for example graphsieve.GraphSieve(200).fit(X)"
        )


def _place(layer):
    return "adata.X" if layer is None else f"adata.layers[{layer!r}]"


def expression(adata, layer=None):
    """Cells by genes from ``adata.X`` or a layer; dense data in a file remain there."""
    import h5py

    if layer is not None and layer not in adata.layers:
        raise ValueError(_missing("layer", layer, "adata.layers", adata.layers))
    X = adata.X if layer is None else adata.layers[layer]
    if X is None:
        raise ValueError(f"adata.X is empty: pass layer, one of {_listed(adata.layers)}")
    if is_dask(X):
        return X
    if isinstance(X, h5py.Dataset) or hasattr(X, "oindex"):  # the latter of Zarr
        stream = ArrayStream if isinstance(X, h5py.Dataset) else ZarrStream
        return stream(X, list(adata.var_names))
    if hasattr(X, "to_memory"):
        X = X.to_memory()
    check_container(X, _place(layer))
    return sp.csr_array(X) if sp.issparse(X) else np.asarray(X)


def find_genes(adata, genes, parameter):
    if genes is None:
        return []
    names = adata.var_names
    if not names.is_unique:
        asked = {genes} if isinstance(genes, str) else {g for g in genes if isinstance(g, str)}
        twice = sorted(asked & set(names[names.duplicated()]))
        if twice:
            raise ValueError(
                f"{parameter} refers to {twice[0]!r}, a name that several genes have: call "
                "adata.var_names_make_unique() first"
            )
    return find_columns(genes, adata.n_vars, names, parameter=parameter)


def gene_mask(adata, mask_var, parameter="mask_var"):
    """New mask of genes: a boolean column of ``adata.var``, an array, or None for all genes."""
    if mask_var is None:
        return np.ones(adata.n_vars, dtype=bool)
    if isinstance(mask_var, str):
        if mask_var not in adata.var:
            raise ValueError(_missing(parameter, mask_var, "adata.var", adata.var))
        mask_var = adata.var[mask_var]
    mask = np.array(in_column_order(mask_var, adata.n_vars, adata.var_names, parameter=parameter))
    if mask.dtype != bool or mask.shape != (adata.n_vars,):
        raise ValueError(
            f"{parameter} must have one True or False per gene ({adata.n_vars}), but it has the "
            f"shape {mask.shape} and the type {mask.dtype}"
        )
    return mask


def labels(adata, key, parameter):
    """A column of ``adata.obs`` as (number of the value per cell, values)."""
    import pandas as pd

    if key not in adata.obs:
        raise ValueError(_missing(parameter, key, "adata.obs", adata.obs))
    return pd.factorize(adata.obs[key], sort=True)


def connectivities(adata, neighbors_key):
    known = {
        name: value["connectivities_key"]
        for name, value in adata.uns.items()
        if isinstance(value, Mapping) and "connectivities_key" in value
    }
    key = known.get(neighbors_key, neighbors_key)
    if key not in adata.obsp:
        raise ValueError(
            f"neighbors_key={neighbors_key!r} is neither a neighbour graph in adata.uns nor a key "
            f"of adata.obsp ({_listed([*known, *adata.obsp])}): run scanpy.pp.neighbors first, or "
            "leave neighbors_key out"
        )
    return sp.csr_array(adata.obsp[key])


def _missing(parameter, name, where, known):
    return f"{parameter}={name!r} is not in {where} ({_listed(known)}){suggestion(name, known)}"


def _listed(names):
    return listed([str(name) for name in names]) or "which is empty"


def gene_columns(fitted, genes, n_genes):
    """Columns of ``adata.var`` for a selector fitted on ``genes``."""
    place, score = np.full(n_genes, np.inf), np.full(n_genes, np.nan)
    place[genes], score[genes] = fitted.ranking_ - 1, fitted.scores_
    score[genes[fitted.exclude or []]] = np.nan
    selected = place < fitted.n_features_
    rank = np.where(selected, place, np.nan)
    columns = {ADDED: selected, f"{ADDED}_rank": rank, f"{ADDED}_score": score}
    if isinstance(fitted, GroupedRanker):
        count = np.zeros(n_genes, dtype=int)
        count[genes] = fitted.n_groups_selected_
        columns |= {f"{ADDED}_nbatches": count}
        columns |= {f"{ADDED}_intersection": count == fitted.n_groups_}
    return columns


def make_record(method, parameters):
    return {
        "method": method if isinstance(method, str) else repr(method),
        "parameters": {k: v for k, v in parameters.items() if v is not None},
        "versions": {name: version(name) for name in ("graphsieve", "scikit-learn", "anndata")},
    }
