"""Figures show what the arrays say."""

import subprocess
import sys

import numpy as np

from graphsieve.plots import pixel_mask_figure


def test_chosen_pixels():
    masks = {"one": np.eye(3, dtype=bool), "two": np.arange(9) < 2}
    figure = pixel_mask_figure(np.ones((3, 3)), masks, captions={"two": "first row"})
    one, two = figure.axes
    assert (one.get_title(loc="left"), two.get_title(loc="left")) == ("one", "two")
    assert two.get_xlabel() == "first row"
    corners = {
        name: {tuple(np.round(path.vertices[:4].mean(axis=0)).tolist()) for path in squares}
        for name, squares in (
            ("one", one.collections[0].get_paths()),
            ("two", two.collections[0].get_paths()),
        )
    }
    # x is the column and y the row.
    assert corners == {"one": {(0, 0), (1, 1), (2, 2)}, "two": {(0, 0), (1, 0)}}


def test_panels_left_over_are_removed():
    masks = {str(j): np.zeros((2, 2), dtype=bool) for j in range(5)}
    assert len(pixel_mask_figure(np.eye(2), masks, n_columns=4).axes) == 5


def test_pyplot_is_not_loaded():
    code = (
        "import sys; from graphsieve.plots import pixel_mask_figure; "
        "pixel_mask_figure([[0, 1]], {'a': [[1, 0]]}); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
