"""Tables in files: what is read and written, and what is refused before any work."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path

import pandas as pd

from ..._utils.files import replacing
from ..._utils.names import unique_names
from ..._utils.text import listed
from ..console import TableError, progress, usage_error
from . import arrays, frames, text
from .tables import Table, default_names, is_number

# A spreadsheet takes cells that begin like this for formulas.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Format:
    """How a file is read and written, and which options of the command apply."""

    read: Callable
    write: Callable | None
    options: tuple = ()
    spreadsheet: bool = False  # people open such files in a spreadsheet
    numbers_only: bool = False  # it holds one array
    package: str | None = None  # in addition to those of the command line


_KEY, _TYPED = ("--key",), ("--index", "--na", "--thousands", "--percent")
_CELLS = (*_TYPED, "--no-header", "--skip-rows")
_SHEET, _TEXT = (*_KEY, *_CELLS), (*_CELLS, "--sep", "--decimal", "--encoding")
_read_tabs = partial(text.read_text, usual_separator="\t")
_TABS = Format(_read_tabs, partial(text.write_text, separator="\t"), _TEXT, spreadsheet=True)
FORMATS = {
    ".csv": Format(text.read_text, text.write_text, _TEXT, spreadsheet=True),
    ".tsv": _TABS,
    ".txt": _TABS,
    ".parquet": Format(frames.read_parquet, frames.write_parquet, _TYPED),
    ".feather": Format(frames.read_feather, None, _TYPED),
    ".jsonl": Format(frames.read_json_lines, None, _TYPED),
    ".xlsx": Format(frames.read_excel, frames.write_excel, _SHEET, True, package="openpyxl"),
    ".npy": Format(arrays.read_npy, arrays.write_npy, numbers_only=True),
    ".npz": Format(arrays.read_npz, arrays.write_npz, _KEY, numbers_only=True),
    ".mat": Format(arrays.read_mat, None, _KEY),
    ".zarr": Format(arrays.read_zarr, None, _KEY, package="zarr"),
    ".h5ad": Format(arrays.read_h5ad, None, _KEY, package="anndata"),
}
_OTHER_NAMES = {".arrow": ".feather", ".ndjson": ".jsonl", ".tab": ".tsv"}
# Text formats, of which a packed file is read and written as well.
PACKABLE = (".csv", ".tsv", ".txt", ".jsonl")
WRITABLE = tuple(suffix for suffix, form in FORMATS.items() if form.write)
# A table of scores holds names and numbers: it needs a format for frames.
FOR_SCORES = tuple(suffix for suffix in WRITABLE if not FORMATS[suffix].numbers_only)
_ADVICE = {
    **dict.fromkeys((".xls", ".ods", ".rds"), "save it as .xlsx or .csv"),
    **dict.fromkeys((".pkl", ".pickle"), "a pickle can run any code; save it as .parquet"),
    **dict.fromkeys((".h5", ".hdf5"), "save its array as .npy, .npz or .parquet"),
    ".json": "save it as JSON lines (.jsonl), one object per line",
    ".zip": "unpack it first",
    ".gz": f"only {', '.join(PACKABLE)} files may be compressed; unpack it first",
}


def extension(path):
    """Return the extension under which ``FORMATS`` knows the format of a file."""
    suffix = path.suffix.lower()
    if suffix == ".gz" and (inner := extension(path.with_suffix(""))) in PACKABLE:
        return inner
    return _OTHER_NAMES.get(suffix, suffix)


def check_input(file, reading):
    """Raise a usage error if the file cannot be read, or an option does not apply to it."""
    suffix = ".csv" if str(file) == "-" else extension(file)
    if str(file) != "-" and not _exists(file, "FILE"):
        raise usage_error(f"{file} does not exist", "FILE")
    if suffix in _ADVICE:
        raise usage_error(f"{file} cannot be read; {_ADVICE[suffix]}", "FILE")
    _check_format(file, FORMATS, "FILE", suffix)
    if file.is_dir() and suffix != ".zarr":
        raise usage_error(f"{file} is a folder", "FILE")
    for option in (*_KEY, *_TEXT):
        given = getattr(reading, option[2:].replace("-", "_"))
        if given not in (None, False) and option not in FORMATS[suffix].options:
            able = [other for other, form in FORMATS.items() if option in form.options]
            raise usage_error(f"only for {', '.join(able)} files", option)


def check_outputs(given, *outputs):
    """Raise a usage error if a file cannot be made, or must not be.

    ``outputs`` are a path, which may be None, the extensions that it may have, and its option.
    """
    source, taken = given.file.resolve(), {}
    for path, formats, option in outputs:
        if path is None:
            continue
        target, suffix = path.resolve(), extension(path)
        _check_format(path, formats, option, suffix)
        exists = _exists(path, option)
        if target == source:
            raise usage_error(f"{path} is the input itself", option)
        if target.is_relative_to(source):  # a Zarr folder
            raise usage_error(f"{path} is inside the input", option)
        if taken.setdefault(target, option) != option:
            raise usage_error(f"{path} is also the file of {taken[target]}", option)
        if not path.parent.is_dir():
            raise usage_error(f"there is no folder {path.parent}; create it first", option)
        if not os.access(path.parent, os.W_OK):
            raise usage_error(f"{path.parent} is not writable", option)
        if suffix in FORMATS and FORMATS[suffix].package:
            # A missing package should not be discovered after the work.
            import_module(FORMATS[suffix].package)
        if path.is_dir():
            raise usage_error(f"{path} is a folder", option)
        if exists and not given.force:
            raise usage_error(f"{path} exists; add --force to overwrite it", option)


def _check_format(path, formats, option, suffix):
    if suffix not in formats:
        which = "one of " * (len(formats) > 1) + ", ".join(formats)
        what = "is not in a known format"
        if suffix in FORMATS and not FORMATS[suffix].write:
            what = f"cannot be written: {suffix} files are only read"
        raise usage_error(f"{path} {what}; use {which}", option)


def _exists(path, option):
    try:
        return bool(path.stat())
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise usage_error(f"{path}: {error.strerror}", option) from error


@contextmanager
def opened(file):
    """Yield the path of the input, its name for messages, and its extension.

    Standard input, JSON lines or another text, is copied to a temporary file.
    """
    if str(file) != "-":
        yield file, file.name, extension(file)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input"
        with open(path, "wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        with text.open_bytes(path) as copy:
            suffix = ".jsonl" if copy.read(2**12).lstrip().startswith(b"{") else ".csv"
        yield path.rename(path.with_suffix(suffix)), "standard input", suffix


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


def _transposed(name, table, reading):
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
        frame, names = frame.iloc[:, 1:], [corner, *first]
    else:
        names = ["sample", *default_names(len(frame))]
    if words := [c for c in frame if frame[c].dtype.kind not in "biuf"]:
        found = f"{name} cannot be transposed: not numeric: {listed(words)}"
        raise TableError(f"{found}. Remove these columns from the file first")
    names, renamed = unique_names(names)
    turned = pd.DataFrame(frame.to_numpy().T, columns=names[1:])
    turned.insert(0, names[0], frame.columns)
    return Table(turned, names, table.key, notes=(*table.notes, *renamed), row_names=names[0])


def write_outputs(outputs, *, raw_names=False):
    """Write all files or none, and return notes about what is not as it was.

    ``outputs`` are pairs of a path, which may be None, and a Table or a function that writes it.
    With ``raw_names``, names are written even if a spreadsheet would run them.
    """
    notes = []
    with ExitStack() as stack:
        for path, content in outputs:
            if path is None:
                continue
            temporary = stack.enter_context(replacing(path))
            with progress(f"Writing {path.name}"):
                if not isinstance(content, Table):
                    content(temporary)
                    continue
                form = FORMATS[extension(path)]
                if form.numbers_only:
                    content = _numbers_only(path, content, notes)
                if form.spreadsheet and not raw_names:
                    content = _without_formulas(content, notes)
                form.write(temporary, content)
    return list(dict.fromkeys(notes))


def _numbers_only(path, table, notes):
    kinds = table.kinds()
    left_out = [name for name, kind in zip(table.names, kinds, strict=True) if kind != "number"]
    if table.labels is not None:
        left_out = [*table.label_names, "the names of the rows", *left_out]
    if left_out:
        found = f"{path.name} holds numbers only, without {listed(left_out)}"
        notes.append(f"{found}; write .csv or .parquet to have them")
    return table.take([j for j, kind in enumerate(kinds) if kind == "number"])


def _without_formulas(table, notes):
    """Return the table with names, of its columns and in a table of scores, that are text."""
    names, X = list(map(_harmless, table.names)), table.X
    if table.names[:4] == ["feature", "score", "rank", "kept"]:
        named = [name for name in ("feature", "explained_by") if name in names]
        X = X.assign(**{name: X[name].map(_harmless) for name in named})
    if names != table.names or (X is not table.X and not X.equals(table.X)):
        notes.append(
            "names that a spreadsheet would run as formulas are written with an apostrophe in "
            "front; .parquet files have them as they are, as has graphsieve select --raw-names"
        )
    return replace(table, X=X.set_axis(names, axis=1) if table.is_frame else X, names=names)


def _harmless(name):
    return f"'{name}" if name.startswith(_FORMULA) and not is_number(name) else name
