"""Properties of every method of REGISTRY, on random tables that hypothesis draws and shrinks.

``experiments/studies/random_fits.py`` looks for the same faults in far more fits, with
random parameters.
"""

import traceback
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from graphsieve import REGISTRY
from tests.helpers.mapped import mapped

METHODS = sorted(REGISTRY)
# Small enough for tables of a few rows, and quick.
SMALL = {"n_hidden": 4, "n_clusters": 2, "n_components": 2, "n_neighbors": 2, "n_jobs": 1}
SMALL |= {"n_nonzero": 5, "tol": 1e-3}

# Where a property does not hold, and why.
NOT_FOR_PERMUTED_TABLES = {
    "aefs": "the start is drawn in the order of the columns, and the problem is not convex",
    "gafs": "paths of a non-convex problem in single precision part at the last digit",
    "random": "the order is drawn, not computed",
}
NOT_FOR_PERMUTED_ROWS = {
    "scufs": "k-means draws its start among the rows, and the problem is not convex",
}
NOT_FOR_DEPENDENT_COLUMNS = {
    "mcfs": "of columns that add up to another one, the path keeps those it meets first",
    "udfs": "directions along which the data do not vary are all equally good",
}


def few(n_examples):
    return settings(
        max_examples=n_examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def make(name, **params):
    method = REGISTRY[name](2)
    known = method.get_params()
    params = {"random_state": 0, **SMALL, **params}
    return method.set_params(**{key: value for key, value in params.items() if key in known})


def fit(name, X, **params):
    """A fit in which only graphsieve's own warnings are allowed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", category=UserWarning, message=OWN_WARNINGS)
        return make(name, **params).fit(X)


OWN_WARNINGS = (
    "(n_neighbors=|[0-9]+ rows? (is|are) all zero|all columns of X are constant|"
    "The autoencoder has collapsed|alpha is so small|the clusters of SCUFS overlap|UDFS gives only|"
    "a graph that joins)"
)


# Tables ------------------------------------------------------------------------------------------

KINDS = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "uniform": lambda rng, n, d: rng.random((n, d)),
    "low rank": lambda rng, n, d: rng.normal(size=(n, 2)) @ rng.normal(size=(2, d)),
    "counts": lambda rng, n, d: rng.poisson(0.8, (n, d)) * 1.0,
    "constant": lambda rng, n, d: np.full((n, d), 0.1),
}


def add_outlier(rng, X):
    X[rng.integers(len(X)), rng.integers(X.shape[1])] = 1e8


def add_constants(rng, X):
    X[:, rng.random(X.shape[1]) < 0.3] = -7.5


def add_zero_rows(rng, X):
    X[rng.random(len(X)) < 0.3] = 0


def copy_rows(rng, X):
    X[:] = X[rng.integers(0, len(X), len(X))]


def copy_columns(rng, X):
    X[:] = X[:, rng.integers(0, X.shape[1], X.shape[1])]


def add_offset(rng, X):
    X += 1e5


def change_units(rng, X):
    X *= 10.0 ** rng.integers(-6, 7, X.shape[1])


def make_tiny(rng, X):
    X *= 1e-30


def make_large(rng, X):
    X *= 1e30


CHANGES = (
    add_outlier,
    add_constants,
    add_zero_rows,
    copy_rows,
    copy_columns,
    add_offset,
    change_units,
    make_tiny,
    make_large,
)


@st.composite
def awkward_tables(draw):
    """Any shape, kind and type of numbers, with up to two things that break careless programs."""
    shape = draw(st.integers(2, 14)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = KINDS[draw(st.sampled_from(sorted(KINDS)))](rng, *shape)
    for change in draw(st.lists(st.sampled_from(CHANGES), max_size=2, unique=True)):
        change(rng, X)
    dtype = draw(st.sampled_from(["float64", "float64", "float32", "int64", "uint8", "bool"]))
    if dtype not in ("float64", "float32"):
        X = abs(X).clip(0, 200)
    return X.astype(dtype)


@st.composite
def plain_tables(draw):
    """Numbers without ties, for which the order of rows and columns can make no difference."""
    n, d = draw(st.integers(8, 20)), draw(st.integers(4, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, d)) + 0.5 * rng.normal(size=(n, d))
    return X, rng


def streamed(X):
    """A Parquet file of several row groups."""
    file = pa.BufferOutputStream()
    table = pa.table({f"x{j}": column for j, column in enumerate(X.T)})
    pq.write_table(table, file, row_group_size=5)
    return pq.ParquetFile(pa.BufferReader(file.getvalue()))


def all_methods_but(exceptions):
    return pytest.mark.parametrize(
        "name",
        [
            pytest.param(name, marks=pytest.mark.skip(reason=exceptions[name]))
            if name in exceptions
            else name
            for name in METHODS
        ],
    )


# Properties --------------------------------------------------------------------------------------


def is_clear(error):
    """Whether graphsieve itself, or scikit-learn's validation, raised the error, in words."""
    frame = traceback.extract_tb(error.__traceback__)[-1].filename
    ours = "graphsieve" in frame or "sklearn/utils/validation" in frame
    in_words = len(str(error).split()) > 5
    return ours and in_words and not isinstance(error, np.linalg.LinAlgError)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
@few(12)
@given(X=awkward_tables(), container=st.sampled_from([np.asarray, sp.csr_array, np.asfortranarray]))
def test_any_table_is_ranked_or_refused_in_words(name, X, container):
    """Finite scores, a permutation with constants last, the input as before; the same again."""
    data = container(X.copy())
    try:
        method = fit(name, data)
    except (ValueError, TypeError) as error:
        if not is_clear(error):
            raise
        return
    assert np.isfinite(method.scores_).all()
    assert np.isfinite(getattr(method, "objective_trace_", 0.0)).all()
    assert sorted(method.order_) == list(range(X.shape[1]))
    varies = (X[:1] != X).any(axis=0)[method.order_]
    assert varies[: varies.sum()].all(), "constant columns are last"
    np.testing.assert_array_equal(data.toarray() if sp.issparse(data) else data, X)
    np.testing.assert_array_equal(fit(name, data).scores_, method.scores_)


@all_methods_but(NOT_FOR_PERMUTED_TABLES)
@few(4)
@given(table=plain_tables())
def test_order_of_rows_and_columns_does_not_matter(name, table):
    X, rng = table
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    if name in NOT_FOR_PERMUTED_ROWS:
        rows = np.arange(len(X))
    expected = fit(name, X).scores_
    found = fit(name, X[rows][:, columns]).scores_
    np.testing.assert_allclose(found, expected[columns], atol=1e-4 * abs(expected).max())


@pytest.mark.parametrize("name", METHODS)
@few(4)
@given(table=plain_tables(), exponent=st.integers(-40, 40))
def test_units_of_the_table_do_not_matter(name, table, exponent):
    """A power of two changes no digit of the scores, except those in units of the data."""
    X, _ = table
    expected = fit(name, X).scores_
    found = fit(name, X * 2.0**exponent).scores_
    if name == "variance":
        found = found / 4.0**exponent
    np.testing.assert_array_equal(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
@few(3)
@given(table=plain_tables(), sparse=st.booleans())
def test_storage_does_not_matter(name, table, sparse):
    """Dense, column by column, memory map, a Parquet file that is read in pieces, CSR."""
    X, _ = table
    X = abs(X)  # scaling to [0, 1] would shift the zeros of sparse negative data
    if sparse:
        X[np.median(X) > X] = 0
    few_iterations = {"max_iter": 10, "dtype": "float64"}
    expected = fit(name, X, **few_iterations).scores_
    containers = [np.asfortranarray, mapped, streamed]
    if REGISTRY[name]._accepts_sparse:
        containers.append(sp.csr_array)
    for container in containers:
        found = fit(name, container(X), **few_iterations).scores_
        np.testing.assert_allclose(found, expected, atol=1e-6 * abs(expected).max())


@st.composite
def tables_with_ties(draw):
    """Flags, categories and counts: many samples at equal distances, and copies of samples."""
    n = draw(st.integers(20, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["flags", "categories", "counts"]))
    if kind == "flags":
        return (rng.random((n, 10)) < rng.uniform(0.2, 0.8, 10)) * 1.0, rng
    if kind == "counts":
        return rng.poisson(1.0, (n, 10)) * 1.0, rng
    return np.hstack([np.eye(k)[rng.integers(0, k, n)] for k in (3, 4, 3)]), rng


@pytest.mark.parametrize("scale", ["auto", None])
@pytest.mark.parametrize("name", ["dfsc", "gsr_sfs", "lap_score", "mcfs", "scufs", "spec", "udfs"])
@few(6)
@given(table=tables_with_ties())
def test_ties_do_not_go_by_the_order_of_rows_or_columns(name, scale, table):
    X, rng = table
    if name in NOT_FOR_DEPENDENT_COLUMNS:
        X = X[:, [1, 2, 4, 5, 6, 8, 9]]  # without one code of every category
    rows, columns = rng.permutation(X.shape[0]), rng.permutation(X.shape[1])
    if name in NOT_FOR_PERMUTED_ROWS:
        rows = np.arange(len(X))
    expected = fit(name, X, scale=scale).scores_
    found = fit(name, X[rows][:, columns], scale=scale).scores_
    np.testing.assert_allclose(found, expected[columns], atol=1e-4 * abs(expected).max())
