"""The registry of data sets: registry.toml as frozen dataclasses."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Entry:
    """What is known about a data set: one table of ``registry.toml``.

    Parameters
    ----------
    name : str
        Name for ``load``.
    title : str
        Short description.
    kind : str
        Kind of data, such as "image" or "text".
    n_features : int
        Number of columns.
    n_classes : int
        Number of classes.
    train_per_class : int
        Rows of every class in the training part of a split.
    test_per_class : int
        Rows of every class in the test part.
    licence : str
        Licence of the file.
    reference : str
        Publication to cite.
    n_samples : int or None
        Number of rows; None for sets that are computed from images.
    image_shape : tuple of int or None
        Height and width, if columns are pixels.
    column_major : bool
        Whether the file stores pixels column by column, as MATLAB does.
    feature : str
        Prefix of the column names, if the file has none.
    file : str or None
        Name of the file.
    url : str or None
        Address of the file.
    sha256 : tuple of str
        Hashes of the known copies of the file.
    drop_classes : tuple of str
        Folders of images that are left out.
    min_images : int
        Folders with fewer images are left out.
    scikit_learn : str or None
        Function of ``sklearn.datasets`` that loads the data.
    """

    name: str
    title: str
    kind: str
    n_features: int
    n_classes: int
    train_per_class: int
    test_per_class: int
    licence: str
    reference: str
    n_samples: int | None = None
    image_shape: tuple[int, int] | None = None
    column_major: bool = False
    feature: str = "feature"
    file: str | None = None
    url: str | None = None
    sha256: tuple[str, ...] = ()
    drop_classes: tuple[str, ...] = ()
    min_images: int = 1
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


DATASETS = read_registry(files(__package__).joinpath("registry.toml").read_text("utf-8"))


def lookup(name):
    """The entry of a data set, or an error that lists the known ones."""
    if name not in DATASETS:
        raise ValueError(f"no data set is called {name!r}: use one of {', '.join(DATASETS)}")
    return DATASETS[name]
