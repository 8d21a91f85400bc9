"""graphsieve select: what it keeps, prints and writes."""

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from graphsieve import GraphSieve
from graphsieve._rows.memory import is_mapped
from graphsieve.cli.io.files import FORMATS, WRITABLE, read_table
from graphsieve.cli.options import Reading
from tests.cli.conftest import load, save

VARIANCE = ("--method", "variance")


@pytest.mark.slow
@pytest.mark.parametrize("target", sorted(WRITABLE))
@pytest.mark.parametrize("source", sorted(FORMATS))
def test_every_format_to_every_format(run, frame, tmp_path, source, target):
    path, chosen = save(frame, tmp_path / f"data{source}"), tmp_path / f"chosen{target}"
    result = run("select", path, "-k", 3, "-o", chosen, *VARIANCE)
    assert result.exit_code == 0, result.output
    X, names = load(chosen)
    expected = ["x1", "x2", "x4"] if source == ".npy" else ["b b", "c[red]", "e"]
    if source == ".h5ad" and not FORMATS[target].numbers_only and target != ".parquet":
        # The names of the rows come first; Parquet has a place of its own for them.
        assert names[0] == "obs_names"
        assert X[:2, 0].tolist() == ["cell0", "cell1"]
        X, names = X[:, 1:].astype(float), names[1:]
    # Excel keeps 16 digits.
    in_excel = ".xlsx" in (source, target)
    np.testing.assert_allclose(X, frame[["b b", "c[red]", "e"]], rtol=1e-15 * in_excel)
    if target != ".npy":
        assert names == expected
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([path.name, chosen.name])


@pytest.mark.parametrize("suffix", [".npz", ".mat"])
def test_sparse_stays_sparse(run, tmp_path, suffix):
    dense = np.where(np.arange(40).reshape(8, 5) % 3, 0, np.arange(40.0).reshape(8, 5))
    path, chosen = tmp_path / f"data{suffix}", tmp_path / "chosen.npz"
    if suffix == ".npz":
        sp.save_npz(path, sp.csc_array(dense))
    else:
        scipy.io.savemat(path, {"counts": sp.csc_matrix(dense), "Y": np.ones((8, 1))})
    result = run("select", path, "-k", 2, "-o", chosen, *VARIANCE)
    assert result.exit_code == 0, result.output
    kept = np.sort(np.argsort(-dense.var(axis=0), kind="stable")[:2])
    np.testing.assert_array_equal(sp.load_npz(chosen).toarray(), dense[:, kept])
    again = run("select", chosen, "-k", 1, "-o", tmp_path / "one.csv", *VARIANCE)
    assert again.exit_code == 0, again.output
    assert load(tmp_path / "one.csv")[1] == [f"x{np.argmax(dense.var(axis=0))}"]


def test_values_and_types_are_written_as_they_were(run, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "count": pd.array(rng.integers(0, 9, 30), dtype="Int64"),
            "flag": rng.random(30) < 0.5,
            "third": rng.random(30) / 3,
            "small": rng.random(30).astype(np.float32),
        }
    )
    path = tmp_path / "data.parquet"
    frame.to_parquet(path)
    assert run("select", path, "-k", "100%", "-o", tmp_path / "all.parquet").exit_code == 0
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "all.parquet"), frame)
    assert run("select", path, "-k", "100%", "-o", tmp_path / "all.csv").exit_code == 0
    assert run("select", path, "-k", "100%", "-o", tmp_path / "all.npy").exit_code == 0
    np.testing.assert_array_equal(load(tmp_path / "all.npy")[0], frame.astype(float))
    text = (tmp_path / "all.csv").read_text().splitlines()
    assert text[1].split(",")[:2] == [str(frame["count"][0]), str(frame["flag"][0])]


def test_same_answer_as_in_python(run, csv, frame, tmp_path):
    scores = tmp_path / "scores.csv"
    settings = ("--set", "n_neighbors=3", "--set", "scale=global", "--seed", 4, "--jobs", 1)
    result = run("select", csv, "-k", "50%", "--scores", scores, *settings)
    assert result.exit_code == 0, result.output
    fitted = GraphSieve(3, n_neighbors=3, scale="global", random_state=4, n_jobs=1).fit(frame)
    table = pd.read_csv(scores).set_index("feature").loc[frame.columns]
    np.testing.assert_allclose(table["score"], fitted.scores_)
    np.testing.assert_array_equal(table["rank"], fitted.ranking_)
    np.testing.assert_array_equal(table["kept"], fitted.get_support())


def test_scores_list_every_column_best_first(run, csv, tmp_path):
    scores = tmp_path / "scores.tsv"
    assert run("select", csv, "-k", 2, "--scores", scores, *VARIANCE).exit_code == 0
    table = pd.read_table(scores)
    assert table.columns.tolist() == ["feature", "score", "rank", "kept"]
    assert table["feature"].tolist() == ["e", "c[red]", "b b", "a", "d", "f"]
    assert table["rank"].tolist() == [1, 2, 3, 4, 5, 6]
    assert table["kept"].tolist() == [True, True, False, False, False, False]


def test_summary(run, csv):
    result = run("select", csv, "-k", 3, *VARIANCE)
    assert "Kept 3 of 6 columns of data.csv (20 rows) with variance" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[1] == ["rank", "column", "score", "adds", "stands", "for"]
    assert [line[:2] for line in lines[2:5]] == [["1", "e"], ["2", "c[red]"], ["3", "b"]]
    assert [line[2] for line in lines[2:4]] == ["13.26", "9.211"]


@pytest.fixture
def planted(tmp_path):
    """Groups of near-copies, in units and shapes of their own, and noise."""
    rng = np.random.default_rng(0)
    sizes = {"age": 5, "income": 4, "visits": 3, "debt": 2}
    columns = {}
    for name, size in sizes.items():
        factor = rng.normal(size=300)
        for j in range(size):
            copy = 10.0**j * (factor + 0.2 * rng.normal(size=300))
            columns[f"{name}{j}"] = np.exp(copy / 10.0**j) if name == "income" else copy
    columns["coin"] = rng.integers(0, 2, 300)
    return save(pd.DataFrame(columns), tmp_path / "planted.csv"), sizes


@pytest.mark.parametrize("method", ["sieve", "css"])
def test_one_column_of_every_group_with_what_it_adds_and_stands_for(run, planted, method):
    path, sizes = planted
    _, header, *lines = run("select", path, "-k", 4, "-m", method).stdout.splitlines()
    assert header.split() == ["rank", "column", "adds", "stands", "for"]
    added = {}
    for line in lines[:4]:
        _, column, adds, count, *names = line.split()
        group = column[:-1]
        added[group] = float(adds.removesuffix("%"))
        assert int(count.removesuffix(":")) == sizes[group] - 1
        assert len(names) == min(sizes[group] - 1, 4)
        assert all(name.startswith((group, "...")) for name in names)
    assert added.keys() == sizes.keys()
    # Every group adds about its part of the fifteen columns.
    assert all(abs(added[group] - 100 * size / 15) < 6 for group, size in sizes.items())
    total = float(lines[4].split()[3].removesuffix("%"))
    assert sum(added.values()) == pytest.approx(total, abs=0.21)
    assert lines[4].endswith("; worst explained: coin (0%).")


def test_columns_of_an_encoded_table_are_counted_once(run, planted):
    path, _ = planted
    frame = pd.read_csv(path)
    frame["region"] = np.where(
        frame["age0"] > 0.5, "north", np.where(frame["age0"] > -0.5, "a", "b")
    )
    save(frame, path)
    options = ("--encode", "onehot", "--include", "age0")
    lines = run("select", path, "-k", 4, "-m", "css", *options).stdout.splitlines()
    stands_for = next(line for line in lines if " age0 " in line).split(":")
    assert stands_for[0].endswith("5")


def test_names_alone(run, planted):
    path, _ = planted
    frame = run("select", path, "-k", 12, "--names", "-o", path.with_name("out.csv"))
    assert len(frame.stdout.splitlines()) == 12
    assert set(frame.stdout.splitlines()) == set(load(path.with_name("out.csv"))[1])
    assert "Written" in frame.stderr


def test_long_tables_are_whole_off_a_terminal_but_for_the_largest(run, tmp_path, monkeypatch):
    np.save(tmp_path / "wide.npy", np.random.default_rng(0).random((5, 80)))
    options = ("select", tmp_path / "wide.npy", "-k", 70, *VARIANCE)
    assert len(run(*options).stdout.splitlines()) == 2 + 70 + 3
    monkeypatch.setattr("graphsieve.inspection.coverage._ADDED_ENTRIES", 1e3)
    lines = run(*options).stdout.splitlines()
    assert len(lines) == 2 + 50 + 1 + 3
    assert lines[52] == "... and 20 more; --names lists them all"


@pytest.mark.parametrize(
    ("keep", "kept"), [("1", 1), ("6", 6), ("50%", 3), ("0.5", 3), ("100%", 6), ("1.0", 6)]
)
def test_how_many(run, csv, keep, kept):
    result = run("select", csv, "-k", keep, *VARIANCE)
    assert f"Kept {kept} of 6 columns" in result.stdout


def test_knee(run, csv):
    assert run("select", csv, "-k", "auto", *VARIANCE).exit_code == 0


@pytest.mark.parametrize(
    ("drop", "left"),
    [
        (["e,b b"], ["a", "c[red]", "d", "f"]),
        (["e", "--drop", "b b"], ["a", "c[red]", "d", "f"]),
        (["0,-1"], ["b b", "c[red]", "d", "e"]),
    ],
)
@pytest.mark.parametrize("source", [".csv", ".npz"])
def test_drop_by_name_and_position(run, frame, tmp_path, source, drop, left):
    path = save(frame, tmp_path / f"data{source}")
    chosen = tmp_path / "chosen.csv"
    assert run("select", path, "-k", "100%", "--drop", *drop, "-o", chosen).exit_code == 0
    assert load(chosen)[1] == left


def test_drop_takes_names_with_commas_and_numbers(run, tmp_path):
    frame = pd.DataFrame(np.eye(4), columns=["1", "x,y", "0", "z"])
    path = save(frame, tmp_path / "data.csv")
    chosen = tmp_path / "chosen.csv"
    drop = ("--drop", "x,y", "--drop", "0")
    assert run("select", path, "-k", "100%", *drop, "-o", chosen).exit_code == 0
    assert load(chosen)[1] == ["1", "z"]


def test_npy_is_never_read_whole(frame, tmp_path):
    table = read_table(save(frame, tmp_path / "data.npy"), Reading())
    assert is_mapped(table.X)
    assert is_mapped(table.take([1, 2, 3, 4]).X)
    assert is_mapped(table.take([0, 1, 3]).X.array)


def test_key_chooses_the_array(run, tmp_path):
    arrays = {"train": np.eye(4), "test": np.diag([1.0, 2.0, 9.0])}
    np.savez(tmp_path / "two.npz", **arrays)
    scipy.io.savemat(tmp_path / "two.mat", arrays)
    for name in ("two.npz", "two.mat"):
        result = run("select", tmp_path / name, "-k", 1, "--key", "test", *VARIANCE)
        assert "1  x2" in result.stdout, result.output


def test_no_header(run, tmp_path):
    path = tmp_path / "bare.csv"
    np.savetxt(path, np.diag([1.5, 9.25, 3.75]), delimiter=",")
    assert "--no-header" in run("select", path, "-k", 1, *VARIANCE).stderr
    result = run("select", path, "-k", 1, "--no-header", *VARIANCE)
    assert "(3 rows)" in result.stdout
    assert "1  x1" in result.stdout
    assert not result.stderr


@pytest.mark.parametrize("names", [["a", "b"], ["0", "1"]])
def test_ordinary_headers_give_no_warning(run, tmp_path, names):
    path = save(pd.DataFrame(np.eye(2), columns=names), tmp_path / "data.csv")
    assert not run("select", path, "-k", 1, *VARIANCE).stderr


def test_row_numbers_are_noticed_unless_they_are_dropped(run, tmp_path):
    path = tmp_path / "data.csv"
    pd.DataFrame(np.eye(3), columns=["a", "b", "c"]).to_csv(path)
    result = run("select", path, "-k", 1, *VARIANCE)
    assert "'Unnamed: 0' (no name): not selected from, but carried" in result.stderr
    assert "--no-header" not in result.stderr
    assert "of 3 columns" in result.stdout
    result = run("select", path, "-k", 1, "--drop", 0, *VARIANCE)
    assert "of 3 columns" in result.stdout
    assert not result.stderr


def test_a_rounded_loss_is_no_negative_zero(run, tmp_path):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(25, 2)) @ rng.normal(size=(2, 5)) + 0.1 * rng.normal(size=(25, 5))
    X = pd.DataFrame(np.hstack([X, rng.normal(size=(25, 5))])).add_prefix("c")
    output = run("select", save(X, tmp_path / "small.csv"), "-k", 7).stdout
    assert " 0.0%" in output
    assert "-0.0%" not in output


def test_warnings_are_short_lines(run, csv):
    settings = ("--set", "tol=1e-9", "--set", "n_neighbors=50", "--set", "max_iter=3")
    settings += ("--set", "elimination=None", "--set", "alpha=1e-9")
    result = run("select", csv, "-k", 2, "-m", "gafs", *settings)
    assert result.exit_code == 0
    lines = result.stderr.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("Warning: ") for line in lines)
    assert "(n_neighbors=19)" in result.stderr
    assert "it reached max_iter" in result.stderr


def test_force_overwrites(run, csv, tmp_path):
    chosen = tmp_path / "chosen.csv"
    chosen.write_text("old")
    assert run("select", csv, "-k", 1, "-o", chosen, "--force", *VARIANCE).exit_code == 0
    assert load(chosen)[1] == ["e"]


def test_a_link_stays_a_link(run, csv, tmp_path):
    (tmp_path / "store").mkdir()
    target, link = tmp_path / "store" / "real.csv", tmp_path / "link.csv"
    target.write_text("old")
    link.symlink_to(target)
    assert run("select", csv, "-k", 1, "-o", link, "--force", *VARIANCE).exit_code == 0
    assert link.is_symlink()
    assert load(target)[1] == ["e"]


def test_real_data(run, real_data, tmp_path):
    chosen = tmp_path / "isolet.parquet"
    result = run("select", real_data / "Isolet.mat", "-k", "2%", "-o", chosen, *VARIANCE)
    assert result.exit_code == 0, result.output
    assert load(chosen)[0].shape == (1560, 12)


def test_counts_are_shown_in_full(run, tmp_path):
    path = tmp_path / "wide.npy"
    np.save(path, np.random.default_rng(0).random((12, 12_000)))
    first = run("select", path, "-k", 2, "--method", "css").stdout.splitlines()[0]
    assert first.startswith("Kept 2 of 12,000 columns of wide.npy (12 rows) with css")
