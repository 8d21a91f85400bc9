"""Reading and writing .h5ad files, with errors that name the file."""

import shutil
from pathlib import Path

from .._utils.files import replacing
from .columns import add_columns
from .data import check_anndata, import_anndata


def read_h5ad(path, *, backed=False):
    """Read an .h5ad file.

    Parameters
    ----------
    path : path-like
        The file.
    backed : bool, default=False
        Leave ``X`` in the file, which is opened for reading.

    Returns
    -------
    anndata.AnnData
        The data.
    """
    anndata = import_anndata()
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path} does not exist")
    try:
        return anndata.read_h5ad(path, backed="r" if backed else None)
    except Exception as error:
        # Damaged and foreign files raise different errors in h5py and every version of anndata.
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{path} cannot be read as an .h5ad file: {reason}") from error


def write_h5ad(adata, path):
    """Write an .h5ad file in one step: an existing file is replaced once the new one is complete.

    Parameters
    ----------
    adata : anndata.AnnData
        The data, in memory.
    path : path-like
        The file.
    """
    check_anndata(adata)
    with replacing(path) as temporary:
        adata.write_h5ad(temporary)


def annotate_h5ad(source, target, columns, record, *, subset=False):
    """Copy an .h5ad file, and mark a selection of its genes in the copy.

    Only ``columns``, by name, in ``var`` and the record ``uns["graphsieve"]`` are written:
    everything else is copied as it is, without loading it. With ``subset``, the other genes are
    left out of the copy.
    """
    if subset:
        adata = read_h5ad(source)
        add_columns(adata.var, columns)
        adata.uns["graphsieve"] = record
        adata._inplace_subset_var(columns["highly_variable"])
        adata.write_h5ad(target)
        return
    import h5py
    from anndata.io import read_elem, write_elem

    shutil.copyfile(source, target)
    with h5py.File(target, "r+") as file:
        var = read_elem(file["var"])
        add_columns(var, columns)
        write_elem(file, "var", var)
        if "uns" not in file:
            write_elem(file, "uns", {})
        write_elem(file["uns"], "graphsieve", record)
