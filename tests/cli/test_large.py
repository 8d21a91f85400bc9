"""graphsieve select on files that are read and written piece by piece."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr

from graphsieve import UDFS
from graphsieve._rows import streams
from graphsieve.cli.io import frames
from graphsieve.cli.io.files import WRITABLE, read_table
from graphsieve.cli.options import Reading
from tests.cli.conftest import load, save

VARIANCE = ("--method", "variance")
LARGE = [".npy", ".parquet", ".zarr"]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """A few rows of the table are large already."""
    monkeypatch.setattr(frames, "STREAM_BYTES", 500)
    monkeypatch.setattr(streams, "PASS_BYTES", 200)


def save_large(frame, path):
    """Parquet in row groups; the other formats are read in pieces anyway."""
    if path.suffix != ".parquet":
        return save(frame, path)
    frame.to_parquet(path, row_group_size=7)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("target", sorted(WRITABLE))
@pytest.mark.parametrize("source", LARGE)
def test_kept_columns_are_written_in_pieces(run, frame, tmp_path, source, target):
    path, chosen = save_large(frame, tmp_path / f"data{source}"), tmp_path / f"chosen{target}"
    result = run("select", path, "-k", 3, "--drop", "2", "-o", chosen, *VARIANCE)
    assert result.exit_code == 0, result.output
    X, names = load(chosen)
    # Excel keeps 16 digits.
    np.testing.assert_allclose(X, frame[["a", "b b", "e"]], rtol=1e-15 * (target == ".xlsx"))
    if target != ".npy":
        assert names == (["x0", "x1", "x4"] if source == ".npy" else ["a", "b b", "e"])
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([path.name, chosen.name])


@pytest.mark.parametrize("source", LARGE)
def test_no_piece_is_the_whole(frame, tmp_path, source):
    table = read_table(save_large(frame, tmp_path / f"data{source}"), Reading()).take([0, 2, 3])
    sizes = [len(piece.X) for piece in table.pieces()]
    assert sum(sizes) == 20
    assert max(sizes) <= 8


@pytest.mark.parametrize(
    ("source", "how"),
    [
        (".npy", "memory-mapped"),
        (".parquet", "3 row groups of up to 7 rows, one at a time"),
        (".zarr", "6 chunks of 7 x 4, a few at a time"),
    ],
)
def test_the_command_says_how_it_reads(run, frame, tmp_path, source, how):
    path = save_large(frame, tmp_path / f"data{source}")
    result = run("select", path, "-k", 1, "--drop", 0, *VARIANCE)
    assert result.stderr == f"Reading data{source}: 20 rows x 6 columns, {how}\n"
    assert "Kept 1 of 5 columns" in result.stdout


def test_methods_that_need_all_data(run, frame, tmp_path):
    path = save_large(frame, tmp_path / "data.parquet")
    result = run("select", path, "-k", 1, "--method", "udfs")
    assert "one at a time; all of it in memory for udfs\n" in result.stderr
    fitted = UDFS(1).fit(frame)
    assert f"1  {fitted.get_feature_names_out()[0]}" in result.stdout


def test_small_parquet_is_read_whole(run, frame, tmp_path):
    path = save_large(frame.head(10), tmp_path / "data.parquet")
    assert not run("select", path, "-k", 1, *VARIANCE).stderr


def test_large_pieces_are_pointed_out(run, frame, tmp_path, monkeypatch):
    frame.to_parquet(tmp_path / "data.parquet")
    message = run("select", tmp_path / "data.parquet", "-k", 1, *VARIANCE).stderr
    assert "1 row group of up to 20 rows, one at a time; each of which must fit" in message
    monkeypatch.setattr("graphsieve.cli.io.arrays.STREAM_BYTES", 300)
    message = run("select", save(frame, tmp_path / "data.zarr"), "-k", 1, *VARIANCE).stderr
    assert "6 chunks of 7 x 4, a few at a time; a row of which must fit in memory" in message


def test_types_and_row_labels_stay(run, tmp_path):
    rng = np.random.default_rng(0)
    data = pd.DataFrame(
        {
            "count": pd.array(rng.integers(0, 9, 30), dtype="Int64"),
            "flag": rng.random(30) < 0.5,
            "x": rng.random(30).astype(np.float32),
            "x.1": rng.random(30) / 3,
        },
        index=pd.Index([f"cell{i}" for i in range(30)], name="cell"),
    )
    path = save_large(data, tmp_path / "data.parquet")
    for suffix in (".parquet", ".csv"):
        result = run("select", path, "-k", 3, "--drop", "x.1", "-o", tmp_path / f"all{suffix}")
        assert result.exit_code == 0, result.output
        assert "30 rows x 4 columns" in result.stderr
    kept = data.drop(columns="x.1")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "all.parquet"), kept)
    text = (tmp_path / "all.csv").read_text().splitlines()
    assert len(text) == 31
    first = kept.iloc[0]
    assert text[1].split(",")[:3] == ["cell0", str(first["count"]), str(first["flag"])]


@pytest.mark.parametrize("source", LARGE)
def test_same_scores_as_in_memory(run, frame, tmp_path, source):
    path, scores = save_large(frame, tmp_path / f"data{source}"), tmp_path / "scores.csv"
    few = ("-m", "gafs", "--set", "max_iter=5", "--set", "dtype=float64")
    assert run("select", path, "-k", 1, "--drop", 3, "--scores", scores, *few).exit_code == 0
    whole = save(frame, tmp_path / "data.csv")
    assert run("select", whole, "-k", 1, "--drop", 3, "--scores", scores, *few).exit_code == 2
    streamed = pd.read_csv(scores)["score"]
    assert (
        run("select", whole, "-k", 1, "--drop", 3, "--scores", scores, "--force", *few).exit_code
        == 0
    )
    np.testing.assert_allclose(streamed, pd.read_csv(scores)["score"], rtol=1e-6)


def test_text_is_carried(run, frame, tmp_path):
    frame = frame.assign(**{"my site": "s1", "when": pd.Timestamp(2020, 1, 1)})
    path = save_large(frame, tmp_path / "data.parquet")
    for suffix in (".csv", ".parquet"):
        chosen = tmp_path / f"chosen{suffix}"
        result = run("select", path, "-k", 1, "-o", chosen, *VARIANCE)
        assert result.exit_code == 0, result.output
        assert "text: 'my site'; dates: 'when': not selected from" in result.stderr
        values, names = load(chosen)
        assert names == ["e", "my site", "when"]
        assert set(values[:, 1]) == {"s1"}


@pytest.mark.parametrize("values", [range(20), [f"s{i}" for i in range(20)]])
def test_ids_are_found_in_the_first_piece(run, frame, tmp_path, values, monkeypatch):
    monkeypatch.setattr("graphsieve.cli.columns._ROWS_FOR_ID", 3)
    path = save_large(frame.assign(key=values), tmp_path / "data.parquet")
    chosen = tmp_path / "chosen.parquet"
    result = run("select", path, "-k", 1, "-o", chosen, *VARIANCE)
    assert result.exit_code == 0, result.output
    assert "carried to the output" in result.stderr
    assert load(chosen)[1] == ["e", "key"]


def test_a_page_about_pieces_is_coloured(run, frame, tmp_path):
    path = save_large(frame.assign(site=["x", "y"] * 10), tmp_path / "data.parquet")
    page = tmp_path / "page.html"
    result = run("select", path, "-k", 1, "--color", "site", "--report", page, *VARIANCE)
    assert result.exit_code == 0, result.output
    assert page.exists()


def test_gaps_are_filled_in_memory(run, frame, tmp_path):
    frame.iloc[13, 4] = np.nan
    path = save_large(frame, tmp_path / "data.parquet")
    result = run("select", path, "-k", 1, "--impute", "mean", *VARIANCE)
    assert result.exit_code == 0, result.output
    assert "1 missing value filled" in result.stderr


@pytest.mark.parametrize("source", LARGE)
def test_missing_values_are_named(run, frame, tmp_path, source):
    frame.iloc[13, 4] = np.nan
    path, chosen = save_large(frame, tmp_path / f"data{source}"), tmp_path / "chosen.parquet"
    refusing = ("--method", "lap_score")
    result = run("select", path, "-k", 1, "--drop", 2, "-o", chosen, *refusing)
    assert result.exit_code == 1
    name = "x4" if source == ".npy" else "e"
    assert f"row 13, column '{name}'" in result.stderr
    assert "--impute median" in result.stderr
    assert not result.stdout
    assert not chosen.exists()


def test_columns_of_one_name(run, tmp_path):
    names = ["a", "a", "b"]
    columns = [pa.array(np.random.default_rng(j).random(30)) for j in range(3)]
    pq.write_table(pa.Table.from_arrays(columns, names), tmp_path / "data.parquet")
    result = run("select", tmp_path / "data.parquet", "-k", 1, *VARIANCE)
    assert result.exit_code == 1
    assert "two columns of the same name" in result.stderr


def test_array_of_a_zarr_group(run, tmp_path):
    store = zarr.open_group(tmp_path / "data.zarr")
    store.create_array("train", data=np.eye(4))
    store.create_array("layers/counts", data=np.diag([1.0, 2.0, 9.0]))
    message = run("select", tmp_path / "data.zarr", "-k", 1, *VARIANCE).stderr
    assert "train (4 x 4)" in message
    assert "layers/counts (3 x 3)" in message
    assert "Choose one with --key" in message
    key = ("--key", "layers/counts")
    result = run("select", tmp_path / "data.zarr", "-k", 1, *key, *VARIANCE)
    assert "1  x2" in result.stdout, result.output
    store.create_array("X", data=np.diag([1.0, 5.0, 2.0]))
    result = run("select", tmp_path / "data.zarr", "-k", 1, *VARIANCE)
    assert "1  x1" in result.stdout, result.output


def test_zarr_that_is_no_table(run, frame, tmp_path):
    path = save(frame, tmp_path / "data.zarr")
    message = run("select", path, "-k", 1, "--key", "X", *VARIANCE).stderr
    assert "is a single array" in message
    for shape in ((7,), (2, 3, 4)):
        zarr.create_array(tmp_path / "cube.zarr", data=np.zeros(shape), overwrite=True)
        message = run("select", tmp_path / "cube.zarr", "-k", 1, *VARIANCE).stderr
        assert f"{shape}; a table has rows and columns" in message
    (tmp_path / "empty.zarr").mkdir()
    (tmp_path / "file.zarr").write_text("not an array")
    for name in ("empty.zarr", "file.zarr"):
        result = run("select", tmp_path / name, "-k", 1, *VARIANCE)
        assert result.exit_code == 1
        assert f"{name} as ZARR:" in result.stderr


def test_damaged_chunk(run, frame, tmp_path):
    path = save(frame, tmp_path / "data.zarr")
    (path / "c" / "1" / "0").write_bytes(b"no chunk")
    result = run("select", path, "-k", 1, "-o", tmp_path / "chosen.csv", *VARIANCE)
    assert result.exit_code == 1
    assert "cannot read rows 0 to 19 of the Zarr array: " in result.stderr
    assert not (tmp_path / "chosen.csv").exists()


SELECT = r"""
import re, sys
import pandas, pyarrow.parquet, zarr, sklearn.utils.validation
from graphsieve import GAFS
from graphsieve.cli.io import frames
from graphsieve.cli.app import app

frames.STREAM_BYTES = 2**20

def peak():
    # Not getrusage, which counts what the parent had in memory.
    return int(re.search(r"VmHWM:\s+(\d+) kB", open("/proc/self/status").read())[1]) / 1024

small, *arguments = sys.argv[1:]
# What the first use of anything loads is not counted.
app(["select", small, *arguments[1:], "--force"], standalone_mode=False)
before = peak()
app(["select", *arguments, "--force"], standalone_mode=False)
print(peak() - before, file=sys.stderr)
"""


def write_in_pieces(path, n):
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(400)]
    schema = pa.schema([(name, pa.float32()) for name in names])
    if path.suffix == ".npy":
        X = np.lib.format.open_memmap(path, "w+", np.float32, (n, 400))
    elif path.suffix == ".zarr":
        X = zarr.create_array(path, shape=(n, 400), chunks=(1000, 400), dtype="float32")
    else:
        X = pq.ParquetWriter(path, schema, compression="none", use_dictionary=False)
    for start in range(0, n, 5000):
        part = rng.random((min(n, 5000), 400), dtype=np.float32)
        if path.suffix == ".parquet":
            X.write_table(pa.table(list(part.T), schema=schema))
        else:
            X[start : start + 5000] = part
    if path.suffix == ".parquet":
        X.close()
    return path


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("suffix", LARGE)
def test_memory_does_not_grow_with_the_data(tmp_path, suffix):
    """Neither what is read nor what is written, half of all columns, is ever in memory."""
    peaks = []
    # jemalloc, the default of older versions of PyArrow, gives memory back a second later: on a
    # busy machine, peaks of the same run differ by 80 MB.
    env = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"}
    small = write_in_pieces(tmp_path / f"small{suffix}", 1000)
    for n in (30_000, 90_000):
        path = write_in_pieces(tmp_path / f"X{n}{suffix}", n)
        run = [sys.executable, "-c", SELECT, small, path, "-k", "200", "--drop", "3,17"]
        run += ["-m", "variance", "-o", tmp_path / f"out{suffix}"]
        done = subprocess.run(run, capture_output=True, text=True, check=True, env=env)
        peaks.append(float(done.stderr.splitlines()[-1]))
    # In MB, of 96 more to read and 48 more to write; threads keep some of what they had.
    assert peaks[1] - peaks[0] < 40, peaks
