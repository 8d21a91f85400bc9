"""Comparison of gene panels."""

import numpy as np
import pandas as pd
import pytest

from graphsieve.anndata import evaluate_panel, plot_panels

from ..helpers.cells import N_GENES


def test_evaluation_tells_good_from_bad(adata):
    panels = {
        "markers": [f"gene{10 * kind + j}" for kind in range(4) for j in range(3)],
        "noise": [f"gene{j}" for j in range(45, 57)],
        "all": adata.var_names,
    }
    frame = evaluate_panel(adata, panels, celltype_key="kind")
    assert frame.index.tolist() == ["markers", "noise", "all"]
    assert frame["n_genes"].tolist() == [12, 12, N_GENES]
    good = ["neighbor_overlap", "gene_prediction", "variance_known", "celltype_accuracy"]
    good.append("clustering_nmi")
    assert (frame.loc["markers", good] > frame.loc["noise", good]).all()
    assert frame.loc["all", "neighbor_overlap"] == 1
    assert np.isnan(frame.loc["all", "gene_prediction"])
    assert frame.loc["all", "variance_known"] == 1
    pd.testing.assert_frame_equal(frame, evaluate_panel(adata, panels, celltype_key="kind"))
    assert "celltype_accuracy" not in evaluate_panel(adata, panels)


def test_evaluation_agrees_with_the_definition(adata):
    genes = ["gene1", "gene12", "gene23", "gene34"]
    frame = evaluate_panel(adata, {"mine": genes, "mask": adata.var_names.isin(genes)})
    X = adata[:, genes].X.toarray()
    correlation = abs(np.corrcoef(X.T))[np.triu_indices(4, 1)].mean()
    assert frame["redundancy"].tolist() == pytest.approx([correlation] * 2, rel=1e-5)
    variance = adata.X.toarray().var(axis=0)
    others = ~adata.var_names.isin(genes)
    unknown = (1 - frame["gene_prediction"]) * variance[others].sum() / variance.sum()
    np.testing.assert_allclose(frame["variance_known"], 1 - unknown, rtol=1e-6)


def test_measures_do_not_depend_on_the_unit_of_expression(adata):
    panels = {"few": ["gene1", "gene12", "gene23"], "noise": [f"gene{j}" for j in range(45, 57)]}
    natural = evaluate_panel(adata, panels, "kind")
    adata.X = adata.X * 1024
    pd.testing.assert_frame_equal(evaluate_panel(adata, panels, "kind"), natural, rtol=1e-4)


def test_evaluation_of_many_cells_is_sampled(monkeypatch, adata):
    whole = evaluate_panel(adata, {"mine": ["gene1", "gene12"]}, "kind")
    monkeypatch.setattr("graphsieve.anndata.panels._MOST_CELLS", 80)
    monkeypatch.setattr("graphsieve.anndata.panels._MOST_TARGETS", 30)
    part = evaluate_panel(adata, {"mine": ["gene1", "gene12"]}, "kind")
    assert part["celltype_accuracy"].iloc[0] == pytest.approx(
        whole["celltype_accuracy"].iloc[0], abs=0.2
    )


def test_rare_and_unknown_types_are_left_out(adata):
    kinds = adata.obs["kind"].astype(object)
    kinds.iloc[:3] = "rare"
    kinds.iloc[3:6] = None
    adata.obs["kind"] = kinds
    frame = evaluate_panel(adata, {"mine": ["gene1", "gene12", "gene23"]}, "kind")
    assert 0.5 < frame["celltype_accuracy"].iloc[0] <= 1


def test_one_panel_needs_no_dict(adata):
    genes = ["gene1", "gene12"]
    adata.var["mine"] = adata.var_names.isin(genes)
    expected = evaluate_panel(adata, {"mine": "mine"})
    pd.testing.assert_frame_equal(evaluate_panel(adata, "mine"), expected)
    for panel in (genes, np.array(adata.var["mine"]), adata.var["mine"]):
        found = evaluate_panel(adata, panel)
        assert found.index.tolist() == ["panel"]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("panels", "message"),
    [
        ({}, "panels is empty"),
        ({"mine": []}, "panel 'mine' has no genes"),
        ({"mine": ["gen1"]}, "panel 'mine': there is no column 'gen1'.*did you mean"),
        ({"mine": "highly_varable"}, "panel 'mine'='highly_varable' is not in adata.var"),
    ],
)
def test_evaluation_errors(adata, panels, message):
    with pytest.raises(ValueError, match=message):
        evaluate_panel(adata, panels)


def test_plot_has_one_axes_per_measure(adata):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    frame = evaluate_panel(adata, {"one": ["gene1", "gene2"], "two": ["gene30"]}, "kind")
    axes = plot_panels(frame)
    assert len(axes) == 6
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["one", "two"]
    plt.close("all")


def test_boolean_expression(adata):
    adata.X = adata.X.toarray() > 0
    panels = {"few": ["gene0", "gene10"]}
    found = evaluate_panel(adata, panels)
    adata.X = adata.X.astype(float)
    pd.testing.assert_frame_equal(found, evaluate_panel(adata, panels))
