"""Files that are made to hurt: refused or shown harmlessly."""

import json
import os
import signal
import stat
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import h5py
import numpy as np
import openpyxl
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
import zarr

from tests.cli.conftest import save

VARIANCE = ("--method", "variance")
EVIL = ["[bold red]x[/]", "\x1b[2J\x1b]0;title\x07", "nul\x00", "\u202egnp.exe", "a\nb", "[/]"]


def refused(run, path, *options):
    result = run("select", path, "-k", 1, *VARIANCE, *options)
    assert result.exit_code == 1, result.output
    assert not result.stdout
    # A slow machine shows that it is still reading.
    lines = [line for line in result.stderr.splitlines() if not line.startswith("Reading ")]
    assert len(lines) == 1
    return lines[0]


def crafted(form, shape=(3, 4), **changes):
    """The arrays of a sparse matrix, some of them wrong."""
    X = sp.random_array((3, 4), density=0.5, format=form, random_state=np.random.default_rng(0))
    arrays = {"format": form.encode(), "shape": np.array(shape), "data": X.data}
    if form == "coo":
        arrays |= {"row": X.row, "col": X.col}
    else:
        arrays |= {"indices": X.indices, "indptr": X.indptr}
    return {name: np.asarray(changes.get(name, values)) for name, values in arrays.items()}


@pytest.mark.parametrize(
    ("form", "changes"),
    [
        ("csr", {"indices": np.array([0, 1, 10**6, 3, 0, 1], dtype=np.int32)}),
        ("csr", {"indices": np.array([0, -5, 2, 3, 0, 1], dtype=np.int32)}),
        ("csr", {"indptr": np.array([0, 10**6, 4, 6], dtype=np.int32)}),
        ("csr", {"indptr": np.array([0, 4, 2, 10**6], dtype=np.int32)}),
        ("csc", {"indices": np.array([0, 1, 10**6, 2, 0, 1], dtype=np.int32)}),
        ("csc", {"indices": np.array([0, -5, 2, 2, 0, 1], dtype=np.int32)}),
        ("coo", {"row": np.array([0, 1, 10**6, 2, 0, 1], dtype=np.int32)}),
        ("csc", {"shape": (10**14, 4)}),
    ],
)
def test_crafted_sparse_npz(run, tmp_path, form, changes):
    """Unchecked, these make compiled code read and write outside its memory."""
    path = tmp_path / "crafted.npz"
    np.savez(path, **crafted(form, **changes))
    message = refused(run, path)
    assert "crafted.npz" in message


def test_crafted_sparse_mat(run, tmp_path):
    path = tmp_path / "crafted.mat"
    indices = np.array([0, 1, 2, 0, 1, 2], dtype=np.int32)
    scipy.io.savemat(path, {"X": sp.csc_matrix((np.ones(6), indices, [0, 2, 4, 6]))})
    content = path.read_bytes()
    old = struct.pack("<6i", *indices)
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, struct.pack("<6i", 0, 1, 10**8, 0, 1, 2)))
    assert "crafted.mat" in refused(run, path)


def test_crafted_h5ad(run, frame, tmp_path):
    path = save(frame, tmp_path / "crafted.h5ad")
    with h5py.File(path, "a") as file:
        del file["X"]
        group = file.create_group("X")
        group.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0"})
        group.attrs["shape"] = (20, 6)
        group["data"], group["indptr"] = np.ones(20), np.arange(21)
        group["indices"] = np.r_[np.zeros(19, int), 10**7]
    assert "not a valid sparse matrix" in refused(run, path)
    with h5py.File(path, "a") as file:
        file["X"].attrs["shape"] = (10**12, 6)
    assert "takes 8,000.0 GB unpacked" in refused(run, path)


def other_file(path):
    with h5py.File(path, "w") as file:
        file["X"], file["uns/mine"] = np.random.default_rng(0).random((20, 6)), 1
    layout = h5py.VirtualLayout((20, 6), "f8")
    layout[:] = h5py.VirtualSource(path, "X", (20, 6))
    return layout


class Touch:
    """Unpickling creates a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_arrays_of_objects_are_not_unpickled(run, tmp_path, suffix):
    path, mark = tmp_path / f"data{suffix}", tmp_path / "mark"
    X = np.full((4, 2), Touch(mark), dtype=object)
    if suffix == ".npy":
        np.save(path, X, allow_pickle=True)
    else:
        np.savez(path, X=X)
    np.load(path, allow_pickle=True)[() if suffix == ".npy" else "X"]
    assert mark.exists()
    mark.unlink()
    assert path.name in refused(run, path)
    assert not mark.exists()


@pytest.mark.parametrize("kind", ["link", "stored outside", "virtual"])
def test_hdf5_that_leads_to_another_file(run, frame, tmp_path, kind):
    other, path = tmp_path / "other.h5", save(frame, tmp_path / "data.h5ad")
    layout = other_file(other)
    with h5py.File(path, "a") as file:
        del file["X"]
        if kind == "link":
            file["X"] = h5py.ExternalLink(other, "X")
        elif kind == "virtual":
            file.create_virtual_dataset("X", layout)
        else:
            file.create_dataset("X", (20, 6), "f8", external=[(str(other), 0, 960)])
    assert "X is in another file" in refused(run, path)


def test_h5ad_does_not_write_to_another_file(run, frame, tmp_path):
    """The selection is recorded in ``uns`` of the copy, wherever that leads."""
    other, path = tmp_path / "other.h5", save(frame, tmp_path / "data.h5ad")
    other_file(other)
    before = other.read_bytes()
    with h5py.File(path, "a") as file:
        file.pop("uns", None)
        file["uns"] = h5py.ExternalLink(other, "uns")
    assert "uns is in another file" in refused(run, path, "-o", tmp_path / "out.h5ad")
    assert other.read_bytes() == before
    assert not (tmp_path / "out.h5ad").exists()


def test_absurd_zarr(run, tmp_path):
    path = tmp_path / "huge.zarr"
    zarr.create_array(path, shape=(10**12, 10**6), chunks=(1000, 1000), dtype="float64")
    message = refused(run, path)
    assert "8,000,000,000.0 GB" in message
    assert "--max-size GB" in message
    zarr.create_array(path, shape=(10**5, 10**6), chunks=(10**5, 10**3), dtype="f8", overwrite=True)
    assert "one row of chunks takes 800.0 GB" in refused(run, path)


def test_absurd_hdf5(run, frame, tmp_path):
    path = save(frame, tmp_path / "huge.h5ad")
    with h5py.File(path, "a") as file:
        del file["X"]
        file.create_dataset("X", (10**9, 10**6), "f8", chunks=(100, 100))
    assert "takes 8,000,000.0 GB unpacked" in refused(run, path)


@pytest.mark.slow
def test_absurd_excel(run, tmp_path):
    """One cell in the last corner of a sheet declares 17 billion."""
    book = openpyxl.Workbook()
    for row in ("a", "b"), (1.5, 2.5), (3.5, 0.5):
        book.active.append(row)
    book.active.cell(2**20, 2**14, 7)
    book.save(tmp_path / "corner.xlsx")
    result = run("select", tmp_path / "corner.xlsx", "-k", 1, "--impute", "mean", *VARIANCE)
    assert result.exit_code == 0, result.output
    assert "(3 rows)" in result.stdout


def write_npz(path, header_shape, content):
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("X.npy", "w", force_zip64=True) as file,
    ):
        header = {"descr": "<f8", "fortran_order": False, "shape": header_shape}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(content)
    return path


def test_absurd_npz(run, tmp_path):
    path = write_npz(tmp_path / "lie.npz", (10**12, 10**6), b"")
    assert "X takes 8,000,000,000.0 GB unpacked" in refused(run, path)
    path = write_npz(tmp_path / "lie.npz", (1000, 1000), b"12345678")
    assert "declares 8,000,000 bytes and holds" in refused(run, path)
    path = write_npz(tmp_path / "bomb.npz", (1000, 1000), bytes(8_000_000))
    assert path.stat().st_size < 20_000
    assert "unpacked, more than the limit (0.0 GB)" in refused(run, path, "--max-size", 0.001)
    assert run("select", path, "-k", 1, *VARIANCE).exit_code == 0


def test_npz_with_two_arrays_of_one_name(run, tmp_path):
    """NumPy would read the member X, while the size of X.npy was checked."""
    path = write_npz(tmp_path / "two.npz", (2, 2), bytes(32))
    content = zipfile.ZipFile(path).read("X.npy")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("X", content)
    assert "two arrays 'X'" in refused(run, path)


def test_npz_with_a_long_header(run, tmp_path):
    """Refused before it is unpacked."""
    path = tmp_path / "header.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        start = b"\x93NUMPY\x02\x00" + struct.pack("<I", 10**8)
        archive.writestr("X.npy", start + b" " * 10**6)
    assert "the header of X.npy is too long" in refused(run, path)


@pytest.mark.parametrize(
    ("dtype", "filters"), [("<f8", ["pickle"]), ("|O", ["vlen-utf8", "pickle"])]
)
def test_zarr_does_not_unpickle(run, tmp_path, dtype, filters):
    path, mark = tmp_path / "data.zarr", tmp_path / "mark"
    path.mkdir()
    header = {"zarr_format": 2, "shape": [4, 2], "chunks": [4, 2], "dtype": dtype, "order": "C"}
    header |= {"filters": [{"id": name} for name in filters], "compressor": None, "fill_value": 0}
    (path / ".zarray").write_text(json.dumps(header))
    (path / "0.0").write_bytes(f"cpathlib\nPath.touch\n(cpathlib\nPath\n(V{mark}\ntRtR.".encode())
    assert "data.zarr" in refused(run, path)
    assert not mark.exists()


@pytest.mark.parametrize("kind", ["chunk", "array"])
def test_zarr_that_leads_to_another_file(run, frame, tmp_path, kind):
    path = save(frame, tmp_path / "data.zarr")
    part = path / "c" / "0" / "0" if kind == "chunk" else path / "c"
    part.rename(tmp_path / "other")
    part.symlink_to(tmp_path / "other")
    assert "is a link to" in refused(run, path)
    # Links within the folder, and to the folder as a whole, are no matter.
    part.unlink()
    (tmp_path / "other").rename(path / "inside")
    part.symlink_to(path / "inside")
    (tmp_path / "link.zarr").symlink_to(path)
    assert run("select", tmp_path / "link.zarr", "-k", 1, *VARIANCE).exit_code == 0


def test_names_that_do_not_fit(run, frame, tmp_path):
    path = tmp_path / "names.npz"
    np.savez(path, X=frame.to_numpy(), feature_names=np.array(["a", "b"]))
    shown = run("select", path, "-k", 1, *VARIANCE)
    assert shown.exit_code == 0, shown.output
    assert "feature_names not used: 2 names for 6 columns" in shown.output


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "line 2 is nested too deeply"),
        ('{"a":{"}":1}', "line 2 is not valid JSON"),
        ("[1, 2]", "line 2 is not a JSON object"),
    ],
)
def test_json_lines_that_are_no_flat_objects(run, tmp_path, line, message):
    """pyarrow follows them until its stack overflows."""
    path = tmp_path / "data.jsonl"
    path.write_text(f'{{"a": 1, "b": 2}}\n{line}\n')
    assert message in refused(run, path)


def test_limits_hold_for_text_and_excel(run, frame, tmp_path):
    for suffix in (".csv", ".xlsx", ".parquet", ".feather", ".jsonl"):
        path = save(frame, tmp_path / f"data{suffix}")
        assert "unpacked, more than the limit" in refused(run, path, "--max-size", 1e-7)


@pytest.mark.parametrize("suffix", [".parquet", ".npz", ".jsonl"])
def test_names_are_shown_harmlessly(run, tmp_path, suffix):
    values = np.random.default_rng(0).random((20, len(EVIL)))
    # NumPy strips zeros at the end of a string.
    frame = pd.DataFrame(values, columns=[f"{name}." for name in EVIL])
    path, output = save(frame, tmp_path / f"data{suffix}"), tmp_path / "out.parquet"
    shown = run("select", path, "-k", "100%", "-o", output, *VARIANCE)
    assert shown.exit_code == 0, shown.output
    assert "[bold red]x[/]." in shown.stdout
    assert "\\x1b[2J\\x1b]0;title\\x07." in shown.stdout
    errors = [
        run("select", path, "-k", 1, "--drop", "nothing", *VARIANCE),
        run("select", save(frame.assign(t=None), tmp_path / "t.parquet"), "-k", 1, *VARIANCE),
    ]
    for result in (shown, *errors):
        assert not set("\x1b\x07\x00\u202e") & set(result.output)
    assert pd.read_parquet(output).columns.tolist() == frame.columns.tolist()


def test_file_names_are_shown_harmlessly(run, frame, tmp_path):
    path = save(frame, tmp_path / "[bold]\x1b[2J.csv")
    output = tmp_path / "out\x1b[2J[red].csv"
    for arguments in (
        [path, "-k", 1, "-o", output],
        [path, "-k", 1, "-o", output],
        [path, "-k", 1, "--key", "x"],
        [tmp_path / "no\x1b.csv", "-k", 1],
        [path, "-k", 1, "--method", "\x1b[bold]"],
    ):
        result = run("select", *arguments, *VARIANCE)
        assert "\x1b" not in result.output
        assert result.exit_code in (0, 2)
    assert "[bold]\\x1b[2J.csv" in run("select", path, "-k", 1, *VARIANCE).stdout


FORMULAS = ["=1+1", "+cmd", "-x", "@sum", "a=1", "-1.5", "x"]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx"])
@pytest.mark.parametrize("source", [".parquet", ".npz", ".zarr"])
def test_names_do_not_become_formulas(run, tmp_path, source, suffix):
    values = np.random.default_rng(0).random((20, len(FORMULAS)))
    path = save(pd.DataFrame(values, columns=FORMULAS), tmp_path / f"data{source}")
    output, scores = tmp_path / f"out{suffix}", tmp_path / f"scores{suffix}"
    arguments = ("select", path, "-k", "100%", "-o", output, "--scores", scores, *VARIANCE)
    safe = ["'=1+1", "'+cmd", "'-x", "'@sum", "a=1", "-1.5", "x"]
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr.count("--raw-names") == 1
    assert header(output) == safe
    assert sorted(features(scores)) == sorted(safe)
    assert run(*arguments, "--raw-names", "--force").exit_code == 0
    assert header(output) == FORMULAS
    assert sorted(features(scores)) == sorted(FORMULAS)


def test_what_explains_a_column_is_no_formula(run, frame, tmp_path):
    path, scores = tmp_path / "data.csv", tmp_path / "scores.csv"
    frame = frame.assign(a=frame["e"] / 2, f=frame["e"] / 3).rename(columns={"e": "=e"})
    frame.to_csv(path, index=False)
    options = ("-k", 1, "--explain", "--scores", scores, "--force", *VARIANCE)
    assert run("select", path, *options).exit_code == 0
    explained = pd.read_csv(scores).set_index("feature")["explained_by"]
    assert explained["a"].startswith("'=e (")
    assert run("select", path, *options, "--raw-names").exit_code == 0
    explained = pd.read_csv(scores).set_index("feature")["explained_by"]
    assert explained["a"].startswith("=e (")


def test_values_are_not_names_because_their_column_is_called_feature(run, frame, tmp_path):
    path, output = save(frame.rename(columns={"e": "feature"}), tmp_path / "data.csv"), "out.csv"
    result = run("select", path, "-k", 1, "-o", tmp_path / output, *VARIANCE)
    assert result.exit_code == 0, result.output
    assert list(map(float, features(tmp_path / output))) == frame["e"].tolist()


def header(path):
    if path.suffix != ".xlsx":
        return path.read_text().splitlines()[0].split("," if path.suffix == ".csv" else "\t")
    return [cell.value for cell in openpyxl.load_workbook(path).active[1]]


def features(path):
    if path.suffix != ".xlsx":
        separator = "," if path.suffix == ".csv" else "\t"
        return [line.split(separator)[0] for line in path.read_text().splitlines()[1:]]
    return [cell.value for cell in openpyxl.load_workbook(path).active["A"][1:]]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_permissions_are_kept(run, csv, tmp_path):
    output = tmp_path / "out.csv"
    output.write_text("old")
    output.chmod(0o640)
    assert run("select", csv, "-k", 1, "-o", output, "--force", *VARIANCE).exit_code == 0
    assert stat.S_IMODE(output.stat().st_mode) == 0o640


KILLED = """
import os, signal, sys
from dataclasses import replace
from graphsieve.cli import main
from graphsieve.cli.io import files

def die(path, table):
    path.write_text("half a fi")
    os.kill(os.getpid(), signal.SIGKILL)

files.FORMATS[".csv"] = replace(files.FORMATS[".csv"], write=die)
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_leftovers_of_a_killed_run_are_removed(run, csv, tmp_path):
    output = tmp_path / "out.csv"
    command = ["select", csv, "-k", "1", "-o", output, *VARIANCE]
    done = subprocess.run([sys.executable, "-c", KILLED, *command], timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2
    assert run(*command).exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "out.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_that_cannot_show_a_character(frame, tmp_path, encoding):
    path = save(frame.rename(columns={"e": "größe 漢字"}), tmp_path / "data.csv")
    command = [sys.executable, "-m", "graphsieve", "select", path, "-k", "2", *VARIANCE]
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(command, capture_output=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode(encoding)
    assert "größe 漢字".encode(encoding, "backslashreplace").decode(encoding) in shown
    wrong = [*command, "--drop", "größe"]
    done = subprocess.run(wrong, capture_output=True, env=environment, timeout=120)
    assert done.returncode == 1, done.stderr
    done = subprocess.run([*command[:4], "--help"], capture_output=True, env=environment)
    assert done.returncode == 0
