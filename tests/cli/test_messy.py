"""Tables as people have them: read right, or by the command that the message suggests."""

import os
import re
import shlex
import subprocess
import sys

import numpy as np
import openpyxl
import pandas as pd
import pytest

from graphsieve.cli.io.files import read_table
from graphsieve.cli.options import Reading

CSS = ("-m", "css")
N = 40


@pytest.fixture
def numbers():
    """Four columns of two groups, and no two equal cells."""
    rng = np.random.default_rng(0)
    two = rng.normal(size=(N, 2))
    X = np.c_[two, two @ [[1, 0.5], [0.2, 1]]] + 0.05 * rng.normal(size=(N, 4))
    return pd.DataFrame((2000 * X).round(2), columns=["height", "weight", "price", "growth"])


@pytest.fixture
def select(run, tmp_path):
    """select(path, *options) -> (frame of all columns, result) of the first command that works."""

    def check(path, *options):
        out = tmp_path / "out.parquet"
        result = run("select", path, "-k", "100%", "-o", out, "--force", *CSS, *options)
        if result.exit_code:
            result = run(*suggested(result.stderr))
        assert result.exit_code == 0, result.output
        return pd.read_parquet(out), result

    return check


def suggested(message):
    """The arguments of the command in a message."""
    command = re.search(r"Run: graphsieve (.*?)(?: \(or use .*)?$", message.rstrip())[1]
    return shlex.split(command)


def text(frame, sep=","):
    return frame.to_csv(index=False, sep=sep)


def write(path, content):
    path.write_text(content, "utf-8")
    return path


def workbook(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def rows_of(frame):
    return [list(frame.columns), *frame.to_numpy().tolist()]


def same(found, expected):
    pd.testing.assert_frame_equal(found[list(expected)], expected, check_dtype=False)


TITLES = [
    "Sales report 2024\n\n",
    "Sales report 2024,,,\n,,,\n",
    "Sales report 2024\nRegion: north, south\nMade by hand\n",
    "station,Oslo\nelevation,94\n\n",
    "A report, made by hand, of the sales, of 2024\n",
]


@pytest.mark.parametrize("title", TITLES)
def test_title_rows(select, numbers, tmp_path, title):
    found, result = select(write(tmp_path / "messy.csv", title + text(numbers)))
    same(found, numbers)
    assert "above the header left out ('" in result.stderr


def test_titles_with_another_separator(select, numbers, tmp_path):
    content = "Umsatz 2024\nStand: 1. Mai, vorläufig\n" + text(numbers, ";").replace(".", ",")
    found, result = select(write(tmp_path / "messy.csv", content))
    same(found, numbers)
    assert "2 lines above the header" in result.stderr


def test_title_rows_in_excel(select, numbers, tmp_path):
    rows = [["Sales report 2024"], [], ["north"], *rows_of(numbers)]
    found, result = select(workbook(tmp_path / "messy.xlsx", sales=rows))
    same(found, numbers)
    assert "2 rows above the header left out ('Sales report 2024')" in result.stderr
    found, result = select(tmp_path / "messy.xlsx", "--skip-rows", 3)
    same(found, numbers)
    assert not result.stderr


def test_skip_rows(run, select, numbers, tmp_path):
    """Where lines above the header are not recognised, the number of lines is in the message."""
    notes = "".join(f"note {j},x\n" for j in range(60))
    path = write(tmp_path / "messy.csv", notes + text(numbers))
    message = run("select", path, "-k", 2, *CSS).stderr
    option = re.search(r"add (--skip-rows \d+)", message)[1]
    assert option == "--skip-rows 60"
    same(select(path, *option.split())[0], numbers)
    path = write(tmp_path / "messy.csv", "words,,,\n" + text(numbers))
    assert "words" in select(path, "--skip-rows", 0, "--encode", "onehot")[0]


@pytest.mark.parametrize("units", ["mm,kg,EUR,%", "[mm],[kg],,", "metres,kilograms,-,percent"])
def test_units_row(select, numbers, tmp_path, units):
    header, _, rows = text(numbers).partition("\n")
    found, result = select(write(tmp_path / "messy.csv", f"{header}\n{units}\n{rows}"))
    same(found, numbers)
    assert "units below the header left out" in result.stderr
    first, *rest = rows_of(numbers)
    rows = [["Report"], first, units.split(","), *rest]
    found, result = select(workbook(tmp_path / "messy.xlsx", sales=rows))
    same(found, numbers)


@pytest.mark.parametrize(
    ("form", "sep"),
    [
        (lambda v: f"{v:,.2f}".replace(",", "_").replace(".", ",").replace("_", "."), ";"),
        (lambda v: f"{v:,.2f}".replace(",", "_").replace(".", ",").replace("_", "."), ","),
        (lambda v: f"{v:,.2f}".replace(",", "\u00a0").replace(".", ","), ";"),
        (lambda v: f"{v:,.2f}".replace(",", "'"), ";"),
        (lambda v: f"{v:,.2f}", ","),
        (lambda v: f"{v:,.2f}", "\t"),
        (lambda v: f"${v:,.2f}".replace("$-", "-$"), ","),
        (lambda v: f"${v:,.2f}" if v > 0 else f"(${-v:,.2f})", ","),
        (lambda v: f"{abs(v):,.2f}{'-' * (v < 0)}", ","),
        (lambda v: f"{v:,.2f} €".replace(",", "_").replace(".", ",").replace("_", "."), ";"),
        (lambda v: f"EUR {v:.2f}", ","),
        (lambda v: f"{v:.2f}%", ","),
        (lambda v: f"{v:.2f} %".replace(".", ","), ";"),
    ],
)
def test_amounts(select, numbers, tmp_path, form, sep):
    messy = numbers.assign(price=numbers["price"].map(form), growth=numbers["growth"].map(form))
    found, result = select(write(tmp_path / "messy.csv", text(messy, sep)))
    same(found, numbers)
    assert "read as numbers: 'price' (" in result.stderr
    found, _ = select(workbook(tmp_path / "messy.xlsx", sales=rows_of(messy)))
    same(found, numbers)


def european(value):
    return f"{value:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
def test_a_title_with_as_many_spaces_as_the_header(tmp_path, sep):
    rows = [["col 0", "col 1"], *[["12.5 %", "13 %"], ["11.5 %", "9.5 %"]] * 2]
    content = "Umsatz 2024\n" + "\n".join(map(sep.join, rows))
    table = read_table(write(tmp_path / "messy.csv", content), Reading())
    assert table.X["col 1"].tolist() == [13, 9.5] * 2


@pytest.mark.parametrize("sep", [";", "\t"])
@pytest.mark.parametrize("sign", ["{} €", "€ {}", "{}%", "{} %"])
@pytest.mark.parametrize("region", [True, False])
def test_european_amounts_in_all_columns(select, numbers, tmp_path, sep, sign, region):
    """A decimal comma, or a space, in all cells separates no columns."""
    messy = numbers.map(lambda v: sign.format(european(v)))
    if region:
        messy.insert(0, "region", ["Nord", "Süd"] * (N // 2))
    for suffix in (".csv", ".tsv"):
        found, result = select(write(tmp_path / f"messy{suffix}", text(messy, sep)))
        same(found, numbers)
        assert "decimal comma" in result.stderr
        assert "left out" not in result.stderr


@pytest.mark.parametrize("sep", [",", ";", "\t"])
@pytest.mark.parametrize("header", ["a,b,c", "a m,b m,c m"])
def test_spaces_in_cells(run, tmp_path, sep, header):
    cells = [["12.5 kg", "130.0 cm", "281.6 m"], ["9.5 kg", "131.5 cm", "1.5 m"]] * 2
    rows = [header.split(","), *cells]
    path = write(tmp_path / "units.csv", "\n".join(map(sep.join, rows)))
    assert read_table(path, Reading()).X.to_numpy().tolist() == cells
    rows = [header.split(","), *([f"USD {j}{k}" for k in range(3)] for j in range(4))]
    path = write(tmp_path / "amounts.csv", "\n".join(map(sep.join, rows)))
    assert read_table(path, Reading()).X.to_numpy().tolist()[1] == [10, 11, 12]
    rows = [header.split(","), ["52.1 13.4", "48.2 11.5", "50.9 6.9"]] * 2
    path = write(tmp_path / "pairs.csv", "\n".join(map(sep.join, rows)))
    assert list(read_table(path, Reading()).X) == rows[0]


@pytest.mark.parametrize(
    ("proof", "note"),
    [
        (["3,5", "2,1", "7,7", "1,2"], "decimal comma"),
        (["1,5 %", "2,5 %", "3 %", "-"], "decimal comma"),
        (["1.198,50 €", "2 €", "3 €", "4 €"], "decimal comma"),
        (["1.198.827", "980", "12.400", "1.640"], "decimal comma"),
        (["1", "2", "3", "5"], "decimal point (if it separates thousands, add --thousands .)"),
    ],
)
def test_dots_as_thousands(tmp_path, proof, note):
    """As thousands where other cells of the file show it, however far below."""
    few = ["1.250", "980", "12.400", "640"]
    cells = [["a", "b", "c"], *([cell, "7", cell] for cell in few * 50)]
    cells += zip(few, proof, few, strict=True)
    path = write(tmp_path / "messy.csv", "\n".join(map(";".join, cells)))
    book = workbook(tmp_path / "messy.xlsx", s=cells)
    scale = 1 if "point" in note else 1000
    for file in (path, book):
        table = read_table(file, Reading())
        expected = [1.25 * scale, 980, 12.4 * scale, 640]
        np.testing.assert_allclose(table.X["a"], expected * 51)
        assert note in table.notes
        assert scale == 1 or "'a' (1.250 = 1250)" in "; ".join(table.notes)
    np.testing.assert_allclose(
        read_table(path, Reading(thousands=".")).X["a"], [1250, 980, 12400, 640] * 51
    )


def test_decimals_stay_decimals(tmp_path):
    """Three decimals are no thousands where a number with others is in the file."""
    cells = [["a", "b"], ["1.250", "1,234"], ["2.375", "5,678"], ["0.500", "9,012"]]
    path = write(tmp_path / "messy.csv", "\n".join(map(";".join, cells)))
    assert read_table(path, Reading()).X["a"].tolist() == [1.25, 2.375, 0.5]


def test_amounts_in_other_currencies_are_not_missing(run, numbers, tmp_path):
    path = write(tmp_path / "messy.csv", text(numbers.assign(growth=["$1", "12 EUR"] * (N // 2))))
    message = run("select", path, "-k", 2, *CSS).stderr
    assert "text among numbers: 'growth'" in message
    assert "--na" not in message
    assert run(*suggested(message)).exit_code == 0


@pytest.mark.parametrize("mark", ["-", "n/a", "?", "N/A", "missing", ".", "#DIV/0!", "see note"])
def test_marks_of_missing_values(select, numbers, tmp_path, mark):
    expected = numbers.copy()
    expected.loc[[2, 7], "price"] = np.nan
    messy = numbers.astype(object)
    messy.loc[[2, 7], "price"] = mark
    for path in (
        write(tmp_path / "messy.csv", text(messy)),
        workbook(tmp_path / "messy.xlsx", sales=rows_of(messy)),
    ):
        same(select(path)[0], expected)


def test_two_sheets(select, numbers, tmp_path):
    cover = [["Annual report"], ["made in", 2024]]
    path = workbook(tmp_path / "messy.xlsx", about=cover, data=rows_of(numbers), more=[["a"], [1]])
    found, result = select(path)
    same(found, numbers)
    assert "sheet 'data' of 3 (choose another with --sheet)" in result.stderr
    same(select(path, "--sheet", "data")[0], numbers)


def test_infinities(select, numbers, tmp_path):
    """As in the features of tsfresh."""
    numbers.loc[3, "price"] = np.inf
    numbers.loc[5, "growth"] = -np.inf
    numbers.loc[6, "growth"] = np.nan
    found, result = select(write(tmp_path / "messy.csv", text(numbers)))
    same(found, numbers)
    assert "3 missing values filled" in result.stderr
    np.save(tmp_path / "messy.npy", numbers)
    _, result = select(tmp_path / "messy.npy")
    assert "3 missing values filled" in result.stderr


def test_words_and_dates_are_carried(select, numbers, tmp_path):
    answers = ["Disagree", "Neutral", "Agree", "Strongly agree"]
    messy = numbers.assign(
        region=["north", "south"] * (N // 2),
        answer=answers * (N // 4),
        day=np.repeat(pd.date_range("2024-01-28", periods=N // 2).strftime("%d.%m.%Y"), 2),
    )
    path = write(tmp_path / "messy.csv", text(messy))
    found, result = select(path)
    same(found, messy)
    assert "Kept 4 of 4 columns" in result.stdout
    option = re.search(r"(--encode \S+)", result.stderr)[1]
    assert option == "--encode onehot,ordinal,dates"
    found, result = select(path, *option.split())
    same(found, messy)
    assert "Kept 7 of 7 columns" in result.stdout


def test_long_and_foreign_names(select, numbers, tmp_path):
    names = ["Größe der Fläche, in m²", "温度", "x" * 300, "naïve 🙂 [μg]"]
    frame = numbers.set_axis(names, axis=1)
    found, result = select(write(tmp_path / "messy.csv", text(frame)))
    same(found, frame)
    assert "温度" in result.stdout
    found, _ = select(workbook(tmp_path / "messy.xlsx", sales=rows_of(frame)))
    same(found, frame)


LARGE = """
import re, sys, time
import sklearn.utils.validation, pandas, pyarrow.csv
from graphsieve.cli import selecting
from graphsieve.cli.app import app

def state():
    peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]
    return int(peak) / 1024, time.process_time()

def read(*arguments, read=selecting.read):
    before = state()
    table = read(*arguments)
    print("read:", *(b - a for a, b in zip(before, state())), file=sys.stderr)
    return table

selecting.read = read
app(["select", *sys.argv[1:]], standalone_mode=False)
print("all:", *state(), file=sys.stderr)
"""


@pytest.fixture
def million(tmp_path):
    """20 columns, 160 MB as numbers: amounts, gaps and words are among them."""
    path, rng = tmp_path / "messy.csv", np.random.default_rng(0)
    part = pd.DataFrame(rng.normal(size=(50_000, 17)).round(4)).add_prefix("x")
    part["price"] = [f"${v:,.2f}" for v in rng.lognormal(8, 1, len(part))]
    part["gap"] = np.where(rng.random(len(part)) < 0.1, "-", part["x0"].round(2).astype(str))
    part["region"] = rng.choice(["north", "south"], len(part))
    header, _, rows = part.to_csv(index=False).partition("\n")
    with path.open("w") as file:
        file.write(header + "\n")
        for _ in range(20):
            file.write(rows)
    return path


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
def test_a_million_rows(million, tmp_path):
    """Reading takes at most three times the memory of the numbers, and little time."""
    command = [sys.executable, "-c", LARGE, million, "-k", "5", "-o", tmp_path / "out.csv"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "1,000,000 rows x 20 columns, read as numbers: 'price'" in done.stderr
    assert "Kept 5 of 19 columns" in done.stdout
    found = re.findall(r"(?:read|all): (\S+) (\S+)$", done.stderr, re.MULTILINE)
    (megabytes, seconds), (_, total) = (map(float, pair) for pair in found)
    assert megabytes < 3 * 160 + 100, found
    assert seconds < total / 2, found
    assert (tmp_path / "out.csv").read_bytes().count(b"\n") == 1_000_001


def spoiled(frame, kind):
    """A table with one thing that stops a run, or several."""
    frame = frame.astype(object)
    if "gap" in kind:
        frame.loc[4, "height"] = None
    if "infinite" in kind:
        frame.loc[5, "weight"] = np.inf
    if "empty" in kind:
        frame.insert(1, "my, notes", None)
    if "word" in kind:
        frame.loc[[6, 9], "price"] = "oops"
    if "percent" in kind:
        frame["growth"] = [f"{v}%" if j % 2 else v for j, v in enumerate(frame["growth"])]
    if "mixed" in kind:
        frame["growth"] = [f"${v}" if j % 2 else f"€{v}" for j, v in enumerate(frame["growth"])]
    if "constant" in kind:
        frame["plate"] = 4
    if "text" in kind:
        frame["region"] = ["north", "south"] * (N // 2)
    return frame


KINDS = ["gap", "infinite", "empty", "word", "percent", "mixed", "gap infinite text"]
KINDS += ["infinite word percent", "empty mixed infinite", "gap constant empty", "empty word text"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["css", "spec"])
@pytest.mark.parametrize("number", ["2", "all"])
def test_suggested_commands_work(run, numbers, tmp_path, kind, method, number):
    frame = spoiled(numbers, kind)
    path, out = write(tmp_path / "messy.csv", text(frame)), tmp_path / "out.csv"
    number = str(frame.shape[1]) if number == "all" else number
    result = run("select", path, "-k", number, "-m", method, "-o", out)
    if result.exit_code:
        result = run(*suggested(result.stderr))
    assert result.exit_code == 0, result.output
    written = pd.read_csv(out)
    if number != "2":
        # Numbers that were recognised are selected from, not removed.
        assert set(numbers) <= set(written)
    if method == "css":
        return
    result = run("select", path, "-k", "2", "-m", method, "--drop-rows")
    if result.exit_code:
        result = run(*suggested(result.stderr))
    assert result.exit_code == 0, result.output


def test_constant_columns_stay_in_tables_with_infinities(run, numbers, tmp_path):
    path, out = tmp_path / "messy.csv", tmp_path / "out.csv"
    write(path, text(spoiled(numbers, "infinite constant")))
    result = run("select", path, "-k", 5, "-o", out, *CSS)
    assert "constant:" not in result.stderr
    result = run(*suggested(result.stderr))
    assert "constant, and therefore ranked last: 'plate'" in result.stderr
    assert pd.read_csv(out).columns.tolist() == [*numbers, "plate"]


ANSWERS = ["strongly disagree", "disagree", "neutral", "agree", "strongly agree"]


@pytest.mark.parametrize("answers", [ANSWERS, ["yes", "no"], [*ANSWERS, None]])
@pytest.mark.parametrize("method", ["css", "spec"])
@pytest.mark.parametrize("n_numbers", [0, 1])
def test_answers_alone(run, numbers, tmp_path, answers, method, n_numbers):
    rng, out = np.random.default_rng(0), tmp_path / "out.csv"
    frame = pd.DataFrame({f"q{j}": rng.choice(answers, N) for j in range(4)})
    frame = pd.concat([numbers.iloc[:, :n_numbers], frame], axis=1)
    path = write(tmp_path / "messy.csv", text(frame))
    for number in (2, 9):
        result = run("select", path, "-k", number, "-m", method, "-o", out, "--force")
        arguments = suggested(result.stderr)
        assert arguments[arguments.index("--encode") + 1] == "ordinal"
        assert arguments.count("-k") == 1
        result = run(*arguments)
        assert result.exit_code == 0, result.output
        assert pd.read_csv(out).shape == (N, min(number, frame.shape[1]))


@pytest.mark.parametrize("word", ["Total", "Summe", "GESAMT:"])
def test_a_row_of_totals(run, numbers, tmp_path, word):
    numbers, out = numbers.abs(), tmp_path / "out.csv"
    totals = numbers.sum().round(2).to_frame().T
    frame = pd.concat([numbers, totals], ignore_index=True).astype(object)
    frame.iloc[-1, 0] = word
    path = write(tmp_path / "messy.csv", text(frame))
    result = run("select", path, "-k", 4, "-m", "spec", "-o", out)
    assert f"the last row looks like totals ({word!r}). Run:" in result.stderr
    result = run(*suggested(result.stderr))
    same(pd.read_csv(out), numbers)
    frame.insert(0, "shop", [*(f"s{i}" for i in range(N)), word])
    frame.iloc[-1, 1] = totals.iloc[0, 0]
    result = run("select", write(path, text(frame)), "-k", 2, *CSS)
    assert f"the last row looks like totals ({word!r})" in result.stderr
    frame.iloc[-1, 1:] = frame.iloc[0, 1:]
    result = run("select", write(path, text(frame)), "-k", 2, *CSS)
    assert "totals" not in result.stderr


def test_amounts_in_several_currencies(run, numbers, tmp_path):
    """No option reads them, so none is suggested, and nothing that has failed already."""
    mixed = pd.DataFrame({name: [f"{'$€'[j % 2]}{j}" for j in range(N)] for name in "abc"})
    path = write(tmp_path / "messy.csv", text(mixed))
    for options in ([], ["--encode", "onehot"]):
        message = run("select", path, "-k", 2, *options).stderr
        assert "write the numbers in one way (such as one currency)" in message
        assert "onehot" not in message
        assert "Run:" not in message
    path = write(tmp_path / "messy.csv", text(numbers.assign(a=mixed["a"])))
    message = run("select", path, "-k", 2).stderr
    assert "To select from 'a', write the numbers in one way (such as one currency)" in message
    assert run(*suggested(message)).exit_code == 0


@pytest.mark.parametrize("suffix", [".npy", ".parquet", ".xlsx"])
@pytest.mark.parametrize("kind", ["gap", "infinite", "gap infinite"])
def test_suggested_commands_work_in_other_formats(run, numbers, tmp_path, suffix, kind):
    frame, path = spoiled(numbers, kind).astype(float), tmp_path / f"messy{suffix}"
    if suffix == ".npy":
        np.save(path, frame)
    elif suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame = frame.astype(object).where(np.isfinite(frame), "#DIV/0!")
        frame.to_excel(path, index=False)
    for method in ("css", "spec"):
        result = run("select", path, "-k", 2, "-m", method)
        if result.exit_code:
            result = run(*suggested(result.stderr))
        assert result.exit_code == 0, result.output


HEADER, _, ROWS = "a,b,c\n1.5,2,3\n2.5,7,1\n3,1,9\n".partition("\n")


@pytest.mark.parametrize(
    ("content", "option"),
    [
        ("a,b\nr1,1.5,2\nr2,2.5,7\nr3,1,9\n", "--index"),
        ("1.5,2,3\n2.5,7,1\n3,1,9\n", "--no-header"),
        ((HEADER + "\n" + ROWS).encode("utf-16-le"), "--encoding utf-16-le"),
        ((HEADER + "\n" + ROWS).encode("utf-16-be"), "--encoding utf-16-be"),
        ("a;b\n1,234;5\n2,345;6\n3,456;9\n", "--thousands comma"),
        ("a,b,c\n1.5,x,3\n2.5,y,1\n3,x,9\n", "--encode onehot"),
        ("a,b,c\n1.5,never,3\n2.5,often,1\n3,never,9\n", "--encode ordinal"),
        ("a,id\n1.5,x\n2.5,y\n3,z\n", "--drop id"),
        ("a,b,id\n1.5,2,41\n2.5,3,17\n3,7,90\n" + "3,1,{}\n" * 9, "--no-ids"),
        ("a,b\n1.5,2\n2.5,\n3,7\n", "--impute median"),
        ("a,b\n1.5,2\n2.5,\n3,7\n", "--drop-rows"),
    ],
)
def test_options_in_notes_work(run, tmp_path, content, option):
    """What a line on stderr says about another way of reading is what that option does."""
    path = tmp_path / "messy.csv"
    if isinstance(content, str):
        content = "".join(c if c != "{" else str(j) for j, c in enumerate(content) if c != "}")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    command = ("select", path, "-k", 1, "-m", "css")
    first = run(*command)
    assert option in first.stderr
    second = run(*command, *option.split())
    assert second.exit_code == 0, second.output
    assert option not in second.stderr


def test_arrays_and_sheets_in_messages_can_be_chosen(run, numbers, tmp_path):
    np.savez(tmp_path / "two.npz", train=numbers, test=numbers)
    message = run("select", tmp_path / "two.npz", "-k", 1, *CSS).stderr
    assert "train (40 x 4), test (40 x 4). Choose one with --key NAME" in message
    assert run("select", tmp_path / "two.npz", "-k", 1, "--key", "train", *CSS).exit_code == 0
    path = workbook(tmp_path / "two.xlsx", a=rows_of(numbers), b=rows_of(numbers))
    assert (
        "choose one with --sheet: 'a', 'b'" in run("select", path, "-k", 1, "--sheet", "c").stderr
    )
    assert run("select", path, "-k", 1, "--sheet", "b", *CSS).exit_code == 0


def test_carried_text_that_looks_like_numbers_is_written_as_it_was(run, tmp_path):
    rows = [f"7{i % 9}E{i % 8 + 1},+4974{i:04d},{i % 7}.5,{i * i % 13}.5" for i in range(10, 40)]
    text = "\n".join(["art,phone,a,b", *rows]) + "\n"
    (tmp_path / "data.csv").write_text(text)
    written = tmp_path / "out.csv"
    result = run("select", tmp_path / "data.csv", "-k", 2, "--keep", "art,phone", "-o", written)
    assert result.exit_code == 0, result.output
    assert written.read_text() == text


def test_gaps_of_a_single_column_are_rows(run, tmp_path):
    path, written = tmp_path / "data.csv", tmp_path / "out.csv"
    path.write_text("a,b\n" + "".join(f"{i * 7 % 11},{i}\n" if i % 4 else ",\n" for i in range(24)))
    result = run("select", path, "-k", 1, "--drop", "b", "-o", written)
    assert result.exit_code == 0, result.output
    assert len(pd.read_csv(written)) == 24
    assert "(24 rows)" in run("select", written, "-k", 1).stdout


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_amounts_in_typed_files(run, tmp_path, suffix):
    amounts = ["1.234,50 €", "99,00 €", "12,30 €", "2.000,10 €"] * 6
    frame = pd.DataFrame({"amount": amounts, "zip": ["00123", "10456"] * 12})
    frame["x"] = np.random.default_rng(0).normal(size=24)
    path, written = tmp_path / f"data{suffix}", tmp_path / "out.parquet"
    if suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    result = run("select", path, "-k", 2, "--keep", "zip", "-o", written)
    assert "read as numbers: 'amount' (1.234,50 € = 1234.5)" in result.stderr
    found = pd.read_parquet(written)
    assert found["amount"].tolist() == [1234.5, 99.0, 12.3, 2000.1] * 6
    assert found["zip"].tolist() == frame["zip"].tolist()
