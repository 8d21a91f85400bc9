"""Units and origins of single columns decide nothing at the defaults."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from graphsieve import REGISTRY

METHODS = sorted(set(REGISTRY) - {"variance"})


def table():
    """Real columns of one sign, and some of two."""
    X = load_breast_cancer().data[:120, :16].copy()
    X[:, 8:] -= X[:, 8:].mean(axis=0)
    return X


def first_six(name, X):
    method = REGISTRY[name](6)
    if "random_state" in method.get_params():
        method.set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return set(method.fit(X).order_[:6].tolist())


def changed(X, change):
    X = X.copy()
    single = [0, 5, 9, 14]
    if change == "x 1e6":
        X[:, single] *= 1e6
    elif change == "x 1e-6":
        X[:, single] *= 1e-6
    elif change == "+ 1e6":
        X[:, single] += 1e6 * X[:, single].std(axis=0)
    else:
        X *= 10.0 ** np.random.default_rng(0).integers(-6, 7, X.shape[1])
    return X


@pytest.mark.parametrize("change", ["x 1e6", "x 1e-6", "+ 1e6", "all x 10^+-6"])
@pytest.mark.parametrize("name", METHODS)
def test_units_decide_nothing(name, change):
    X = table()
    assert first_six(name, changed(X, change)) == first_six(name, X)
