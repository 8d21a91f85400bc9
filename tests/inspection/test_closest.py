"""The closest kept feature of every column."""

import numpy as np

from graphsieve.inspection import representatives


def test_equals_the_correlation_matrix(rng):
    X = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 40)) + rng.normal(size=(50, 40))
    order = rng.permutation(40)
    closest = representatives(X, order, 30)
    R = np.corrcoef(X.T)
    for k in (1, 2, 10, 30):
        position, correlation = closest.at(k)
        for column in np.setdiff1d(np.arange(40), order[:k]):
            expected = order[:k][np.abs(R[column, order[:k]]).argmax()]
            assert order[position[column]] == expected
            np.testing.assert_allclose(correlation[column], R[column, expected])


def test_blocks_do_not_change_the_result(rng, monkeypatch):
    X = rng.normal(size=(30, 20))
    order = rng.permutation(20)
    whole = representatives(X, order, 20)
    monkeypatch.setattr("graphsieve.inspection.closest._BLOCK", 3)
    in_blocks = representatives(X, order, 20)
    for k in (1, 7, 20):
        np.testing.assert_array_equal(in_blocks.at(k)[0], whole.at(k)[0])


def test_constant_columns_stand_for_nothing(rng):
    X = np.column_stack([np.full(20, 0.1), rng.normal(size=(20, 2))])
    position, correlation = representatives(X, [0, 1, 2], 2).at(2)
    assert position.tolist() == [-1, -1, 1]
    assert correlation[0] == 0
