"""What every method of REGISTRY promises, on small data."""

import copy
import gc
import pickle
import warnings
import weakref
from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_param_validation, estimator_checks_generator

from graphsieve import REGISTRY, DropRedundant

METHODS = sorted(REGISTRY)
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:n_neighbors", "ignore:.*have no cosine"),
    pytest.mark.filterwarnings("ignore:alpha is so small", "ignore:The encoder weights"),
]


def make(name, **params):
    """The method with a fixed seed, if it takes one."""
    method = REGISTRY[name](**params)
    if "random_state" in method.get_params():
        method.set_params(random_state=0)
    return method


def table(n=40, d=12, seed=0):
    """Correlated columns, the last but one constant."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3)) @ rng.random((3, d)) + 0.1 * rng.random((n, d))
    X[:, -2] = 0.5
    return X


def estimator_checks():
    for name in METHODS:
        for estimator, check in estimator_checks_generator(make(name)):
            yield pytest.param(estimator, check, id=f"{name}-{check.func.__name__}")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(estimator_checks()))
def test_scikit_learn_checks(estimator, check):
    try:
        check(estimator)
    except SkipTest as reason:
        pytest.fail(f"skipped: {reason}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cls", [*REGISTRY.values(), DropRedundant])
def test_every_parameter_is_validated(cls):
    """scikit-learn's check of its own estimators: constraints and parameters have to match."""
    check_param_validation(cls.__name__, cls())


# They take no longer than reading the data.
NO_PROGRESS = {"random", "variance"}


@pytest.mark.parametrize("name", sorted(set(METHODS) - NO_PROGRESS))
def test_progress_is_shown(name, capsys):
    if "verbose" not in REGISTRY[name]().get_params():
        pytest.fail(f"give {name} the parameter verbose, or add it to NO_PROGRESS in this file")
    make(name, verbose=1).fit(table())
    assert REGISTRY[name].__name__ in capsys.readouterr().err


@pytest.mark.parametrize("name", METHODS)
def test_full_ranking_and_constant_last(name):
    X = table()
    method = make(name, n_features_to_select=4).fit(X)
    d = X.shape[1]
    assert sorted(method.order_) == list(range(d))
    assert method.order_[-1] == d - 2
    assert np.isfinite(method.scores_).all()
    assert (np.diff(method.scores_[method.order_[:-1]]) <= 0).all()
    np.testing.assert_array_equal(method.ranking_[method.order_], np.arange(1, d + 1))
    np.testing.assert_array_equal(np.flatnonzero(method.get_support()), sorted(method.order_[:4]))
    np.testing.assert_array_equal(method.support_, method.get_support())


@pytest.mark.parametrize("name", METHODS)
def test_input_is_not_changed_and_fit_repeats(name):
    X = table()
    before = X.copy()
    first, second = make(name).fit(X), make(name).fit(X)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_array_equal(first.scores_, second.scores_)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_in_names_out(name, frame):
    X = frame({f"gene_{j}": column for j, column in enumerate(table().T)})
    method = make(name, n_features_to_select=3).set_output(transform="pandas").fit(X)
    kept = [f"gene_{j}" for j in sorted(method.order_[:3])]
    assert method.get_feature_names_out().tolist() == kept
    assert method.transform(X).columns.tolist() == kept


@pytest.mark.parametrize("name", METHODS)
def test_clone_and_pickle(name):
    X = table()
    method = make(name, n_features_to_select=3).fit(X)
    assert not hasattr(clone(method), "scores_")
    kept = method.transform(X)
    X[:] = -1  # what the caller does with the data later does not matter
    twins = pickle.loads(pickle.dumps(method)), copy.deepcopy(method), method
    for twin in twins:
        np.testing.assert_array_equal(twin.transform(table()), kept)
        np.testing.assert_array_equal(twin.scores_, method.scores_)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_the_training_data_are_not_kept(name):
    """Neither the array nor a part of it as large as the data hangs on the fitted estimator."""
    X = table(n=400, d=6)
    reference = weakref.ref(X)
    method = make(name, n_features_to_select=2)
    for parameter, value in (("n_hidden", 8), ("n_clusters", 2)):  # what is learned stays small
        if parameter in method.get_params():
            method.set_params(**{parameter: value})
    method.fit(X)
    size = len(pickle.dumps(method))
    del X
    gc.collect()
    assert reference() is None
    assert size < 12_000  # of 19,200 bytes of data


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_pipeline_and_grid_search(name):
    X = table()
    y = (X[:, 0] > np.median(X[:, 0])).astype(int)
    pipeline = make_pipeline(make(name), LogisticRegression())
    step = pipeline.steps[0][0]
    search = GridSearchCV(pipeline, {f"{step}__n_features_to_select": [2, 0.5]}, cv=2)
    assert search.fit(X, y).best_estimator_[0].get_support().sum() in (2, 6)


@pytest.mark.parametrize("name", METHODS)
def test_dropped_columns_come_back(name):
    X = table()
    method = make(name, n_features_to_select=4).fit(X)
    rebuilt = method.reconstructor(X).predict(method.transform(X))
    dropped = X[:, ~method.get_support()]
    # Three directions span the table: four columns predict the others better than their means.
    assert ((rebuilt - dropped) ** 2).sum() < 0.5 * ((dropped - dropped.mean(axis=0)) ** 2).sum()


@pytest.mark.parametrize("name", METHODS)
def test_sparse_equals_dense_or_is_refused(name):
    X = table()
    X[np.quantile(X, 0.3) > X] = 0
    method = make(name)
    if "dtype" in method.get_params():
        # Non-convex: after many steps in low precision the optimisation paths diverge.
        method.set_params(dtype="float64", max_iter=20)
    if not method._accepts_sparse:
        with pytest.raises(TypeError, match="[Ss]parse"):
            method.fit(sp.csr_array(X))
        return
    dense = clone(method).fit(X).scores_
    for container in (sp.csr_array, sp.csr_matrix):
        np.testing.assert_allclose(method.fit(container(X)).scores_, dense, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("dtype", [np.int64, np.float32, bool])
def test_number_types(name, dtype):
    X = (10 * table()).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method = make(name).fit(X)
    assert np.isfinite(method.scores_).all()


@pytest.mark.parametrize("name", METHODS)
def test_awkward_samples(name):
    """Duplicate and zero rows, two far clusters, and fewer samples than neighbours."""
    rng = np.random.default_rng(1)
    two_clusters = np.kron(np.eye(2), np.ones((12, 4))) * (1 + rng.random((24, 8)))
    duplicated = np.vstack([table(10, 8), table(10, 8), np.zeros((1, 8))])
    for X in (two_clusters, duplicated, table(3, 8)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method = make(name)
            if "n_clusters" in method.get_params():
                method.set_params(n_clusters=2)  # not more than samples
            method.fit(X)
        assert np.isfinite(method.scores_).all()
        assert sorted(method.order_) == list(range(8))


@pytest.mark.filterwarnings("error:n_neighbors", "error:a graph that joins")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("n_samples", [4, 5])
def test_nobody_reads_about_parameters_that_nobody_set(name, n_samples):
    method = make(name, n_features_to_select=2)
    if "n_clusters" in method.get_params():
        method.set_params(n_clusters=2)  # not more than samples
    method.fit(np.random.default_rng(0).normal(size=(n_samples, 4)))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("wanted", "kept"), [(1, 1), (12, 12), (0.25, 3), (1.0, 12), (None, 6), (0.001, 1)]
)
def test_number_of_features(name, wanted, kept):
    assert make(name, n_features_to_select=wanted).fit(table()).get_support().sum() == kept


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("wanted", [0, 13, -1, 1.5, 0.0, "many"])
def test_impossible_number_of_features(name, wanted):
    with pytest.raises(ValueError, match="n_features_to_select"):
        make(name, n_features_to_select=wanted).fit(table())


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_non_finite_entries_are_named(name, bad):
    X = pd.DataFrame(table()).rename(columns=lambda j: f"gene_{j}")
    X.iloc[7, 3] = bad
    method = make(name)
    if np.isnan(bad) and get_tags(method).input_tags.allow_nan:
        assert np.isfinite(method.fit(X).scores_).all()
        return
    with pytest.raises(ValueError, match="row 7, column 'gene_3'"):
        method.fit(X)


@pytest.mark.parametrize("name", METHODS)
def test_too_little_data(name):
    with pytest.raises(ValueError, match="minimum of 2"):
        make(name).fit(table()[:1])
    with pytest.raises(ValueError, match="0 sample|minimum of"):
        make(name).fit(np.empty((0, 3)))


@pytest.mark.parametrize("name", [m for m in METHODS if "n_jobs" in REGISTRY[m]().get_params()])
@pytest.mark.parametrize("n_jobs", [0, 1.5])
def test_impossible_number_of_threads(name, n_jobs):
    with pytest.raises(ValueError, match="'n_jobs' parameter"):
        make(name, n_jobs=n_jobs).fit(table())


WEIGHTS = ("alpha", "graph_weight", "feature_graph_weight", "fit_weight", "decay", "power")


@pytest.mark.parametrize("name", METHODS)
def test_weights_that_overflow(name):
    for weight in set(WEIGHTS) & set(make(name).get_params()):
        with pytest.raises(ValueError, match=f"'{weight}' parameter"):
            make(name, **{weight: 10**400}).fit(table())


@pytest.mark.parametrize("name", METHODS)
def test_docstring_is_a_page(name):
    """A user who asks for help learns what it computes, each parameter, and whom to cite."""
    cls = REGISTRY[name]
    text = cls.__doc__
    assert "Examples" in text
    for parameter in cls._get_param_names():
        assert parameter in text, f"{cls.__name__} does not describe {parameter}"


# For every parameter: another value, and what it needs to matter.
CHANGES = {
    "affinity": ("binary", {}),
    "alpha": (0.5, {}),
    "budget": (3.0, {"costs": np.linspace(1, 2, 12)}),
    "column_groups": (np.arange(12) // 3, {}),
    "costs": (np.linspace(1, 9, 12), {}),
    "criterion": ("phi1", {}),
    "decay": (0.5, {}),
    "dtype": ("float64", {}),
    "elimination": (0.4, {}),
    "exclude": ([0], {}),
    "feature_graph_weight": (5.0, {}),
    "fit_weight": (30.0, {}),
    "graph_weight": (7.0, {}),
    "include": ([10], {}),
    "layer_share": (1.0, {}),
    "max_iter": (2, {}),
    "max_per_group": (2, {"column_groups": np.arange(12) // 4}),
    "memory": (2, {}),
    "n_clusters": (3, {}),
    "n_components": (2, {}),
    "n_features_to_select": (2, {}),
    "n_hidden": (3, {}),
    "n_neighbors": (9, {}),
    "n_nonzero": (2, {}),
    "p": (0.9, {}),
    "power": (1, {}),
    "random_state": (1, {}),
    "ridge": (0.1, {}),
    "scale": ("global", {}),
    "tol": (0.3, {}),
}
# Where the method needs something else for it, or another number of rows than 60.
OF_METHOD = {
    ("css", "layer_share"): (0.5, {"scale": None}, 8),
    ("sieve", "random_state"): (1, {}, 2100),
    ("sieve", "max_samples"): (40, {}),
    ("gafs", "random_state"): (1, {"elimination": None}),
    ("spec", "n_components"): (2, {"criterion": "phi3"}),
    ("udfs", "max_iter"): (1, {"tol": 0}),
    ("variance", "scale"): ("minmax", {}),
}
# Parameters that change how a result is found, not the result.
HOW = {"n_jobs", "verbose", "callback"}


def fitted_numbers(method, X):
    """All that a fit learned, but for times."""
    method.fit(X)
    return {
        name: np.asarray(value)
        for name, value in vars(method).items()
        if name.endswith("_") and name != "stage_seconds_" and np.asarray(value).dtype.kind != "O"
    }


@pytest.mark.filterwarnings("ignore:the clusters of SCUFS overlap")
@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, p) for name in METHODS for p in sorted(set(REGISTRY[name]().get_params()) - HOW)],
)
def test_every_parameter_does_something(name, parameter):
    case = OF_METHOD.get((name, parameter), CHANGES.get(parameter))
    if case is None:
        pytest.fail(
            f"{name} has the parameter {parameter!r}: add it to CHANGES in this file, with another "
            "value and what it needs to change the result, or to HOW if it changes none"
        )
    value, needed, *n_rows = case
    X = table(*n_rows or [60])
    before = fitted_numbers(make(name, **needed), X)
    method = make(name, **needed).set_params(**{parameter: value})
    after = fitted_numbers(method, X)
    assert any(not np.array_equal(before[key], after.get(key), equal_nan=True) for key in before), (
        f"{parameter}={value!r} changes nothing: give {name} a row in OF_METHOD where it does"
    )
