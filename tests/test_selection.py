"""Selections as files: saved by a selector, applied to tables of every kind."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from graphsieve import GraphSieve, GroupedRanker, Selection, Variance


@pytest.fixture
def table(rng):
    return pd.DataFrame(rng.normal(size=(20, 4)) * [1, 9, 2, 8], columns=list("abcd"))


@pytest.fixture
def saved(table, tmp_path):
    path = tmp_path / "kept.json"
    Variance(2, include=["a"]).fit(table).save(path)
    return path


def test_the_file_is_readable_and_complete(saved, table):
    content = json.loads(saved.read_text())
    assert content["kept_names"] == ["a", "b"]
    assert content["method"] == "Variance"
    assert content["parameters"]["include"] == ["a"]
    assert content["fingerprint"]["n_samples"] == 20
    assert set(content["versions"]) >= {"graphsieve", "numpy", "scikit-learn"}
    sel = Variance(2, include=["a"]).fit(table)
    loaded = Selection.load(saved)
    assert loaded == sel.to_selection()
    np.testing.assert_array_equal(loaded.scores, sel.scores_)
    other = Variance(2, include=["a"]).fit(table + 1).to_selection()
    assert other.fingerprint != loaded.fingerprint


def test_every_parameter_can_be_saved(table, tmp_path):
    sel = GraphSieve(
        2,
        costs={"a": np.float32(2)},
        affinity=np.ones((20, 20)),
        random_state=np.random.RandomState(0),
        column_groups=["x", None, float("nan"), "y"],
        budget=9.0,
    ).fit(table)
    sel.save(tmp_path / "kept.json")
    parameters = Selection.load(tmp_path / "kept.json").parameters
    assert parameters["costs"] == {"a": 2.0}
    GroupedRanker(Variance(2)).fit(table, groups=np.arange(20) % 2).save(tmp_path / "grouped.json")
    assert "Variance" in Selection.load(tmp_path / "grouped.json").parameters["estimator"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda X: pa.table(dict(X))])
def test_frames_are_matched_by_name(saved, table, make):
    shuffled = table[["d", "b", "a", "c"]].assign(id=range(20))
    X = make(shuffled)
    out = Selection.load(saved).transform(X)
    assert isinstance(out, type(X))
    names = out.column_names if hasattr(out, "column_names") else list(out.columns)
    assert names == ["a", "b"]
    np.testing.assert_array_equal(np.asarray(out["b"]), table["b"])
    out = Selection.load(saved).transform(X, extra="pass")
    names = out.column_names if hasattr(out, "column_names") else list(out.columns)
    assert names == ["id", "a", "b"]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.coo_array, sp.csc_matrix, list])
def test_arrays_are_matched_by_position(saved, table, make):
    out = Selection.load(saved).transform(make(table.to_numpy()))
    out = out.toarray() if sp.issparse(out) else out
    np.testing.assert_array_equal(out, table[["a", "b"]])


def test_without_names(table, tmp_path):
    Variance(2).fit(table.to_numpy()).save(tmp_path / "kept.json")
    selection = Selection.load(tmp_path / "kept.json")
    assert selection.names is None
    for X in (table, pl.DataFrame(table), pa.table(dict(table))):
        out = selection.transform(X)
        assert out.shape == (20, 2)
        np.testing.assert_array_equal(np.asarray(out["b"]), table["b"])


def test_missing_and_doubled_columns_are_named(saved, table):
    selection = Selection.load(saved)
    with pytest.raises(ValueError, match="lacks 1 of the 2 selected columns: 'b' .did you mean B"):
        selection.transform(table.rename(columns={"b": "B"}))
    with pytest.raises(ValueError, match="more than one column 'a'"):
        selection.transform(pd.concat([table, table[["a"]]], axis=1))
    with pytest.raises(
        ValueError, match=r"tables of 4 columns, and this one has the shape \(20, 3\)"
    ):
        selection.transform(table.to_numpy()[:, :3])
    with pytest.raises(ValueError, match="extra='keep' is unknown: use one of 'drop', 'carry'"):
        selection.transform(table, extra="keep")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda X: pa.table(dict(X))])
def test_a_selection_carries_and_never_brings_back(table, make):
    selection = replace(
        Variance(2, include=["a"]).fit(table).to_selection(), carried=["id"], dropped=["secret"]
    )
    X = make(table.assign(secret=1, new=2, id=range(20)))
    for extra, expected in [
        ("drop", ["a", "b"]),
        ("carry", ["id", "a", "b"]),
        ("pass", ["new", "id", "a", "b"]),
    ]:
        out = selection.transform(X, extra=extra)
        assert isinstance(out, type(X))
        names = out.column_names if hasattr(out, "column_names") else list(out.columns)
        assert names == expected
    assert list(selection.transform(table, extra="carry").columns) == ["a", "b"]


def test_names_out_are_those_of_the_selector(table, tmp_path):
    tuples = table.set_axis(pd.MultiIndex.from_product([["p", "q"], [1, 2]]), axis=1)
    for X in (table, table.to_numpy(), tuples):
        sel = Variance(2).fit(X)
        sel.save(tmp_path / "kept.json")
        loaded = Selection.load(tmp_path / "kept.json")
        assert list(loaded.get_feature_names_out()) == list(sel.get_feature_names_out())
    assert loaded.get_feature_names_out(list("wxyz")).tolist() == ["x", "z"]
    with pytest.raises(ValueError, match="3 names, but the selection is for tables of 4 columns"):
        loaded.get_feature_names_out(list("xyz"))


DAMAGES = {
    "kept out of range": {"kept": [0, 4]},
    "kept negative": {"kept": [-1, 2]},
    "kept twice": {"kept": [1, 1]},
    "kept unordered": {"kept": [1, 0]},
    "kept nothing": {"kept": []},
    "kept no list": {"kept": "01"},
    "kept bools": {"kept": [False, True]},
    "no count": {"n_features_in": "4"},
    "huge count": {"n_features_in": 10**30},
    "huge count without names": {"n_features_in": 10**30, "feature_names_in": None},
    "nothing but a huge count": {
        "n_features_in": 10**30,
        "feature_names_in": None,
        "order": [],
        "scores": [],
    },
    "too few names": {"feature_names_in": ["a"]},
    "other names": {"feature_names_in": [0.5, True, None, 1.5]},
    "order too short": {"order": [0, 1]},
    "scores infinite": {"scores": [1.0, float("inf"), 0.0, 0.0]},
    "scores beyond floats": {"scores": [10**400, 1.0, 0.0, 0.0]},
    "scores as text": {"scores": ["1", "2", "3", "4"]},
    "parameters as list": {"parameters": []},
    "carried as text": {"carried": "id"},
    "dropped as numbers": {"dropped": [0.5]},
    "method as number": {"method": 3},
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files(saved, damage):
    saved.write_text(json.dumps(json.loads(saved.read_text()) | DAMAGES[damage]))
    with pytest.raises(ValueError, match=r"kept\.json is damaged: .*Save the selection again"):
        Selection.load(saved)


@pytest.mark.parametrize("name", ["kept", "scores", "versions"])
def test_missing_fields(saved, name):
    content = json.loads(saved.read_text())
    del content[name]
    saved.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=f"is damaged: it lacks '{name}'"):
        Selection.load(saved)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a,b\n1,2\n",
        b"\xff\xfe\x00",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b'{"format": 1}',
        b"1" * 5000,
    ],
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "kept.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a selection file"):
        Selection.load(path)


def test_later_formats_are_refused(saved):
    saved.write_text(json.dumps(json.loads(saved.read_text()) | {"format_version": 2}))
    with pytest.raises(ValueError, match="format version 2, and this version .* reads version 1"):
        Selection.load(saved)


def test_a_failed_save_leaves_the_old_file(saved, table, monkeypatch):
    before = saved.read_bytes()
    monkeypatch.setattr(json, "dumps", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Variance(1).fit(table).save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["kept.json"]


@pytest.mark.parametrize(
    "columns",
    [pd.Index([10, 20, 30, 40]), pd.MultiIndex.from_product([["p", "q"], [1, 2]])],
)
def test_names_of_any_type_are_saved_and_found(rng, tmp_path, columns):
    X = pd.DataFrame(rng.normal(size=(30, 4)) * [1, 9, 2, 8], columns=columns)
    sel = Variance(2).fit(X)
    sel.save(tmp_path / "kept.json")
    loaded = Selection.load(tmp_path / "kept.json")
    assert loaded.feature_names_in == columns.tolist()
    assert loaded == sel.to_selection()
    pd.testing.assert_frame_equal(loaded.transform(X.iloc[:, ::-1]), X.iloc[:, [1, 3]])
    with pytest.raises(ValueError, match="lacks 1 of the 2 selected columns"):
        loaded.transform(X.iloc[:, :3])
    # A table that was written as text has names that are text.
    as_text = X.set_axis([str(name) for name in X.columns], axis=1).iloc[:, ::-1]
    np.testing.assert_array_equal(loaded.transform(as_text), X.iloc[:, [1, 3]])


def test_a_selector_can_keep_other_features(table):
    fitted = Variance(1).fit(table.to_numpy())
    other = fitted.with_selection([2, 0, 3, 1], 2, names=list("abcd"))
    assert other.get_feature_names_out().tolist() == ["a", "c"]
    assert other.ranking_.tolist() == [2, 4, 1, 3]
    assert other.to_selection().names == ["a", "c"]
    np.testing.assert_array_equal(other.scores_, fitted.scores_)
    # The selector itself is as it was.
    assert fitted.get_feature_names_out().tolist() == ["x1"]
    assert fitted.order_[0] == 1
