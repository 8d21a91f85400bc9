"""Selections whose reports the tests look at."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from graphsieve import GreedyCSS

ODD_NAMES = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "[bold]red[/bold]",
    "\x1b[31mred\x1b[0m",
    "nul\x00nul",
    'comma, "quote"',
    "two\nlines",
    "right\u202eto left",
    "lone \ud800",
    "{{ 7 * 7 }}",
    "$&",
    "&amp;",
]


@pytest.fixture(scope="session")
def digits():
    """(fitted selector, data, options of the report)"""
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    return GreedyCSS(12).fit(X), X, {"color": y, "image_shape": (8, 8)}


@pytest.fixture(scope="session")
def odd():
    rng = np.random.default_rng(0)
    n = len(ODD_NAMES)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, n)) + 0.2 * rng.normal(size=(40, n))
    # As objects: the strings of pandas 3 cannot hold a lone surrogate.
    frame = pd.DataFrame(X, columns=pd.Index(ODD_NAMES, dtype=object))
    return (
        GreedyCSS(4).fit(frame),
        frame,
        {"title": "<b>title</b> </title><script>alert(3)</script>"},
    )
