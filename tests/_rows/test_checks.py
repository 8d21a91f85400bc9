"""Bad input gets an error that says where it is and what to do, never a wrong result."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from graphsieve import (
    AEFS,
    GAFS,
    MCFS,
    SCUFS,
    GreedyCSS,
    LaplacianScore,
    Selection,
    Variance,
    evaluation,
    inspection,
)
from graphsieve._rows import open_rows
from graphsieve.methods import REGISTRY

# Methods that hold square matrices; the others need little more than the data.
SQUARE = ["scufs", "udfs", "rsr", "nonconvex_rsr", "gsr_sfs", "dfsc"]


def valid_csr(rng):
    return sp.csr_array(rng.random((20, 6)) * (rng.random((20, 6)) < 0.6))


@pytest.mark.parametrize("index", [6, 10**6, -1])
@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
def test_sparse_indices_outside_the_matrix(rng, kind, index):
    """SciPy would read outside its arrays."""
    X = valid_csr(rng).asformat(kind)
    fitted = Variance(2).fit(X)
    X.indices[3] = index if kind == "csr" or index < 0 else index * 100
    for call in (Variance(2).fit, fitted.transform, GAFS(2).fit, fitted.coverage):
        with pytest.raises(ValueError, match=f"not a valid {kind.upper()} matrix"):
            call(X)


@pytest.mark.parametrize("index", [1000, -3])
@pytest.mark.parametrize("axis", [0, 1])
def test_coordinates_outside_the_matrix(rng, axis, index):
    X = valid_csr(rng).tocoo()
    X.coords[axis][2] = index
    with pytest.raises(ValueError, match=f"not a valid COO matrix: .*axis {axis} index:? {index}"):
        Variance(2).fit(X)


LABELS = np.arange(20) % 2
WAYS_IN = {
    "report": lambda X, fitted: fitted.report(X),
    "plot": lambda X, fitted: fitted.plot.curve(X),
    "reconstructor": lambda X, fitted: fitted.reconstructor(X),
    "selection": lambda X, fitted: Selection([0, 1], 6).transform(X),
    "compare": lambda X, fitted: inspection.compare(X, 2, methods=["variance", "random"]),
    "stability": lambda X, fitted: inspection.StabilitySelection(fitted).fit(X),
    "reconstruction_error": lambda X, fitted: evaluation.reconstruction_error(X, X, [0]),
    "redundancy": lambda X, fitted: evaluation.redundancy(X),
    "nearest_rows": lambda X, fitted: evaluation.nearest_rows(X, 3),
    "clustering_scores": lambda X, fitted: evaluation.clustering_scores(X, LABELS),
    "classification": lambda X, fitted: evaluation.classification_accuracy(X, LABELS, X, LABELS),
    "evaluate": lambda X, fitted: evaluation.evaluate(fitted, X, LABELS),
    "affinity": lambda X, fitted: LaplacianScore(2, affinity=X).fit(np.eye(20, 6)),
}


@pytest.mark.parametrize("way", WAYS_IN)
def test_every_way_in_checks_the_indices(rng, way):
    """Unchecked, these end in a segmentation fault."""
    X = valid_csr(rng)
    fitted = Variance(6).fit(X)
    X.indices[3] = 10**8
    with pytest.raises(ValueError, match="not a valid CSR matrix"):
        WAYS_IN[way](X, fitted)


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[D]"])
@pytest.mark.parametrize("method", [Variance(2), GAFS(2), LaplacianScore(2)])
def test_dates_are_no_numbers(rng, method, dtype):
    X = rng.random((20, 4))
    fitted = Variance(2).fit(X)
    for call in (method.fit, fitted.transform):
        with pytest.raises(ValueError, match="X holds dates or durations"):
            call((100 * X).astype(dtype))


def test_lazy_frames_of_polars(rng):
    polars = pytest.importorskip("polars")
    X = polars.DataFrame(rng.random((20, 4)), schema=list("abcd"))
    fitted = Variance(2).fit(X)
    for call in (Variance(2).fit, fitted.transform):
        with pytest.raises(TypeError, match=r"pass X.collect\(\)"):
            call(X.lazy())


def test_row_pointers_that_do_not_increase(rng):
    X = valid_csr(rng)
    X.indptr[4], X.indptr[5] = X.indptr[5] + 1, X.indptr[4]
    with pytest.raises(ValueError, match="not a valid CSR matrix"):
        LaplacianScore(2).fit(X)


def test_the_check_leaves_a_valid_matrix_alone(rng):
    X = valid_csr(rng)
    X.indices = X.indices.astype(np.int64)
    X.indptr = X.indptr.astype(np.int64)
    arrays = X.data, X.indices, X.indptr
    Variance(2).fit(X)
    assert all(a is b for a, b in zip((X.data, X.indices, X.indptr), arrays, strict=True))


def test_masked_arrays(rng):
    table = rng.random((10, 4))
    X = np.ma.MaskedArray(table, mask=np.zeros((10, 4), dtype=bool))
    np.testing.assert_array_equal(Variance(2).fit(X).scores_, Variance(2).fit(table).scores_)
    X[3, 1] = np.ma.masked
    X[7, 2] = np.ma.masked
    gaps = r"2 missing values in 2 of 4 columns \(1: 1, 2: 1\), the first at row 3, column 1"
    for call in (MCFS(2).fit, GAFS(2, max_iter=3, tol=1, random_state=0).fit(table).encode):
        with pytest.raises(ValueError, match=gaps):
            call(X)
    table[[3, 7], [1, 2]] = np.nan
    np.testing.assert_array_equal(Variance(2).fit(X).scores_, Variance(2).fit(table).scores_)
    np.testing.assert_array_equal(Variance(4).fit(X).transform(X), table)


@pytest.mark.parametrize("method", [GAFS(2), GreedyCSS(2), LaplacianScore(2), Variance(2)])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("dtype", "huge"), [(np.float64, -1e300), (np.float32, 1e30)])
def test_entries_that_overflow_name_their_column(rng, method, container, dtype, huge):
    X = rng.random((20, 6)).astype(dtype)
    X[7, 3] = huge
    with pytest.raises(ValueError, match=r"column 3 has values up to 1\.0e\+30.*Rescale"):
        method.fit(container(X))


@pytest.mark.parametrize("name", sorted(REGISTRY))
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_tables_whose_products_vanish(rng, name, container):
    if container is sp.csr_array and not REGISTRY[name]._accepts_sparse:
        return
    X = container(1e-160 * rng.random((20, 6)))
    with pytest.raises(
        ValueError, match=r"largest absolute value of X is \d\.\de-16\d.*Multiply X"
    ):
        REGISTRY[name](2).fit(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_small_but_harmless_entries(rng, dtype):
    X = (1e-30 * rng.random((30, 6))).astype(dtype)
    for method in (GAFS(2, random_state=0), GreedyCSS(2), LaplacianScore(2), Variance(2)):
        scores = method.fit(X).scores_
        assert np.isfinite(scores).all()
        assert len(np.unique(scores)) == 6


def test_standardised_columns_have_no_variance_to_rank_by(rng):
    X = StandardScaler().fit_transform(rng.random((30, 5)))
    with pytest.warns(UserWarning, match=r"columns are standardised.*scale=\"minmax\""):
        Variance(2).fit(X)
    X[:, 1:] *= 1.01
    Variance(2).fit(X)


def test_large_but_harmless_entries(rng):
    X = 1e60 * rng.random((30, 6))
    with np.errstate(all="raise"):
        for method in (GreedyCSS(2), LaplacianScore(2, affinity="heat"), Variance(2)):
            assert np.isfinite(method.fit(X).scores_).all()


def test_more_samples_than_fit_in_memory_are_refused_before_the_work(rng):
    with pytest.raises(MemoryError, match=r"600,000 samples.*Fit a random subset"):
        SCUFS(1, random_state=0).fit(rng.random((600_000, 2)))


REFUSED = r"needs about [\d,]+\.\d GB .*, but only [\d,]+\.\d GB are available\. (Fit|Use) \w+"
# These read the rows of a file one block after the other.
IN_PIECES = ["variance", "random", "css", "aefs"]


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_method_refuses_what_does_not_fit_before_it_reads_the_data(name, tmp_path):
    """Files of 400 GB that take no room on the disk, and a sparse matrix as wide as that."""
    wide = np.lib.format.open_memmap(tmp_path / "wide.npy", "w+", np.float32, (20, 5 * 10**9))
    tall = np.lib.format.open_memmap(tmp_path / "tall.npy", "w+", np.float32, (2 * 10**10, 5))
    tables = [wide] if name in IN_PIECES else [wide, tall]
    if REGISTRY[name]._accepts_sparse:
        entries = np.ones(3), (np.arange(3), np.array([0, 5, 10**11 - 1]))
        tables.append(sp.csr_array(entries, shape=(3, 10**11)))
    for X in tables:
        with pytest.raises(MemoryError, match=f"^{REGISTRY[name].__name__} {REFUSED}"):
            REGISTRY[name](1).fit(X)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_the_estimate_is_no_less_than_what_a_fit_takes(name, rng):
    """Apart from blocks of rows, whose size is limited, in this test to that of the data."""
    X = rng.random((200, 1500))
    method = REGISTRY[name](2)
    few = {"max_iter": 1, "n_jobs": 1, "random_state": 0}
    method.set_params(**{key: few[key] for key in few if key in method.get_params()})
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    estimate = method._estimate_memory(*X.shape) + method._n_copies * X.nbytes
    assert peak < estimate + 3 * X.nbytes
    assert estimate < 8 * peak


@pytest.mark.parametrize("name", SQUARE)
def test_estimates_grow_with_the_square(name):
    method = REGISTRY[name](2)
    assert method._estimate_memory(10_000, 10_000) > 8 * 10_000**2
    assert method._estimate_memory(100, 50) < 2**24


def test_network_that_is_much_larger_than_the_data(monkeypatch):
    data = open_rows(np.zeros((10, 20_000)))
    available = [4e9, 16e9, 1e9]
    monkeypatch.setattr("graphsieve.base.available_memory", lambda: available[0])
    with pytest.warns(UserWarning, match=r"AEFS needs about 1\.8 GB .* 0\.5 GB.*n_hidden"):
        AEFS(1)._check_memory(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AEFS(1, n_hidden=40)._check_memory(data)
        GAFS(1)._check_memory(data)
        del available[0]
        AEFS(1)._check_memory(data)  # less than a quarter of what is available
    del available[0]
    with pytest.raises(MemoryError, match=r"only 1\.0 GB are available\. Use fewer hidden units"):
        AEFS(1)._check_memory(data)
