"""Files of arrays: NPY, NPZ, MAT, Zarr and h5ad."""

import io
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from ..._rows import ZarrStream, check_container, is_numeric
from ..._utils.names import unique_names
from ..._utils.text import counted, listed
from ..console import TableError
from .tables import STREAM_BYTES, Table, array_bytes, default_names

# Where files without a header keep the names of the columns.
NAMES = "feature_names"
# Longest header of an array in an NPZ file; NumPy accepts 10,000 bytes, after it has read them.
_MOST_HEADER = 2**16


class _Header(NamedTuple):
    """What a file declares about an array, and the bytes that it holds of it."""

    shape: tuple
    dtype: np.dtype
    stored: int = 0


def read_npy(path, name, reading):
    return _table(name, np.load(path, mmap_mode="r"), reading, notes=("memory-mapped",))


def write_npy(path, table):
    with open(path, "wb") as file:
        _write_array(file, table)


def _write_array(file, table):
    dtype = table.head().array().dtype
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False}
    np.lib.format.write_array_header_1_0(file, header | {"shape": table.X.shape})
    for piece in table.pieces():
        file.write(np.ascontiguousarray(piece.array(), dtype).data)


def read_npz(path, name, reading):
    headers = {}
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            key = info.filename.removesuffix(".npy")
            if key in headers:
                # Which of them NumPy reads is not the one whose size is checked.
                raise TableError(f"{name} is damaged: it holds two arrays {key!r}")
            headers[key] = _npz_header(archive, info)
    # One matrix in several arrays, as scipy.sparse.save_npz writes it.
    is_sparse = {"format", "shape", "data"} <= set(headers)
    key, notes = ("X", ()) if is_sparse else _choose(name, headers, reading.key)
    for part in headers if is_sparse else {key, NAMES} & set(headers):
        declared, stored = array_bytes(headers[part]), headers[part].stored
        reading.check_size(name, max(stored, declared), what=part)
        if declared > stored:
            what = f"{part} declares {declared:,} bytes and holds {stored:,}"
            raise TableError(f"{name} is damaged: {what}")
    with np.load(path) as archive:
        X = sp.load_npz(path) if is_sparse else archive[key]
        return _table(name, X, reading, archive.get(NAMES, ()), key, notes)


def _npz_header(archive, info):
    with archive.open(info) as file:
        start = io.BytesIO(file.read(_MOST_HEADER))
    form = np.lib.format
    read = form.read_array_header_2_0
    if form.read_magic(start) == (1, 0):
        read = form.read_array_header_1_0
    elif int.from_bytes(start.getvalue()[8:12], "little") > _MOST_HEADER:
        raise ValueError(f"the header of {info.filename} is too long")
    shape, _, dtype = read(start)
    return _Header(shape, dtype, info.file_size)


def write_npz(path, table):
    if is_sparse := sp.issparse(table.X):
        sp.save_npz(path, table.X)
    with zipfile.ZipFile(path, "a" if is_sparse else "w", zipfile.ZIP_DEFLATED) as archive:
        if not is_sparse:
            with archive.open(f"{table.key}.npy", "w", force_zip64=True) as file:
                _write_array(file, table)
        with archive.open(f"{NAMES}.npy", "w") as file:
            np.lib.format.write_array(file, np.array(table.names))


def read_mat(path, name, reading):
    from scipy.io import loadmat, whosmat

    try:
        entries = whosmat(path)
    except NotImplementedError:
        raise TableError(f"{name} is in MATLAB's format 7.3; save it with -v7") from None
    # MATLAB's largest numbers have eight bytes; few files use less.
    headers = {key: _Header(shape, np.dtype(float)) for key, shape, _ in entries}
    key, notes = _choose(name, headers, reading.key)
    if (key, headers[key].shape, "sparse") not in entries:
        reading.check_size(name, array_bytes(headers[key]), what=key)
    content = loadmat(path, variable_names=[key, NAMES])
    names = ["".join(map(str, np.ravel(name))) for name in np.ravel(content.get(NAMES, []))]
    return _table(name, content[key], reading, names, key, notes)


def read_zarr(path, name, reading):
    import zarr

    for entry in Path(path).rglob("*"):
        if entry.is_symlink() and not entry.resolve().is_relative_to(Path(path).resolve()):
            # Other files would be read, though nobody named them.
            where = f"{entry.relative_to(path)} is a link to {str(entry.resolve())!r}"
            raise TableError(f"{name}: {where}, which is not read; copy the data into the folder")
    array, key, notes = zarr.open(path, mode="r"), reading.key, ()
    if isinstance(array, zarr.Group):
        items = array.members(max_depth=None)
        arrays = {key: item for key, item in items if isinstance(item, zarr.Array)}
        key, notes = _choose(name, arrays, key)
        array = arrays[key]
    elif key is not None:
        raise TableError(f"{name} is a single array without a name; leave out --key")
    table = _table(name, array, reading, array.attrs.get(NAMES, ()), key or "X", notes)
    n_rows, n_columns = array.chunks
    reading.check_size(name, array_bytes(array), streamed=True)
    row_bytes = array_bytes(_Header((n_rows, array.shape[1]), array.dtype))
    reading.check_size(name, row_bytes, what="one row of chunks")
    chunks = counted(array.nchunks, "chunk")
    notes = [*table.notes, f"{chunks} of {n_rows:,} x {n_columns:,}, a few at a time"]
    if row_bytes > STREAM_BYTES:
        cure = "if it does not, write the array with chunks of fewer rows"
        notes.append(f"a row of which must fit in memory ({cure})")
    return replace(table, notes=tuple(notes))


def read_h5ad(path, name, reading):
    """AnnData: the expression matrix with the names of genes and cells; obs columns as labels."""
    from ...anndata.files import read_matrix

    X, genes, labels, key = read_matrix(path, reading.key, partial(reading.check_size, name))
    X = _checked_sparse(name, X, reading) if sp.issparse(X) else X
    names, notes = unique_names(genes)
    if X.shape != (len(labels), len(names)):
        raise TableError(f"{name} is damaged: {key} does not fit its genes and cells")
    if labels.shape[1]:
        notes += (f"obs columns to carry along with --keep: {listed(labels.columns)}",)
    return Table(X, names, key.replace("/", "_"), notes=notes, labels=labels)


def _checked_sparse(name, X, reading):
    """Return a CSR array: with a wrong index, SciPy would read and write outside its memory."""
    # The pointers of the other formats take one entry per row or column once converted.
    reading.check_size(name, 8 * sum(map(int, X.shape)), what="the sparse matrix")
    try:
        check_container(X)
        X = sp.csr_array(X)
        check_container(X)
    except (ValueError, IndexError, TypeError) as error:
        raise TableError(f"{name} is damaged: not a valid sparse matrix ({error})") from error
    return X


def _table(name, X, reading, names=(), key="X", notes=()):
    if sp.issparse(X):
        X = _checked_sparse(name, X, reading)
    if X.ndim != 2:
        found = f"{key} has {counted(X.ndim, 'dimension')} {X.shape}"
        raise TableError(f"{name}: {found}; a table has rows and columns")
    if not is_numeric(X.dtype):
        raise TableError(f"{name}: {key} holds {X.dtype.name} instead of numbers")
    names, n_columns = np.array(names, dtype=object).ravel(), X.shape[1]
    if is_named := len(names) == n_columns:
        names, renamed = unique_names(names)
    else:
        counts = f"{counted(len(names), 'name')} for {counted(n_columns, 'column')}"
        renamed = (f"{NAMES} not used: {counts}",) * bool(len(names))
        names = default_names(n_columns)
    if not isinstance(X, np.ndarray) and not sp.issparse(X):
        X = ZarrStream(X, names)
    elif is_named and isinstance(X, np.ndarray):
        # In a frame, so that messages about a column can name it.
        X = pd.DataFrame(X, columns=names, copy=False)
    return Table(X, names, key, notes=(*notes, *renamed))


def _choose(name, arrays, key):
    if key in arrays:
        return key, ()
    data = [other for other in arrays if other != NAMES]
    matrices = [k for k in data if len(arrays[k].shape) == 2 and min(arrays[k].shape) > 1]
    if key is None and ("X" in data or len(matrices) == 1):
        key = "X" if "X" in data else matrices[0]
        note = f"array {key!r} of {len(data)} (choose another with --key)"
        return key, (note,) if len(data) > 1 else ()
    held = (f"{other} ({' x '.join(map(str, item.shape))})" for other, item in arrays.items())
    what = "it is not clear which array to take" if key is None else f"there is no array {key!r}"
    held = ", ".join(held) or "none"
    raise TableError(f"{name}: {what}; it holds {held}. Choose one with --key NAME")
