"""Features of generated images, end to end, with random weights."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from experiments.data import DATASETS, load
from experiments.images import extract_features, image_classes

BACKENDS = ("tensorflow", "torch", "jax")
needs_keras = pytest.mark.skipif(
    not (find_spec("keras") and find_spec("PIL") and any(map(find_spec, BACKENDS))),
    reason="keras, pillow or a backend is not installed: pip install keras pillow torch",
)


def touch(folder, sizes):
    for name, size in sizes.items():
        (folder / name).mkdir()
        for i in range(size):
            (folder / name / f"image_{i}.jpg").touch()


def test_clean_up_of_classes(tmp_path):
    touch(tmp_path, {"ant": 3, "Faces_easy": 9, "wasp": 2, "bee": 4})
    (tmp_path / "bee" / "notes.txt").touch()
    classes = image_classes(tmp_path, drop_classes=["Faces_easy"], min_images=3)
    assert {name: len(paths) for name, paths in classes.items()} == {"ant": 3, "bee": 4}


def test_clean_up_is_that_of_the_paper():
    assert "Faces_easy" in DATASETS["caltech101"].drop_classes
    assert DATASETS["cub200"].min_images == 50


def test_missing_classes_are_an_error_before_any_work(tmp_path):
    touch(tmp_path, {"ant": 1})
    with pytest.raises(ValueError, match="holds 1 usable classes, but caltech101 has 100"):
        extract_features("caltech101", tmp_path)
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        extract_features("caltech101", tmp_path / "nowhere")
    with pytest.raises(ValueError, match="yale is not made from images"):
        extract_features("yale", tmp_path)


@pytest.fixture
def small_caltech(monkeypatch):
    """Caltech101 with two classes only."""
    monkeypatch.setitem(DATASETS, "caltech101", replace(DATASETS["caltech101"], n_classes=2))


# Keras with PyTorch warns about NumPy 2.
@needs_keras
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.usefixtures("small_caltech")
def test_from_images_to_a_data_set(tmp_path, monkeypatch, rng):
    from PIL import Image

    images, out = tmp_path / "images", tmp_path / "data"
    for name, size in {"ant": 2, "bee": 3, "Faces_easy": 1}.items():
        (images / name).mkdir(parents=True)
        for i in range(size):
            pixels = rng.integers(256, size=(40 + i, 60, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(images / name / f"{i}.png")
    progress = []
    path = extract_features(
        "caltech101",
        images,
        out,
        weights=None,
        batch_size=2,
        callback=lambda *done: progress.append(done),
    )
    assert progress == [(2, 5), (4, 5), (5, 5)]
    assert [p.name for p in out.iterdir()] == [path.name]
    monkeypatch.setenv("GRAPHSIEVE_DATA", str(out))
    data = load("caltech101")
    assert data.X.shape == (5, 4096)
    assert data.y.tolist() == [0, 0, 1, 1, 1]
    assert data.target_names.tolist() == ["ant", "bee"]
    # The layer ends in a ReLU, and different images look different to it.
    assert data.X.min() >= 0
    assert len(np.unique(data.X, axis=0)) == 5


@needs_keras
@pytest.mark.usefixtures("small_caltech")
def test_a_broken_image_is_named_and_nothing_is_written(tmp_path):
    images, out = tmp_path / "images", tmp_path / "data"
    images.mkdir()
    touch(images, {"ant": 1, "bee": 1})
    with pytest.raises(ValueError, match=r"image_0.jpg cannot be read as an image"):
        extract_features("caltech101", images, out, weights=None)
    assert not out.exists()


@pytest.mark.skipif(find_spec("keras") is not None, reason="keras is installed")
@pytest.mark.usefixtures("small_caltech")
def test_without_keras_the_error_says_what_to_install(tmp_path):
    touch(tmp_path, {"ant": 1, "bee": 1})
    with pytest.raises(ImportError, match="pip install keras pillow torch"):
        extract_features("caltech101", tmp_path)
