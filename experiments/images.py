"""Image features for Caltech101 and CUB200: the second fully connected layer of VGG-19.

Needs Keras: ``python -m pip install keras pillow torch``.
"""

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from graphsieve._utils.files import replacing

from .sources import FOLDER_VARIABLE, cache_folder, lookup

IMAGE_SUFFIXES = {".jpg", ".jpeg", ".png"}
IMAGE_SIZE = (224, 224)
LAYER = "fc2"


def extract_features(name, images, out=None, *, weights="imagenet", batch_size=32, callback=None):
    """Make the file of a data set from its images.

    Every image is resized to 224 x 224 pixels; its features are the 4096 activations of the second
    fully connected layer of VGG-19. As in the GAFS paper, "Faces_easy" and the background are
    dropped from Caltech101, and classes with fewer than 50 images from CUB200.

    Parameters
    ----------
    name : {"caltech101", "cub200"}
        Name of the data set.
    images : path-like
        Folder with one folder of images per class.
    out : path-like, optional
        Folder for the file. Default: the folder of GRAPHSIEVE_DATA, or the user's cache, where
        `load` finds it.
    weights : "imagenet", None or path, default="imagenet"
        Weights of VGG-19: those of Keras (downloaded, 575 MB), random ones, or a file.
    batch_size : int, default=32
        Number of images per batch.
    callback : callable, optional
        Called with the number of images done and the total number.

    Returns
    -------
    pathlib.Path
        The file, which `load` reads.

    References
    ----------
    K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale image
    recognition", International Conference on Learning Representations, 2015.
    """
    entry = lookup(name)
    if entry.kind != "image features":
        raise ValueError(f"{name} is not made from images: use caltech101 or cub200")
    classes = image_classes(images, entry.drop_classes, entry.min_images)
    if len(classes) != entry.n_classes:
        raise ValueError(
            f"{images} holds {len(classes)} usable classes, but {name} has {entry.n_classes}: pass "
            "the folder that has one folder of images per class"
        )
    paths = [path for group in classes.values() for path in group]
    y = np.repeat(np.arange(len(classes)), [len(group) for group in classes.values()])
    keras = _import_keras()
    vgg = keras.applications.VGG19(weights=weights)
    network = keras.Model(vgg.input, vgg.get_layer(LAYER).output)
    X = np.empty((len(paths), network.output_shape[1]), dtype=np.float32)
    for start in range(0, len(paths), batch_size):
        batch = np.stack([_read_image(keras, path) for path in paths[start : start + batch_size]])
        batch = keras.applications.vgg19.preprocess_input(batch)
        done = start + len(batch)
        X[start:done] = network.predict_on_batch(batch)
        if callback is not None:
            callback(done, len(paths))
    folder = Path(out or os.environ.get(FOLDER_VARIABLE) or cache_folder())
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / entry.file) as temporary:
        np.savez(temporary, X=X, y=y, target_names=np.array(list(classes)))
    return folder / entry.file


def image_classes(folder, drop_classes=(), min_images=1):
    """Images by class, in alphabetical order, without classes that are dropped or too small."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not a folder")
    classes = {
        child.name: sorted(p for p in child.iterdir() if p.suffix.lower() in IMAGE_SUFFIXES)
        for child in sorted(folder.iterdir())
        if child.is_dir() and child.name not in drop_classes
    }
    return {name: paths for name, paths in classes.items() if len(paths) >= min_images}


def _read_image(keras, path):
    try:
        return keras.utils.img_to_array(keras.utils.load_img(path, target_size=IMAGE_SIZE))
    except OSError as error:
        raise ValueError(f"{path} cannot be read as an image: {error}") from error


def _import_keras():
    """Import Keras with the backend that is installed; by default it only tries TensorFlow."""
    backend = next((name for name in ("tensorflow", "torch", "jax") if find_spec(name)), None)
    if backend is None or find_spec("keras") is None or find_spec("PIL") is None:
        raise ImportError(
            "image features need keras, pillow and one of tensorflow, torch and jax. Run: "
            "python -m pip install keras pillow torch"
        )
    os.environ.setdefault("KERAS_BACKEND", backend)
    import keras

    return keras
