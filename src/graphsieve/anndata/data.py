"""What is read from an AnnData object: expression, genes, batches and neighbour graphs."""

import numpy as np
import scipy.sparse as sp

from .._rows import HDF5Stream, ZarrStream, check_container, is_dask
from .._utils.names import find_columns, in_column_order, suggestion
from .._utils.text import listed


def import_anndata():
    """The package anndata, or an error that says how to install it."""
    try:
        import anndata
    except ImportError as error:
        raise ImportError("this needs anndata. Run: python -m pip install anndata") from error
    return anndata


def check_anndata(adata):
    """Refuse everything but AnnData."""
    if not isinstance(adata, import_anndata().AnnData):
        raise TypeError(
            f"expected an AnnData object, got {type(adata).__name__}. For arrays and data frames "
            "use an estimator, for example graphsieve.GraphSieve(200).fit(X)"
        )


def expression(adata, layer=None):
    """Cells by genes, as estimators take them, from ``adata.X`` or a layer.

    Dense data in a file remain there; sparse data in a file are loaded, because they are compact.
    """
    import h5py

    if layer is not None and layer not in adata.layers:
        raise ValueError(_missing("layer", layer, "adata.layers", adata.layers))
    X = adata.X if layer is None else adata.layers[layer]
    if X is None:
        raise ValueError(f"adata.X is empty: pass layer, one of {_listed(adata.layers)}")
    if is_dask(X):
        return X
    if isinstance(X, h5py.Dataset):
        return HDF5Stream(X, list(adata.var_names))
    if hasattr(X, "oindex"):
        return ZarrStream(X, list(adata.var_names))
    if hasattr(X, "to_memory"):
        X = X.to_memory()
    check_container(X, "adata.X" if layer is None else f"adata.layers[{layer!r}]")
    return sp.csr_array(X) if sp.issparse(X) else np.asarray(X)


def find_genes(adata, genes, parameter):
    """Positions of genes that are given by name, position or mask."""
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


def gene_mask(adata, mask_var):
    """New mask of genes: a boolean column of ``adata.var``, an array, or None for all genes."""
    if mask_var is None:
        return np.ones(adata.n_vars, dtype=bool)
    if isinstance(mask_var, str):
        if mask_var not in adata.var:
            raise ValueError(_missing("mask_var", mask_var, "adata.var", adata.var))
        mask_var = adata.var[mask_var]
    mask = np.array(in_column_order(mask_var, adata.n_vars, adata.var_names, parameter="mask_var"))
    if mask.dtype != bool or mask.shape != (adata.n_vars,):
        raise ValueError(
            f"mask_var must have one True or False per gene ({adata.n_vars}), but it has the "
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
    """The neighbour graph of the cells that ``scanpy.pp.neighbors`` stored under a key."""
    stored = adata.uns.get(neighbors_key, {})
    key = stored.get("connectivities_key") if hasattr(stored, "get") else None
    key = key or neighbors_key
    if key not in adata.obsp:
        known = [name for name, value in adata.uns.items() if _is_graph(value)]
        raise ValueError(
            f"neighbors_key={neighbors_key!r} is neither a neighbour graph in adata.uns nor a key "
            f"of adata.obsp ({_listed([*known, *adata.obsp])}): run scanpy.pp.neighbors first, or "
            "leave neighbors_key out"
        )
    return sp.csr_array(adata.obsp[key])


def _is_graph(value):
    return hasattr(value, "get") and "connectivities_key" in value


def _missing(parameter, name, where, known):
    return f"{parameter}={name!r} is not in {where} ({_listed(known)}){suggestion(name, known)}"


def _listed(names):
    return listed([str(name) for name in names]) or "which is empty"
