"""What is wrong is said in one message that names it, with the right exit code, and no file."""

import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from graphsieve import Variance
from graphsieve.base import FeatureRanker
from graphsieve.cli.io import files
from graphsieve.cli.io.files import FORMATS
from graphsieve.methods import REGISTRY
from tests.cli.conftest import save

VARIANCE = ("--method", "variance")
USAGE, DATA = 2, 1


@pytest.fixture
def fails(run, tmp_path):
    """fails(code, *arguments): run, with both outputs, and return the message."""

    def check(code, *arguments):
        outputs = ("-o", tmp_path / "chosen.csv", "--scores", tmp_path / "scores.csv")
        before = sorted(tmp_path.rglob("*"))
        result = run("select", *arguments, *outputs)
        assert result.exit_code == code, result.output
        assert sorted(tmp_path.rglob("*")) == before
        assert not result.stdout
        assert "Traceback" not in result.stderr
        return result.stderr

    return check


def write(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "keep", ["0", "-3", "0%", "101%", "-5%", "1.5", "0.0", "many", "%", "", "nan", "1e3", "5 %x"]
)
def test_impossible_number(fails, csv, keep):
    assert "neither a number of columns (50)" in fails(USAGE, csv, "-k", keep, *VARIANCE)


def test_number_above_the_columns(fails, csv):
    assert "-k 7 is more than the 6 columns" in fails(DATA, csv, "-k", 7, *VARIANCE)
    dropped = fails(DATA, csv, "-k", 6, "--drop", "a", *VARIANCE)
    assert "-k 6 is more than the 5 columns" in dropped
    single = fails(DATA, csv, "-k", 6, "--drop", "a,b b,c*,d,e", *VARIANCE)
    assert "-k 6 is more than the 1 column to select from" in single


def test_missing_number(fails, csv):
    assert "-k: give the number of columns" in fails(USAGE, csv)


def test_unknown_method(fails, csv):
    message = fails(USAGE, csv, "-k", 1, "--method", "varience")
    assert "no method 'varience' (did you mean variance?)" in message
    assert "gafs" in message


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("afinity=1", "no parameter 'afinity' to set (did you mean affinity?)"),
        ("afinity=1", "n_neighbors, affinity"),
        ("affinity", "'affinity' is not NAME=VALUE"),
        ("graph_weight=-1", "'graph_weight' parameter of GraphSieve must be"),
        ("scale=log", "'scale' parameter of GraphSieve must be"),
        ("n_features_to_select=3", "option of its own, -k"),
        ("callback=print", "no parameter 'callback' to set"),
    ],
)
def test_wrong_parameter(fails, csv, setting, message):
    assert message in fails(USAGE, csv, "-k", 1, "--set", setting)


def test_parameter_of_another_method(fails, csv):
    message = fails(USAGE, csv, "-k", 1, "--set", "alpha=1", *VARIANCE)
    assert "variance has no parameter 'alpha' to set; it has " in message


def test_missing_file(fails, tmp_path):
    assert "does not exist" in fails(USAGE, tmp_path / "nothing.csv", "-k", 1)


def test_folder_as_input(fails, tmp_path):
    (tmp_path / "data.csv").mkdir()
    assert "data.csv is a folder" in fails(USAGE, tmp_path / "data.csv", "-k", 1)


def test_unknown_formats(fails, run, csv, tmp_path):
    other = write(tmp_path / "data.sav", "")
    assert "use one of .csv, .tsv, .txt, .parquet" in fails(USAGE, other, "-k", 1)
    for name, advice in [
        ("data.xls", "save it as .xlsx"),
        ("data.json", ".jsonl"),
        ("data.pkl", "a pickle can run any code"),
        ("data.npy.gz", "unpack it first"),
    ]:
        assert advice in fails(USAGE, write(tmp_path / name, ""), "-k", 1)
    result = run("select", csv, "-k", 1, "-o", tmp_path / "chosen.sav", *VARIANCE)
    assert result.exit_code == USAGE
    assert "chosen.sav is not in a known format" in result.stderr
    result = run("select", csv, "-k", 1, "--scores", tmp_path / "scores.npy", *VARIANCE)
    assert result.exit_code == USAGE
    assert "use one of .csv, .tsv, .txt, .parquet, .xlsx" in result.stderr


@pytest.mark.parametrize("option", ["-o", "--scores"])
def test_outputs_that_must_not_be_written(run, csv, tmp_path, option, monkeypatch):
    def never(*arguments):
        raise AssertionError("the output is checked before any work")

    monkeypatch.setattr(files, "read_table", never)
    existing = write(tmp_path / "existing.csv", "old")
    (tmp_path / "folder.csv").mkdir()
    for path, message in [
        (existing, "existing.csv exists; add --force"),
        (csv, "is the input itself"),
        (tmp_path / "folder.csv", "is a folder"),
        (tmp_path / "nowhere" / "out.csv", "there is no folder"),
        (tmp_path / f"{'x' * 300}.csv", "File name too long"),
    ]:
        result = run("select", csv, "-k", 1, option, path, *VARIANCE)
        assert result.exit_code == USAGE, result.output
        assert message in result.stderr
    assert existing.read_text() == "old"
    forced = run("select", csv, "-k", 1, option, csv, "--force", *VARIANCE)
    assert "is the input itself" in forced.stderr


def test_folder_without_permission(fails, csv, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert "is not writable" in fails(USAGE, csv, "-k", 1, *VARIANCE)


def test_one_file_for_two_outputs(run, csv, tmp_path):
    path = tmp_path / "both.csv"
    result = run("select", csv, "-k", 1, "-o", path, "--scores", path, *VARIANCE)
    assert result.exit_code == USAGE
    assert "is also the file of -o" in result.stderr


def test_options_for_another_format(fails, csv, frame, tmp_path):
    assert "only for .xlsx, .npz, .mat, .zarr" in fails(USAGE, csv, "-k", 1, "--key", "X")
    npy = save(frame, tmp_path / "data.npy")
    for option in (["--no-header"], ["--sep", ";"], ["--decimal", ","], ["--encoding", "utf-8"]):
        assert "only for .csv, .tsv, .txt" in fails(USAGE, npy, "-k", 1, *option)
    assert "only for .csv, .tsv, .txt, .parquet" in fails(USAGE, npy, "-k", 1, "--index")


def test_impossible_text_options(fails, csv):
    assert "'ab' is not one character" in fails(USAGE, csv, "-k", 1, "--sep", "ab")
    assert "no encoding 'utf-9'" in fails(USAGE, csv, "-k", 1, "--encoding", "utf-9")
    assert "not encoded in ascii" not in fails(DATA, csv, "-k", 9, "--encoding", "ascii")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_non_finite_entries_of_arrays(fails, frame, tmp_path, bad):
    frame.iloc[3, 2] = bad
    path = save(frame, tmp_path / "data.npy")
    assert "row 3, column 2" in fails(DATA, path, "-k", 1, "--method", "lap_score")


def test_infinity_in_text(fails, frame, tmp_path):
    frame.iloc[3, 2] = np.inf
    message = fails(DATA, save(frame, tmp_path / "data.csv"), "-k", 1, *VARIANCE)
    assert "'c[red]' (the first in row 3, counted from 0" in message


def test_little_or_nothing_in_the_table(fails, tmp_path):
    empty = write(tmp_path / "empty.csv", "")
    assert "empty.csv is empty" in fails(DATA, empty, "-k", 1, *VARIANCE)
    header = write(tmp_path / "header.csv", "a,b\n")
    assert "header.csv is empty: it holds a header" in fails(DATA, header, "-k", 1, *VARIANCE)
    comments = write(tmp_path / "comments.csv", "# a\n# b\n")
    assert "it holds only comments" in fails(DATA, comments, "-k", 1, *VARIANCE)
    blank = write(tmp_path / "blank.csv", "\n \n\n")
    assert "comments" not in fails(DATA, blank, "-k", 1, *VARIANCE)
    one = write(tmp_path / "one.csv", "a,b\n1,2\n")
    assert "one.csv has a single row" in fails(DATA, one, "-k", 1, *VARIANCE)
    two = write(tmp_path / "two.csv", "a,b\n1,2\n3,4\n")
    dropped = fails(DATA, two, "-k", 1, "--drop", "a,b", *VARIANCE)
    assert "no column is left to select from. Give fewer columns to --drop" in dropped


def test_advice_is_about_the_file_at_hand(fails, frame, tmp_path):
    """A sheet of names has no separator, and nobody has dropped a column of it."""
    names = pd.DataFrame({"name": [f"n{i}" for i in range(20)]})
    text = fails(DATA, save(names, tmp_path / "names.csv"), "-k", 1, *VARIANCE)
    sheet = fails(DATA, save(names, tmp_path / "names.xlsx"), "-k", 1, *VARIANCE)
    assert "--sep" in text
    assert "--sep" not in sheet
    assert "Give fewer columns" not in text + sheet
    np.save(tmp_path / "flat.npy", frame["a"])
    flat = fails(DATA, tmp_path / "flat.npy", "-k", 1, *VARIANCE)
    assert "X has 1 dimension (20,); a table" in flat


def test_unknown_column_to_drop(fails, csv):
    message = fails(DATA, csv, "-k", 1, "--drop", "label", *VARIANCE)
    assert "--drop: there is no column 'label'; the columns are 'a', 'b b'" in message
    for position in (6, -7):
        message = fails(DATA, csv, "-k", 1, "--drop", position, *VARIANCE)
        assert f"--drop refers to column {position}, but the data have 6 columns (0 to 5" in message


@pytest.mark.parametrize("suffix", sorted(set(FORMATS) - {".zarr"}))
def test_damaged_files(fails, tmp_path, suffix):
    path = tmp_path / f"data{suffix}"
    path.write_bytes(b"\x80\xff\x00" * 50)
    message = fails(DATA, path, "-k", 1, *VARIANCE)
    assert len(message.splitlines()) == 1
    if suffix in (".csv", ".tsv", ".txt"):
        assert f"data{suffix} holds NUL bytes and is not text" in message
    else:
        assert f"data{suffix} as {suffix[1:].upper()}:" in message


def test_ragged_lines(fails, tmp_path):
    path = write(tmp_path / "data.csv", "a,b\n1,2\n3,4,5\n")
    assert "line 3" in fails(DATA, path, "-k", 1, *VARIANCE)


def test_unclear_arrays(fails, tmp_path):
    arrays = {"train": np.eye(4), "test": np.eye(3), "y": np.arange(4)}
    np.savez(tmp_path / "data.npz", **arrays)
    message = fails(DATA, tmp_path / "data.npz", "-k", 1, *VARIANCE)
    assert "it holds train (4 x 4), test (3 x 3), y (4). Choose one with --key" in message
    scipy.io.savemat(tmp_path / "data.mat", arrays)
    message = fails(DATA, tmp_path / "data.mat", "-k", 1, *VARIANCE)
    assert "it holds train (4 x 4), test (3 x 3), y (1 x 4). Choose one with --key" in message
    for name in ("data.npz", "data.mat"):
        message = fails(DATA, tmp_path / name, "-k", 1, "--key", "fea", *VARIANCE)
        assert "there is no array 'fea'; it holds train" in message


def test_arrays_that_are_no_tables(fails, tmp_path):
    np.save(tmp_path / "cube.npy", np.zeros((2, 3, 4)))
    assert "3 dimensions (2, 3, 4)" in fails(DATA, tmp_path / "cube.npy", "-k", 1, *VARIANCE)
    np.save(tmp_path / "text.npy", np.array([["a", "b"], ["c", "d"]]))
    assert "instead of numbers" in fails(DATA, tmp_path / "text.npy", "-k", 1, *VARIANCE)
    np.savez(tmp_path / "none.npz")
    assert "it holds none" in fails(DATA, tmp_path / "none.npz", "-k", 1, *VARIANCE)


def test_sparse_data_for_a_dense_method(fails, tmp_path, monkeypatch):
    class Dense(FeatureRanker):
        """Sorry."""

    monkeypatch.setitem(REGISTRY, "dense", Dense)
    sp.save_npz(tmp_path / "data.npz", sp.csr_array(np.eye(4)))
    message = fails(DATA, tmp_path / "data.npz", "-k", 1, "--method", "dense")
    assert "dense does not take sparse data" in message
    assert "variance" in message


def test_what_the_method_refuses(fails, csv):
    message = fails(
        DATA, csv, "-k", 1, "-m", "gafs", "--set", "scale=None", "--set", "elimination=None"
    )
    assert "scale=None with a sigmoid output needs data in [0, 1]; column 'a'" in message


def test_interrupted_fit(fails, csv, monkeypatch):
    def interrupt(self, data):
        raise KeyboardInterrupt

    monkeypatch.setattr(Variance, "_rank", interrupt)
    assert "Interrupted: nothing was written" in fails(130, csv, "-k", 1, *VARIANCE)


def test_out_of_memory(fails, csv, monkeypatch):
    def exhaust(self, data):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(Variance, "_rank", exhaust)
    assert "not enough memory. Unable to allocate 9 TiB" in fails(DATA, csv, "-k", 1, *VARIANCE)


@pytest.mark.parametrize(("error", "code"), [(OSError("disk full"), 1), (KeyboardInterrupt(), 130)])
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_failure_during_write_keeps_what_was_there(
    run, csv, tmp_path, monkeypatch, suffix, error, code
):
    """Whichever of the two outputs fails, neither appears and the old ones stay."""

    def half(path, table):
        path.write_text("half a fi")
        raise error

    broken = replace(files.FORMATS[suffix], write=half)
    monkeypatch.setitem(files.FORMATS, suffix, broken)
    old = write(tmp_path / "chosen.csv", "old")
    before = sorted(tmp_path.iterdir())
    outputs = ("-o", old, "--scores", tmp_path / "scores.tsv")
    result = run("select", csv, "-k", 1, *outputs, "--force", *VARIANCE)
    assert result.exit_code == code
    assert not result.stdout
    assert sorted(tmp_path.iterdir()) == before
    assert old.read_text() == "old"


def test_unforeseen_errors_are_not_hidden(run, csv, monkeypatch):
    def wrong(self, data):
        return 1 // 0

    monkeypatch.setattr(Variance, "_rank", wrong)
    result = run("select", csv, "-k", 1, *VARIANCE)
    assert isinstance(result.exception, ZeroDivisionError)
