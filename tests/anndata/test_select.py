"""Selection of genes: what is written, from every storage, and clear errors."""

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from graphsieve import GraphSieve, GreedyCSS, GroupedRanker
from graphsieve._graph.affinity import build_graph
from graphsieve._rows import RowBlocks
from graphsieve.anndata import evaluate_panel, select_genes
from graphsieve.anndata.select import CellGraph, adapt_to_expression, make_estimator

from ..helpers.cells import N_CELLS, N_GENES, make_cells, panel


@pytest.fixture
def expected(adata):
    order = GreedyCSS(6, scale="global").fit(adata.X.toarray()).order_[:6]
    return list(adata.var_names[order])


@pytest.mark.parametrize("method", ["gafs", "css", "mrsf", "variance", "random"])
def test_columns_are_those_of_scanpy(adata, method):
    assert select_genes(adata, 6, method=method) is None
    var = adata.var
    assert list(var) == ["highly_variable", "highly_variable_rank", "highly_variable_score"]
    assert var["highly_variable"].dtype == bool
    assert var["highly_variable_rank"].dropna().sort_values().tolist() == [0, 1, 2, 3, 4, 5]
    assert var["highly_variable_rank"].notna().equals(var["highly_variable"])
    best = var["highly_variable_score"].nlargest(6).index
    assert set(best) == set(panel(adata))


def test_genes_are_those_of_the_estimator(adata, expected):
    select_genes(adata, 6, method="css")
    assert panel(adata) == expected
    select_genes(adata, 6, method=GreedyCSS(1, scale="global"))
    assert panel(adata) == expected


def test_defaults_for_expression(adata):
    select_genes(adata, 6)
    chosen = {"scale": "global", "graph_weight": 0.3, "affinity": CellGraph()}
    order = GraphSieve(6, random_state=0, **chosen).fit(adata.X).order_[:6]
    assert panel(adata) == list(adata.var_names[order])
    by_name, by_hand = make_estimator("sieve", 0), make_estimator(GraphSieve(scale="minmax"), 0)
    assert {name: getattr(by_name, name) for name in chosen} == chosen
    assert (by_hand.scale, by_hand.graph_weight) == ("minmax", 1.0)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_graph_is_that_of_the_principal_components(adata, container):
    X = adata.X.toarray()
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    expected = build_graph(RowBlocks(U[:, :50] * s[:50]), n_neighbors=7)
    found = CellGraph(7)(container(X))
    # The last of fifty components are approximate: they decide between near ties only.
    assert abs(found - expected).sum() < 0.02 * expected.sum()
    few = container(X[:, :20])
    expected = build_graph(RowBlocks(X[:, :20] - X[:, :20].mean(axis=0)))
    np.testing.assert_allclose(CellGraph()(few).toarray(), expected.toarray(), atol=1e-6)


def test_graph_of_the_user_and_number_of_neighbours(adata):
    estimator = GraphSieve(n_neighbors=9, n_jobs=1)
    adapt_to_expression(estimator)
    assert estimator.affinity == CellGraph(9, n_jobs=1)
    estimator = GraphSieve(affinity="heat")
    adapt_to_expression(estimator, given={"affinity"})
    assert estimator.affinity == "heat"
    assert make_estimator("mrsf", 0).affinity == "cosine"


def test_default_method_covers_all_cell_types(adata):
    select_genes(adata, 4)
    assert {int(name.removeprefix("gene")) // 10 for name in panel(adata)} == {0, 1, 2, 3}


def test_record_survives_a_file(adata, tmp_path):
    select_genes(adata, [3, 6], method="css", include=["gene7"], exclude=["gene1"])
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    record = again.uns["graphsieve"]
    assert record["method"] == "css"
    assert list(record["parameters"]["n_top_genes"]) == [3, 6]
    assert list(record["parameters"]["include"]) == ["gene7"]
    assert set(record["versions"]) >= {"graphsieve", "anndata"}
    assert panel(again) == panel(adata)


def test_subset_and_not_inplace(adata, expected):
    before = adata.var.copy()
    frame = select_genes(adata, 6, method="css", inplace=False)
    assert adata.var.equals(before)
    assert "graphsieve" not in adata.uns
    assert frame.index.equals(adata.var_names)
    rows = select_genes(adata, 6, method="css", inplace=False, subset=True)
    assert set(rows.index) == set(expected)
    select_genes(adata, 6, method="css", subset=True)
    assert adata.shape == (N_CELLS, 6)
    assert set(adata.var_names) == set(expected)


def test_list_gives_nested_selections(adata, expected):
    select_genes(adata, [6, 2], method="css")
    assert panel(adata) == expected
    assert set(adata.var_names[adata.var["highly_variable_2"]]) == set(expected[:2])
    assert adata.var["highly_variable_6"].equals(
        adata.var["highly_variable"].rename("highly_variable_6")
    )


def test_include_comes_first_and_exclude_never(adata, expected):
    select_genes(adata, 6, method="css", include=["gene55", "gene3"], exclude=expected[:1])
    assert panel(adata)[:2] == ["gene55", "gene3"]
    assert len(panel(adata)) == 6
    assert expected[0] not in panel(adata)
    assert np.isnan(adata.var.loc[expected[0], "highly_variable_score"])


def test_a_pattern_excludes_genes(adata):
    adata.var_names = [f"MT-{j}" if j % 2 else f"gene{j}" for j in range(N_GENES)]
    select_genes(adata, 8, method="css", exclude="^(MT-|RP[SL])")
    assert all(name.startswith("gene") for name in panel(adata))


@pytest.mark.parametrize("as_column", [True, False])
def test_mask_limits_the_genes(adata, as_column):
    mask = np.arange(N_GENES) >= 20
    adata.var["wanted"] = mask
    select_genes(adata, 6, method="css", mask_var="wanted" if as_column else mask)
    direct = GreedyCSS(6, scale="global").fit(adata.X[:, 20:]).order_[:6] + 20
    assert panel(adata) == list(adata.var_names[direct])
    assert adata.var["wanted"].to_numpy().tolist() == mask.tolist()


def test_layer_and_key_added(adata, expected):
    adata.layers["log"] = adata.X
    adata.X = sp.csr_matrix(adata.shape)
    select_genes(adata, 6, method="css", layer="log", key_added="sieve")
    assert panel(adata, "sieve") == expected
    assert "highly_variable" not in adata.var


def test_batches_are_ranked_one_by_one(adata):
    select_genes(adata, 6, method="css", batch_key="donor")
    chosen = [
        set(GreedyCSS(6, scale="global").fit(adata[adata.obs["donor"] == donor].X).order_[:6])
        for donor in ("a", "b")
    ]
    count = [sum(j in part for part in chosen) for j in range(N_GENES)]
    assert adata.var["highly_variable_nbatches"].tolist() == count
    assert adata.var["highly_variable_intersection"].tolist() == [c == 2 for c in count]
    assert adata.var["highly_variable"].sum() == 6
    select_genes(adata, 6, method="css")
    assert "highly_variable_nbatches" not in adata.var


def test_difference_between_batches_has_no_influence(adata):
    X = adata.X.toarray()
    X[60:, 59] += 50
    adata.X = X
    select_genes(adata, 4, method="variance", batch_key="donor")
    assert "gene59" not in panel(adata)
    select_genes(adata, 4, method="variance")
    assert panel(adata)[0] == "gene59"


def test_small_batch_is_left_out_with_a_warning(adata):
    adata.obs["plate"] = ["small"] * 5 + ["one"] * 55 + ["two"] * 60
    with pytest.warns(UserWarning, match="1 of 3 batches have fewer than 20 samples.*small"):
        select_genes(adata, 6, method="css", batch_key="plate")
    assert adata.var["highly_variable_nbatches"].max() <= 2


@pytest.mark.slow
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("method", ["css", "gafs"])
@pytest.mark.parametrize("batch_key", [None, "donor"])
def test_backed_file_gives_the_same_genes(tmp_path, sparse, method, batch_key):
    adata = make_cells(sparse=sparse)
    options = {"method": method, "exclude": ["gene5"], "batch_key": batch_key}
    adata.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    assert backed.isbacked
    select_genes(adata, 6, **options)
    select_genes(backed, 6, **options)
    assert panel(backed) == panel(adata)
    overlap = evaluate_panel(backed, {"mine": "highly_variable"}, "kind")
    pd.testing.assert_frame_equal(
        overlap, evaluate_panel(adata, {"mine": "highly_variable"}, "kind")
    )
    with pytest.raises(ValueError, match="subset=True cannot shrink a backed file"):
        select_genes(backed, 6, method="css", subset=True)
    backed.file.close()


@pytest.mark.parametrize("sparse", [True, False])
def test_dask_gives_the_same_genes(expected, sparse):
    dask_array = pytest.importorskip("dask.array")
    adata = make_cells(sparse=sparse)
    adata.X = dask_array.from_array(adata.X.toarray() if sparse else adata.X, chunks=(50, N_GENES))
    if sparse:
        adata.X = adata.X.map_blocks(sp.csr_matrix)
    select_genes(adata, 6, method="css")
    assert panel(adata) == expected
    assert evaluate_panel(adata, {"mine": expected}).loc["mine", "n_genes"] == 6


def test_view_stays_a_view_of_its_parent(adata):
    view = adata[::2]
    with pytest.warns(Warning, match="(?i)view"):
        select_genes(view, 6, method="css")
    assert len(panel(view)) == 6
    assert "highly_variable" not in adata.var


@pytest.mark.parametrize("key", ["neighbors", "mine", "mine_connectivities"])
def test_graph_of_scanpy_is_used(adata, key):
    # Cells of the same parity are neighbours: only a graph can say so.
    same = np.equal.outer(np.arange(N_CELLS) % 2, np.arange(N_CELLS) % 2)
    stored = "connectivities" if key == "neighbors" else "mine_connectivities"
    adata.obsp[stored] = sp.csr_matrix((same & ~np.eye(N_CELLS, dtype=bool)).astype(np.float32))
    if not key.endswith("connectivities"):
        adata.uns[key] = {"connectivities_key": stored, "params": {}}
    X = adata.X.toarray()
    X[:, 59] = np.arange(N_CELLS) % 2 + 0.01 * X[:, 59]
    adata.X = X
    select_genes(adata, 1, method="lap_score", neighbors_key=key)
    assert panel(adata) == ["gene59"]
    select_genes(adata, 1, method="lap_score", neighbors_key=key, batch_key="donor")
    assert panel(adata) == ["gene59"]


def test_constant_genes_are_not_selected(adata):
    X = adata.X.toarray()
    X[:, 5:] = 0
    adata.X = sp.csr_matrix(X)
    with pytest.warns(UserWarning, match="only 5 genes vary"):
        select_genes(adata, 8, method="css")
    assert set(panel(adata)) == {f"gene{j}" for j in range(5)}
    select_genes(adata, 4, method="css", include=["gene30"])
    assert panel(adata)[0] == "gene30"


def test_raw_counts_are_warned_of(adata):
    with pytest.warns(UserWarning, match=r"layers\['counts'\] holds integers.*Log-normalise"):
        select_genes(adata, 6, method="css", layer="counts")
    adata.layers["on"] = (adata.X > 0).astype(float)
    select_genes(adata, 6, method="css", layer="on")


def test_scaled_values_are_warned_of(adata):
    X = adata.X.toarray()
    adata.X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    with pytest.warns(UserWarning, match=r"adata.X has negative values.*adata.raw.to_adata"):
        select_genes(adata, 6, method="css")


def test_log_normalised_values_of_variance_one_are_not_taken_for_scaled_ones(adata):
    X = adata.X.toarray()
    adata.X = X / X.std(axis=0)
    select_genes(adata, 6, method="css")  # warnings are errors here


@pytest.mark.parametrize("batch_key", [None, "donor"])
def test_auto_selects_what_adds_more_than_chance(adata, batch_key):
    select_genes(adata, "auto", include=["gene7"], batch_key=batch_key)
    sel = make_estimator("sieve", 0).set_params(n_features_to_select="auto", include=[7])
    if batch_key is None:
        sel.fit(adata.X)
    else:
        sel = GroupedRanker(sel, "auto", include=[7], min_samples=20)
        sel.fit(adata.X, groups=adata.obs[batch_key])
    assert panel(adata) == list(adata.var_names[sel.order_[: sel.n_features_]])
    assert 4 <= len(panel(adata)) < N_GENES
    assert panel(adata)[0] == "gene7"


def test_duplicated_names(adata):
    adata.var_names = ["twin", "twin", *adata.var_names[2:]]
    select_genes(adata, 6, method="css", include=["gene7"])
    assert adata.var["highly_variable"].sum() == 6
    with pytest.raises(ValueError, match="'twin', a name that several genes have"):
        select_genes(adata, 6, method="css", include=["twin"])


def test_negative_values_in_sparse_data(adata):
    X = adata.X.tolil()
    X[3, 8] = -1
    adata.X = X.tocsr()
    with (
        pytest.warns(UserWarning, match="adata.X has negative values"),
        pytest.raises(ValueError, match="is sparse and has negative values"),
    ):
        select_genes(adata, 6)
    with pytest.warns(UserWarning, match="adata.X has negative values"):
        select_genes(adata, 6, method="css")


def test_missing_values_name_the_gene(adata):
    X = adata.X.toarray()
    X[3, 8] = np.nan
    adata.X = X
    with pytest.raises(ValueError, match="NaN or infinity: cell 3, gene 'gene8'"):
        select_genes(adata, 6, method="css", exclude=["gene0"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"include": ["gene_7"]}, "include.*'gene_7'.*did you mean gene7"),
        ({"exclude": ["Gene7"]}, "exclude.*did you mean gene7"),
        ({"include": ["gene7"], "exclude": ["gene7"]}, "'gene7' is in both"),
        ({"include": [f"gene{j}" for j in range(8)]}, "include has 8 genes, more than"),
        ({"layer": "count"}, "layer='count' is not in adata.layers.*did you mean counts"),
        ({"batch_key": "donors"}, "batch_key='donors'.*did you mean donor"),
        ({"mask_var": "wanted"}, "mask_var='wanted' is not in adata.var"),
        ({"mask_var": [True]}, "one True or False per gene"),
        ({"mask_var": np.zeros(N_GENES, dtype=bool)}, "no gene can be selected"),
        ({"method": "gaffs"}, "method='gaffs'.*did you mean gafs"),
        ({"neighbors_key": "neighbors"}, "run scanpy.pp.neighbors first"),
        ({"n_top_genes": 0}, "n_top_genes must be a positive integer"),
        ({"n_top_genes": 0.5}, "n_top_genes must be a positive integer"),
        ({"n_top_genes": "all"}, 'a list of them or "auto", got .all.'),
        ({"n_top_genes": []}, r"a list of them .* got \[\]"),
    ],
)
def test_errors_say_what_to_do_and_write_nothing(adata, options, message):
    options = {"n_top_genes": 6, **options}
    with pytest.raises(ValueError, match=message) as caught:
        select_genes(adata, **options)
    assert "\n" not in str(caught.value)
    assert "highly_variable" not in adata.var


def test_methods_that_cannot(adata):
    adata.obsp["connectivities"] = sp.csr_matrix((N_CELLS, N_CELLS))
    with pytest.raises(ValueError, match="GreedyCSS uses no neighbour graph"):
        select_genes(adata, 6, method="css", neighbors_key="connectivities")
    with pytest.raises(TypeError, match="Sparse data .* dense data is required"):
        select_genes(adata, 6, method="dfsc")
    with pytest.raises(TypeError, match="expected an AnnData object, got ndarray"):
        select_genes(adata.X.toarray())
    adata.obs["donor"] = [None, *["a"] * (N_CELLS - 1)]
    with pytest.raises(ValueError, match="missing for 1 cells"):
        select_genes(adata, 6, batch_key="donor")
    adata.obs["donor"] = [str(number % 12) for number in range(N_CELLS)]
    with pytest.raises(ValueError, match="no batch has 20 samples"):
        select_genes(adata, 6, batch_key="donor")


def test_scanpy_continues_with_the_genes(adata):
    sc = pytest.importorskip("scanpy")
    marked, only = adata.copy(), adata.copy()
    select_genes(marked, 12, method="css")
    select_genes(only, 12, method="css", subset=True)
    for data in (marked, only):
        sc.pp.pca(data, n_comps=5)
        # By default scanpy takes the genes themselves where there are fewer than fifty.
        sc.pp.neighbors(data, n_neighbors=5, use_rep="X_pca")
    np.testing.assert_allclose(abs(marked.obsm["X_pca"]), abs(only.obsm["X_pca"]), rtol=1e-3)
    near = marked.obsp["connectivities"].toarray()
    np.testing.assert_allclose(near, only.obsp["connectivities"].toarray(), atol=1e-3)


def test_columns_of_an_earlier_list_are_removed(adata):
    adata.var["highly_variable_genes"] = True
    select_genes(adata, [5, 20], method="variance")
    select_genes(adata, 7, method="variance")
    assert not {"highly_variable_5", "highly_variable_20"} & set(adata.var)
    assert "highly_variable_genes" in adata.var
    select_genes(adata, [3, 7], method="variance")
    assert {"highly_variable_3", "highly_variable_7"} <= set(adata.var)


def test_a_gene_that_is_constant_in_a_batch_is_not_selected_there(adata):
    X = adata.X.toarray()
    half = np.arange(N_CELLS) < N_CELLS // 2
    X[np.ix_(half, np.arange(N_GENES - 3))] = 1.0
    adata.X = X
    adata.obs["half"] = half.astype(str)
    frame = select_genes(adata, 10, method="variance", batch_key="half", inplace=False)
    assert frame["highly_variable_nbatches"].iloc[:-3].max() == 1
    given = select_genes(
        adata, 10, method="variance", batch_key="half", include=["gene0"], inplace=False
    )
    assert given.loc["gene0", "highly_variable_rank"] == 0


def test_masks_with_names_are_aligned(adata):
    mask = pd.Series(np.arange(N_GENES) < 10, index=adata.var_names)
    expected = select_genes(adata, 5, method="css", mask_var=mask, inplace=False)
    mixed = mask.sample(frac=1, random_state=0)
    found = select_genes(adata, 5, method="css", mask_var=mixed, inplace=False)
    pd.testing.assert_frame_equal(found, expected)
    found = select_genes(adata, 5, method="css", exclude=~mixed, inplace=False)
    assert not found["highly_variable"].iloc[10:].any()
