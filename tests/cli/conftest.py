"""A table to select from, in any format, and a way to run commands on it."""

import json

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.io
import zarr
from typer.testing import CliRunner

from graphsieve.cli.app import app

# One with a space, and one that a careless print takes for markup.
NAMES = ["a", "b b", "c[red]", "d", "e", "f"]


@pytest.fixture
def run(monkeypatch):
    """run("select", path, ...) -> result with exit_code and output, in one long line."""
    # Wide enough that no message is broken by the frame around it.
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setenv("TERMINAL_WIDTH", "1000")
    # On a slow machine, progress would be among the lines of stderr.
    monkeypatch.setattr("graphsieve.cli.console._LINE_SECONDS", 3600)

    def invoke(*arguments, stdin=None):
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)

    return invoke


@pytest.fixture
def frame():
    """Columns whose variance falls in the order e, c[red], b b, a, d, f."""
    spread = {"a": 3, "b b": 4, "c[red]": 5, "d": 2, "e": 6, "f": 1}
    rows = np.random.default_rng(0).permuted(np.tile(np.linspace(-1, 1, 20), (6, 1)), axis=1).T
    return pd.DataFrame({name: spread[name] * rows[:, j] for j, name in enumerate(NAMES)})


@pytest.fixture
def csv(frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


def save(frame, path):
    """Write a frame without the code under test."""
    names = np.array(frame.columns, dtype=str)
    match path.suffix:
        case ".csv":
            frame.to_csv(path, index=False)
        case ".gz":
            frame.to_csv(path, index=False)
        case ".tsv" | ".txt":
            frame.to_csv(path, index=False, sep="\t")
        case ".parquet":
            frame.to_parquet(path)
        case ".feather":
            frame.to_feather(path)
        case ".jsonl":
            lines = (json.dumps(row) + "\n" for row in frame.to_dict("records"))
            path.write_text("".join(lines))
        case ".xlsx":
            frame.to_excel(path, index=False)
        case ".h5ad":
            adata = anndata.AnnData(frame.to_numpy())
            adata.var_names, adata.obs_names = names, [f"cell{i}" for i in range(len(frame))]
            adata.obs["batch"] = np.where(np.arange(len(frame)) % 2, "x", "y")
            adata.write_h5ad(path)
        case ".npy":
            np.save(path, frame.to_numpy())
        case ".npz":
            np.savez(path, X=frame.to_numpy(), y=np.arange(len(frame)), feature_names=names)
        case ".mat":
            content = {"X": frame.to_numpy(), "Y": np.ones((len(frame), 1))}
            scipy.io.savemat(path, content | {"feature_names": names.astype(object)})
        case ".zarr":
            array = zarr.create_array(path, data=frame.to_numpy(), chunks=(7, 4))
            array.attrs["feature_names"] = names.tolist()
    return path


def exact_numbers():
    """Options with which ``pandas.read_csv`` rounds exactly, as it does by itself from 3.1 on."""
    version = tuple(int(part) for part in pd.__version__.split(".")[:2])
    return {} if version >= (3, 1) else {"float_precision": "round_trip"}


def read_frame(path):
    """Data frame in a file, read by pandas."""
    if path.suffix in (".csv", ".gz", ".tsv", ".txt"):
        separator = "\t" if path.suffix in (".tsv", ".txt") else ","
        return pd.read_csv(path, sep=separator, **exact_numbers())
    read = {
        ".parquet": pd.read_parquet,
        ".feather": pd.read_feather,
        ".jsonl": lambda path: pd.DataFrame(map(json.loads, path.read_text().splitlines())),
        ".xlsx": pd.read_excel,
    }
    return read[path.suffix](path)


def load(path):
    """Return (array, names or None) of a file, read without the code under test."""
    match path.suffix:
        case ".csv" | ".gz" | ".tsv" | ".txt" | ".parquet" | ".feather" | ".jsonl" | ".xlsx":
            frame = read_frame(path)
            return frame.to_numpy(), frame.columns.tolist()
        case ".npy":
            return np.load(path), None
        case ".npz":
            content = np.load(path)
            return content["X"], content["feature_names"].tolist()
        case ".mat":
            content = scipy.io.loadmat(path)
            return content["X"], [str(name[0]) for name in content["feature_names"].ravel()]
        case ".zarr":
            array = zarr.open_array(path, mode="r")
            return array[:], array.attrs["feature_names"]
