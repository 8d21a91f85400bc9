"""The claims as Markdown, on their own or inside a page."""

import pandas as pd

from experiments.report import write_claims
from tests.experiments.test_claims import comparison


def tables():
    origin = {"key": "k", "profile": "full", "commit": "abc", "n_features": 10}
    return {"comparison": comparison(0.7).assign(**origin)}


def test_claims_with_verdict_number_and_origin(tmp_path):
    write_claims(tables(), tmp_path / "claims.md")
    text = (tmp_path / "claims.md").read_text("utf-8")
    assert "better than all features, with far fewer of them | undecided | " in text
    assert "gain over all features: +0.100 |" in text
    assert "Profile full: 2 data sets, 1 split, 1 cell; commit abc." in text
    assert "| Accuracy, fixed | 1.0 |" in text
    assert "| compared with | mean gain | cases ahead |\n|---|---|---|\n| lap_score |" in text


def test_range_of_the_settings(tmp_path):
    table = tables()["comparison"]
    other = table[table["method"] == "gafs"].assign(setting=1)
    other[["accuracy", "acc"]] += [0.1, -0.2]
    write_claims({"comparison": pd.concat([table, other])}, tmp_path / "claims.md")
    text = (tmp_path / "claims.md").read_text("utf-8")
    assert "| gafs | 2 | 0.700 / 0.500 | 0.700 / 0.700 | 0.800 / 0.700 |" in text


def test_settings_without_the_fixed_one(tmp_path):
    table = tables()["comparison"]
    others = [table[table["method"] == "mrsf"].assign(setting=setting) for setting in (1, 2)]
    rows = pd.concat([table[table["method"] != "mrsf"], *others])
    write_claims({"comparison": rows}, tmp_path / "claims.md")
    settings = (tmp_path / "claims.md").read_text("utf-8").partition("| method | settings |")[2]
    assert "| random | 2 |" in settings
    assert "mrsf" not in settings


def test_only_the_claims_of_a_page_are_replaced(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Title\n<!-- claims -->\nstale\n<!-- end of the claims -->\nThe end.\n")
    write_claims(tables(), page)
    text = page.read_text("utf-8")
    assert text.startswith("# Title\n<!-- claims -->\n\n| claim |")
    assert text.endswith("<!-- end of the claims -->\nThe end.\n")
    assert "stale" not in text
    write_claims(tables(), page)
    assert page.read_text("utf-8") == text


def test_a_summary_gets_only_the_verdicts(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Title\n<!-- verdicts -->\nstale\n<!-- end of the verdicts -->\nThe end.\n")
    write_claims(tables(), page)
    text = page.read_text("utf-8")
    assert text.startswith("# Title\n<!-- verdicts -->\n\n| claim |")
    assert text.endswith("|\n\n<!-- end of the verdicts -->\nThe end.\n")
    assert "stale" not in text
    assert "##" not in text
