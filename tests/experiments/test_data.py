"""Data sets in memory."""

import numpy as np
import pytest
import scipy.sparse as sp

from experiments.data import DATASETS, load, make_planted
from experiments.protocol import balanced_split

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


def test_shape_and_seed():
    X, y, informative = make_planted(50, 4, 6, random_state=3)
    assert X.shape == (50, 10)
    assert informative.sum() == 4
    assert set(y) == {0, 1, 2, 3}
    np.testing.assert_array_equal(X, make_planted(50, 4, 6, random_state=3).X)
    assert (X != make_planted(50, 4, 6, random_state=4).X).any()


def test_no_column_betrays_itself_alone():
    X, _, informative = make_planted(2000, random_state=0)
    spread = X.std(axis=0)
    np.testing.assert_allclose(spread[informative].mean(), spread[~informative].mean(), rtol=0.05)


def test_informative_columns_lie_on_a_surface_and_noise_does_not():
    X, _, informative = make_planted(2000, noise=0, random_state=0)

    def explained(columns):
        """Share of the variance in the ten largest principal components."""
        values = np.linalg.eigvalsh(np.cov(columns, rowvar=False))
        return values[-10:].sum() / values.sum()

    assert explained(X[:, informative]) > 0.9
    assert explained(X[:, ~informative][:, :20]) < 0.7


def test_the_surface_is_curved():
    """Two latent coordinates do not suffice for a linear map."""
    X, _, informative = make_planted(2000, noise=0, random_state=0)
    values = np.linalg.eigvalsh(np.cov(X[:, informative], rowvar=False))
    assert values[-2:].sum() / values.sum() < 0.7


def test_noise_is_added_to_all_columns():
    quiet, loud = (make_planted(noise=noise, random_state=0) for noise in (0, 0.1))
    assert 0 <= quiet.X.min() <= quiet.X.max() <= 1
    assert loud.X.std(axis=0).min() > 0
    assert abs((loud.X - quiet.X).std(axis=0) - 0.1).max() < 0.03
