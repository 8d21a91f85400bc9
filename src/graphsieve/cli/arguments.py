"""Options of ``graphsieve select``, checked before the data are read."""

import ast
import codecs
import os
from importlib import import_module

from .._utils.names import suggestion
from .console import usage_error
from .io.dialect import SEPARATORS
from .io.files import FORMATS, PACKABLE, READABLE, WRITABLE, extension
from .io.reading import Reading
from .methods import find_method, settable

# A table of scores holds names and numbers: it needs a format for frames.
_SCORE_FORMATS = tuple(suffix for suffix in WRITABLE if not FORMATS[suffix].numbers_only)
_ADVICE = {
    ".xls": "save it as .xlsx",
    ".ods": "save it as .xlsx or .csv",
    ".json": "save it as JSON lines (.jsonl), one object per line",
    ".pkl": "a pickle can run any code; save it as .parquet",
    ".pickle": "a pickle can run any code; save it as .parquet",
    ".rds": "save it as .csv or .parquet",
    ".zip": "unpack it first",
}


def make_reading(options, *, whole):
    """Return how to read the input, from options of the command by the names of its parameters."""
    separator, encoding, max_size = (options[name] for name in ("sep", "encoding", "max_size"))
    if separator is not None:
        # A shell passes \\t as two characters.
        separator = SEPARATORS.get(separator.lower(), separator).replace("\\t", "\t")
        if len(separator) != 1 or separator in '"\r\n':
            raise usage_error(
                f"{separator!r} is not one character; use a character or one of "
                f"{', '.join(SEPARATORS)}",
                "--sep",
            )
    if encoding is not None:
        try:
            encoding = codecs.lookup(encoding).name
        except (LookupError, ValueError):
            raise usage_error(
                f"there is no encoding {encoding!r}; common ones are utf-8, cp1252, latin-1 and "
                "utf-16",
                "--encoding",
            ) from None
    max_bytes = None if max_size is None else max_size * 1e9
    as_given = {name: options[name] for name in ("key", "decimal", "index", "transpose")}
    return Reading(
        header=not options["no_header"],
        separator=separator,
        encoding=encoding,
        max_bytes=max_bytes,
        whole=whole,
        **as_given,
    )


def check_input(file, reading):
    """Raise a usage error if the file cannot be read, or an option does not apply to it."""
    given = {
        "--key": reading.key is not None,
        "--no-header": not reading.header,
        "--sep": reading.separator is not None,
        "--decimal": reading.decimal is not None,
        "--encoding": reading.encoding is not None,
        "--index": reading.index,
    }
    is_standard_input = str(file) == "-"
    suffix = ".csv" if is_standard_input else extension(file)
    _check_name(file, "FILE")
    if not is_standard_input and not file.exists():
        raise usage_error(f"{file} does not exist", "FILE")
    if suffix == ".gz":
        raise usage_error(
            f"{file} is compressed, and only {', '.join(PACKABLE)} files may be; unpack it first",
            "FILE",
        )
    if suffix in _ADVICE:
        raise usage_error(f"{file} cannot be read; {_ADVICE[suffix]}", "FILE")
    if suffix not in FORMATS:
        raise _unknown_format(file, READABLE, "FILE")
    if file.is_dir() and suffix != ".zarr":
        raise usage_error(f"{file} is a folder", "FILE")
    for option, is_given in given.items():
        if is_given and option not in FORMATS[suffix].options:
            able = [other for other, form in FORMATS.items() if option in form.options]
            raise usage_error(f"only for {', '.join(able)} files", option)


def check_outputs(file, output, scores, force, writable=WRITABLE):
    """Raise a usage error if a file cannot be written, or must not be."""
    for path, formats, option in ((output, writable, "-o"), (scores, _SCORE_FORMATS, "--scores")):
        if path is None:
            continue
        # The input may be part of a Zarr group.
        if file.resolve().is_relative_to(path.resolve()):
            raise usage_error(f"{path} is the input itself", option)
        if path.resolve().is_relative_to(file.resolve()):
            raise usage_error(f"{path} is inside the input", option)
        check_output(path, formats, force, option)
    if output is not None and scores is not None and output.resolve() == scores.resolve():
        raise usage_error(f"{scores} is also the file of -o", "--scores")


def check_selection(file, output, scores, force, subset, key):
    """``check_outputs``, where AnnData may be written as AnnData; returns whether it is."""
    marks = output is not None and extension(output) == ".h5ad"
    if marks and extension(file) != ".h5ad":
        raise usage_error(
            "an .h5ad file can only be written from one; write .csv or .parquet", "-o"
        )
    if marks and key == "raw/X":
        raise usage_error(
            "raw has genes of its own, which cannot be marked in var; give -o FILE.csv, or a layer",
            "--key",
        )
    if subset and not marks:
        raise usage_error("only with -o FILE.h5ad; other formats hold nothing else", "--subset")
    check_outputs(file, output, scores, force, (*WRITABLE, ".h5ad"))
    return marks


def check_output(path, formats, force, option):
    """Raise a usage error if a file cannot be made, or exists and may not be overwritten."""
    suffix = extension(path)
    if suffix not in formats:
        raise _unknown_format(path, formats, option)
    _check_name(path, option)
    if not path.parent.is_dir():
        raise usage_error(f"there is no folder {path.parent}; create it first", option)
    if not os.access(path.parent, os.W_OK):
        raise usage_error(f"{path.parent} is not writable", option)
    if suffix in FORMATS and FORMATS[suffix].package:
        # A missing package should not be discovered after the work.
        import_module(FORMATS[suffix].package)
    if path.is_dir() and not _is_zarr(path):
        raise usage_error(f"{path} is a folder", option)
    if path.exists() and not force:
        raise usage_error(f"{path} exists; add --force to overwrite it", option)


def _check_name(path, option):
    """Raise a usage error for what the system does not accept, such as a name that is too long."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise usage_error(f"{path}: {error.strerror}", option) from error


def parse_number(text):
    """Return how many features to select: 50 -> 50; 10% and 0.1 -> 0.1; auto -> auto."""
    if text is None or text == "auto":
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    try:
        fraction = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        fraction = 0.0
    if text.isdecimal() or not 0 < fraction <= 1:
        raise usage_error(
            f"{text!r} is neither a number of columns (50), nor a fraction of them (10% or 0.1), "
            "nor auto",
            "-k",
        )
    return fraction


def make_method(name, n_features, settings, seed, jobs):
    """Return the method with its parameters, all of them checked."""
    cls = find_method(name, "--method")
    estimator = cls(n_features)
    defaults = {"random_state": seed, "n_jobs": jobs}
    own = estimator.get_params()
    chosen = {parameter: value for parameter, value in defaults.items() if parameter in own}
    chosen |= dict(_parse_setting(setting, name, settable(cls)) for setting in settings)
    estimator.set_params(**chosen)
    try:
        # The fit checks them as well, but only after the data are read.
        estimator._validate_params()
    except ValueError as error:
        raise usage_error(str(error), "--set") from error
    return estimator


def _parse_setting(setting, method, known):
    parameter, equals, text = setting.partition("=")
    if not equals:
        raise usage_error(f"{setting!r} is not NAME=VALUE", "--set")
    if parameter == "n_features_to_select":
        raise usage_error(f"{parameter} has an option of its own, -k", "--set")
    if parameter not in known:
        raise usage_error(
            f"{method} has no parameter {parameter!r} to set{suggestion(parameter, known)}; "
            f"it has {', '.join(known)}",
            "--set",
        )
    try:
        return parameter, ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return parameter, text


def _is_zarr(folder):
    """Whether a folder is a Zarr array or group, which may be overwritten as a whole."""
    markers = ("zarr.json", ".zarray", ".zgroup")
    return folder.suffix.lower() == ".zarr" and any((folder / name).is_file() for name in markers)


def _unknown_format(path, formats, option):
    which = formats[0] if len(formats) == 1 else f"one of {', '.join(formats)}"
    return usage_error(f"{path} is not in a known format; use {which}", option)
