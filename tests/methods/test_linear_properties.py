"""What all linear and spectral regression methods promise on awkward tables, at their defaults."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning

from graphsieve import DFSC, GSRSFS, JFSSL, MCFS, MRSF, RSR, GreedyCSS, NonconvexRSR, Variance

METHODS = (GreedyCSS, RSR, NonconvexRSR, GSRSFS, DFSC, MCFS, MRSF, JFSSL)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def make(cls, **params):
    known = cls().get_params()
    defaults = {"random_state": 0, "n_components": 4, "n_neighbors": 3}
    params = {**{name: value for name, value in defaults.items() if name in known}, **params}
    return cls(6, **params)


def tables():
    rng = np.random.default_rng(0)
    X = rng.random((24, 3)) @ rng.random((3, 10)) + 0.3 * rng.random((24, 10))
    wide = rng.random((12, 4)) @ rng.random((4, 30)) + 0.3 * rng.random((12, 30))
    constants = X.copy()
    constants[:, [2, 7]] = 0.1, 0.0
    outlier = X.copy()
    outlier[3, 4] = 1e6
    dead = X.copy()
    dead[:, 5] = 0
    dead[0, 5] = 1e-3
    return {
        "tall": X,
        "wide": wide,
        "copies": np.hstack([X, X[:, :3], 2 * X[:, 4:6]]),
        "constants": constants,
        "outlier": outlier,
        "offsets": X + 10.0 ** np.arange(10) / 1e4,
        "scales": X * 10.0 ** np.arange(-5, 5),
        "dead": dead,
        "counts": rng.poisson(0.4, (24, 12)) * 1.0,
        "mostly zero": rng.poisson(0.06, (40, 12)) * 1.0 + np.eye(40, 12),
    }


TABLES = tables()
CASES = [(cls, name) for cls in METHODS for name in TABLES]
IDS = [f"{cls.__name__}-{name}" for cls, name in CASES]


def fit(method, X):
    """A fit in which only the warnings about convergence, zero rows and constants are allowed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", ".*have no cosine|all columns of X are constant")
        return method.fit(X)


@pytest.mark.parametrize(("cls", "name"), CASES, ids=IDS)
def test_scores_are_finite_and_nothing_warns(cls, name):
    method = fit(make(cls), TABLES[name])
    assert np.isfinite(method.scores_).all()
    if hasattr(method, "objective_trace_"):
        assert np.isfinite(method.objective_trace_).all()


@pytest.mark.slow
@pytest.mark.parametrize(("cls", "name"), CASES, ids=IDS)
def test_units_of_a_column_do_not_matter(cls, name):
    """Powers of two change no digit. Data of mostly zeros are the documented exception."""
    X = TABLES[name]
    factors = 2.0 ** np.random.default_rng(1).integers(-20, 20, X.shape[1])
    if name == "mostly zero":
        factors[:] = 2.0**20
    expected = fit(make(cls), X).scores_
    np.testing.assert_allclose(fit(make(cls), X * factors).scores_, expected, rtol=1e-9)


@pytest.mark.parametrize(("cls", "name"), CASES, ids=IDS)
def test_order_of_rows_and_columns_does_not_matter(cls, name):
    if name in ("copies", "counts", "mostly zero"):
        pytest.skip("equal columns or neighbours at equal distance: ties go to the first")
    X = TABLES[name]
    rng = np.random.default_rng(2)
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    expected = fit(make(cls), X).scores_
    found = fit(make(cls), X[rows][:, columns]).scores_
    np.testing.assert_allclose(found, expected[columns], atol=1e-4 * abs(expected).max())


@pytest.mark.slow
@pytest.mark.parametrize(("cls", "name"), [case for case in CASES if case[0]._accepts_sparse])
def test_sparse_equals_dense(cls, name):
    if (cls, name) == (MRSF, "copies"):
        pytest.skip("copies share one weight in any proportion")
    X = TABLES[name]
    expected = fit(make(cls), X).scores_
    found = fit(make(cls), sp.csr_array(X)).scores_
    np.testing.assert_allclose(found, expected, atol=1e-5 * abs(expected).max())


@pytest.mark.parametrize("cls", METHODS)
@pytest.mark.parametrize("value", [0.1, 3.0, 1e8])
@pytest.mark.parametrize("shape", [(7, 9), (12, 7)])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_constant_data_give_zero_scores(cls, value, shape, container):
    if container is sp.csr_array and not cls._accepts_sparse:
        pytest.skip("dense data only")
    method = fit(make(cls), container(np.full(shape, value)))
    np.testing.assert_array_equal(method.scores_, 0)
    assert method.order_.tolist() == list(range(shape[1]))
    if hasattr(method, "objective_trace_"):
        assert np.isfinite(method.objective_trace_).all()
        assert method.converged_


@pytest.mark.parametrize("cls", [MCFS, MRSF, JFSSL, GSRSFS, DFSC, RSR])
def test_nearly_dependent_columns_of_any_scale(cls):
    """Columns that differ by a millionth, with units that differ by ten orders of magnitude."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 20))
    X = (X + 1e-9 * rng.standard_normal((30, 20))) * 10.0 ** rng.integers(-5, 6, 20)
    for scale in ("auto", None):
        assert np.isfinite(fit(make(cls, scale=scale), X).scores_).all()


@pytest.mark.parametrize("cls", [MCFS, MRSF])
def test_sparse_copies_of_rows_far_from_zero(cls):
    """Three different rows of six: what remains after centring is singular."""
    rows = 450 + np.array(
        [[5, 3, 1, 1, 2, 4, 2], [3, 3, 2, 2, 5, 5, 3], [4, 2, 2, 4, 5, 4, 2]], np.float32
    ) / np.float32(4)
    X = sp.csr_array(rows[[0, 1, 2, 1, 1, 1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "a graph that joins|4 rows are all zero")
        assert np.isfinite(cls(n_jobs=1).fit(X).scores_).all()


@pytest.mark.parametrize("cls", METHODS)
def test_one_column_of_wine_in_other_units(cls):
    X = load_wine().data[::3]
    ranking = fit(make(cls), X).ranking_
    for column in (0, 7):
        other = X.copy()
        other[:, column] *= 1000
        np.testing.assert_array_equal(fit(make(cls), other).ranking_, ranking)


@pytest.mark.parametrize("cls", [MCFS, MRSF])
def test_dead_pixels_are_not_preferred(cls):
    """Of the ten best pixels of the digits at most two are zero in nearly all images."""
    X = load_digits().data[::6]
    best = cls(10).fit(X).order_[:10]
    assert ((X[:, best] > 0).mean(axis=0) < 0.1).sum() <= 2
    best = cls(10, scale=None).fit(X).order_[:10]
    assert ((X[:, best] > 0).mean(axis=0) < 0.1).sum() >= 3


def test_variance_offers_a_scale_without_units():
    X = load_wine().data
    ranking = Variance(scale="minmax").fit(X).ranking_
    np.testing.assert_array_equal(Variance(scale="minmax").fit(X * 2.0**7).ranking_, ranking)
    assert Variance().fit(X).order_[0] == X.var(axis=0).argmax()


@pytest.mark.parametrize("cls", METHODS)
def test_impossible_options(cls):
    with pytest.raises(ValueError, match="scale"):
        cls(scale="unit").fit(TABLES["tall"])
    with pytest.raises(ValueError, match="n_jobs"):
        cls(n_jobs=0).fit(TABLES["tall"])


@pytest.mark.parametrize("cls", [MRSF, JFSSL])
@pytest.mark.parametrize("name", ["tall", "wide"])
def test_callback_and_progress_reach_the_solver(cls, name, capsys):
    seen = []
    make(cls, verbose=1, callback=lambda step, value: seen.append(value)).fit(TABLES[name])
    assert cls.__name__ in capsys.readouterr().err
    assert np.isfinite(seen).all()
    stopped = make(cls, callback=lambda step, value: True).fit(TABLES[name])
    assert stopped.n_iter_ == 1
    assert not stopped.converged_


@pytest.mark.parametrize("cls", METHODS)
def test_number_of_threads_does_not_matter(cls):
    X = TABLES["wide"]
    one, three = (make(cls, n_jobs=n).fit(X).scores_ for n in (1, 3))
    np.testing.assert_array_equal(one, three)
