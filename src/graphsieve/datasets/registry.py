"""What is known about each data set: registry.toml as frozen dataclasses."""

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
    # Unknown for the sets made from images: it depends on the images.
    n_samples: int | None = None
    image_shape: tuple[int, int] | None = None
    # Pixels are stored column after column, as MATLAB does.
    column_major: bool = False
    # What a column is called where the file has no names.
    feature: str = "feature"
    file: str | None = None
    url: str | None = None
    sha256: tuple[str, ...] = ()
    # Clean-up of the folders of images.
    drop_classes: tuple[str, ...] = ()
    min_images: int = 1
    # Function of sklearn.datasets.
    scikit_learn: str | None = None


def read_registry(text):
    """Entries by name."""
    return {
        name: Entry(
            name,
            **{key: tuple(v) if isinstance(v, list) else v for key, v in table.items()},
        )
        for name, table in tomllib.loads(text).items()
    }


DATASETS = read_registry(files(__package__).joinpath("registry.toml").read_text("utf-8"))


def lookup(name):
    """The entry of a data set, or an error that names those there are."""
    if name not in DATASETS:
        raise ValueError(f"no data set is called {name!r}: use one of {', '.join(DATASETS)}")
    return DATASETS[name]
