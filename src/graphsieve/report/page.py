"""Summary dict -> one HTML page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._utils.files import replacing
from ..base import FeatureRanker
from ..selection import Selection
from .summary import summarise

# In this order: later scripts use names of earlier ones.
_SCRIPTS = ("data.js", "draw.js", "charts.js", "pictures.js", "table.js", "groups.js", "page.js")
# Kept features that are listed for readers without JavaScript.
_LISTED = 500


class SelectionReport:
    """A page about one selection, from what ``summarise`` returns.

    Shown inline by notebooks; ``save`` writes it to a file. Its attributes are the ``summary``, a
    dict, and the page itself, ``html``.
    """

    def __init__(self, summary: dict[str, Any]) -> None:
        self.summary = summary
        self.html = render(summary)

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, which is replaced if it exists; returns its absolute path."""
        path = Path(path).absolute()
        with replacing(path) as temporary:
            temporary.write_bytes(self.html.encode("utf-8", errors="replace"))
        return path

    def __repr__(self):
        return f"SelectionReport({self.summary['title']!r})"

    def _repr_html_(self):
        # The frame keeps the page's styles and the notebook's apart.
        page = html.escape(self.html)
        title = html.escape(self.summary["title"])
        return (
            f'<iframe title="{title}" srcdoc="{page}" sandbox="allow-scripts allow-downloads" '
            'style="width: 100%; height: 820px; border: 1px solid #8884; border-radius: 8px">'
            "</iframe>"
        )


def make_report(
    sel: FeatureRanker | Selection,
    X: Any,
    path: str | Path | None = None,
    *,
    groups: ArrayLike | None = None,
    color: str | ArrayLike | None = None,
    image_shape: tuple[int, int] | None = None,
    title: str | None = None,
    random_state: int = 0,
) -> SelectionReport:
    """Make the page about a selection and, if ``path`` is given, write it.

    Parameters
    ----------
    sel : FeatureRanker or Selection
        Fitted selector, or a selection loaded from a file.
    X : container of shape (n_samples, n_features)
        The data that it was fitted on, and further columns to colour by. At most 2,000 rows are
        used.
    path : path-like, optional
        HTML file, which is replaced if it exists.
    groups : array-like of shape (n_samples,), optional
        Batch of every sample, if the selector was fitted with them.
    color : str or array-like of shape (n_samples,), optional
        Column of a data frame, or values, by which the samples are coloured.
    image_shape : tuple of int, optional
        Height and width if every sample is an image: adds the selected pixels, and images
        reconstructed from them.
    title : str, optional
        Title of the page.
    random_state : int, default=0
        Seed for the random rankings that are compared.

    Returns
    -------
    SelectionReport
    """
    options = {"groups": groups, "color": color, "image_shape": image_shape, "title": title}
    report = SelectionReport(summarise(sel, X, **options, random_state=random_state))
    if path is not None:
        report.save(path)
    return report


def render(summary):
    try:
        from jinja2 import Environment
    except ImportError as error:
        raise ImportError("The report needs Jinja2. Run: pip install jinja2") from error
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    script = "\n".join(_asset(name) for name in _SCRIPTS)
    style = _asset("page.css")
    kept = summary["order"][: summary["n_selected"]]
    return environment.from_string(_asset("page.html.j2")).render(
        summary=summary,
        style=style,
        script=script,
        # Nothing but these two may run or style, and nothing may be loaded.
        policy=(
            f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
            "img-src data: blob:; base-uri 'none'; form-action 'none'"
        ),
        data=_as_json(summary),
        listed=[summary["names"][j] for j in kept[:_LISTED]],
    )


def _asset(name):
    return files(__package__).joinpath("assets", name).read_text("utf-8")


def _hash(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _as_json(summary):
    """JSON that can stand in a script element: nothing in it ends the element or starts another."""
    text = json.dumps(_packed(summary), separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _packed(value):
    if isinstance(value, dict):
        return {str(key): _packed(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_packed(entry) for entry in value]
    if isinstance(value, np.ndarray) and value.dtype.itemsize <= 4:
        data = base64.b64encode(value.tobytes()).decode()
        return {"type": value.dtype.str[1:], "shape": list(value.shape), "data": data}
    if isinstance(value, np.ndarray | np.generic):
        return _packed(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value
