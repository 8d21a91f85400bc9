"""The numbers on the page."""

import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from threadpoolctl import get_cached_controller, threadpool_limits

from graphsieve import GraphSieve, GreedyCSS, Variance
from graphsieve._rows.scaling import standardised
from graphsieve.inspection import coverage_curve
from graphsieve.report.scatter import color_column, scatter
from graphsieve.report.summary import summarise


def texts(summary):
    return " ".join(note["text"] for note in summary["notes"])


def test_coverage_of_the_page_is_that_of_the_data(digits):
    sel, X, options = digits
    summary = summarise(sel, X, **options)
    expected = coverage_curve(sel, X, summary["grid"]).coverage
    stored = summary["coverage"]
    constant = X.std(axis=0) == 0
    assert (stored[:, constant] == 255).all()
    np.testing.assert_allclose(stored[:, ~constant] / 254, expected[:, ~constant], atol=1 / 500)


def test_reconstructed_images_approach_the_originals(digits):
    sel, X, options = digits
    images = summarise(sel, X, **options)["images"]
    error = np.abs(images["predictions"].astype(int) - images["examples"]).mean(axis=(1, 2))
    assert error[0] > 3 * error[40]
    assert error[-1] == 0


def test_sparse_data_give_the_same_page(rng):
    X = rng.poisson(0.3, size=(80, 12)).astype(float)
    dense, sparse = (GreedyCSS(4).fit(table).report(table).html for table in (X, sp.csr_matrix(X)))
    assert dense == sparse


def test_a_note_says_that_rows_were_drawn(rng, monkeypatch):
    monkeypatch.setattr("graphsieve._rows.samples._MAX_ROWS", 50)
    X = rng.normal(size=(120, 5))
    summary = summarise(Variance(2).fit(X), X)
    assert summary["n_rows"] == 50
    assert "50 of the 120 samples" in texts(summary)


def test_notes_name_what_a_reader_should_know(rng):
    a, b, c = rng.normal(size=(3, 60))
    X = np.column_stack([a, a + 1e-9 * b, b, 2 * b, c, np.ones(60)])
    words = texts(summarise(GreedyCSS(3).fit(X), X))
    assert "1 feature is constant in these rows: there is nothing to explain, and no" in words
    assert "2 dropped features are copies" in words
    redundant = Variance(4).fit(X[:, :4])
    assert "the selection is redundant" in texts(summarise(redundant, X[:, :4]))


def test_constant_features_are_not_counted_as_lost(rng):
    X = np.hstack([rng.normal(size=(60, 4)), np.ones((60, 3))])
    words = texts(summarise(GreedyCSS(1).fit(X), X))
    assert "3 of 3 dropped features are hardly predicted" in words


def test_units_do_not_decide(rng):
    """Metres or millimetres, for a majority of the columns too: the same numbers on the page."""
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 12)) + 0.3 * rng.normal(size=(60, 12))
    plain, scaled = (
        summarise(GreedyCSS(3).fit(Z), Z) for Z in (X, X * np.repeat([1000, 1], [8, 4]) + 50)
    )
    np.testing.assert_array_equal(plain["coverage"], scaled["coverage"])
    np.testing.assert_allclose(plain["curves"]["this"], scaled["curves"]["this"], rtol=1e-9)
    assert texts(plain) == texts(scaled)


def test_a_ranking_worse_than_random_is_called_that(rng):
    factors = rng.normal(size=(100, 6))
    X = np.column_stack([factors[:, :1] + 0.01 * rng.normal(size=(100, 5)), factors[:, 1:]])
    sel = Variance(4).fit(X)
    sel.order_ = np.arange(10)
    assert "Random features explain more" in texts(summarise(sel, X))


def test_a_curve_that_falls_below_random_is_explained(rng):
    """Noise that explains only itself comes last, and random features have some of it earlier."""
    shared = np.repeat(rng.normal(size=(200, 3)), 5, axis=1) + 0.3 * rng.normal(size=(200, 15))
    X = np.hstack([shared, rng.normal(size=(200, 6))])
    sel = GraphSieve(3, random_state=0).fit(X)
    report = sel.report(X)
    curves, k = report.summary["curves"], report.summary["below_random"]
    assert 3 < k < 21
    assert curves["this"][k - 1] < curves["random_mid"][k - 1]
    assert f"From {k} features on it is below that of random features" in report.html
    assert "it is below" not in GreedyCSS(3).fit(shared).report(shared).html


def test_suggested_number_is_that_of_auto(digits):
    _, X, _ = digits
    expected = GreedyCSS("auto").fit(X)
    # Greedy picks do not depend on how many are asked for.
    longer = GreedyCSS(30).fit(X)
    for fitted in (longer, expected):
        chance = summarise(fitted, X)["chance"]
        assert chance["suggested"] == expected.n_features_
        np.testing.assert_allclose(chance["most"], expected.gain_curve_.chance, rtol=1e-6)


@pytest.mark.slow
def test_the_exact_part_of_the_order_is_known(digits, rng):
    sel, X, _ = digits
    assert sel.n_exact_ < X.shape[1]  # constant pixels are not picked: there is nothing to choose
    assert summarise(sel, X)["n_exact"] == X.shape[1]
    assert summarise(sel.to_selection(), X)["n_exact"] == X.shape[1]
    wide = rng.normal(size=(1000, 2000))
    sel = GreedyCSS(20).fit(wide)
    summary = summarise(sel, wide)
    assert summarise(sel.to_selection(), wide)["n_exact"] == sel.n_exact_
    assert summary["n_exact"] == sel.n_exact_ < summary["grid"][-1]
    assert f"first {sel.n_exact_} features were picked one by one" in texts(summary)
    assert summarise(Variance(2).fit(X), X)["n_exact"] == X.shape[1]


def test_image_shape_must_fit(digits):
    sel, X, _ = digits
    with pytest.raises(ValueError, match="image_shape=8x9 has 72 pixels, but the data have 64"):
        summarise(sel, X, image_shape=(8, 9))


def test_points_of_all_features_are_those_before(rng):
    X = rng.normal(size=(30, 8)) * np.arange(1, 9)
    points = scatter(standardised(X)[0], np.arange(8), np.arange(1, 9), rng)
    np.testing.assert_allclose(points["after"][-1], points["before"], atol=1e-8)
    assert points["distances"][-1] == pytest.approx(1)
    assert (np.diff(points["distances"]) > -0.1).all()
    assert points["n_far"] == {"before": 0, "after": [0] * 8}


def test_a_far_sample_is_drawn_at_the_edge(rng):
    X = rng.normal(size=(100, 8))
    X[7] = 1000
    points = scatter(standardised(X)[0], np.arange(8), np.arange(1, 9), rng)
    assert points["n_far"]["before"] == 2  # 98 % of 100 samples leave two
    assert np.abs(points["before"][7]).max() == 1
    others = np.delete(points["before"], 7, axis=0)
    assert others.std(axis=0).max() > 0.2


def test_color_by_category_number_or_column():
    rows = np.arange(40)
    words = color_column(None, np.array(["a", "b"] * 20), rows)
    assert words["labels"] == ["a", "b"]
    assert words["codes"][:3] == [0, 1, 0]
    assert color_column(None, np.arange(40) % 3 + 9, rows)["labels"] == ["9", "10", "11"]
    numbers = color_column(None, np.linspace(5, 9, 40), rows)
    assert (numbers["low"], numbers["high"]) == (5, 9)
    assert numbers["values"][-1] == 1
    many = color_column(None, np.array([f"w{i % 20}" for i in range(40)]), rows)
    assert many["labels"][-1] == "12 others"
    frame = pd.DataFrame({"kind": ["x"] * 40})
    assert color_column(frame, "kind", rows)["title"] == "kind"


def test_a_color_that_does_not_exist_is_an_error():
    with pytest.raises(ValueError, match="color='kind' is not a column"):
        color_column(np.zeros((3, 2)), "kind", np.arange(3))
    with pytest.raises(ValueError, match="one value per sample"):
        color_column(None, [1, 2], np.arange(3))


SMALL_PRODUCTS = {"add", "_two_components", "_gains", "_correlations", "closest_kept"}


def test_the_page_and_the_plots_of_a_small_table_use_one_thread_of_blas(rng):
    """Threads of BLAS that wait for each other make the page of a small table take minutes."""
    pytest.importorskip("matplotlib").use("agg")
    X, seen = rng.normal(size=(60, 12)), {}
    sel = GreedyCSS(4).fit(X)
    tracing = sys.getprofile()

    def look(frame, event, _):
        name = frame.f_code.co_name
        if event == "call" and name in SMALL_PRODUCTS and "graphsieve" in frame.f_code.co_filename:
            numbers = seen.setdefault(name, set())
            numbers.update(library["num_threads"] for library in get_cached_controller().info())

    with threadpool_limits(2):
        sys.setprofile(look)
        try:
            sel.report(X)
            for plot in (sel.plot.curve, sel.plot.gains, sel.plot.coverage):
                plot(X)
        finally:
            sys.setprofile(tracing)
    assert seen == {name: {1} for name in SMALL_PRODUCTS}
