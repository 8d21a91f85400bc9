"""Figures of the benchmark: what is drawn is what the table says."""

import numpy as np
import pandas as pd
import pytest

from graphsieve.plots import (
    MUTED,
    _indistinct,
    critical_difference_figure,
    heatmap_figure,
    kept_pixels_figure,
    legend_figure,
    line_styles,
    lines_figure,
)


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


def test_heat_map_shows_the_numbers():
    matrix = pd.DataFrame([[0.123, np.nan], [0.5, 0.75]], index=[1e-3, 1.0], columns=[0.0, 0.1])
    panel = heatmap_figure(matrix).axes[0]
    assert [text.get_text() for text in panel.texts] == ["0.12", "0.50", "0.75"]
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


def test_legend_names_everything():
    figure = legend_figure(["a", "random"], all_features=True)
    assert [text.get_text() for text in figure.legends[0].texts] == ["a", "random", "all features"]
