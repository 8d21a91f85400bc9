"""Finds the file of a data set: in the user's folder, in the cache, or on the network."""

import hashlib
import os
from pathlib import Path

from .download import bounded_download, remove_unfinished
from .registry import lookup

FOLDER_VARIABLE = "GRAPHSIEVE_DATA"


def cache_folder():
    """Return the folder in the user's cache where downloads are kept.

    Returns
    -------
    pathlib.Path
        It may not exist yet.
    """
    return Path(_pooch().os_cache("graphsieve"))


def find(name):
    """Find the file of a data set on this machine, without downloading it.

    Looks in the folder named by the environment variable GRAPHSIEVE_DATA, then in the cache.

    Parameters
    ----------
    name : str
        One of ``graphsieve.datasets.DATASETS``.

    Returns
    -------
    pathlib.Path or None
        The file, or None if it is not there.
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
    """Find the file of a data set, and download it into the cache if it is missing.

    The file is checked against its known hash. A damaged file in the cache is deleted and
    downloaded again; a damaged file in the folder of GRAPHSIEVE_DATA is an error and left alone.
    Downloads are limited in size and time, and an interrupted one is started again.

    Parameters
    ----------
    name : str
        One of ``graphsieve.datasets.DATASETS``.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    ValueError
        If the file is not the expected one.
    FileNotFoundError
        If the file is missing and cannot be downloaded.
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
    """Delete a damaged download; a file that the user put somewhere is left alone."""
    if entry.url and path.parent == cache_folder():
        path.unlink(missing_ok=True)


def sha256(path):
    """SHA-256 hash of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(entry):
    if entry.url is None:
        raise FileNotFoundError(
            f"{entry.file} was not found. {entry.name} is made from images: download them and call "
            f"graphsieve.datasets.extract_features({entry.name!r}, folder), as docs/datasets.md "
            "describes"
        )
    folder = cache_folder()
    if folder.is_dir():
        remove_unfinished(folder)
    store = _pooch().create(
        folder,
        base_url="",
        registry={entry.file: f"sha256:{entry.sha256[0]}"},
        urls={entry.file: entry.url},
    )
    try:
        path = store.fetch(entry.file, downloader=bounded_download)
    except ValueError as error:
        raise ValueError(
            f"the file at {entry.url} is not the {entry.name} data set, and was not kept: {error}"
        ) from error
    except OSError as error:
        raise FileNotFoundError(
            f"could not download {entry.name} from {entry.url}: {error}. Put the file {entry.file} "
            f"into a folder and set {FOLDER_VARIABLE} to it"
        ) from None  # the layers of the network library add nothing
    return Path(path)


def _pooch():
    try:
        import pooch
    except ImportError as error:
        raise ImportError("data sets need pooch. Run: python -m pip install pooch") from error
    return pooch
