"""Figures show what the tables say."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from graphsieve.plots import BASELINES, MUTED, pixel_mask_figure, share_curves_figure


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


def test_curves_bands_and_reference():
    (panel,) = share_curves_figure(scores(["gafs", "random", "variance"], 3), "acc").axes
    curves = {line.get_label(): line for line in panel.lines}
    assert set(curves) == {"gafs", "random", "variance", "all features"}
    np.testing.assert_allclose(curves["gafs"].get_xdata(), [0.1, 0.2, 0.5])
    np.testing.assert_allclose(curves["gafs"].get_ydata(), [0.12, 0.22, 0.52])
    np.testing.assert_allclose(curves["all features"].get_ydata(), 0.9)
    assert bands(panel) == pytest.approx([0.02] * 3)
    assert panel.get_xlabel() == "share of features kept"
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


def test_pyplot_is_not_loaded():
    code = (
        "import sys; from graphsieve.plots import pixel_mask_figure; "
        "pixel_mask_figure([[0, 1]], {'a': [[1, 0]]}); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
