"""``graphsieve select`` from AnnData to AnnData."""

import anndata
import numpy as np
import pandas as pd
import pytest

from graphsieve.anndata import select_genes

from ..helpers.cells import make_cells, panel

COLUMNS = ["highly_variable", "highly_variable_rank", "highly_variable_score"]


@pytest.fixture
def path(tmp_path):
    adata = make_cells()
    adata.uns["kept"] = {"numbers": np.arange(3)}
    adata.obsm["X_pca"] = adata.X[:, :2].toarray()
    adata.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


@pytest.fixture
def select(run, path, tmp_path):
    """select(*options) -> the AnnData that is written."""

    def call(*options):
        result = run("select", path, "-o", tmp_path / "out.h5ad", "--force", *options)
        assert result.exit_code == 0, result.output
        return anndata.read_h5ad(tmp_path / "out.h5ad")

    return call


@pytest.mark.parametrize("method", ["css", "gafs"])
@pytest.mark.parametrize("batch", [[], ["--batch", "donor"]])
def test_genes_are_those_of_select_genes(select, path, tmp_path, method, batch):
    (tmp_path / "panel.txt").write_text("gene55\n\n gene3\n")
    options = ("--include", tmp_path / "panel.txt", "--exclude", "gene1*")
    written = select("-k", 12, "-m", method, *options, *batch)
    expected = anndata.read_h5ad(path)
    select_genes(
        expected,
        12,
        method=method,
        include=["gene55", "gene3"],
        exclude=[name for name in expected.var_names if name.startswith("gene1")],
        batch_key="donor" if batch else None,
    )
    pd.testing.assert_frame_equal(written.var, expected.var)
    assert written.uns["graphsieve"]["method"] == method
    assert list(written.uns["graphsieve"]["parameters"]["include"]) == ["gene55", "gene3"]
    assert panel(written)[:2] == ["gene55", "gene3"]


def test_everything_else_is_as_it_was(select, path):
    written, before = select("-k", 5, "-m", "css"), anndata.read_h5ad(path)
    np.testing.assert_array_equal(written.X.toarray(), before.X.toarray())
    np.testing.assert_array_equal(written.obsm["X_pca"], before.obsm["X_pca"])
    np.testing.assert_array_equal(written.uns["kept"]["numbers"], np.arange(3))
    pd.testing.assert_frame_equal(written.obs, before.obs)
    assert list(written.layers) == list(before.layers)
    assert list(written.var) == COLUMNS


def test_subset(select):
    marked, only = select("-k", 5, "-m", "css"), select("-k", 5, "-m", "css", "--subset")
    assert only.shape == (120, 5)
    pd.testing.assert_frame_equal(only.var, marked.var[marked.var["highly_variable"]])
    assert only.layers["counts"].shape == (120, 5)


def test_earlier_selection_is_replaced(select, path, tmp_path):
    assert "highly_variable_nbatches" in select("-k", 5, "-m", "css", "--batch", "donor").var
    (tmp_path / "out.h5ad").replace(path)
    assert list(select("-k", 5, "-m", "css").var) == COLUMNS


def test_layer_by_its_name_and_the_warning_of_counts(run, path, tmp_path):
    out = tmp_path / "out.h5ad"
    result = run("select", path, "-k", 5, "-m", "css", "--key", "counts", "-o", out)
    assert "counts holds integers up to" in result.stderr
    expected = anndata.read_h5ad(path)
    with pytest.warns(UserWarning, match="raw counts"):
        select_genes(expected, 5, method="css", layer="counts")
    written = anndata.read_h5ad(out)
    pd.testing.assert_frame_equal(written.var, expected.var)
    assert written.uns["graphsieve"]["parameters"]["layer"] == "counts"


def test_table_has_the_same_genes(run, select, path, tmp_path):
    marked = select("-k", 5, "-m", "css", "--batch", "donor")
    out = tmp_path / "out.csv"
    assert run("select", path, "-k", 5, "-m", "css", "--batch", "donor", "-o", out).exit_code == 0
    genes = list(marked.var_names[marked.var["highly_variable"]])
    assert list(pd.read_csv(out, nrows=1)) == ["obs_names", "donor", *genes]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--batch", "Donr"],
            "--batch: there is no column 'Donr' (did you mean donor?); the columns are 'donor', "
            "'kind'",
        ),
        (["--batch", "gene1"], "--batch: there is no column 'gene1'; the columns are 'donor'"),
        (["--include", "gene99"], "--include: there is no column 'gene99'"),
        (["--subset", "-o", "OUT.csv"], "--subset: only with -o FILE.h5ad"),
        (["--key", "raw/X"], "--key: raw has genes of its own"),
        (["--key", "raw"], "no matrix 'raw'; choose one of X, layers/counts"),
        (["--batch", "donor", "--cost", "COST"], "--cost does not work together with --batch"),
    ],
)
def test_errors_write_nothing(run, path, tmp_path, options, message):
    (tmp_path / "cost.csv").write_text("gene,cost\ngene1,2\n")
    out = tmp_path / "out.h5ad"
    names = {"OUT.csv": tmp_path / "out.csv", "COST": tmp_path / "cost.csv"}
    options = [names.get(option, option) for option in options]
    result = run("select", path, "-k", 3, "-m", "css", "-o", out, *options)
    assert result.exit_code != 0
    assert message in result.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cells.h5ad", "cost.csv"]


def test_small_batches_count_as_in_select_genes(run, path, tmp_path):
    adata = anndata.read_h5ad(path)
    adata.obs["plate"] = ["a"] * 60 + ["b"] * 41 + ["c"] * 19
    adata.write_h5ad(path)
    out = tmp_path / "out.h5ad"
    result = run("select", path, "-k", 5, "-m", "css", "--batch", "plate", "-o", out)
    with pytest.warns(UserWarning, match="1 of 3 batches have fewer than 20"):
        select_genes(adata, 5, method="css", batch_key="plate")
    assert "1 of 3 batches have fewer than 20 samples" in result.stderr
    assert "score: minus the mean rank within the batches\n" in result.stdout
    written = anndata.read_h5ad(out)
    assert panel(written) == panel(adata)
    for name in ("highly_variable_nbatches", "highly_variable_intersection"):
        pd.testing.assert_series_equal(written.var[name], adata.var[name])


def test_batches_are_in_obs_and_not_a_gene_of_the_same_name(run, path, tmp_path):
    adata = anndata.read_h5ad(path)
    adata.var_names = ["donor", *adata.var_names[1:]]
    adata.write_h5ad(path)
    out = tmp_path / "out.h5ad"
    options = ("-k", 5, "-m", "css", "--batch", "donor", "-o", out)
    result = run("select", path, *options)
    assert result.exit_code == 0, result.output
    select_genes(adata, 5, method="css", batch_key="donor")
    assert panel(anndata.read_h5ad(out)) == panel(adata)


def test_batches_of_a_file_without_obs(run, path, tmp_path):
    adata = anndata.read_h5ad(path)
    del adata.obs["donor"], adata.obs["kind"]
    adata.write_h5ad(path)
    result = run("select", path, "-k", 5, "--batch", "donor", "-o", tmp_path / "out.h5ad")
    assert "--batch: there is no column 'donor', because obs is empty" in result.stderr


def test_file_without_x(run, path, tmp_path):
    adata = anndata.read_h5ad(path)
    adata.X = None
    adata.write_h5ad(path)
    result = run("select", path, "-k", 3, "-o", tmp_path / "out.h5ad")
    assert "there is no matrix 'X'; choose one of layers/counts" in result.stderr
