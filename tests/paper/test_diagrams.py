"""Diagrams show what the tables say."""

import numpy as np
import pandas as pd
import pytest

from graphsieve.paper.diagrams import (
    _indistinct,
    critical_difference_figure,
    gains_figure,
    heatmap_figure,
    kept_pixels_figure,
)


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
