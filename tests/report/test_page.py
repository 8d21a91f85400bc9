"""The page as a file and in notebooks."""

import html
import json
import re

import numpy as np
import pandas as pd
import pytest

from graphsieve import AEFS, GAFS, REGISTRY, DropRedundant, GreedyCSS, RandomRanker, Variance
from graphsieve.inspection import StabilitySelection
from graphsieve.report import make_report
from graphsieve.selection import Selection


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))


def test_page_is_written_and_shown_inline(digits, tmp_path):
    sel, X, options = digits
    report = sel.report(X, tmp_path / "report.html", **options)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page == report.html
    inline = report._repr_html_()
    assert inline.startswith("<iframe")
    assert html.unescape(re.search(r'srcdoc="(.*?)"', inline, re.S).group(1)) == page
    assert make_report(sel, X, **options).save(tmp_path / "again.html").read_text("utf-8") == page
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.html", "report.html"]


def test_same_seed_gives_the_same_page(digits):
    sel, X, options = digits
    assert sel.report(X, **options).html == sel.report(X, **options).html


def test_nothing_is_loaded_from_elsewhere(digits):
    sel, X, options = digits
    page = sel.report(X, **options).html
    assert "default-src 'none'" in html.unescape(page)
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)
    assert "@import" not in page
    assert "innerHTML" not in page


def test_odd_names_are_escaped_and_kept(odd, tmp_path):
    sel, X, options = odd
    path = sel.report(X, **options).save(tmp_path / "odd.html")
    page = path.read_text("utf-8")
    assert "<img" not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert "<b>" not in page[: page.index("</title>")]
    assert data_of(page)["names"] == list(X.columns)


@pytest.mark.parametrize("shape", [None, (40, 50)])
def test_two_thousand_features_stay_under_five_megabytes(rng, shape):
    X = rng.normal(size=(60, 5)) @ rng.normal(size=(5, 2000)) + rng.normal(size=(60, 2000))
    page = Variance(50).fit(X).report(X, image_shape=shape).html
    assert len(page.encode()) < 5e6


def test_a_table_of_one_feature(rng):
    X = rng.normal(size=(10, 1))
    summary = GreedyCSS(1).fit(X).report(X).summary
    assert summary["grid"] == [1]


def test_iterative_methods_report_convergence(rng):
    X = rng.normal(size=(40, 6))
    with pytest.warns(UserWarning, match="max_iter"):
        sel = AEFS(2, max_iter=2, n_hidden=2, random_state=0).fit(X)
    summary = sel.report(X).summary
    assert [step for step, _ in summary["trace"]] == [0, 1, 2]
    first = summary["notes"][0]
    assert first["level"] == "warning"
    assert "before it converged" in first["text"]


def test_an_unfinished_network_is_no_warning_where_it_does_not_rank(rng):
    X = rng.normal(size=(40, 6))
    notes = GAFS(2, max_iter=2, random_state=0).fit(X).report(X).summary["notes"]
    about = [note for note in notes if "converged" in note["text"]]
    assert [note["level"] for note in about] == ["note"]
    assert "the ranking does not depend on it" in about[0]["text"]


def test_stability_is_shown_where_it_was_computed(rng):
    X = rng.normal(size=(40, 6))
    sel = StabilitySelection(Variance(2), n_resamples=5, random_state=0).fit(X)
    data = data_of(sel.report(X).html)
    low, value, high = (data["stability"][i] for i in (1, 0, 2))
    assert low <= value <= high
    assert value == pytest.approx(sel.stability_.value, abs=1e-5)
    assert data["frequency"]["shape"] == [6]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REGISTRY)
def test_every_method_has_a_page(name, rng):
    X = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 7)) + 0.3 * rng.normal(size=(30, 7))
    sel = REGISTRY[name](3).fit(X)
    data = data_of(sel.report(X).html)
    assert data["n_selected"] == 3
    assert data["method"] == type(sel).__name__


def test_a_saved_selection_has_the_same_numbers(odd, tmp_path):
    sel, X, _ = odd
    Selection(
        kept=sel.get_support(indices=True).tolist(),
        n_features_in=sel.n_features_in_,
        feature_names_in=list(X.columns),
        order=sel.order_.tolist(),
        scores=sel.scores_.tolist(),
        method="GreedyCSS",
    ).save(tmp_path / "kept.json")
    saved = make_report(Selection.load(tmp_path / "kept.json"), X).summary
    for name in ("coverage", "order", "map"):
        np.testing.assert_array_equal(saved[name], sel.report(X).summary[name])
    assert saved["names"] == list(X.columns)
    assert saved["title"] == "GreedyCSS: 4 of 12 features"


@pytest.mark.parametrize("saved", [True, False])
@pytest.mark.parametrize(
    "columns", [range(2000, 2004), pd.MultiIndex.from_product([["a", "b"], [1, 2]])]
)
def test_names_that_are_not_text(rng, saved, columns):
    X = pd.DataFrame(rng.normal(size=(30, 4)), columns=list(columns))
    sel = GreedyCSS(2).fit(X)
    page = make_report(sel.to_selection() if saved else sel, X[X.columns[::-1]] if saved else X)
    np.testing.assert_array_equal(page.summary["coverage"], sel.report(X).summary["coverage"])
    assert page.summary["names"] == [str(name) for name in columns]


@pytest.mark.parametrize("saved", [True, False])
def test_a_page_without_the_batches_says_so(rng, saved):
    batch = np.arange(60) % 3
    X = rng.normal(size=(60, 6)) + 9 * batch[:, np.newaxis]
    sel = GreedyCSS(2).fit(X, groups=batch)
    source = sel.to_selection() if saved else sel
    with pytest.warns(UserWarning, match="within each of 3 batches.*--batch COLUMN"):
        page = make_report(source, X)
    assert any("within each of 3 batches" in note["text"] for note in page.summary["notes"])
    whole = make_report(source, X, groups=batch).summary
    assert not any("batches" in note["text"] for note in whole["notes"])


@pytest.mark.parametrize(
    ("sel", "expected"),
    [(Variance(2), 1), (GAFS(2, random_state=0), 0), (DropRedundant(), 0), (RandomRanker(2), 0)],
)
def test_units_are_a_warning_for_methods_that_do_not_scale(rng, sel, expected):
    X = rng.normal(size=(40, 6)) * [1e4, 1, 1, 1, 1, 1]
    notes = sel.fit(X).report(X).summary["notes"]
    assert len([note for note in notes if "did not scale" in note["text"]]) == expected
