"""Parquet files, Zarr arrays and memory maps: the same scores, without the data in memory."""

import subprocess
import sys

import numpy as np
import pytest

from graphsieve import GAFS, UDFS, LaplacianScore, Variance
from graphsieve._rows import open_rows
from tests.helpers.few_iterations import METHODS

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
zarr = pytest.importorskip("zarr")

pytestmark = pytest.mark.filterwarnings("ignore:.*max_iter")


@pytest.fixture
def table(rng):
    X = rng.random((210, 8)) @ rng.random((8, 30)) + 0.1 * rng.random((210, 30))
    X[:, 4] = 2.5
    return X


def stored(X, folder, kind):
    if kind == "memory map":
        np.save(folder / "X.npy", X)
        return np.load(folder / "X.npy", mmap_mode="r")
    if kind == "parquet":
        columns = {f"gene{j}": X[:, j] for j in range(X.shape[1])}
        pq.write_table(pa.table(columns), folder / "X.parquet", row_group_size=50)
        return pq.ParquetFile(folder / "X.parquet")
    array = zarr.create_array(folder / "X.zarr", shape=X.shape, chunks=(64, 7), dtype=X.dtype)
    array[:] = X
    return array


@pytest.mark.parametrize("kind", ["memory map", "parquet", "zarr"])
@pytest.mark.parametrize("method", [*METHODS.values(), UDFS(5)], ids=[*METHODS, "udfs"])
def test_scores_are_those_of_memory(table, tmp_path, kind, method):
    wanted = method.fit(table).scores_
    scores = method.fit(stored(table, tmp_path, kind)).scores_
    np.testing.assert_allclose(scores, wanted, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("kind", ["memory map", "parquet", "zarr"])
def test_transform_encode_and_reconstruct(table, tmp_path, kind):
    X = stored(table, tmp_path, kind)
    method = METHODS["gafs"].fit(X)
    kept = method.transform(X)
    np.testing.assert_array_equal(kept, table[:, method.get_support()])
    np.testing.assert_allclose(method.encode(X), method.encode(table))
    rebuilt = method.reconstructor(X).predict(kept)
    np.testing.assert_allclose(rebuilt, method.reconstructor(table).predict(kept), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("kind", ["memory map", "parquet", "zarr"])
def test_counts(rng, tmp_path, kind):
    """Data that are mostly zero: their square roots are taken, wherever they are."""
    counts = rng.poisson(0.06 * rng.random((200, 12)) + 0.05)
    X = stored(counts, tmp_path, kind)
    method = GAFS(5, dtype="float64", random_state=0, n_jobs=1)
    wanted = method.fit(counts).scores_
    np.testing.assert_array_equal(method.fit(X).scores_, wanted)
    np.testing.assert_allclose(method.encode(X), method.encode(counts))


def test_names_of_parquet_columns(table, tmp_path):
    method = Variance(3).fit(stored(table, tmp_path, "parquet"))
    assert method.feature_names_in_[7] == "gene7"
    assert all(name.startswith("gene") for name in method.get_feature_names_out())


def test_types_of_parquet_columns(tmp_path):
    """Integers, truth values and single precision are numbers; missing ones are NaN."""
    columns = {
        "count": pa.array([1, 2, 3, None]),
        "flag": pa.array([True, False, True, True]),
        "level": pa.array([0.5, 0.25, 1, 2], pa.float32()),
    }
    pq.write_table(pa.table(columns), tmp_path / "X.parquet")
    with pytest.raises(ValueError, match="row 3, column 'count'"):
        LaplacianScore(1).fit(pq.ParquetFile(tmp_path / "X.parquet"))
    pq.write_table(pa.table(columns).slice(0, 3), tmp_path / "X.parquet")
    scores = Variance(1).fit(pq.ParquetFile(tmp_path / "X.parquet")).scores_
    np.testing.assert_allclose(scores, np.var([[1, 1, 0.5], [2, 0, 0.25], [3, 1, 1]], axis=0))


def test_what_holds_no_numbers_is_refused(tmp_path):
    pq.write_table(pa.table({"a": [1, 2], "town": ["Ulm", "Bonn"]}), tmp_path / "X.parquet")
    with pytest.raises(ValueError, match="column 'town' holds .* instead of numbers"):
        Variance(1).fit(pq.ParquetFile(tmp_path / "X.parquet"))
    array = zarr.create_array(tmp_path / "X.zarr", shape=(4, 3, 2), dtype="float64")
    with pytest.raises(ValueError, match="two dimensions"):
        Variance(1).fit(array)


def test_a_full_disk_is_noticed_before_it_is_full(table, tmp_path, monkeypatch):
    data = open_rows(stored(table, tmp_path, "parquet"))
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage)
    with pytest.raises(OSError, match="set TMPDIR"):
        data.stored()


def test_writable_and_private_maps(table, tmp_path):
    """Changes in a private map are in no file: its pages must not be given back."""
    np.save(tmp_path / "X.npy", table)
    wanted = Variance(3).fit(table * 2).scores_
    for mode in ("c", "r+"):
        X = np.load(tmp_path / "X.npy", mmap_mode=mode)
        X *= 2
        np.testing.assert_allclose(Variance(3).fit(X).scores_, wanted)


FIT = r"""
import re, sys, warnings
import numpy as np, scipy.sparse as sp
from graphsieve import GAFS

warnings.simplefilter("ignore")
kind, path, n = sys.argv[1:]
if kind == "memory map":
    X = np.load(path, mmap_mode="r")
elif kind == "parquet":
    import pyarrow.parquet as pq
    X = pq.ParquetFile(path)
else:
    import zarr
    X = zarr.open_array(path, mode="r")
few = np.random.default_rng(0).random((30, 1000), dtype=np.float32)
GAFS(5, max_iter=1, random_state=0).fit(few)
n = int(n)
A = sp.diags_array([np.ones(n - 1)], offsets=[1])

def peak():
    # Not getrusage, which counts what the parent had in memory.
    return int(re.search(r"VmHWM:\s+(\d+) kB", open("/proc/self/status").read())[1]) / 1024

before = peak()
GAFS(5, max_iter=1, affinity=A + A.T, random_state=0, n_jobs=2).fit(X)
print(peak() - before)
"""


def write_in_pieces(path, kind, n, d):
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(d)]
    schema = pa.schema([(name, pa.float32()) for name in names])
    if kind == "memory map":
        X = np.lib.format.open_memmap(path, "w+", np.float32, (n, d))
    elif kind == "zarr":
        X = zarr.create_array(path, shape=(n, d), chunks=(1000, d), dtype="float32")
    else:
        X = pq.ParquetWriter(path, schema, compression="none", use_dictionary=False)
    for start in range(0, n, 5000):
        part = rng.random((5000, d), dtype=np.float32)
        if kind == "parquet":
            X.write_table(pa.table(list(part.T), schema=schema))
        else:
            X[start : start + 5000] = part
    if kind == "parquet":
        X.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("kind", ["memory map", "parquet", "zarr"])
def test_memory_does_not_grow_with_the_data(tmp_path, kind):
    """Beyond the code and the graph, few bytes per row."""
    peaks = []
    for n in (20_000, 50_000):
        path = tmp_path / f"X{n}"
        write_in_pieces(path, kind, n, 1_000)
        run = [sys.executable, "-c", FIT, kind, str(path), str(n)]
        peaks.append(float(subprocess.run(run, capture_output=True, text=True, check=True).stdout))
    assert peaks[1] - peaks[0] < 60  # MB, of 120 MB more data; Zarr decodes several chunks at a time
