"""The registry of data sets: registry.toml as frozen dataclasses."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Entry:
    """A table of registry.toml."""

    name: str
    title: str
    kind: str
    n_features: int
    n_classes: int
    train_per_class: int
    test_per_class: int
    licence: str
    reference: str
    # Unknown for the sets made from images.
    n_samples: int | None = None
    image_shape: tuple[int, int] | None = None
    # Pixels are stored column by column, as in MATLAB.
    column_major: bool = False
    # Prefix of the column names if the file has none.
    feature: str = "feature"
    file: str | None = None
    url: str | None = None
    sha256: tuple[str, ...] = ()
    # Folders of images that are left out.
    drop_classes: tuple[str, ...] = ()
    min_images: int = 1
    # Function of sklearn.datasets.
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
    """Look up the entry of a data set; an unknown name is an error that lists those known."""
    if name not in DATASETS:
        raise ValueError(f"no data set is called {name!r}: use one of {', '.join(DATASETS)}")
    return DATASETS[name]
