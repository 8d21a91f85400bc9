"""Excel, Feather, JSON lines, MATLAB 7.3 and h5ad files, in the variants that people have."""

import anndata
import numpy as np
import openpyxl
import pandas as pd
import pytest
import scipy.sparse as sp

from tests.cli.conftest import load, read_frame, save

VARIANCE = ("--method", "variance")


@pytest.fixture
def selected(run, tmp_path):
    """selected(path, *options) -> (frame of all columns, stderr)."""

    def check(path, *options):
        chosen = tmp_path / "chosen.csv"
        result = run("select", path, "-k", "100%", "-o", chosen, "--force", *VARIANCE, *options)
        assert result.exit_code == 0, result.output
        return read_frame(chosen), result.stderr

    return check


@pytest.fixture
def refused(run):
    def check(path, *options):
        result = run("select", path, "-k", 1, *VARIANCE, *options)
        assert result.exit_code == 1, result.output
        assert len(result.stderr.splitlines()) == 1
        return result.stderr

    return check


@pytest.fixture
def book(tmp_path):
    """book({"sheet": [[cell, ...], ...]}) -> path of a workbook."""

    def make(sheets):
        content = openpyxl.Workbook()
        content.remove(content.active)
        for title, rows in sheets.items():
            sheet = content.create_sheet(title)
            for row in rows:
                sheet.append(row)
        content.save(tmp_path / "book.xlsx")
        return tmp_path / "book.xlsx"

    return make


def test_excel_sheets(selected, refused, book):
    first, second = [["a", "b"], [1, 2.5], [2, 0.5]], [["c", "d"], [4, 1.5], [1.5, 0.5]]
    path = book({"one": first, "two": second})
    frame, message = selected(path)
    assert frame.columns.tolist() == ["a", "b"]
    assert "sheet 'one' of 2 (choose another with --sheet)" in message
    frame, message = selected(path, "--key", "two")
    assert frame["d"].tolist() == [1.5, 0.5]
    assert not message
    assert "no sheet 'three'; choose one with --sheet: 'one', 'two'" in refused(
        path, "--key", "three"
    )


def test_excel_oddities(selected, refused, book):
    rows = [[], ["a", None, "a", None], [1.5, "r1", 2, None], [2.5, "r2", 9, None], []]
    frame, message = selected(book({"s": rows}))
    assert frame.columns.tolist() == ["a", "Unnamed: 1", "a.1"]
    assert frame["a.1"].tolist() == [2, 9]
    assert "duplicate names 'a'" in message
    assert "'Unnamed: 1' (all values differ)" in message
    frame, _ = selected(book({"s": [[1.5, 2], [3.5, 9]]}), "--no-header")
    assert frame.columns.tolist() == ["x0", "x1"]
    assert "sheet 's' has no values" in refused(book({"s": []}))
    assert "a header and no rows" in refused(book({"s": [["a", "b"]]}))


def test_words_and_numbers_in_one_column_of_a_sheet(run, book, tmp_path):
    codes = ["007", "a", 5, "b"]
    rows = [
        ["x", "note", "code", "y"],
        *([j * 1.5, f"n{j % 2}", codes[j % 4], j % 3] for j in range(8)),
    ]
    rows[3][1], rows[4][1] = 12, 3.5
    path, out = book({"s": rows}), tmp_path / "out.parquet"
    result = run("select", path, "-k", 1, "-o", out, *VARIANCE)
    assert result.exit_code == 0, result.output
    frame = pd.read_parquet(out)
    assert frame["note"].tolist()[:4] == ["n0", "n1", "12", "3.5"]
    assert frame["code"].tolist()[:3] == ["007", "a", "5"]


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet"])
@pytest.mark.parametrize("options", [(), ("--na", "-999")])
def test_flags_with_gaps(selected, tmp_path, suffix, options):
    flags = pd.array([True, None, False, True] * 5, "boolean")
    frame = pd.DataFrame({"x": np.arange(20) / 3, "all": flags.fillna(False), "some": flags})
    path = save(frame, tmp_path / f"data{suffix}")
    found, message = selected(path, "--impute", "median", *options)
    assert found["some"].dropna().tolist() == frame["some"].dropna().tolist()
    assert "carried" not in message
    assert "5 missing values filled" in message


@pytest.mark.slow
def test_excel_is_too_small_for_some_tables(run, tmp_path):
    np.save(tmp_path / "wide.npy", np.random.default_rng(0).random((2, 2**14 + 1)))
    output = tmp_path / "out.xlsx"
    result = run("select", tmp_path / "wide.npy", "-k", "100%", "-o", output, *VARIANCE)
    assert result.exit_code == 1
    assert "sheet is too large" in result.stderr
    assert not output.exists()


def test_json_lines(selected, refused, tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text('{"a": 1, "b": 2.5}\n\n{"b": 1.5, "a": 2}\n{"a": 2.5, "b": 1}\n')
    frame, _ = selected(path)
    assert frame["a"].tolist() == [1, 2, 2.5]
    path.write_text('{"a": 1, "b": {"c": 1.5}}\n{"a": 2, "b": {"c": 3}}\n')
    assert selected(path)[0]["b.c"].tolist() == [1.5, 3]
    path.write_text('{"a": 1, "b": [1, 2]}\n{"a": 2, "b": [1, 2]}\n')
    assert selected(path)[0]["b"].tolist() == ["[1 2]", "[1 2]"]
    path.write_text("[1, 2]\n")
    assert "line 1 is not a JSON object" in refused(path)


def test_feather_keeps_row_names(selected, tmp_path):
    frame = pd.DataFrame({"x": [1.5, 2.5], "y": [0.5, 9.5]}, index=["r1", "r2"])
    frame.reset_index().to_feather(tmp_path / "data.feather")
    frame, message = selected(tmp_path / "data.feather")
    assert frame["index"].tolist() == ["r1", "r2"]
    assert "'index' (all values differ)" in message


def test_parquet_row_names_are_carried(selected, run, frame, tmp_path):
    frame.index = pd.Index([f"cell{i}" for i in range(20)], name="cell")
    frame.to_parquet(tmp_path / "data.parquet")
    written, message = selected(tmp_path / "data.parquet")
    assert written.columns[0] == "cell"
    assert written["cell"].tolist() == frame.index.tolist()
    assert not message


def test_matlab_73(refused, tmp_path):
    path = tmp_path / "data.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(512))
    assert "format 7.3; save it with -v7" in refused(path)


@pytest.fixture
def adata():
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.poisson(1, (12, 5)).astype(np.float32))
    data = anndata.AnnData(X)
    data.var_names = [f"gene{j}" for j in range(5)]
    data.obs_names = [f"cell{i}" for i in range(12)]
    data.obs["donor"] = pd.Categorical(["d1", "d2"] * 6)
    data.layers["counts"] = X * 2
    return data


def test_h5ad(selected, adata, tmp_path):
    path = tmp_path / "data.h5ad"
    adata.write_h5ad(path)
    frame, message = selected(path)
    assert frame.columns.tolist() == ["obs_names", *adata.var_names]
    np.testing.assert_array_equal(frame.iloc[:, 1:], adata.X.toarray())
    assert frame["obs_names"].tolist() == adata.obs_names.tolist()
    assert "obs columns to carry along with --keep: 'donor'" in message
    frame, _ = selected(path, "--keep", "donor", "--key", "layers/counts", "--drop", "gene1")
    assert frame.columns.tolist()[:3] == ["obs_names", "donor", "gene0"]
    assert frame["donor"].tolist() == adata.obs["donor"].tolist()
    np.testing.assert_array_equal(frame["gene2"], adata.layers["counts"].toarray()[:, 2])


def test_apply_writes_no_h5ad(run, adata, tmp_path):
    path, kept = tmp_path / "data.h5ad", tmp_path / "kept.json"
    adata.write_h5ad(path)
    assert run("select", path, "-k", 2, "--save", kept, *VARIANCE).exit_code == 0
    result = run("apply", kept, path, "-o", tmp_path / "out.h5ad")
    assert result.exit_code == 2
    assert ".h5ad files are only read; use one of .csv" in result.stderr


def test_h5ad_stays_sparse(run, adata, tmp_path):
    adata.write_h5ad(tmp_path / "data.h5ad")
    chosen = tmp_path / "chosen.npz"
    result = run("select", tmp_path / "data.h5ad", "-k", 2, "-o", chosen, *VARIANCE)
    assert result.exit_code == 0, result.output
    assert sp.load_npz(chosen).shape == (12, 2)
    assert "chosen.npz holds numbers only, without 'the names of the rows'" in result.stderr


def test_h5ad_without_that_layer(refused, run, adata, csv, tmp_path):
    adata.write_h5ad(tmp_path / "data.h5ad")
    message = refused(tmp_path / "data.h5ad", "--key", "layers/raw")
    assert "no matrix 'layers/raw'; choose one of X, layers/counts" in message
    result = run("select", csv, "-k", 1, "-o", tmp_path / "out.h5ad", *VARIANCE)
    assert result.exit_code == 2
    assert "an .h5ad file can only be written from one" in result.stderr


def test_transposed_arrays(run, frame, tmp_path):
    for suffix in (".npy", ".npz", ".zarr"):
        path, chosen = save(frame.T, tmp_path / f"data{suffix}"), tmp_path / "chosen.npy"
        arguments = ("-k", "100%", "--transpose", "-o", chosen, "--force", *VARIANCE)
        result = run("select", path, *arguments)
        assert result.exit_code == 0, result.output
        np.testing.assert_array_equal(load(chosen)[0], frame)
