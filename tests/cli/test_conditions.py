"""Costs, batches and explanations on the command line."""

import numpy as np
import pandas as pd
import pytest

from graphsieve import GreedyCSS, Selection

from .conftest import save


@pytest.fixture
def sensors(rng):
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 6)) + 0.2 * rng.normal(size=(40, 6))
    frame = pd.DataFrame(X, columns=[f"s{j}" for j in range(6)])
    return frame.assign(donor=["A", "B"] * 20, sum=frame["s0"] + frame["s1"])


@pytest.fixture
def prices(tmp_path):
    return save(
        pd.DataFrame({"column": ["s0", "s1", "s2", "other"], "cost": [5, 1, 2.5, 3]}),
        tmp_path / "prices.csv",
    )


@pytest.fixture
def path(sensors, tmp_path):
    return save(sensors, tmp_path / "sensors.csv")


def test_costs_and_budget(run, path, prices, sensors, tmp_path):
    out = tmp_path / "out.csv"
    options = ("--method", "css", "--keep", "donor", "-o", out)
    result = run("select", path, "--cost", prices, "--budget", 4, *options)
    assert result.exit_code == 0, result.output
    assert "4 of 7 columns have no cost and count as 1" in result.stderr
    assert "ignored: 'other'" in result.stderr
    X = sensors.drop(columns="donor")
    sel = GreedyCSS(costs={"s0": 5, "s1": 1, "s2": 2.5}, budget=4).fit(X)
    kept = sel.get_feature_names_out().tolist()
    assert pd.read_csv(out).columns.drop("donor").tolist() == kept
    total = sum({"s0": 5, "s2": 2.5}.get(name, 1) for name in kept)
    assert f"Cost: {total:g} of a budget of 4" in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--budget", "4"], "--budget: needs the costs of the columns: add --cost FILE"),
        ([], "-k: give the number of columns"),
        (["-k", "2", "--cost", "none.csv"], "--cost: none.csv does not exist"),
        (["-k", "2", "--cost", "PRICES", "-m", "mcfs"], "mcfs takes no costs; use --method css or"),
        (["-k", "2", "--group-by", "Donor"], "--group-by: there is no column 'Donor' (did you"),
        (["-k", "2", "--batch", "s*"], "--batch: 's*' matches 7 columns; name one"),
    ],
)
def test_wrong_conditions(run, path, prices, options, message):
    options = [prices if option == "PRICES" else option for option in options]
    result = run("select", path, *options)
    assert result.exit_code != 0
    assert message in result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s1,3\ns2,4\n", "should have two columns with a header, such as column,cost"),
        ("a,b,c\ns1,3,4\n", "should have two columns with a header, such as column,cost; it has 3"),
        ("column,cost\nS1,3\n", "has no cost for any column to select from (did you mean s1"),
        ("column,cost\ns1,3\ns1,4\n", "has two costs for s1"),
        ("column,cost\ns1,-3\n", "costs must be positive numbers"),
        ("column,cost\ns1,cheap\n", "the second column is 'cost'"),
    ],
)
def test_wrong_costs(run, path, tmp_path, text, message):
    costs = tmp_path / "costs.csv"
    costs.write_text(text)
    result = run("select", path, "-k", 2, "-m", "css", "--keep", "donor", "--cost", costs)
    assert result.exit_code == 1
    assert message in result.stderr


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_batches(run, sensors, tmp_path, suffix):
    sensors.loc[sensors["donor"] == "B", "s3"] += 100
    out, scores = tmp_path / f"out{suffix}", tmp_path / "scores.csv"
    path = save(sensors, tmp_path / f"sensors{suffix}")
    options = ("-k", 3, "-m", "css", "-o", out, "--scores", scores)
    result = run("select", path, "--group-by", "donor", *options)
    assert result.exit_code == 0, result.output
    expected = GreedyCSS(3).fit(sensors.drop(columns="donor"), groups=sensors["donor"])
    names = sensors.columns.drop("donor")[expected.order_]
    assert pd.read_csv(scores)["feature"].tolist() == names.tolist()
    written = pd.read_csv(out) if suffix == ".csv" else pd.read_parquet(out)
    assert written["donor"].tolist() == sensors["donor"].tolist()


def test_batches_of_the_rows_that_are_left(run, sensors, tmp_path):
    sensors.loc[3, "s2"] = np.nan
    path = save(sensors, tmp_path / "sensors.csv")
    result = run("select", path, "-k", 2, "-m", "css", "--group-by", "donor", "--drop-rows")
    assert result.exit_code == 0, result.output
    sensors.loc[5, "donor"] = None
    path = save(sensors, tmp_path / "sensors.csv")
    result = run("select", path, "-k", 2, "-m", "css", "--group-by", "donor")
    assert "groups has 1 missing labels, the first at row 5" in result.stderr


def test_explain(run, path, sensors, tmp_path):
    scores = tmp_path / "scores.csv"
    options = ("-k", 4, "-m", "css", "--keep", "donor", "--scores", scores)
    result = run("select", path, *options, "--explain")
    assert result.exit_code == 0, result.output
    sensors = sensors.drop(columns="donor")
    sel = GreedyCSS(4).fit(sensors)
    table = pd.read_csv(scores).set_index("feature")
    first = sel.coverage(sensors).drop_duplicates("feature").set_index("feature")
    np.testing.assert_allclose(table.loc[first.index, "r2"], first["r2"])
    for name, row in first.iterrows():
        assert table.loc[name, "explained_by"].startswith(f"{row['kept']} ({row['weight']:.3g})")
        assert f"{row['r2']:.2f}  {row['kept']} (" in result.stdout
    assert table.loc[table["kept"], "r2"].isna().all()


def test_explain_columns_that_nothing_predicts(run, tmp_path):
    X = pd.DataFrame({"a": [2.5, 2.5, -2.5, -2.5], "b": [1.5, -1.5, 1.5, -1.5], "c": 4.5})
    X.to_csv(tmp_path / "data.csv", index=False)
    result = run("select", tmp_path / "data.csv", "-k", 1, "-m", "variance", "--explain")
    assert result.stdout.split()[-5:] == ["b", "0.00", "nothing", "c", "constant"]


@pytest.fixture
def with_text(sensors, tmp_path):
    """A sensor in words, with a twin in other words."""
    level = pd.cut(sensors["s0"], 3, labels=["low", "mid", "high"]).astype(str)
    frame = sensors.assign(level=level, twin=level.str.upper(), size=level.str.len())
    return save(frame.drop(columns="donor"), tmp_path / "text.csv")


ENCODED = ("-m", "css", "--encode", "onehot")


def test_text_columns_can_be_included_and_excluded(run, with_text, tmp_path):
    out, kept = tmp_path / "out.csv", tmp_path / "kept.json"
    options = ("--include", "level,s3", "--exclude", "s1", "-o", out, "--save", kept, "--force")
    for method in ("css", "lap_score"):
        result = run("select", with_text, "-k", 3, *ENCODED, *options, "-m", method)
        assert result.exit_code == 0, result.output
        written = list(pd.read_csv(out))
        assert len(written) == 3
        assert {"level", "s3"} < set(written)
        assert Selection.load(kept).names == written
    result = run("select", with_text, "-k", 1, *ENCODED, *options)
    assert "--include names 2 columns, which count as selected: use -k 2 or more" in result.stderr


def test_text_columns_have_one_price(run, with_text, tmp_path):
    prices = save(
        pd.DataFrame({"column": ["level", "twin"], "cost": [0.3, 50]}), tmp_path / "p.csv"
    )
    out = tmp_path / "out.csv"
    result = run("select", with_text, *ENCODED, "--cost", prices, "--budget", 3.3, "-o", out)
    assert result.exit_code == 0, result.output
    written = list(pd.read_csv(out))
    assert "level" in written
    assert "twin" not in written
    assert f"Cost: {len(written) - 0.7:g} of a budget of 3.3" in result.stdout


def test_text_columns_are_explained_as_a_whole(run, with_text, tmp_path):
    scores, page = tmp_path / "scores.csv", tmp_path / "page.html"
    options = ("--include", "level", "--explain", "--scores", scores, "--report", page)
    result = run("select", with_text, "-k", 3, *ENCODED, *options)
    assert result.exit_code == 0, result.output
    table = pd.read_csv(scores).set_index("feature")
    assert table.loc["twin", "r2"] > 0.95
    assert table.loc["twin", "explained_by"].startswith("level")
    assert "level=low" in page.read_text("utf-8")


def test_methods_that_accept_gaps_say_so(run, sensors, tmp_path):
    sensors.loc[[3, 7], "s2"] = np.nan
    path = save(sensors, tmp_path / "sensors.csv")
    options = ("-k", 2, "--keep", "donor")
    result = run("select", path, *options, "-m", "css")
    assert result.exit_code == 0, result.output
    assert "2 missing values, which the method accepts; --impute median fills" in result.stderr
    assert "missing values, which" not in run("select", path, *options, "--impute", "mean").stderr
    assert run("select", path, *options, "-m", "mcfs").exit_code == 1
