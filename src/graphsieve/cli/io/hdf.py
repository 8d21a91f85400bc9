"""HDF5 files: plain data sets, data frames of pandas, and AnnData."""

from contextlib import contextmanager

import numpy as np

from ..._utils.text import listed
from .arrays import NAMES, array_table, check_sparse, choose_array
from .frames import frame_table
from .reading import array_bytes
from .tables import Table, TableError, unique_names


@contextmanager
def _opened(path, name):
    """Open a file, unless parts of it are in other files.

    Those would be read, and changed in an annotated copy of the file, though nobody named them.
    """
    import h5py

    # A visit ends with the first result that is not None; errors must not pass through it.
    def other_end(key, link):
        return (key, link.filename) if isinstance(link, h5py.ExternalLink) else None

    def other_storage(key, item):
        if not isinstance(item, h5py.Dataset):
            return None
        files = [entry[0] for entry in item.external or ()]
        if item.is_virtual:
            files += [source.file_name for source in item.virtual_sources()]
        return next(((key, other) for other in files if other != "."), None)

    with h5py.File(path) as file:
        found = file.visititems_links(other_end) or file.visititems(other_storage)
        if found:
            key, other = found
            raise TableError(
                f"{name}: {key} is in another file, {other!r}, which is not read; copy the data "
                "into one file"
            )
        yield file


def read_hdf5(path, name, reading):
    with _opened(path, name) as file:
        frames = _pandas_groups(file)
        if frames and (reading.key is None or reading.key.strip("/") in frames):
            return _read_pandas(name, file, frames, reading)
        arrays = _datasets(file)
        shapes = {key: item.shape for key, item in arrays.items()}
        key, notes = choose_array(name, shapes, reading.key)
        X = _load(name, arrays[key], reading)
        names = _names(arrays, arrays[key])
    return array_table(name, X, names, key, notes)


def read_matlab(path, name, reading):
    """MATLAB's format 7.3, which is HDF5 with the axes swapped."""
    with _opened(path, name) as file:
        arrays = {key: item for key, item in _datasets(file).items() if key[0] != "#"}
        shapes = {key: item.shape[::-1] for key, item in arrays.items()}
        key, notes = choose_array(name, shapes, reading.key)
        X = _load(name, arrays[key], reading).T
    return array_table(name, X, None, key, notes)


def write_hdf5(path, table):
    import h5py

    dtype = table.head().array().dtype
    with h5py.File(path, "w") as file:
        table.write_into(file.create_dataset(table.key, table.X.shape, dtype))
        file.create_dataset(NAMES, data=table.names, dtype=h5py.string_dtype())


def read_h5ad(path, name, reading):
    """AnnData: the expression matrix with the names of genes and cells; obs columns as labels."""
    from anndata.io import read_elem

    key = reading.key or "X"
    with _opened(path, name) as file:
        layers = [f"layers/{layer}" for layer in file.get("layers", ())]
        available = [other for other in ("X", *layers, "raw/X") if _holds_array(file, other)]
        if f"layers/{key}" in layers and key not in available:
            key = f"layers/{key}"
        if key not in available:
            raise TableError(
                f"{name} has no matrix {key!r}; choose one with --key: {listed(available)}"
            )
        _check_element(name, file[key], reading)
        X = read_elem(file[key])
        var = read_elem(file["raw/var" if key == "raw/X" else "var"])
        labels = read_elem(file["obs"])
    if hasattr(X, "indptr"):
        X = check_sparse(name, X, reading)
    names, renamed = unique_names(var.index)
    if X.shape != (len(labels), len(names)):
        raise TableError(f"{name} is damaged: {key} does not fit its genes and cells")
    labels.index = labels.index.rename(labels.index.name or "obs_names")
    notes = renamed
    if labels.shape[1]:
        notes += (f"obs columns to carry along with --keep: {listed(labels.columns)}",)
    return Table(X, names, key.replace("/", "_"), notes=notes, labels=labels)


def _holds_array(file, key):
    """Whether there is such an array; the place of a missing X may be an empty dataset."""
    return key in file and getattr(file[key], "shape", ()) is not None


def _check_element(name, element, reading):
    parts = element.values() if hasattr(element, "values") else [element]
    # A sparse matrix is no smaller than the pointers of its rows or columns.
    declared = 8 * max(map(int, element.attrs.get("shape", ())), default=0)
    stored = sum(array_bytes(part.shape, part.dtype) for part in parts)
    reading.check_size(name, max(declared, stored))


def _datasets(file):
    import h5py

    found = {}

    def note(key, item):
        if isinstance(item, h5py.Dataset):
            found[key] = item

    file.visititems(note)
    return found


def _load(name, dataset, reading):
    reading.check_size(name, array_bytes(dataset.shape, dataset.dtype), what=dataset.name)
    return dataset[()]


def _names(arrays, dataset):
    stored = dataset.attrs.get(NAMES, arrays.get(NAMES))
    return None if stored is None else [_decoded(value) for value in np.ravel(stored[()])]


def _decoded(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _pandas_groups(file):
    """Return the groups that ``DataFrame.to_hdf`` wrote, by name."""
    found = {}

    def note(key, item):
        if _decoded(item.attrs.get("pandas_type", "")).startswith("frame"):
            found[key] = item

    file.visititems(note)
    return found


def _read_pandas(name, file, frames, reading):
    """Read a data frame without pandas' own reader, which unpickles what it finds."""
    import pandas as pd

    key = reading.key.strip("/") if reading.key else next(iter(frames))
    if reading.key is None and len(frames) > 1:
        raise TableError(
            f"{name} holds several data frames; choose one with --key: {listed(frames)}"
        )
    group = frames[key]
    if _decoded(group.attrs["pandas_type"]) != "frame":
        raise TableError(
            f"{name}: {key} has the format 'table' of pandas, which cannot be read; save it "
            "with DataFrame.to_parquet"
        )
    blocks, skipped = [], []
    for number in range(int(group.attrs["nblocks"])):
        items = [_decoded(item) for item in group[f"block{number}_items"][()]]
        values = group[f"block{number}_values"]
        if values.dtype.kind in "biuf":
            blocks.append(pd.DataFrame(_load(name, values, reading), columns=items))
        else:
            skipped += items
    if not blocks:
        raise TableError(f"{name}: {key} has no columns of numbers")
    order = [_decoded(item) for item in group["axis0"][()]]
    frame = pd.concat(blocks, axis=1)
    frame = frame[[column for column in dict.fromkeys(order) if column in frame.columns]]
    notes = (f"columns of Python objects left out: {listed(skipped)}",) if skipped else ()
    return frame_table(frame, notes)
