"""Options of ``graphsieve select``, checked before the data are read."""

import ast
import os

import typer

from .io.files import FORMATS
from .methods import find_method, settable, suggestion

# A table of scores holds names and numbers: it needs a format for frames.
SCORE_FORMATS = (".csv", ".tsv", ".parquet")


def check_input(file, key, header):
    """A usage error if the file cannot be read or the options are not for its format."""
    suffix = file.suffix.lower()
    if suffix not in FORMATS:
        raise _unknown_format(file, FORMATS, "FILE")
    if file.is_dir() and suffix != ".zarr":
        raise typer.BadParameter(f"{file} is a folder", param_hint="FILE")
    if key is not None and suffix not in (".npz", ".mat", ".zarr"):
        raise typer.BadParameter(
            "only NPZ, MAT and Zarr files hold named arrays", param_hint="--key"
        )
    if not header and suffix not in (".csv", ".tsv"):
        raise typer.BadParameter("only CSV and TSV files have a header", param_hint="--no-header")


def check_outputs(file, output, scores, force):
    """A usage error if a file cannot be written, or must not be."""
    for path, formats, option in ((output, FORMATS, "-o"), (scores, SCORE_FORMATS, "--scores")):
        if path is None:
            continue
        # Of a Zarr group the input may be a part.
        if file.resolve().is_relative_to(path.resolve()):
            raise typer.BadParameter(f"{path} is the input itself", param_hint=option)
        if path.resolve().is_relative_to(file.resolve()):
            raise typer.BadParameter(f"{path} is inside the input", param_hint=option)
        check_output(path, formats, force, option)
    if output is not None and scores is not None and output.resolve() == scores.resolve():
        raise typer.BadParameter(f"{scores} is also the file of -o", param_hint="--scores")


def check_output(path, formats, force, option):
    """A usage error if there can be no such file, or if it exists and may not be overwritten."""
    if path.suffix.lower() not in formats:
        raise _unknown_format(path, formats, option)
    if not path.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {path.parent}", param_hint=option)
    if not os.access(path.parent, os.W_OK):
        raise typer.BadParameter(f"{path.parent} may not be written to", param_hint=option)
    if path.suffix.lower() == ".zarr":
        import zarr  # noqa: F401  (not to find out after the work that it is missing)
    if path.is_dir() and not _is_zarr(path):
        raise typer.BadParameter(f"{path} is a folder", param_hint=option)
    if path.exists() and not force:
        raise typer.BadParameter(f"{path} exists; add --force to overwrite it", param_hint=option)


def parse_keep(text):
    """50 -> 50; 10% and 0.1 -> 0.1; auto -> auto."""
    if text == "auto":
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        share = 0.0
    if text.isdecimal() or not 0 < share <= 1:
        raise typer.BadParameter(
            f"{text!r} is neither a number of columns (50), nor a share of them (10% or 0.1), "
            "nor auto",
            param_hint="-k",
        )
    return share


def make_method(name, n_features, settings, seed, jobs):
    """The method with its parameters, all of them checked."""
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
        raise typer.BadParameter(str(error), param_hint="--set") from error
    return estimator


def _parse_setting(setting, method, known):
    parameter, equals, text = setting.partition("=")
    if not equals:
        raise typer.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--set")
    if parameter == "n_features_to_select":
        raise typer.BadParameter(f"{parameter} has an option of its own, -k", param_hint="--set")
    if parameter not in known:
        raise typer.BadParameter(
            f"{method} has no parameter {parameter!r} to set{suggestion(parameter, known)}; "
            f"it has {', '.join(known) or 'none'}",
            param_hint="--set",
        )
    try:
        return parameter, ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return parameter, text


def _is_zarr(folder):
    """Whether a folder is a Zarr array or group, and may be overwritten as a whole."""
    markers = ("zarr.json", ".zarray", ".zgroup")
    return folder.suffix.lower() == ".zarr" and any((folder / name).is_file() for name in markers)


def _unknown_format(path, formats, option):
    return typer.BadParameter(
        f"{path} is not in a known format; use one of {', '.join(formats)}", param_hint=option
    )
