"""Draws the tables of results/speed/ and writes them into the pages of docs/, where marks are.

    python benchmarks/tables.py

A mark is ``<!-- table: NAME -->``, and the table ends at ``<!-- end -->``.
"""

import re
from functools import partial
from io import BytesIO
from pathlib import Path
from string import Formatter

import claims
import fit
import pandas as pd
import scaling
from figures import FIGURES
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "results" / "speed"
PAGES = tuple(
    ROOT / "docs" / f"{name}.md"
    for name in ("speed", "methods_speed", "scale_one_machine", "scale")
)


def read_tables(folder=FOLDER):
    return {path.stem: pd.read_csv(path) for path in sorted(Path(folder).glob("*.csv"))}


# Title of every column of a table, and the pattern that a row of the recorded table fills.
PATTERNS = {
    "objective": {
        "n, d, m": "{n}, {d}, {m}",
        "five products, float32": "{products_ms:.3g} ms",
        "graphsieve, float32": "{float32_ms:.3g} ms",
        "ratio": "{over_products:.2f}",
        "limit": "{limit:g}",
        "graphsieve, float64": "{float64_ms:.3g} ms",
        "plain float64": "{plain_float64_ms:.3g} ms",
    },
    "fit": {
        "fit": "{fit}",
        "seconds": "{seconds:.1f}",
        "objective": "{objective:.2f}",
        "times faster": "{times_faster:.1f}",
        "seconds to the objective of the plain fit": "{seconds_to_plain_objective:.1f}",
        "times faster to it": "{times_faster_to_it:.1f}",
    },
    "whole_mnist": {
        "rows": "{n:,}",
        "iterations": "{iterations}",
        "seconds": "{seconds:.0f}",
        "processor seconds": "{processor_seconds:.0f}",
        "peak memory beyond the data": "{peak_beyond_data_mb:.0f} MB",
        "data": "{data_mb:.0f} MB",
    },
    "sparse_text": {
        "data": "{data}, {n} x {d}",
        "method": "`{method}`",
        "dense array": "{dense_array_mb:.0f} MB",
        "peak, CSR": "{csr_peak_mb:.0f} MB",
        "peak, dense": "{dense_peak_mb:.0f} MB",
        "seconds, CSR": "{csr_seconds:.2f}",
        "seconds, dense": "{dense_seconds:.2f}",
        "difference of scores": "{score_difference:.0e}",
    },
    "peers": {
        "method": "{method}",
        "peer": "{peer}",
        "data": "{data}, {n} x {d}",
        "graphsieve": "{our_seconds:.3g} s",
        "the peer": "{peer_seconds:.3g} s",
        "ratio": "{ratio:.2g}",
        "k": "{k}",
        "shared": "{overlap:.0%}",
        "error: graphsieve": "{ours_error:.3f}",
        "the peer ": "{peer_error:.3f}",
        "variance": "{variance_error:.3f}",
        "random": "{random_error:.3f}",
    },
    "methods": {
        "data": "{data}, {n} x {d}",
        "method": "`{method}`",
        "before": "{processor_seconds_before:.3g} s",
        "after": "{processor_seconds_after:.3g} s",
        "ratio": "{ratio:.1f}",
        "wall clock before": "{seconds_before:.3g} s",
        "after ": "{seconds_after:.3g} s",
        "memory before": "{peak_mb_before:.0f} MB",
        "after  ": "{peak_mb_after:.0f} MB",
        "objective": "{objective:+.0e}",
    },
    "graph_recall": {
        "rows": "{n:,}",
        "search": "{search}",
        "seconds": "{seconds:.1f}",
        "processor seconds": "{processor_seconds:.1f}",
        "recall": "{recall:.3f}",
    },
    "storage": {
        "storage": "{storage}",
        "precision": "{dtype}",
        "seconds": "{seconds:.1f}",
        "peak memory": "{peak_mb:.0f} MB",
        "grown by the fit": "{grown_mb:.0f} MB",
        "largest difference of scores": "{difference:.0e}",
    },
    "large_map": {
        "rows x columns": "{n:,} x {d:,}",
        "data": "{data_mb:,.0f} MB",
        "graph": "{graph}",
        "iterations": "{iterations}",
        "seconds": "{seconds:.0f}",
        "peak resident memory": "{peak_mb:.0f} MB",
    },
    "cluster": {
        "run": "{run}",
        "two threads in memory": "{memory_s:.1f} s",
        "two workers": "{dask_s:.1f} s",
        "ratio": "{ratio:.2f}",
    },
    "solver_overhead": {
        "solver": "{solver}",
        "one evaluation": "{evaluation_ms:.3g} ms",
        "the solver, per iteration": "{overhead_ms_per_iteration:.3g} ms",
        "relative to an evaluation": "{share_of_evaluation:.2f}",
    },
    "runs": {
        "table": "`{table}`",
        "date": "{date}",
        "cores": "{cores}",
        "threads": "{threads}",
        "load at the start": "{load:.1f}",
        "took": "{seconds:.0f} s",
        "NumPy, SciPy, scikit-learn": "{numpy}, {scipy}, {sklearn}",
    },
}
# What is computed from a recorded table before its rows fill the patterns.
PREPARED = {
    "fit": fit.summary,
    "cluster": lambda table: table.assign(run=table["repeat"] + 1),
}


def recorded_table(name, tables):
    """A table with one row per recorded row; "-", or "never", where a number is missing."""
    table = PREPARED.get(name, lambda table: table)(tables[name])
    missing = "never" if name == "fit" else "-"
    columns = {
        title: [_fill(pattern, row, missing) for row in table.to_dict("records")]
        for title, pattern in PATTERNS[name].items()
    }
    return pd.DataFrame(columns)


def _fill(pattern, row, missing):
    used = [row[field] for _, field, _, _ in Formatter().parse(pattern) if field]
    return pattern.format(**row) if all(value == value for value in used) else missing


def claim_table(tables):
    found = pd.DataFrame(claims.rows(tables))
    return found[["claim", "limit", "measured", "kept"]]


def scaling_table(tables):
    table = tables["scaling"]
    slopes = scaling.slopes(table).set_index("along")["slope"]
    return pd.DataFrame(
        {
            "along": rows[0],
            "sizes": ", ".join(f"{value:,}" for value in rows[1][rows[0]]),
            "seconds": ", ".join(f"{value:.2f}" for value in rows[1]["seconds"]),
            "log-log slope": f"{slopes[rows[0]]:.2f}",
        }
        for rows in table.groupby("along", sort=False)
    )


def solver_start_table(tables):
    table = tables["solver_start"]
    random = table["start"].str.startswith("random")
    found = []
    for name, rows in table.groupby("data", sort=False):
        drawn, svd = rows[random[rows.index]], rows[~random[rows.index]].iloc[0]
        row = {"data": name}
        for column in ("after_0", "after_25", "after_100", "after_400"):
            at = column.removeprefix("after_")
            mean, spread = drawn[column].mean(), drawn[column].std()
            row[f"random, {at}"] = f"{mean:.2f} ± {spread:.2f}"
            row[f"SVD, {at}"] = f"{svd[column]:.2f}"
        found.append(row)
    return pd.DataFrame(found)


def solver_coordinates_table(tables):
    table = tables["solver_coordinates"]
    found = []
    for name, rows in table.groupby("data", sort=False):
        plain, scaled = (rows[rows["variables"] == kind] for kind in rows["variables"].unique())
        row = {"data": name}
        for column in ("after_100", "after_400"):
            at = column.removeprefix("after_")
            row[f"plain, {at}"] = f"{plain[column].mean():.2f}"
            row[f"centred and scaled, {at}"] = f"{scaled[column].mean():.2f}"
        needed = scaled["iterations_to_last_of_plain"]
        row["iterations to pass the last of plain"] = f"{needed.mean():.0f}"
        found.append(row)
    return pd.DataFrame(found)


def solver_path_table(tables):
    table = tables["solver_path"]
    return pd.DataFrame(
        {
            "data": name,
            "alphas": len(rows),
            "iterations, from random weights": rows["cold_iterations"].sum(),
            "iterations, from the last": rows["warm_iterations"].sum(),
            "objective of warm / cold, alpha by alpha": ", ".join(
                f"{value:.3f}" for value in rows["warm_objective"] / rows["cold_objective"]
            ),
        }
        for name, rows in table.groupby("data", sort=False)
    )


WRITERS = {
    **{name: partial(recorded_table, name) for name in PATTERNS},
    "claims": claim_table,
    "scaling": scaling_table,
    "solver_start": solver_start_table,
    "solver_coordinates": solver_coordinates_table,
    "solver_path": solver_path_table,
}


def markdown(table):
    lines = [list(table.columns), ["---"] * len(table.columns), *table.astype(str).to_numpy()]
    return "\n".join("| " + " | ".join(map(str.strip, line)) + " |" for line in lines)


def fill_marks(text, write):
    """A text in which ``write(name)`` replaces every marked table, unless it is None."""

    def fill(mark):
        table = write(mark["name"])
        if table is None:
            return mark[0]
        return f"<!-- table: {mark['name']} -->\n{markdown(table)}\n<!-- end -->"

    return re.sub(r"<!-- table: (?P<name>\w+) -->\n.*?<!-- end -->", fill, text, flags=re.S)


def update(text, tables):
    """The text of a page with every marked table replaced by the recorded one."""

    def write(name):
        # Some pages have tables that other scripts write.
        known = name in WRITERS and (name in tables or name == "claims")
        return WRITERS[name](tables) if known else None

    return fill_marks(text, write)


def draw(figure, path):
    """A PNG of few colours: a third of the bytes."""
    drawn = BytesIO()
    figure.savefig(drawn, dpi=110)
    Image.open(drawn).convert("RGB").quantize(64).save(path, optimize=True)


def main():
    tables = read_tables()
    for name in FIGURES.keys() & tables.keys():
        draw(FIGURES[name](tables[name]), FOLDER / f"{name}.png")
    for page in PAGES:
        page.write_text(update(page.read_text(), tables))


if __name__ == "__main__":
    main()
