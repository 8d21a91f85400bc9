"""Tables in files: a format is a reader and a writer under its extension."""

import os
import secrets
import warnings
from contextlib import contextmanager

import numpy as np
import scipy.sparse as sp

from .tables import Table, TableError

# Where NPZ and MAT files, which have no place for them, keep the names of the columns.
_NAMES = "feature_names"


def read_table(path, *, key=None, header=True):
    """The table in a file.

    Parameters
    ----------
    path : Path
        Its extension is in ``FORMATS``.
    key : str or None
        Which array of an NPZ or MAT file to take; by default ``X`` or the only matrix.
    header : bool
        Whether the first line of a CSV or TSV file holds the names of the columns.
    """
    read, _ = FORMATS[path.suffix.lower()]
    try:
        return read(path, key, header)
    except (TableError, ImportError, MemoryError):
        raise
    except Exception as error:
        # Every parser has errors of its own for a damaged file.
        kind = path.suffix[1:].upper()
        raise TableError(f"cannot read {path} as {kind}: {error}") from error


def write_table(path, table):
    """Write a table in the format that the extension of ``path`` names."""
    _, write = FORMATS[path.suffix.lower()]
    write(path, table)


@contextmanager
def replacing(path):
    """A name beside ``path`` to write to; it becomes ``path`` when the block ends well.

    Nobody ever sees half a file under ``path``, and a block that fails leaves nothing behind.
    """
    # A link stays a link: the file behind it is replaced.
    path = path.resolve()
    temporary = path.with_name(f".{path.stem}-{secrets.token_hex(4)}{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _read_text(separator):
    def read(path, key, header):
        import pandas as pd

        try:
            # In one piece, so that a column has one type.
            frame = pd.read_csv(path, sep=separator, header=0 if header else None, low_memory=False)
        except pd.errors.EmptyDataError:
            raise TableError(f"{path} is empty") from None
        if header:
            _check_header(path, _first_line(path, separator))
        else:
            frame.columns = _default_names(frame.shape[1])
        return _frame_table(frame)

    return read


def _check_header(path, cells):
    """An error or a warning where the first line is not what a header looks like."""
    if len(cells) == 1 and any(separator in cells[0] for separator in ";,\t|"):
        raise TableError(
            f"{path} has a single column, {cells[0]!r}: CSV needs commas between the columns, "
            "TSV tabulators"
        )
    if _looks_like_data(cells):
        _warn(
            f"the first line of {path} holds only numbers and was taken for the names of the "
            "columns; if it is data, add --no-header"
        )
    if not cells[0]:
        _warn(
            f"the first column of {path} has no name and was taken for a feature; if it numbers "
            "the rows, add --drop 0"
        )


def _warn(message):
    warnings.warn(message, UserWarning, stacklevel=1)


def _first_line(path, separator):
    """Cells of the first line as they stand: pandas makes the names of columns unique."""
    import pandas as pd

    line = pd.read_csv(path, sep=separator, header=None, nrows=1, dtype=str, keep_default_na=False)
    return line.iloc[0].tolist()


def _write_text(separator):
    def write(path, table):
        table.frame().to_csv(path, sep=separator, index=False)

    return write


def _read_parquet(path, key, header):
    import pandas as pd
    import pyarrow  # noqa: F401  (pandas' own error does not name the missing package)

    return _frame_table(pd.read_parquet(path))


def _write_parquet(path, table):
    table.frame().to_parquet(path)


def _read_npy(path, key, header):
    return _array_table(path, np.load(path, mmap_mode="r"))


def _write_npy(path, table):
    np.save(path, table.array())


def _read_npz(path, key, header):
    with np.load(path) as archive:
        names = archive.get(_NAMES)
        # One matrix in several arrays, as scipy.sparse.save_npz writes it.
        if {"format", "shape", "data"} <= set(archive):
            return _array_table(path, sp.load_npz(path), names)
        key = _choose(path, list(archive), lambda name: archive[name].shape, key)
        return _array_table(path, archive[key], names, key)


def _write_npz(path, table):
    X = table.X
    if sp.issparse(X):
        arrays = {"format": b"csr", "shape": X.shape, "data": X.data}
        arrays |= {"indices": X.indices, "indptr": X.indptr}
    else:
        arrays = {table.key: table.array()}
    np.savez_compressed(path, **arrays, **{_NAMES: np.array(table.names)})


def _read_mat(path, key, header):
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


def _write_mat(path, table):
    from scipy.io import savemat

    X = table.X if sp.issparse(table.X) else table.array()
    names = np.array(table.names, dtype=object)
    savemat(path, {table.key: X, _NAMES: names}, do_compression=True)


FORMATS = {
    ".csv": (_read_text(","), _write_text(",")),
    ".tsv": (_read_text("\t"), _write_text("\t")),
    ".parquet": (_read_parquet, _write_parquet),
    ".npy": (_read_npy, _write_npy),
    ".npz": (_read_npz, _write_npz),
    ".mat": (_read_mat, _write_mat),
}


def _frame_table(frame):
    names = [str(name) for name in frame.columns]
    return Table(frame.set_axis(names, axis=1), names)


def _array_table(path, X, names=None, key="X"):
    if X.ndim != 2:
        raise TableError(f"{path}: {key} has {X.ndim} dimensions {X.shape}, not rows and columns")
    if X.dtype.kind not in "biuf":
        raise TableError(f"{path}: {key} does not hold numbers but {X.dtype.name}")
    named = names is not None and len(names) == X.shape[1]
    names = [str(name) for name in names] if named else _default_names(X.shape[1])
    if sp.issparse(X):
        X = sp.csr_array(X)
    elif named:
        import pandas as pd

        # In a frame, so that whoever complains about a column can name it.
        X = pd.DataFrame(X, columns=names, copy=False)
    return Table(X, names, key)


def _default_names(n_columns):
    """x0, x1, ...: scikit-learn's names for columns that have none."""
    return [f"x{j}" for j in range(n_columns)]


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


def _looks_like_data(cells):
    """Whether all cells are numbers, but not those that stand for positions (0, 1, 2, ...)."""
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        return False
    return [value - values[0] for value in values] != list(range(len(values)))
