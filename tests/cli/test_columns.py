"""Which columns are selected from, carried and left out; gaps, text and what mends them."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest

from graphsieve import Variance
from tests.cli.conftest import read_frame, save

VARIANCE = ("--method", "variance")
# A method that does not accept missing values.
REFUSING = ("--method", "spec")


@pytest.fixture
def table(frame):
    """A table as people have it: IDs, text, dates, gaps, a constant and an empty column."""
    n = len(frame)
    frame.insert(0, "patient", [f"p{i}" for i in range(n)])
    frame["sex"] = ["f", "m"] * (n // 2)
    frame["visit"] = pd.date_range("2020-01-01", periods=n).repeat(2)[:n].strftime("%Y-%m-%d")
    frame.loc[[3, 7], "d"] = np.nan
    frame.loc[9, "b b"] = np.nan
    frame["plate"] = 4
    frame["nothing"] = np.nan
    return frame


@pytest.fixture
def select(run, tmp_path):
    """select(frame, *options, suffix=".csv") -> (frame that was written, result)."""

    def check(frame, *options, suffix=".csv", k="100%"):
        path, chosen = save(frame, tmp_path / f"data{suffix}"), tmp_path / f"chosen{suffix}"
        result = run("select", path, "-k", k, "-o", chosen, "--force", *VARIANCE, *options)
        return (read_frame(chosen) if chosen.exists() else None), result

    return check


def test_drop_and_keep_are_two_things(select, frame):
    written, result = select(frame, "--drop", "a", "--keep", "e", k=2)
    assert written.columns.tolist() == ["b b", "c[red]", "e"]
    assert "Kept 2 of 4 columns" in result.stdout
    assert " e " not in result.stdout


def test_patterns(select, frame):
    frame = frame.rename(columns={"a": "Metadata_plate", "d": "Metadata_well"})
    for option in ("--keep", "--pass"):
        written, result = select(frame, option, "Metadata_*", k=1)
        assert written.columns.tolist() == ["Metadata_plate", "Metadata_well", "e"]
        assert "of 4 columns" in result.stdout
    written, result = select(frame, "--drop", "Metadata_*,?", k=1)
    assert written.columns.tolist() == ["c[red]"]
    assert "of 2 columns" in result.stdout
    written, _ = select(frame, "--drop", "^(Meta|[ab],?)", k=1)
    assert written.columns.tolist() == ["e"]
    _, result = select(frame, "--keep", "metadata_*")
    assert "--keep: no column matches 'metadata_*'" in result.stderr


def test_suggestions_ignore_case(select, frame, run, csv):
    _, result = select(frame.rename(columns={"d": "flag"}), "--drop", "Flag")
    assert "there is no column 'Flag' (did you mean flag?)" in result.stderr
    result = run("select", csv, "-k", 1, "--method", "GAFS")
    assert result.exit_code == 2
    assert "did you mean gafs" in result.stderr


def test_a_column_cannot_be_dropped_and_kept(select, frame):
    _, result = select(frame, "--drop", "a,d", "--keep", "d")
    assert "--drop and --keep both name 'd'" in result.stderr


@pytest.mark.parametrize(
    ("values", "name", "reason"),
    [
        (range(20), "n", "a counter"),
        (range(100, 120), "n", "a counter"),
        (np.random.default_rng(0).permutation(20), "n", "a counter"),
        (np.arange(20.0), "n", "a counter"),
        (np.arange(20) ** 2, "patient_id", "called an ID, all values differ"),
        (np.arange(20) ** 2, "sampleID", "called an ID, all values differ"),
        (np.arange(20) ** 2, "n", "integers that all differ"),
        ([f"s{i}" for i in range(20)], "n", "all values differ"),
        ([f"2020-01-{i:02}" for i in range(1, 21)], "n", "dates that all differ"),
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_ids_are_carried_with_a_word(select, frame, values, name, reason, suffix):
    frame.insert(2, name, values)
    written, result = select(frame, k=1, suffix=suffix)
    assert result.exit_code == 0, result.output
    assert written.columns.tolist() == [name, "e"]
    assert written[name].tolist() == list(values)
    assert f"'{name}' ({reason}): not selected from, but carried to the output" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    written, result = select(frame, "--drop", name, k=1, suffix=suffix)
    assert written.columns.tolist() == ["e"]
    assert not result.stderr


def test_ids_can_be_selected(select, frame):
    written, result = select(frame.assign(id=range(20)), "--no-ids", k=1)
    assert written.columns.tolist() == ["id"]
    assert not result.stderr


def test_what_is_not_an_id(select, frame):
    """Counts differ without being IDs, and so do measurements and few rows."""
    counts = np.arange(400).reshape(20, 20) ** 2
    counts = pd.DataFrame(counts, columns=[f"gene{j}" for j in range(20)])
    _, result = select(counts)
    assert "Kept 20 of 20 columns" in result.stdout
    _, result = select(frame)
    assert "Kept 6 of 6 columns" in result.stdout
    _, result = select(pd.DataFrame({"a": [1, 2, 3], "b": [0.5, 0.1, 0.7]}))
    assert "Kept 2 of 2 columns" in result.stdout


@pytest.mark.parametrize("seed", range(3))
def test_amounts_are_no_ids(select, frame, seed):
    """Integers that all differ need a name or a pattern to be taken for an ID."""
    rng = np.random.default_rng(seed)
    frame.insert(0, "revenue", rng.choice(10**7, 20, replace=False))
    written, result = select(frame, k=1)
    assert written.columns.tolist() == ["revenue"]
    assert not result.stderr
    counters = {"year": range(1990, 2010), "population": np.arange(20) ** 3 + 5000}
    written, result = select(frame.assign(**counters), k="100%")
    assert result.stderr.startswith("'year' (a counter): not selected from")
    for name in ("order no", "Order No.", "customer number", "orderNumber", "Kundennummer"):
        _, result = select(frame.rename(columns={"revenue": name}))
        assert f"'{name}' (called an ID, all values differ): not" in result.stderr
    frame["revenue"] = rng.permutation(60)[:20]
    _, result = select(frame)
    assert "'revenue' (integers that all differ): not selected from" in result.stderr


def test_all_problems_in_one_message_with_one_command(select, table, run, tmp_path):
    _, result = select(table, *REFUSING)
    assert result.exit_code == 1
    *_, carried, message = result.stderr.splitlines()
    assert "text: 'sex'; dates: 'visit': not selected from, but carried to the output" in carried
    assert message.startswith("Error: data.csv cannot be used as it is. ")
    assert "no values: 'nothing'" in message
    assert "3 missing values in 2 of 11 columns: 'b b', 'd'" in message
    assert "the first in row 3, counted from 0, of 'd'" in message
    assert "constant: 'plate'" in message
    command = re.search(r"Run: (graphsieve .*?) \(or", message)[1]
    arguments = shlex.split(command)[1:]
    assert run(*arguments).exit_code == 0, command
    written = read_frame(tmp_path / "chosen.csv")
    expected = table.drop(columns=["plate", "nothing"])
    pd.testing.assert_frame_equal(written, expected)


@pytest.mark.parametrize("name", ["my, text", "-text", " text", "it's", "te\x1bxt"])
def test_the_command_works_for_awkward_names(select, frame, run, tmp_path, name):
    path = save(frame.assign(**{name: None}), tmp_path / "data.parquet")
    message = run("select", path, "-k", 1, *VARIANCE).stderr
    command = re.search(r"Run: (graphsieve .*)", message)[1]
    assert run(*shlex.split(command)[1:]).exit_code == 0, command


@pytest.mark.parametrize("strategy", ["median", "mean"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_impute(select, frame, tmp_path, strategy, suffix):
    frame.loc[[3, 7], "d"] = np.nan
    frame["flag"] = pd.array([True, None, *[False] * 18], dtype="boolean")
    scores = tmp_path / "scores.csv"
    written, result = select(frame, "--impute", strategy, "--scores", scores, suffix=suffix)
    assert result.exit_code == 0, result.output
    assert f"3 missing values filled with the {strategy} of the column" in result.stderr
    numbers = frame.astype(float)
    expected = Variance().fit(numbers.fillna(getattr(numbers, strategy)())).scores_
    found = pd.read_csv(scores).set_index("feature")["score"][frame.columns]
    np.testing.assert_allclose(found, expected)
    # The gaps are still there.
    assert written["d"].isna().sum() == 2


def test_drop_rows(select, frame):
    frame.loc[[3, 7], "d"] = np.nan
    frame["note"] = [None] * 10 + ["x"] * 10
    written, result = select(frame, "--drop-rows", "--keep", "note")
    assert "2 incomplete rows of 20 left out" in result.stderr
    pd.testing.assert_frame_equal(
        written[list("adef")], frame[list("adef")].drop([3, 7]).reset_index(drop=True)
    )
    frame["d"] = np.where(np.arange(20) % 2, np.nan, 1.5)
    frame["e"] = np.where(np.arange(20) % 2, 1.5, np.nan)
    _, result = select(frame, "--drop-rows", "--keep", "note")
    assert "--drop-rows leaves no rows" in result.stderr


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".zarr"])
def test_gaps_in_arrays(run, frame, tmp_path, suffix):
    frame.iloc[3, 2] = np.nan
    path = save(frame, tmp_path / f"data{suffix}")
    message = run("select", path, "-k", 1, *REFUSING).stderr
    assert "--impute median (or use --drop-rows" in message
    command = re.search(r"Run: (graphsieve .*?) \(or", message)[1]
    assert run(*shlex.split(command)[1:]).exit_code == 0
    result = run("select", path, "-k", 1, "--drop-rows", *REFUSING)
    assert "(19 rows)" in result.stdout


def test_an_empty_column_of_an_array_moves_no_names(run, frame, tmp_path):
    frame = frame.assign(a=np.nan)
    path, scores = save(frame, tmp_path / "data.npy"), tmp_path / "scores.csv"
    result = run("select", path, "-k", 1, "--impute", "median", "--scores", scores, *VARIANCE)
    assert result.exit_code == 0, result.output
    assert pd.read_csv(scores)["feature"].tolist() == ["x4", "x2", "x1", "x3", "x5", "x0"]


def test_onehot_selects_whole_columns(select, frame, tmp_path):
    frame["site"] = ["a", "b", "c", "c", "b"] * 4
    frame["sex"] = ["f", "m"] * 10
    scores = tmp_path / "scores.csv"
    written, result = select(frame * 1, "--encode", "onehot", "--scores", scores, k=7)
    assert result.exit_code == 0, result.output
    assert "2 text columns encoded as 4 indicators" in result.stderr
    assert "Kept 7 of 8 columns" in result.stdout
    ranking = pd.read_csv(scores)
    assert ranking["feature"].tolist() == ["e", "c[red]", "b b", "a", "d", "f", "sex", "site"]
    assert ranking["kept"].tolist() == [True] * 7 + [False]
    assert ranking["rank"].tolist() == list(range(1, 9))
    assert written["sex"].tolist() == frame["sex"].tolist()
    _, result = select(frame, "--encode", "onehot", k="auto")
    assert result.exit_code == 0


def test_text_with_too_many_values_is_not_encoded(select):
    frame = pd.DataFrame({"x": np.arange(300) / 7, "word": [f"w{i % 150}" for i in range(300)]})
    _, result = select(frame, "--encode", "onehot")
    assert "text with more than 100 different values: 'word'" in result.stderr
    assert "carried to the output\n" in result.stderr


def test_a_word_among_numbers_is_named(select, frame):
    frame["a"] = frame["a"].astype(object)
    frame.loc[3, "a"] = "oops"
    _, result = select(frame)
    assert "text among numbers: 'a' ('a' holds 'oops')" in result.stderr
    assert result.stderr.rstrip().endswith("--na oops")
    written, result = select(frame, "--na", "oops")
    assert written["a"].isna().sum() == 1


def test_decimal_points_and_commas_in_one_column(select):
    frame = pd.DataFrame({"x": ["1,5", "2.5", "1,5"], "y": [1.5, 2.5, 3.5]})
    written, result = select(frame)
    assert written["x"].tolist() == [1.5, 2.5, 1.5]
    assert "read as numbers: 'x' (1,5 = 1.5)" in result.stderr


def test_constant_columns_are_mentioned(select, frame):
    _, result = select(frame.assign(c=1))
    assert result.exit_code == 0
    assert result.stderr == "constant, and therefore ranked last: 'c'\n"


def test_arrays_hold_numbers_only(run, frame, tmp_path):
    path = save(frame.assign(name=[f"s{i}" for i in range(20)], n=range(20)), tmp_path / "data.csv")
    result = run("select", path, "-k", 2, "-o", tmp_path / "chosen.npy", *VARIANCE)
    assert "chosen.npy holds numbers only, without 'name'; write .csv or .parquet" in result.stderr
    assert np.load(tmp_path / "chosen.npy").shape == (20, 3)


def test_many_columns_are_counted(select, frame):
    texts = pd.DataFrame({f"t{j}": ["x", "y"] * 10 for j in range(300)})
    written, result = select(pd.concat([frame, texts], axis=1), k=1)
    assert "'t9' and 290 more: not selected from" in result.stderr
    assert len(result.stderr) < 500
    assert written.shape == (20, 301)
    _, result = select(texts)
    assert result.exit_code == 1
    assert "the first lines of the file, or add --encode onehot" in result.stderr


def test_gaps_by_other_names(select, frame):
    _, result = select(frame.assign(a=frame["a"].astype(str).where(frame.index > 2, "?")))
    assert "missing where it says '?'" in result.stderr
    assert "3 missing values, which the method accepts" in result.stderr
    frame["f"] = np.where(frame.index > 2, frame["f"], -999)
    written, _ = select(frame, "--na", "-999,x")
    assert written["f"].isna().sum() == 3


def test_dates_that_identify_rows_are_called_dates(select, frame):
    frame["day"] = pd.date_range("2020-01-01", periods=len(frame)).strftime("%Y-%m-%d")
    _, result = select(frame)
    assert "'day' (dates that all differ): not selected from" in result.stderr


def test_numbers_with_thousands_separators_are_no_id(select, frame):
    frame["price"] = [f"{i + 1}.{100 + 7 * i},5" for i in range(len(frame))]
    written, result = select(frame)
    assert written["price"].tolist() == [1000 * (i + 1) + 100.5 + 7 * i for i in range(20)]
    assert "read as numbers: 'price' (1.100,5 = 1100.5)" in result.stderr


def test_infinite_values_come_in_the_one_message(select, frame):
    frame.loc[3, "d"] = np.inf
    frame["city"] = ["Oslo", "Rome"] * (len(frame) // 2)
    _, result = select(frame)
    assert "infinite values: 'd' (the first in row 3" in result.stderr
    assert "--impute median (or use --drop-rows" in result.stderr
    written, result = select(frame.drop(columns="city"), "--impute", "median")
    assert "1 missing value filled with the median" in result.stderr
    assert np.isinf(written["d"][3])
    written, _ = select(frame, "--drop-rows")
    assert len(written) == 19


def test_a_single_row_is_refused_in_one_line(select, frame):
    _, result = select(frame.head(1))
    assert result.stderr.count("\n") == 1
    assert "data.csv has a single row" in result.stderr


@pytest.mark.parametrize("option", ["--batch", "--group-by"])
def test_a_misspelt_batch_is_named_as_it_was_given(select, frame, option):
    _, result = select(frame, option, "plaet")
    assert f"{option}: there is no column 'plaet'" in result.stderr


def test_percentages(select, frame):
    share = [f"{3 * value}.5%" for value in range(len(frame))]
    written, result = select(frame.assign(share=share))
    assert written["share"].tolist() == [3 * value + 0.5 for value in range(len(frame))]
    assert "'share' (0.5% = 0.5)" in result.stderr
    share = [cell.rstrip("%") if j % 3 == 0 else cell for j, cell in enumerate(share)]
    _, result = select(frame.assign(share=share))
    assert "text among numbers: 'share'" in result.stderr
    assert result.stderr.rstrip().endswith("--percent")
    written, _ = select(frame.assign(share=share), "--percent", k=1)
    assert written.columns.tolist() == ["share"]


def test_carried_amounts_are_as_in_the_file(select, frame):
    frame["price"] = [f"${i + 1},{100 + 7 * i}" for i in range(len(frame))]
    written, _ = select(frame, "--keep", "price", k=1)
    assert written["price"].tolist() == frame["price"].tolist()


def test_ordered_answers(select, frame):
    words = ["never", "rarely", "Sometimes", "often"] * 5
    frame = frame.assign(q1=words, q2=["1 - no", "2 - some", "3 - yes", "2 - some"] * 5)
    frame["age"] = ["<18", "18-24", "25-34", "65+"] * 5
    frame.loc[3, "q1"] = None
    _, result = select(frame)
    assert "ordered answers: 'q1', 'q2', 'age': not selected from" in result.stderr
    assert "--encode ordinal" in result.stderr
    written, result = select(frame, "--encode", "ordinal", "--impute", "median")
    assert result.exit_code == 0, result.output
    assert "3 ordered columns encoded as ranks" in result.stderr
    assert written["q1"][:3].tolist() == words[:3]
    _, result = select(frame.drop(columns="q1"), "--encode", "ordinal", k=1)
    # Ranks from 0 to 3 vary less than the widest columns of the frame.
    assert " e " in result.stdout


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d %H:%M"])
def test_dates(select, frame, form):
    days = pd.date_range("2020-01-05", periods=10, freq="31D3h").repeat(2)
    frame = frame.assign(day=days.strftime(form))
    written, result = select(frame)
    assert "dates: 'day': not selected from" in result.stderr
    assert written["day"].tolist() == frame["day"].tolist()
    written, result = select(frame, "--encode", "dates", k=1)
    assert result.exit_code == 0, result.output
    assert "1 date column encoded as" in result.stderr
    assert written.columns.tolist() == ["day"]


def test_unknown_encoding(select, frame):
    _, result = select(frame, "--encode", "onehot,likert")
    assert "--encode: 'likert' is not one of onehot, ordinal, dates" in result.stderr
