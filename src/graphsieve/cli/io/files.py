"""Tables in files: a format is a reader and a writer under its extension."""

import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ..._utils.text import listed
from . import arrays, frames, hdf
from .dialect import open_bytes
from .tables import Table, TableError, default_names, unique_names
from .text import text_reader, text_writer

_PACKED = ".gz"


@dataclass(frozen=True)
class Format:
    """A file format.

    ``options`` are those of the command that apply to it, ``spreadsheet`` says whether people
    open such files in a spreadsheet, and ``numbers_only`` whether it holds one array of numbers.
    ``package`` is needed in addition to those of the command line.
    """

    read: Callable
    write: Callable | None
    options: tuple = ()
    spreadsheet: bool = False
    numbers_only: bool = False
    package: str | None = None


_TEXT = ("--no-header", "--sep", "--decimal", "--encoding", "--index")
_KEY = ("--key",)
FORMATS = {
    ".csv": Format(text_reader(","), text_writer(","), _TEXT, spreadsheet=True),
    ".tsv": Format(text_reader("\t"), text_writer("\t"), _TEXT, spreadsheet=True),
    ".txt": Format(text_reader("\t"), text_writer("\t"), _TEXT, spreadsheet=True),
    ".parquet": Format(frames.read_parquet, frames.write_parquet, ("--index",)),
    ".feather": Format(frames.read_feather, frames.write_feather, ("--index",)),
    ".jsonl": Format(frames.read_json_lines, frames.write_json_lines, ("--index",)),
    ".xlsx": Format(
        frames.read_excel,
        frames.write_excel,
        ("--key", "--no-header", "--index"),
        spreadsheet=True,
        package="openpyxl",
    ),
    ".npy": Format(arrays.read_npy, arrays.write_npy, numbers_only=True),
    ".npz": Format(arrays.read_npz, arrays.write_npz, _KEY, numbers_only=True),
    ".mat": Format(arrays.read_mat, arrays.write_mat, _KEY, numbers_only=True),
    ".zarr": Format(arrays.read_zarr, arrays.write_zarr, _KEY, numbers_only=True, package="zarr"),
    ".h5": Format(hdf.read_hdf5, hdf.write_hdf5, _KEY, numbers_only=True, package="h5py"),
    ".h5ad": Format(hdf.read_h5ad, None, _KEY, package="anndata"),
}
_OTHER_NAMES = {".hdf5": ".h5", ".arrow": ".feather", ".ndjson": ".jsonl", ".tab": ".tsv"}
# Text formats, of which a packed file is read and written as well.
PACKABLE = (".csv", ".tsv", ".txt", ".jsonl")
READABLE = tuple(FORMATS)
WRITABLE = tuple(suffix for suffix, form in FORMATS.items() if form.write)


def extension(path):
    """Return the extension under which ``FORMATS`` knows the format of a file."""
    suffix = path.suffix.lower()
    if suffix == _PACKED:
        inner = extension(path.with_suffix(""))
        return inner if inner in PACKABLE else suffix
    return _OTHER_NAMES.get(suffix, suffix)


def is_packed_name(path):
    return path.suffix.lower() == _PACKED


def read_table(path, reading, name=None, suffix=None):
    """Read the table in a file, under its name in messages and its extension in ``FORMATS``."""
    name, suffix = name or str(path), suffix or extension(path)
    try:
        table = FORMATS[suffix].read(path, name, reading)
        if reading.whole:
            table = table.whole()
        if reading.transpose:
            return _transposed(name, table, reading)
        return replace(table, row_names=table.names[0]) if reading.index else table
    except (TableError, ImportError, MemoryError):
        raise
    except Exception as error:
        # Every parser has errors of its own for a damaged file.
        what = " ".join(str(error).split()) or type(error).__name__
        raise TableError(f"cannot read {name} as {suffix[1:].upper()}: {what}") from error


# How files begin; .npz begins like .xlsx.
_MAGIC = {
    b"{": ".jsonl",
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"\x89HDF": ".h5",
    b"\x93NUMPY": ".npy",
    b"PK\x03\x04": ".xlsx",
}


@contextmanager
def standard_input():
    """Copy standard input to a temporary file; yield its path and the extension it should have."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        with open(path, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        with open_bytes(path) as file:
            start = file.read(2**12).lstrip()
        found = (suffix for magic, suffix in _MAGIC.items() if start.startswith(magic))
        suffix = next(found, ".csv")
        if suffix == ".xlsx" and b".npy" in start:
            suffix = ".npz"
        yield path.rename(path.with_suffix(suffix)), suffix


def write_table(path, table, target):
    """Write a table to ``path`` in the format that the name of ``target`` stands for."""
    write = FORMATS[extension(target)].write
    if is_packed_name(target):
        write(path, table, packed=True)
    else:
        write(path, table)


def _transposed(name, table, reading):
    """Return the table of a file that has one feature per row.

    The first column holds the names of the features if it is text, has no name, or is said to
    hold names. The header holds the names of the samples.
    """
    import pandas as pd

    table = table.whole()
    if table.labels is not None:
        raise TableError(f"{name} has one sample per row by definition; leave out --transpose")
    if not table.is_frame:
        X = table.X.T
        X = X.tocsr() if hasattr(X, "tocsr") else X
        return Table(X, default_names(X.shape[1]), table.key)
    frame, corner = table.X, table.names[0]
    first = frame.iloc[:, 0]
    if reading.index or corner.startswith("Unnamed: ") or first.dtype.kind not in "biuf":
        names, renamed = unique_names(first)
        frame = frame.iloc[:, 1:]
    else:
        names, renamed, corner = default_names(len(frame)), (), "sample"
    words = [c for c in frame if frame[c].dtype.kind not in "biuf"]
    if words:
        raise TableError(
            f"{name} cannot be transposed: not numeric: {listed(words)}. Remove these columns "
            "from the file first"
        )
    turned = pd.DataFrame(frame.to_numpy().T, columns=names)
    corner = unique_names([corner, *names])[0]
    turned.insert(0, corner[0], list(frame.columns))
    turned.columns = corner
    notes = (*table.notes, *renamed)
    return Table(turned, corner, table.key, notes=notes, row_names=corner[0])
