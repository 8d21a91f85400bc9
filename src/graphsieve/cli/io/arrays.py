"""Files of arrays: NPY, NPZ, MAT and Zarr."""

import zipfile
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ..._rows import ZarrStream, is_numeric
from .tables import STREAM_BYTES, Table, TableError, counted, default_names, warn

# Where files that have no place for them keep the names of the columns.
_NAMES = "feature_names"
# A chunk of a Zarr array that we write, about.
_CHUNK_BYTES = 2**20


def read_npy(path, key, header):
    return _array_table(path, np.load(path, mmap_mode="r"), how="memory-mapped")


def write_npy(path, table):
    with open(path, "wb") as file:
        _write_array(file, table)


def _write_array(file, table):
    """In the format of NPY files, a piece at a time."""
    dtype = table.head().array().dtype
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False}
    np.lib.format.write_array_header_1_0(file, header | {"shape": table.X.shape})
    for piece in table.pieces():
        file.write(np.ascontiguousarray(piece.array(), dtype).data)


def read_npz(path, key, header):
    with np.load(path) as archive:
        names = archive.get(_NAMES)
        # One matrix in several arrays, as scipy.sparse.save_npz writes it.
        if {"format", "shape", "data"} <= set(archive):
            return _array_table(path, sp.load_npz(path), names)
        key = _choose(path, list(archive), lambda name: archive[name].shape, key)
        return _array_table(path, archive[key], names, key)


def write_npz(path, table):
    X = table.X
    names = np.array(table.names)
    if sp.issparse(X):
        arrays = {"format": b"csr", "shape": X.shape, "data": X.data}
        arrays |= {"indices": X.indices, "indptr": X.indptr}
        np.savez_compressed(path, **arrays, **{_NAMES: names})
        return
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(f"{table.key}.npy", "w", force_zip64=True) as file:
            _write_array(file, table)
        with archive.open(f"{_NAMES}.npy", "w") as file:
            np.lib.format.write_array(file, names)


def read_mat(path, key, header):
    from scipy.io import loadmat, whosmat

    try:
        shapes = {name: shape for name, shape, _ in whosmat(path)}
    except NotImplementedError:
        raise TableError(
            f"{path} has MATLAB's format 7.3, which is not read; save it again with -v7"
        ) from None
    key = _choose(path, list(shapes), shapes.get, key)
    content = loadmat(path, variable_names=[key, _NAMES])
    names = content.get(_NAMES)
    if names is not None:
        names = ["".join(map(str, np.ravel(name))) for name in names.ravel()]
    return _array_table(path, content[key], names, key)


def write_mat(path, table):
    from scipy.io import savemat

    X = table.X
    if not sp.issparse(X):
        X = np.concatenate([piece.array() for piece in table.pieces()])
    names = np.array(table.names, dtype=object)
    savemat(path, {table.key: X, _NAMES: names}, do_compression=True)


def read_zarr(path, key, header):
    import zarr

    array = zarr.open(path, mode="r")
    if isinstance(array, zarr.Group):
        items = array.members(max_depth=None)
        arrays = {name: item for name, item in items if isinstance(item, zarr.Array)}
        key = _choose(path, list(arrays), lambda name: arrays[name].shape, key)
        array = arrays[key]
    elif key is not None:
        raise TableError(f"{path} is a single array, without a name; leave out --key")
    table = _array_table(path, array, array.attrs.get(_NAMES), key or "X")
    n_rows, n_columns = array.chunks
    if n_rows * array.shape[1] * array.dtype.itemsize > STREAM_BYTES:
        warn(
            f"a row of chunks of {path} has {n_rows:,} rows and must fit in memory; if it does "
            "not, write the array with chunks of fewer rows"
        )
    chunks = counted(array.nchunks, "chunk")
    return replace(table, how=f"{chunks} of {n_rows:,} x {n_columns:,}, a few at a time")


def write_zarr(path, table):
    import zarr

    dtype = table.head().array().dtype
    n_rows, n_columns = table.X.shape
    chunk_rows = max(1, _CHUNK_BYTES // (n_columns * dtype.itemsize))
    array = zarr.create_array(
        path,
        shape=(n_rows, n_columns),
        chunks=(min(chunk_rows, n_rows), n_columns),
        dtype=dtype,
        attributes={_NAMES: table.names},
    )
    start = 0
    for piece in table.pieces():
        stop = start + piece.X.shape[0]
        array[start:stop] = piece.array()
        start = stop


def _array_table(path, X, names=None, key="X", how=""):
    """The table of an array, a memory map, a sparse matrix or a Zarr array."""
    if X.ndim != 2:
        raise TableError(f"{path}: {key} has {X.ndim} dimensions {X.shape}, not rows and columns")
    if not is_numeric(X.dtype):
        raise TableError(f"{path}: {key} does not hold numbers but {X.dtype.name}")
    named = names is not None and len(names) == X.shape[1]
    names = [str(name) for name in names] if named else default_names(X.shape[1])
    if sp.issparse(X):
        X = sp.csr_array(X)
    elif not isinstance(X, np.ndarray):
        X = ZarrStream(X, names)
    elif named:
        import pandas as pd

        # In a frame, so that whoever complains about a column can name it.
        X = pd.DataFrame(X, columns=names, copy=False)
    return Table(X, names, key, how)


def _choose(path, names, shape_of, key):
    """Name of the array to take from a file that may hold several."""
    if key in names:
        return key
    if key is None and "X" in names:
        return "X"
    shapes = {name: shape_of(name) for name in names}
    matrices = [name for name, shape in shapes.items() if len(shape) == 2 and min(shape) > 1]
    if key is None and len(matrices) == 1:
        return matrices[0]
    held = ", ".join(f"{name} ({' x '.join(map(str, shape))})" for name, shape in shapes.items())
    wanted = "which array to take is not clear" if key is None else f"there is no array {key!r}"
    raise TableError(f"{path}: {wanted}; it holds {held or 'none'}. Choose one with --key NAME")
