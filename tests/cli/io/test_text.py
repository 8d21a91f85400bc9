"""Text files as people have them: read with a line that says what was assumed, or refused."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest

from graphsieve.cli.io.files import read_table
from graphsieve.cli.options import Reading
from tests.cli.conftest import load, read_frame, save

VARIANCE = ("--method", "variance")
ROWS = ["a,b,c", "1.5,2.25,9.5", "2.5,1.25,-9.5", "1.5,2.75,3.5", "0.5,2.5,0.25"]
NAMED_BY_COMMENT = "names from the line that starts with #"
PLAIN = "\n".join(ROWS) + "\n"
X = np.array([[float(cell) for cell in row.split(",")] for row in ROWS[1:]])


@pytest.fixture
def selected(run, tmp_path):
    """selected(bytes or text, *options, name=...) -> (array, names, stderr) of all columns."""

    def check(content, *options, name="data.csv"):
        path, chosen = tmp_path / name, tmp_path / "chosen.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        result = run("select", path, "-k", "100%", "-o", chosen, "--force", *VARIANCE, *options)
        assert result.exit_code == 0, result.output
        return *load(chosen), result.stderr

    return check


@pytest.fixture
def refused(run, tmp_path):
    """refused(bytes or text, *options) -> the one line that says why."""

    def check(content, *options, name="data.csv"):
        path, chosen = tmp_path / name, tmp_path / "chosen.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        result = run("select", path, "-k", "100%", "-o", chosen, *VARIANCE, *options)
        assert result.exit_code == 1, result.output
        assert not chosen.exists()
        assert len(result.stderr.splitlines()) == 1
        return result.stderr

    return check


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (PLAIN, ""),
        ("\ufeff" + PLAIN, ""),
        (PLAIN.replace("\n", "\r\n"), ""),
        (PLAIN.rstrip("\n"), ""),
        ("\n\n" + PLAIN + "\n\n", ""),
        (PLAIN.replace(",", ", "), ""),
        (PLAIN.replace(",", ";"), "separated by semicolons"),
        (PLAIN.replace(",", "\t"), "separated by tabs"),
        (PLAIN.replace(",", "|"), "separated by pipes"),
        (PLAIN.replace(",", "  "), "separated by spaces"),
        (PLAIN.replace(",", ";").replace(".", ","), "separated by semicolons; decimal comma"),
        ("# made by hand\n#\n" + PLAIN, "2 comment lines skipped"),
        ("#" + PLAIN, NAMED_BY_COMMENT),
        ("# made by hand\n# " + PLAIN, f"{NAMED_BY_COMMENT}; 1 comment line skipped"),
        (PLAIN + "# the end\n", "1 comment line between the rows skipped"),
        (PLAIN.encode("utf-16"), "encoding UTF-16"),
        (gzip.compress(PLAIN.encode(), mtime=0), ""),
        (PLAIN.replace("\n", ",\n"), ""),
        ('"a","b","c"\n' + PLAIN.partition("\n")[2], ""),
    ],
)
def test_layouts_are_found(selected, content, note):
    values, names, message = selected(content)
    assert [name.strip() for name in names] == ["a", "b", "c"]
    np.testing.assert_array_equal(values, X)
    assert message == (f"Reading data.csv: 4 rows x 3 columns, {note}\n" if note else "")


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (PLAIN.replace(",", "~"), ("--sep", "~")),
        (PLAIN.replace(",", "\t"), ("--sep", "\\t")),
        (PLAIN.replace(",", " "), ("--sep", "space")),
        (PLAIN.replace(",", ";").replace(".", ","), ("--sep", ";", "--decimal", ",")),
        (PLAIN.encode("utf-16-le"), ("--encoding", "utf-16-le")),
    ],
)
def test_options_say_what_is_not_found(selected, content, options):
    values, names, message = selected(content, *options)
    assert names == ["a", "b", "c"]
    np.testing.assert_array_equal(values, X)
    assert not message


def test_other_encodings(selected, refused, tmp_path):
    content = PLAIN.replace("a,b", "größe,naïve")
    assert selected(content)[1] == ["größe", "naïve", "c"]
    _, names, message = selected(content.encode("cp1252"))
    assert names == ["größe", "naïve", "c"]
    assert "encoding cp1252, because it is not UTF-8" in message
    russian = PLAIN.replace("a,b", "вес,рост").encode("koi8-r")
    assert selected(russian, "--encoding", "koi8-r")[1] == ["вес", "рост", "c"]
    (tmp_path / "chosen.csv").unlink()
    message = refused(content.encode("cp1252"), "--encoding", "utf-8")
    assert "not encoded in utf-8; give another --encoding" in message


def test_a_header_shorter_than_its_rows(selected, refused):
    content = "a,b\nr1,1.5,2.5\nr2,2.5,0.5\n"
    message = refused(content)
    assert "2 names in its header and 3 values in its rows" in message
    assert "add --index" in message
    values, names, message = selected(content, "--index")
    assert names == ["Unnamed: 0", "a", "b"]
    assert values.tolist() == [["r1", 1.5, 2.5], ["r2", 2.5, 0.5]]
    assert "'Unnamed: 0' (row names)" in message
    # R's write.table separates by spaces and leaves out the name of the first column.
    content = '"a" "b"\n"1" 1.5 2.5\n"2" 2.5 0.5\n'
    assert selected(content, "--index", name="data.txt")[1] == names
    content = content.replace(".", ",").replace('"1"', '"north"')
    values, found, _ = selected(content, "--index", name="data.txt")
    assert found == names
    assert values.tolist() == [["north", 1.5, 2.5], ["2", 2.5, 0.5]]


@pytest.mark.parametrize("header", ["5.1,3.5,1.5", "1,2,3", "42,31,25", '"5,1","3,5","9,25"'])
@pytest.mark.parametrize("suffix", [".csv", ".xlsx"])
def test_a_header_that_may_be_data(tmp_path, header, suffix):
    path, rows = tmp_path / f"data{suffix}", f"{header}\n2,4,1\n3,3,9\n5,1,2\n"
    if suffix == ".csv":
        path.write_text(rows)
    else:
        pd.read_csv(io.StringIO(rows), header=None).to_excel(path, index=False, header=False)
    notes = read_table(path, Reading()).notes
    assert any("only numbers (if it is data, add --no-header)" in note for note in notes)
    assert len(read_table(path, Reading(no_header=True))) == 4


def test_positions_as_names(tmp_path):
    """As pandas writes a frame without names."""
    for index in (True, False):
        path = tmp_path / "data.csv"
        pd.DataFrame(X).to_csv(path, index=index)
        assert not read_table(path, Reading()).notes


def test_index_column(selected):
    values, names, message = selected("gene,a,b\n3,1.5,2.5\n3,2.5,0.5\n", "--index")
    assert names == ["gene", "a", "b"]
    assert values[:, 0].tolist() == [3, 3]
    assert "'gene' (row names)" in message


def test_duplicate_and_empty_names(selected):
    _, names, message = selected("a,a,b,\n1.5,2.5,3.5,0.5\n2.5,1.5,0.5,9.5\n")
    assert names == ["a", "a.1", "b", "Unnamed: 3"]
    assert "duplicate names 'a' renamed to 'a.1'" in message


def test_transpose(selected, refused, tmp_path):
    content = "gene,s1,s2,s3\ng1,1.5,2.5,0.5\ng2,4.5,9.5,7.5\n"
    values, names, _ = selected(content, "--transpose")
    assert names == ["gene", "g1", "g2"]
    assert values.tolist() == [["s1", 1.5, 4.5], ["s2", 2.5, 9.5], ["s3", 0.5, 7.5]]
    values, names, _ = selected("1.5,2.5\n3.5,4.5\n", "--transpose", "--no-header")
    assert names == ["sample", "x0", "x1"]
    assert values[:, 1:].tolist() == [[1.5, 3.5], [2.5, 4.5]]
    (tmp_path / "chosen.csv").unlink()
    assert "cannot be transposed: not numeric: 'about'" in refused(
        "gene,s1,about\ng1,1.5,x\ng2,4.5,y\n", "--transpose"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3,4,5\n", "line 3 has 3 values where the table has 2 columns"),
        ("a,b,c\n1,2,3\n3,4\n" + "1,2,3\n" * 300, "line 3 has 2 values"),
        ("# x\na,b,c\n" + "1,2,3\n" * 300 + "3,4\n", "line 303 has 2 values"),
        ("a~b\n1~2\n1~2\n", "text: 'a~b' ('a~b' holds '1~2')"),
        ("a~b\n1~2\n3~4\n", "give their separator with --sep"),
        ("a;b\n1;2;3;4\n", "has a single column, 'a;b'"),
        (b"a,b\n1,\x00\n", "holds NUL bytes and is not text"),
        ("a,b\n,\n,\n", "holds a header and no values"),
        ("a,b\n\n", "holds a header and no rows"),
    ],
)
def test_what_is_refused(refused, content, message):
    assert message in refused(content)


def test_types_that_change_far_into_the_file(selected):
    rows = "1,2.5,x1\n" * 30_000 + "1.5,3,x2\n"
    values, _, _ = selected("a,b,c\n" + rows, "--drop", "c")
    assert values[-1].tolist() == [1.5, 3.0]


@pytest.mark.parametrize("rest", ["1,2.5\n" * 200, "1,2.5\n" * 200 + "x,y\n"])
def test_hexadecimal_codes_are_text(tmp_path, rest):
    codes = ["0x119", "0X222", "0x4f"] * 70
    path, rows = tmp_path / "data.csv", zip(codes, rest.split(), strict=False)
    path.write_text("code,x,y\n" + "".join(f"{code},{row}\n" for code, row in rows))
    table = read_table(path, Reading())
    assert table.X["code"].tolist()[:200] == codes[:200]
    assert table.X["x"].iloc[0] in (1, "1")


def test_values_in_quotes(selected):
    text = 'a,b,"the\nnote"\n' + '1.5,2.5,"one, ""two""\nthree"\n2.5,0.5,x\n'
    values, names, _ = selected(text, "--keep", "2")
    assert names == ["a", "b", "the\nnote"]
    assert values[0, 2] == 'one, "two"\nthree'


def test_standard_input(run, tmp_path):
    chosen = tmp_path / "chosen.csv"
    options = ("-k", 2, "-o", chosen, "--force", *VARIANCE)
    result = run("select", "-", *options, stdin=PLAIN.replace(",", ";"))
    assert result.exit_code == 0, result.output
    assert "Reading standard input: 4 rows x 3 columns, separated by semicolons" in result.stderr
    assert "of standard input (4 rows)" in result.stdout
    np.testing.assert_array_equal(load(chosen)[0], X[:, [0, 2]])
    for content in (gzip.compress(PLAIN.encode()), '{"a": 1.5, "c": 2.5}\n{"a": 9.5, "c": 0}\n'):
        assert run("select", "-", *options, stdin=content).exit_code == 0
    assert run("select", "-", *options, stdin="").exit_code == 1


@pytest.mark.parametrize("name", ["chosen.csv.gz", "chosen.tsv.gz"])
def test_packed_output(run, csv, frame, tmp_path, name):
    result = run("select", csv, "-k", "100%", "-o", tmp_path / name, *VARIANCE)
    assert result.exit_code == 0, result.output
    plain = tmp_path / name.removesuffix(".gz")
    plain.write_bytes(gzip.decompress((tmp_path / name).read_bytes()))
    pd.testing.assert_frame_equal(read_frame(plain), frame)


def test_carried_values_are_written_as_they_were(selected, tmp_path):
    content = "code,when,n,x\n007,2020-01-02T00:00,4,1.5\n012,NA,,2.5\n100,2021-05-06T10:30,6,0.5\n"
    selected(content, "--keep", "code,when,n")
    assert (tmp_path / "chosen.csv").read_text() == content


@pytest.mark.slow
def test_wide_tables(tmp_path):
    """A line of half a megabyte, as genes have it."""
    values = np.random.default_rng(0).random((20, 30_000))
    frame = pd.DataFrame(values, columns=[f"gene{j}" for j in range(30_000)])
    path = save(frame, tmp_path / "data.csv")
    table = read_table(path, Reading())
    pd.testing.assert_frame_equal(table.X, frame)


def test_digits_survive(selected):
    """Numbers are read and written to the last digit."""
    values = np.random.default_rng(0).random((200, 3)) * 10.0 ** np.arange(-20, 40, 20)
    text = pd.DataFrame(values, columns=["a", "b", "c"]).to_csv(index=False)
    np.testing.assert_array_equal(selected(text)[0], values)
