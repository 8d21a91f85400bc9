"""Figures: what they show, and in which order and colour."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from experiments.figures import (
    BASELINES,
    _indistinct,
    critical_difference_figure,
    gains_figure,
    heatmap_figure,
    kept_pixels_figure,
    legend_figure,
    line_styles,
    lines_figure,
    share_curves_figure,
)
from graphsieve.plots import MUTED


def scores(methods, n_splits):
    """A table as evaluate returns it; method number i reaches share + i / 100 + split / 50."""
    rows = [
        {"method": method, "split": split, "share": share, "acc": share + i / 100 + split / 50}
        for i, method in enumerate(methods)
        for split in range(n_splits)
        for share in (0.1, 0.2, 0.5)
    ]
    rows.append({"method": "all features", "split": 0, "share": 1.0, "acc": 0.9})
    return pd.DataFrame(rows).assign(acc_std=0.07)


def bands(panel):
    """Half the height of every band, in the order of the curves."""
    paths = [band.get_paths()[0].vertices[:, 1] for band in panel.collections]
    return [(path.max() - path.min() - 0.4) / 2 for path in paths]


def test_curves_bands_and_reference():
    (panel,) = share_curves_figure(scores(["gafs", "random", "variance"], 3), "acc").axes
    curves = {line.get_label(): line for line in panel.lines}
    assert set(curves) == {"gafs", "random", "variance", "all features"}
    np.testing.assert_allclose(curves["gafs"].get_xdata(), [0.1, 0.2, 0.5])
    np.testing.assert_allclose(curves["gafs"].get_ydata(), [0.12, 0.22, 0.52])
    np.testing.assert_allclose(curves["all features"].get_ydata(), 0.9)
    assert bands(panel) == pytest.approx([0.02] * 3)
    assert panel.get_xlabel() == "fraction of features selected"
    assert panel.get_ylabel() == "clustering accuracy (ACC)"


def test_one_split_shows_the_spread_of_the_repetitions():
    (panel,) = share_curves_figure(scores(["gafs"], 1), "acc").axes
    assert bands(panel) == pytest.approx([0.07])


def test_baselines_are_muted_and_methods_told_apart():
    methods = [f"method {j}" for j in range(14)]
    (panel,) = share_curves_figure(scores([*methods, *BASELINES], 2), "acc").axes
    curves = {line.get_label(): line for line in panel.lines}
    for name in BASELINES:
        assert to_hex(curves[name].get_color()).upper() == MUTED
        assert curves[name].get_zorder() < curves["method 0"].get_zorder()
    looks = {(curves[m].get_color(), curves[m].get_marker()) for m in methods}
    assert len(looks) == len(methods)


def test_styles_are_distinct_and_baselines_muted():
    styles = line_styles([f"method {number}" for number in range(14)] + ["random", "variance"])
    looks = {(s["color"], s.get("marker"), s.get("linestyle")) for s in styles.values()}
    assert len(looks) == len(styles) == 16
    assert styles["random"]["color"] == styles["variance"]["color"] == MUTED


def test_lines_are_means_of_the_groups():
    table = pd.DataFrame(
        {"x": [1, 1, 2, 1, 2], "y": [1.0, 3.0, 5.0, 0.0, 1.0], "name": ["a", "a", "a", "b", "b"]}
    )
    panel = lines_figure(table, "x", "y", "name", log="x", title="t").axes[0]
    lines = {line.get_label(): line.get_ydata().tolist() for line in panel.get_lines()}
    assert lines == {"a": [2.0, 5.0], "b": [0.0, 1.0]}
    assert panel.get_xscale() == "log"


def test_many_fractions_have_ticks_that_do_not_overlap():
    shares = np.array([0.02, 0.04, 0.06, 0.08, 0.1, 0.2, 0.3, 0.5, 0.8])
    table = pd.DataFrame({"share": shares, "acc": shares, "m": "m = 10"})
    (panel,) = lines_figure(table, "share", "acc", "m", log="x").axes
    assert [tick.get_text() for tick in panel.get_xticklabels()] == [
        "2%",
        "5%",
        "10%",
        "20%",
        "50%",
    ]
    assert not panel.get_xticks(minor=True).size


def test_legend_names_everything():
    figure = legend_figure(["a", "random"], all_features=True)
    assert [text.get_text() for text in figure.legends[0].texts] == ["a", "random", "all features"]


def test_heat_map_shows_the_numbers():
    matrix = pd.DataFrame([[0.123, np.nan], [0.5, 0.75]], index=[1e-3, 1.0], columns=[0.0, 0.1])
    panel = heatmap_figure(matrix).axes[0]
    assert [text.get_text() for text in panel.texts] == ["0.123", "0.500", "0.750"]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["0.001", "1"]


@pytest.mark.parametrize(
    ("values", "difference", "runs"),
    [
        ([1, 2, 3, 4], 1.5, [(0, 1), (1, 2), (2, 3)]),
        ([1, 2, 3, 4], 5, [(0, 3)]),
        ([1, 2, 3, 4], 0.5, []),
        ([1, 1.2, 3, 3.1], 1, [(0, 1), (2, 3)]),
    ],
)
def test_bars_join_what_cannot_be_told_apart(values, difference, runs):
    assert _indistinct(np.array(values, dtype=float), difference) == runs


def test_ranks_are_written_beside_the_names():
    figure = critical_difference_figure({"b": 2.5, "a": 1.25, "c": 2.25}, 1.0)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {"a 1.2", "c 2.2", "b 2.5"} < set(texts)


def test_only_the_kept_pixels_are_shown():
    images = np.arange(8.0).reshape(2, 2, 2)
    figure = kept_pixels_figure(images, np.array([3, 0, 1, 2]), [0.5, 1.0])
    shown = figure.axes[0].images[0].get_array()
    assert shown.mask.tolist() == [[False, True], [True, False]]
    assert len(figure.axes) == 4


def test_gains_are_drawn_with_their_intervals():
    table = pd.DataFrame(
        [("a", 3, 0.1, 0.05, 0.2), ("b", 3, -0.01, -0.1, 0.1)],
        columns=["method", "n_datasets", "gain", "low", "high"],
    )
    panel = gains_figure(table, reference="c").axes[0]
    assert panel.get_xlabel() == "gain over c"
    assert [label.get_text() for label in panel.get_yticklabels()] == ["a", "b"]
    ends = [lines.get_segments()[0][:, 0].tolist() for lines in panel.collections]
    assert ends == [[0.05, 0.2], [-0.1, 0.1]]
    points = [line.get_xdata().tolist() for line in panel.get_lines() if len(line.get_xdata()) == 1]
    assert points == [[0.1], [-0.01]]
