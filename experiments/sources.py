"""Which data sets there are, and where their files come from: a folder, the cache, the network."""

import hashlib
import os
import time
import tomllib
import urllib.request
from dataclasses import dataclass
from pathlib import Path

FOLDER_VARIABLE = "GRAPHSIEVE_DATA"
# The largest file has 11 MB.
MAX_BYTES = 100 * 2**20
# For the whole download; and for every wait for the next bytes.
MAX_SECONDS = 600
TIMEOUT = 30
# What pooch calls a download that is not finished.
_UNFINISHED = "tmp" + "?" * 8


@dataclass(frozen=True)
class Entry:
    """What is known about a data set: one table of ``datasets.toml``."""

    name: str
    title: str
    # Such as "image" or "text".
    kind: str
    n_features: int
    n_classes: int
    # Rows of every class in the two parts of a split.
    train_per_class: int
    test_per_class: int
    licence: str
    # Publication to cite.
    reference: str
    # None for sets that are computed from images.
    n_samples: int | None = None
    # Height and width, if columns are pixels.
    image_shape: tuple[int, int] | None = None
    # Whether the file stores pixels column by column, as MATLAB does.
    column_major: bool = False
    # Prefix of the column names, if the file has none.
    feature: str = "feature"
    file: str | None = None
    url: str | None = None
    # Hashes of the known copies of the file, that at url first.
    sha256: tuple[str, ...] = ()
    # Folders of images that are left out, and the fewest images of the others.
    drop_classes: tuple[str, ...] = ()
    min_images: int = 1
    # Function of sklearn.datasets that loads the data.
    scikit_learn: str | None = None


def read_registry(text):
    """Read the entries of a registry, by name."""
    return {
        name: Entry(
            name,
            **{key: tuple(v) if isinstance(v, list) else v for key, v in table.items()},
        )
        for name, table in tomllib.loads(text).items()
    }


DATASETS = read_registry(Path(__file__).with_name("datasets.toml").read_text("utf-8"))


def lookup(name):
    """The entry of a data set, or an error that lists the known ones."""
    if name not in DATASETS:
        raise ValueError(f"no data set is called {name!r}: use one of {', '.join(DATASETS)}")
    return DATASETS[name]


def cache_folder():
    """Folder in the user's cache where downloads are kept; it may not exist yet."""
    return Path(_pooch().os_cache("graphsieve"))


def find(name):
    """Path of the file of a data set, or None if it is not on this machine.

    Looks in the folder named by the environment variable GRAPHSIEVE_DATA, then in the cache.
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
    """Path of the file of a data set, which is downloaded into the cache if it is missing.

    The file is checked against its known hash. A damaged file in the cache is deleted and
    downloaded again; a damaged file in the folder of GRAPHSIEVE_DATA is an error and left alone.
    Downloads are limited in size and time, and an interrupted one is started again.

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
            f"experiments.images.extract_features({entry.name!r}, folder), as "
            "experiments/records/data.md describes"
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


def bounded_download(url, output_file, pooch):
    """Download a file for pooch, and give up when it gets too large or takes too long.

    A ValueError says that it is larger than `MAX_BYTES`, an OSError that the server does not answer
    in time or ends too early. ``pooch`` is part of pooch's interface and unused.
    """
    deadline = time.monotonic() + MAX_SECONDS
    with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
        expected = int(response.headers.get("Content-Length", -1))
        if expected > MAX_BYTES:
            raise ValueError(_too_large(f"it has {expected} bytes"))
        with open(output_file, "wb") as file:
            received = 0
            # read1 returns what has arrived: a server that sends a byte now and then cannot keep
            # us beyond the deadline.
            while block := response.read1(2**16):
                received += len(block)
                if received > MAX_BYTES:
                    raise ValueError(_too_large(f"it goes on after {received} bytes"))
                if time.monotonic() > deadline:
                    raise TimeoutError(
                        f"only {received} bytes arrived in {MAX_SECONDS} s; try again later"
                    )
                file.write(block)
    if received < expected:
        raise ConnectionError(f"the connection ended after {received} of {expected} bytes")


def _too_large(what):
    return f"{what}, and no data set of the registry has more than {MAX_BYTES}"


def remove_unfinished(folder):
    """Remove the downloads that were killed: those older than any download may take."""
    for path in folder.glob(_UNFINISHED):
        if time.time() - path.stat().st_mtime > 2 * MAX_SECONDS:
            path.unlink(missing_ok=True)


def _pooch():
    try:
        import pooch
    except ImportError as error:
        raise ImportError("data sets need pooch. Run: python -m pip install pooch") from error
    return pooch
