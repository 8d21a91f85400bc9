"""Tables in files: a format is a reader and a writer under its extension."""

import os
import secrets
import shutil
from contextlib import contextmanager

from .arrays import (
    read_mat,
    read_npy,
    read_npz,
    read_zarr,
    write_mat,
    write_npy,
    write_npz,
    write_zarr,
)
from .frames import read_parquet, read_text, write_parquet, write_text
from .tables import TableError

FORMATS = {
    ".csv": (read_text(","), write_text(",")),
    ".tsv": (read_text("\t"), write_text("\t")),
    ".parquet": (read_parquet, write_parquet),
    ".npy": (read_npy, write_npy),
    ".npz": (read_npz, write_npz),
    ".mat": (read_mat, write_mat),
    ".zarr": (read_zarr, write_zarr),
}


def read_table(path, *, key=None, header=True):
    """The table in a file.

    Parameters
    ----------
    path : Path
        Its extension is in ``FORMATS``.
    key : str or None
        Which array of an NPZ, MAT or Zarr file to take; by default ``X`` or the only matrix.
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

    Nobody ever sees half a file under ``path``, and a block that fails leaves nothing behind. A
    folder, such as a Zarr array, works like a file.
    """
    # A link stays a link: the file behind it is replaced.
    path = path.resolve()
    token = secrets.token_hex(4)
    new, old = (path.with_name(f".{path.stem}-{token}{end}") for end in (path.suffix, ".old"))
    try:
        yield new
        if path.is_dir() or (new.is_dir() and path.exists()):
            # Only a file can be replaced in one step.
            os.rename(path, old)
        os.replace(new, path)
    except BaseException:
        if old.exists():
            os.replace(old, path)
        raise
    finally:
        _remove(new)
        _remove(old)


def _remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
