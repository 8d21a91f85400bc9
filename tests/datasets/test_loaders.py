"""The data sets by name: shapes, classes and splits of the paper's Table 1."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve.datasets import DATASETS, load
from graphsieve.evaluation import balanced_split

# Features, training rows, test rows, classes.
TABLE_1 = {
    "mnist": (784, 1000, 27100, 10),
    "coil20": (1024, 720, 720, 20),
    "yale": (1024, 90, 75, 15),
    "pcmac": (3289, 960, 960, 2),
    "basehock": (4862, 994, 994, 2),
    "relathe": (4322, 648, 648, 2),
    "prostate_ge": (5966, 50, 50, 2),
    "isolet": (617, 780, 780, 26),
    "caltech101": (4096, 2000, 1000, 100),
    "cub200": (4096, 7800, 1950, 195),
}
ON_FILE = sorted(name for name in DATASETS if DATASETS[name].url)
BUNDLED = sorted(name for name, entry in DATASETS.items() if entry.scikit_learn)


@pytest.mark.parametrize("name", TABLE_1)
def test_registry_agrees_with_the_paper(name):
    entry = DATASETS[name]
    sizes = (entry.train_per_class * entry.n_classes, entry.test_per_class * entry.n_classes)
    assert (entry.n_features, *sizes, entry.n_classes) == TABLE_1[name]


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize("name", ON_FILE)
def test_data_sets_in_files(name):
    check(load(name))


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_data_sets(name):
    check(load(name))


def check(data):
    entry = DATASETS[data.name]
    assert data.X.shape == (entry.n_samples, entry.n_features)
    assert np.isfinite(data.X).all()
    assert data.X.dtype.kind == "f"
    assert len(data.feature_names) == len(set(data.feature_names)) == entry.n_features
    assert len(data.target_names) == len(np.unique(data.y)) == entry.n_classes
    train, test = balanced_split(data.y, data.train_per_class, data.test_per_class, 0)
    assert len(train) == entry.train_per_class * entry.n_classes
    assert len(test) == entry.test_per_class * entry.n_classes
    assert entry.title in data.DESCR
    assert entry.licence in data.DESCR


def test_eight_of_the_papers_ten_are_files():
    assert len(set(TABLE_1) & set(ON_FILE)) == 8


@pytest.mark.usefixtures("real_data")
def test_faces_are_upright():
    """A face is nearly its own mirror image, left to right and not top to bottom."""
    yale = load("yale")
    face = yale.X.mean(axis=0).reshape(yale.image_shape)
    sideways, upside_down = abs(face - face[:, ::-1]).mean(), abs(face - face[::-1]).mean()
    assert sideways < 0.5 * upside_down
    assert yale.feature_names[33] == "pixel_1_1"


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize("name", ["yale", "coil20", "mnist", "orlraws10p"])
def test_pixels_next_to_each_other_are_alike(name):
    """With rows and columns mixed up, neighbours would differ as much as any two pixels."""
    data = load(name)
    images = data.X[:50].reshape(-1, *data.image_shape)
    for axis in (1, 2):
        assert abs(np.diff(images, axis=axis)).mean() < 0.4 * images.std()


@pytest.mark.usefixtures("real_data")
def test_text_as_csr():
    dense, sparse = load("pcmac"), load("pcmac", as_sparse=True)
    assert sp.issparse(sparse.X)
    assert sparse.X.nnz < 0.02 * dense.X.size
    np.testing.assert_array_equal(sparse.X.toarray(), dense.X)


def test_an_unknown_name_is_an_error_that_names_the_known():
    with pytest.raises(ValueError, match="no data set is called 'minst': use one of mnist, coil20"):
        load("minst")
