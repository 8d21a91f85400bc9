"""graphsieve compare."""

import numpy as np
import pandas as pd
import pytest

from graphsieve import GreedyCSS

from ..helpers.cells import make_cells


def test_table_verdict_and_files(run, csv, tmp_path):
    output, picture = tmp_path / "table.csv", tmp_path / "picture.png"
    result = run(
        *("compare", csv, "-k", 3, "--methods", "css,lap_score", "--repeats", 1),
        *("-o", output, "--plot", picture),
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("3 of 6 columns of data.csv (20 rows), best first\n")
    directions = result.stdout.splitlines()[2].split()
    assert directions == [
        "method",
        "(higher)",
        "(higher)",
        "(lower)",
        "(higher)",
        "(lower)",
        "time",
    ]
    assert "Decided by preserved structure: " in result.stdout
    assert "Trust: on fourteen labelled data sets" in result.stdout
    written = pd.read_csv(output)
    assert set(written["candidate"]) == {"css", "lap_score", "variance", "random"}
    shown = [line.split()[0] for line in result.stdout.splitlines()[3:7]]
    assert shown == written["candidate"].tolist()
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_columns_are_prepared_as_for_select(run, frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.assign(label="x").to_csv(path, index=False)
    result = run("compare", path, "-k", "50%", "--methods", "css")
    assert result.exit_code == 0
    assert "text: 'label': not selected from" in result.stderr
    assert result.stdout.startswith("3 of 6 columns")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "auto"], "-k: give a number or a percentage"),
        (["-k", "3", "--methods", "cs"], "--methods: there is no method 'cs' (did you mean css"),
        (["-k", "3", "--plot", "picture.txt"], "--plot: picture.txt is not in a known format"),
        (["-k", "3", "--criterion", "accuracy"], "'accuracy' is not one of"),
    ],
)
def test_wrong_commands(run, csv, arguments, message):
    result = run("compare", csv, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_more_features_than_columns(run, csv):
    result = run("compare", csv, "-k", 7)
    assert result.exit_code == 1
    assert "n_features_to_select=7 is not between 1 and the number of features, 6" in result.stderr


def test_nothing_is_overwritten(run, csv):
    result = run("compare", csv, "-k", 3, "-o", csv, "--force")
    assert result.exit_code == 2
    assert "is the input itself" in result.stderr


def test_rows_that_were_drawn_are_counted(run, tmp_path):
    path = tmp_path / "long.npy"
    np.save(path, np.random.default_rng(0).random((2100, 4)))
    result = run("compare", path, "-k", 2, "--methods", "variance", "--repeats", 1)
    assert result.stdout.startswith("2 of 4 columns of long.npy (2,000 of 2,100 rows), best first")


def test_gaps_are_left_to_the_methods_that_accept_them(run, frame, tmp_path):
    path = tmp_path / "gaps.csv"
    frame.iloc[3, 2] = np.nan
    frame.to_csv(path, index=False)
    result = run("compare", path, "-k", 3, "--repeats", 1)
    assert result.exit_code == 0, result.output
    said = "missing values are not accepted by mrsf, lap_score, which are left out; --impute median"
    assert said in result.stderr
    assert "which the method accepts" not in result.stderr
    assert "Impute them yourself" not in result.stderr
    shown = {line.split()[0] for line in result.stdout.splitlines()[3:8]}
    assert shown == {"sieve", "gafs", "css", "variance", "random"}
    result = run("compare", path, "-k", 3, "--methods", "css,mrsf")
    assert result.exit_code == 1
    assert "not accepted by mrsf: add --impute median, or leave these methods" in result.stderr
    result = run(
        "compare", path, "-k", 3, "--methods", "mrsf", "--repeats", 1, "--impute", "median"
    )
    assert result.exit_code == 0, result.output


def test_genes_are_compared_as_select_runs_the_methods(run, tmp_path, monkeypatch):
    make_cells().write_h5ad(tmp_path / "cells.h5ad")
    fitted = []
    monkeypatch.setattr(GreedyCSS, "_rank", watched(GreedyCSS._rank, fitted))
    run("select", tmp_path / "cells.h5ad", "-k", 5, "-m", "css")
    run("compare", tmp_path / "cells.h5ad", "-k", 5, "--methods", "css", "--repeats", 1)
    assert len(fitted) == 3
    assert {method.scale for method in fitted} == {"global"}


def watched(rank, fitted):
    def call(self, data):
        fitted.append(self)
        return rank(self, data)

    return call
