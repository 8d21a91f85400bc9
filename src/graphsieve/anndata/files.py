"""AnnData in .h5ad files: one matrix is read, and the selection is written beside it."""

import re
import shutil
from contextlib import contextmanager

import numpy as np

# Column of ``adata.var`` with the selection, and prefix of the others; as in scanpy.
ADDED = "highly_variable"


@contextmanager
def _opened(path):
    """Open the file, unless parts of it are in other files.

    Those would be read, and changed in an annotated copy of the file, though nobody named them.
    """
    import h5py

    # A visit ends with the first result that is not None; errors must not pass through it.
    def elsewhere(key, link):
        if isinstance(link, h5py.ExternalLink):
            return key, link.filename
        item = file[key] if isinstance(link, h5py.HardLink) else None
        if not isinstance(item, h5py.Dataset):
            return None
        others = [entry[0] for entry in item.external or ()]
        others += [source.file_name for source in item.virtual_sources()] if item.is_virtual else []
        return next(((key, other) for other in others if other != "."), None)

    with h5py.File(path) as file:
        if found := file.visititems_links(elsewhere):
            where = f"{found[0]} is in another file, {found[1]!r}"
            raise ValueError(f"{where}, which is not read; copy the data into one file")
        yield file


def read_matrix(path, key, check_size):
    """Return X or the layer of this name, the names of the genes, obs, and the place of the matrix.

    ``check_size`` gets the number of bytes before they are read.
    """
    from anndata.io import read_elem

    with _opened(path) as file:
        places = ("X", *(f"layers/{layer}" for layer in file.get("layers", ())), "raw/X")
        # The place of a missing X may be an empty dataset.
        held = [p for p in places if p in file and getattr(file[p], "shape", ()) is not None]
        wanted = [key or "X", f"layers/{key}"]
        place = next((place for place in wanted if place in held), None)
        if place is None:
            raise ValueError(f"there is no matrix {wanted[0]!r}; choose one of {', '.join(held)}")
        element = file[place]
        parts = element.values() if hasattr(element, "values") else [element]
        # A sparse matrix is no smaller than the pointers of its rows or columns.
        declared = 8 * max(map(int, element.attrs.get("shape", ())), default=0)
        check_size(max(declared, sum(int(part.size) * part.dtype.itemsize for part in parts)))
        X = read_elem(element)
        genes = read_elem(file["raw/var" if place == "raw/X" else "var"]).index
        cells = read_elem(file["obs"])
    cells.index = cells.index.rename(cells.index.name or "obs_names")
    return X, genes, cells, place


def add_columns(var, frame):
    # Columns of an earlier selection, with batches or of several sizes, would contradict the new.
    earlier = re.compile(ADDED + r"_(nbatches|intersection|[0-9]+)")
    for name in [name for name in var if earlier.fullmatch(str(name))]:
        del var[name]
    for name in frame:
        # As an array: names of genes may be duplicated.
        var[name] = np.asarray(frame[name])


def annotate_h5ad(source, target, columns, record, *, subset=False):
    """Copy an .h5ad file with ``columns`` in ``var`` and the record in ``uns["graphsieve"]``.

    Nothing else is loaded. With ``subset``, the other genes are left out.
    """
    import h5py
    from anndata import read_h5ad
    from anndata.io import read_elem, write_elem

    if subset:
        adata = read_h5ad(source)
        add_columns(adata.var, columns)
        adata.uns["graphsieve"] = record
        adata._inplace_subset_var(columns[ADDED])
        adata.write_h5ad(target)
        return
    shutil.copyfile(source, target)
    with h5py.File(target, "r+") as file:
        var = read_elem(file["var"])
        add_columns(var, columns)
        write_elem(file, "var", var)
        if "uns" not in file:
            write_elem(file, "uns", {})
        write_elem(file["uns"], "graphsieve", record)
