"""Warnings point at the line of the user, whatever lies between."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphsieve import RSR, LaplacianScore
from tests.helpers.paper import paper_gafs


def lines_of_warnings(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return {(warning.filename, warning.lineno) for warning in caught}


@pytest.mark.parametrize(
    "method",
    [
        paper_gafs(2, max_iter=1, alpha=1e-4),  # does not converge
        paper_gafs(2, alpha=100.0, tol=1e-3),  # collapses
        RSR(2, alpha=1e-6),  # fits exactly
        LaplacianScore(2, n_neighbors=30),  # more neighbours than samples
    ],
    ids=["convergence", "collapse", "exact", "neighbours"],
)
@pytest.mark.parametrize("in_pipeline", [False, True])
def test_warnings_point_here(rng, method, in_pipeline):
    X = rng.random((20, 6))
    method = clone(method)
    if in_pipeline:
        method = make_pipeline(StandardScaler(), method)

    def call():
        method.fit(X)

    first = inspect.getsourcelines(call)[1]
    found = lines_of_warnings(call)
    assert found == {(__file__, first + 1)}


def test_zero_rows(rng):
    X = np.vstack([rng.random((20, 6)), np.zeros((1, 6))])

    def call():
        LaplacianScore(2, scale=None).fit(X)

    assert {filename for filename, _ in lines_of_warnings(call)} == {__file__}
