"""graphsieve bench: thin, and clear about what is wrong."""

import pandas as pd


def test_run_writes_the_table_and_goes_on(run, tmp_path):
    command = ["bench", "run", "quality", "--datasets", "iris", "--methods", "variance,random"]
    command += ["--jobs", "1", "--out", tmp_path]
    first = run(*command)
    assert first.exit_code == 0, first.output
    assert "0/3 cells" in first.output
    table = pd.read_parquet(tmp_path / "quality.parquet")
    assert set(table["method"]) == {"variance", "random", "all features"}
    assert "3/3 cells" in run(*command).output
    more = run(*command, "--splits", "2")
    assert "3/6 cells" in more.output


def test_run_on_dask(run, tmp_path):
    command = ["bench", "run", "quality", "--datasets", "iris", "--methods", "variance"]
    done = run(*command, "--jobs", "1", "--backend", "dask", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert (pd.read_parquet(tmp_path / "quality.parquet")["status"] == "ok").all()


def test_unknown_names(run, tmp_path):
    for arguments, message in (
        (["comparision"], "comparison, complexity"),
        (["comparison", "--datasets", "irish"], "no data set is called 'irish'"),
        (["comparison", "--methods", "pca"], "has no method 'pca'"),
    ):
        done = run("bench", "run", *arguments, "--out", tmp_path / "out")
        assert done.exit_code == 1
        assert message in done.output
        assert not (tmp_path / "out").exists()


def test_report_overwrites_only_with_force(run, tmp_path):
    command = ["bench", "run", "quality", "--datasets", "iris", "--methods", "variance"]
    assert run(*command, "--jobs", "1", "--out", tmp_path).exit_code == 0
    page = tmp_path / "page.html"
    page.write_text("old")
    report = ["bench", "report", tmp_path, "-o", page]
    done = run(*report)
    assert done.exit_code == 2
    assert "page.html exists; add --force" in done.stderr
    assert page.read_text() == "old"
    done = run(*report, "--force")
    assert done.exit_code == 0, done.output
    assert "<html" in page.read_text()
