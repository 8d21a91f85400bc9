"""From the tables to a summary dict to one self-contained HTML file, with its figures as files."""

import base64
import io
from dataclasses import asdict
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from graphsieve._utils.files import replacing
from graphsieve._utils.text import counted

from ..analysis import SCORES, finished
from ..claims import CLAIMS, FAILS, HOLDS, PARTLY, check
from ..spec import experiment_names, load_experiment
from ..store import check_columns
from .sections import SECTIONS, quality

_DPI = 150
# Enough for lines, their smoothed edges and a colour map; the files are a third as large.
_COLORS = 160
_KINDS = {HOLDS: "holds", PARTLY: "partly", FAILS: "fails"}
# Columns that the sections need, by measure.
_NEEDED = {
    "shares": ("share", "n_features"),
    "trace": ("iteration", "objective"),
    "order": ("position", "feature"),
    "cost": ("n_samples", "n_features", "fit_cpu_seconds"),
}
# And those that the sections and claims of single experiments need in addition.
_NEEDED_BY = {
    **dict.fromkeys(("comparison", "comparison_sample"), SCORES),
    "sensitivity_hidden": ("acc",),
    "sensitivity_penalties": ("acc",),
    "training_time": ("accuracy", "fit_cpu_seconds"),
}


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
    template = Path(__file__).with_name("page.html.j2").read_text("utf-8")
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


def summarise(tables):
    """Everything the page shows, figures included, as plain dicts and lists for the template."""
    check_tables(tables)
    claims = check(tables)
    names = [name for name in SECTIONS if name in tables]
    names += [name for name in tables if name not in SECTIONS]
    sections = [_section(name, tables[name], claims.get(name, ())) for name in names]
    title, introduction = _headline(sections, names)
    return {
        "title": title,
        "introduction": introduction,
        "verdicts": [claim for section in sections for claim in section["claims"]],
        "sections": sections,
        "provenance": [_provenance(name, table) for name, table in tables.items()],
    }


def check_tables(tables):
    """Raise an error that names a table and the columns that it lacks."""
    for name, table in tables.items():
        measure = load_experiment(name).measure if name in SECTIONS else "shares"
        check_columns(table, name, [*_NEEDED[measure], *_NEEDED_BY.get(name, ())])


def _headline(sections, names):
    """Title and introduction: of the paper's experiments, or of what there is instead."""
    if set(names) & set(CLAIMS):
        return (
            "The experiments of the GAFS paper, run again",
            "The figures of the paper on graph autoencoder feature selection, drawn again from our "
            "own runs, with the claims of the paper in our words. Verdicts are computed from the "
            "tables behind the figures.",
        )
    title = (
        sections[0]["title"] if len(sections) == 1 else "Comparison of feature selection methods"
    )
    return (
        title,
        "Every table and figure is computed from the results of python -m experiments run.",
    )


def _section(name, table, claims):
    known = name in experiment_names()
    experiment = load_experiment(name) if known else None
    section = {
        "id": name.replace("_", "-"),
        # An experiment from a file of the user has no title here.
        "title": experiment.title if known else name,
        "about": about(table),
        "choices_title": (
            "Choices where the paper is silent" if name in CLAIMS else "What was measured, and how"
        ),
        "choices": experiment.choices if known else (),
        "claims": [asdict(claim) | {"kind": _KINDS.get(claim.verdict, "open")} for claim in claims],
        "tables": [],
        "groups": [],
    }
    rows = finished(table)
    if len(rows):
        section |= SECTIONS.get(name, quality)(rows)
    return section


def about(table):
    """How much of an experiment a table holds, in a sentence."""
    cells = table.drop_duplicates("key")
    counts = {status: int((cells["status"] == status).sum()) for status in ("failed", "skipped")}
    others = "".join(f", {n} of them {status}" for status, n in counts.items() if n)
    commits = ", ".join(sorted(set(cells["commit"])))
    return (
        f"Profile {table['profile'].iloc[0]}: {_splits(table)}, "
        f"{counted(len(cells), 'cell')}{others}; commit {commits}."
    )


def _splits(table):
    """Numbers of data sets and splits, by data set where they differ."""
    n_splits = table.groupby("dataset", sort=False)["split"].nunique()
    sets = counted(len(n_splits), "data set")
    if n_splits.nunique() == 1:
        return f"{sets}, {counted(n_splits.iloc[0], 'split')}"
    by_number = n_splits.groupby(n_splits).groups
    parts = [
        f"{counted(number, 'split')} of {', '.join(by_number[number])}"
        for number in sorted(by_number, reverse=True)
    ]
    return f"{sets} ({'; '.join(parts)})"


def _provenance(name, table):
    cells = table.drop_duplicates("key")
    packages = ("graphsieve", "numpy", "scipy", "scikit_learn", "python")
    seconds = cells["fit_cpu_seconds"].sum() if "fit_cpu_seconds" in cells else 0.0
    versions = [p for p in packages if p in cells]
    return [
        name,
        table["profile"].iloc[0],
        len(cells),
        int((cells["status"] == "failed").sum()),
        f"{seconds:.0f}",
        ", ".join(sorted(set(cells["commit"]))),
        ", ".join(f"{package} {cells[package].iloc[-1]}" for package in versions),
        ", ".join(sorted(set(cells["cpu"]))) if "cpu" in cells else "",
    ]
