"""The planted data set: informative columns that only show together."""

import numpy as np

from graphsieve.datasets import make_planted


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
