"""Writes the summary as one self-contained HTML file, and its figures as files."""

import base64
import io
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from ..._utils.files import replacing
from .summary import summarise

_DPI = 150
# Enough for lines, their smoothed edges and a colour map; the files are a third as large.
_COLORS = 160


def write_report(tables, output, figures):
    """Write the page about the tables, and every figure on it as PNG and SVG to a folder."""
    output, figures = Path(output), Path(figures)
    summary = summarise(tables)
    figures.mkdir(parents=True, exist_ok=True)
    for section in summary["sections"]:
        for group in section["groups"]:
            for entry in group["figures"]:
                stem = f"{section['id']}-{entry['name']}"
                entry["image"] = _save(entry.pop("figure"), figures / stem)
    with replacing(output) as temporary:
        temporary.write_text(render(summary), encoding="utf-8")


def render(summary):
    """Render the page of a summary whose figures have an ``image``."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = files(__package__).joinpath("page.html.j2").read_text("utf-8")
    return environment.from_string(template).render(summary)


def _save(figure, path):
    """Write both files, and return the SVG as a data address."""
    from matplotlib import rc_context
    from PIL import Image

    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=_DPI)
    picture = Image.open(drawn).convert("RGB").quantize(_COLORS, Image.Quantize.MAXCOVERAGE)
    picture.save(path.with_suffix(".png"), optimize=True, dpi=(_DPI, _DPI))
    buffer = io.BytesIO()
    # The same picture gives the same file.
    with rc_context({"svg.hashsalt": path.name}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    path.with_suffix(".svg").write_bytes(buffer.getvalue())
    return Markup("data:image/svg+xml;base64," + base64.b64encode(buffer.getvalue()).decode())
