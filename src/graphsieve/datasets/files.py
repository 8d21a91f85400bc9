"""From a name to a checked file: the user's folder, then the cache, then the network."""

import hashlib
import os
from pathlib import Path

from .registry import lookup

FOLDER_VARIABLE = "GRAPHSIEVE_DATA"


def cache_folder():
    """Where downloads go: the user's cache."""
    return Path(_pooch().os_cache("graphsieve"))


def find(name):
    """Path of the file of a data set if it is on this machine, else None; no download.

    Looks in the folder that the environment variable GRAPHSIEVE_DATA names, then in the cache.
    """
    entry = lookup(name)
    if entry.file is None:
        return None
    paths = (folder / entry.file for folder in _folders())
    return next((path for path in paths if path.exists()), None)


def _folders():
    if os.environ.get(FOLDER_VARIABLE):
        yield Path(os.environ[FOLDER_VARIABLE])
    yield cache_folder()


def fetch(name):
    """Path of the file of a data set, downloaded into the cache where it is missing.

    The file is checked against its known hash. A bad file in the cache is deleted and downloaded
    again; a bad file in the folder of GRAPHSIEVE_DATA is an error, and left for its owner.

    Parameters
    ----------
    name : str

    Returns
    -------
    pathlib.Path

    Raises
    ------
    ValueError
        If the file is not the expected one.
    FileNotFoundError
        If it is missing and cannot be downloaded.
    """
    entry = lookup(name)
    if entry.file is None:
        raise ValueError(f"{name} ships with scikit-learn and has no file: use load({name!r})")
    path = find(name)
    if path is not None and entry.sha256 and sha256(path) not in entry.sha256:
        if path.parent != cache_folder():
            raise ValueError(
                f"{path} is not the {name} data set: its sha256 is {sha256(path)}, expected "
                f"{' or '.join(entry.sha256)}. Remove or replace it"
            )
        path.unlink()
        path = None
    return path or _download(entry)


def forget(entry, path):
    """Delete a bad download; a file that the user made or put somewhere is left to the user."""
    if entry.url and path.parent == cache_folder():
        path.unlink(missing_ok=True)


def sha256(path):
    """Hash of a file, in hex."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(entry):
    if entry.url is None:
        raise FileNotFoundError(
            f"{entry.file} was not found. {entry.name} is made from images: download them, call "
            f"graphsieve.datasets.extract_features({entry.name!r}, folder), and see "
            "docs/datasets.md"
        )
    try:
        path = _pooch().retrieve(
            entry.url,
            known_hash=f"sha256:{entry.sha256[0]}",
            fname=entry.file,
            path=cache_folder(),
        )
    except ValueError as error:
        raise ValueError(
            f"what {entry.url} sent is not the {entry.name} data set, and was not kept: {error}"
        ) from error
    except OSError as error:
        raise FileNotFoundError(
            f"could not download {entry.name} from {entry.url}: {error}. Put the file {entry.file} "
            f"into a folder and set {FOLDER_VARIABLE} to it"
        ) from None  # the layers of the network library below it say nothing more
    return Path(path)


def _pooch():
    try:
        import pooch
    except ImportError as error:
        raise ImportError(
            'data sets need pooch: python -m pip install "graphsieve[cli]"'
        ) from error
    return pooch
