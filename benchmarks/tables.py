"""Draws the tables of benchmarks/results/ and writes them into pages, where marks are.

    python benchmarks/tables.py

A mark is ``<!-- table: NAME -->``, and the table ends at ``<!-- end -->``. The table ``claims`` is
what graphsieve claims about its speed, and whether the recorded tables bear it out.
"""

import sys
from functools import partial
from io import BytesIO
from pathlib import Path
from string import Formatter

import fit
import pandas as pd
import scaling
from figures import FIGURES
from methods import CASES
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.studies.tables import ROOT, markdown, write_page

FOLDER = ROOT / "benchmarks" / "results"
PAGES = (
    *(ROOT / "docs" / f"{name}.md" for name in ("speed", "scale", "report")),
    ROOT / "experiments" / "records" / "speed.md",
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
        "iterations": "{iterations}",
        "seconds": "{seconds:.0f}",
        "memory beyond the data": "{grown_mb:.0f} MB",
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
    "floor": {
        "data": "{data}, {n} x {d}",
        "the products": "{floor_seconds:.3f} s",
        "`GraphSieve`": "{sieve_seconds:.2f} s",
        "ratio": "{sieve_over_floor:.1f}",
        "`GreedyCSS`": "{css_seconds:.2f} s",
        "ratio ": "{css_over_floor:.1f}",
    },
    "elimination": {
        "data": "{n:,} x {d:,}, {case}",
        "hidden units": "{m}",
        "evaluations": "{evaluations}",
        "`GAFS`": "{seconds:.2f} s",
        "elimination": "{elimination_seconds:.2f} s",
        "products": "{floor_seconds:.2f} s",
        "ratio": "{ratio:.1f}",
    },
    "tall": {
        "rows x columns": "{n:,} x {d:,}",
        "`GraphSieve`": "{sieve_seconds:.1f} s",
        "`GreedyCSS`": "{css_seconds:.1f} s",
        "ratio": "{ratio:.1f}",
    },
    "genes": {
        "function": "`{function}`",
        "cells x genes": "{n:,} x {d:,}",
        "batches": "{batches}",
        "seconds": "{seconds:.1f}",
        "outcome": "{outcome}",
    },
    "large": {
        "data": "{n:,} x {d:,}, {case}",
        "method": "`{method}`",
        "features": "{features}",
        "seconds": "{seconds:.0f}",
        "processor seconds": "{processor_seconds:.0f}",
        "over the products of the picks": "{over_products:.1f}",
        "memory beyond the data": "{grown_mb:,.0f} MB",
    },
    "picks": {"non-zeros": "{nonzeros:,}", "one pick": "{ms_per_pick:.2g} ms"},
    "report": {
        "features": "{n_features:,}",
        "CPU time": "{processor_seconds:.1f} s",
        "file size": "{size_mb:.1f} MB",
        "first paint": "{paint_ms:.0f} ms",
        "step of the slider": "{ms_per_step:.0f} ms",
    },
    "busy": {
        "method": "`{method}`",
        "rows x columns": "{n:,} x {d:,}",
        "busy processes": "{busy}",
        "ratio": "{ratio:.1f}",
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
    found = pd.DataFrame(check_claims(tables))
    return found[["claim", "limit", "measured", "kept"]]


def scaling_table(tables):
    table = tables["scaling"]
    slopes = scaling.slopes(table).set_index(["method", "along"])["slope"]
    return pd.DataFrame(
        {
            "method": f"`{method}`",
            "along": along,
            "sizes": ", ".join(f"{value:,}" for value in rows[along]),
            "seconds": ", ".join(f"{value:.2f}" for value in rows["seconds"]),
            "log-log slope": f"{slopes[method, along]:.2f}",
        }
        for (method, along), rows in table.groupby(["method", "along"], sort=False)
    )


def peer_table(tables):
    """Ratios of whole fits, one row per method and one column per data set that several have."""
    table = tables["peers"]
    table = table[~table["method"].str.contains("given")]
    places = {
        name: f"{name}, {rows['n'].iloc[0]:,} x {rows['d'].iloc[0]:,}"
        for name, rows in table.groupby("data", sort=False)
    }
    found = table.pivot(index=["method", "peer"], columns="data", values="ratio")
    found = found.reindex(table[["method", "peer"]].drop_duplicates().apply(tuple, axis=1))
    found = found[list(places)].map(_short)
    return found.rename(columns=places).rename_axis(["method", "other package"]).reset_index()


def _short(ratio):
    if pd.isna(ratio):
        return ""
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"


def methods_table(tables):
    """One row per method, one column per size."""
    table = tables["methods"]
    cells = {(row.case, row.method): _cell(row) for row in table.itertuples()}
    titles = dict(zip(CASES, [f"{n:,} x {d:,}" for n, d in CASES.values()], strict=True))
    titles["csr"] += " CSR"
    return pd.DataFrame(
        {"method": f"`{method}`"}
        | {title: cells.get((case, method), "") for case, title in titles.items()}
        for method in table["method"].unique()
    )


def _cell(row):
    if row.outcome == "refused":
        return "needs dense data" if "dense data" in row.message else "refused"
    if row.outcome == "failed":
        return "failed"
    more = "> " if row.outcome == "unfinished" else ""
    long = row.processor_seconds >= 100
    seconds = f"{row.processor_seconds:.0f}" if long else f"{row.processor_seconds:.2g}"
    return f"{more}{seconds} s, {row.grown_mb:,.0f} MB"


# Claims: (what, measured, limit, whether it is kept).


def check_claims(tables):
    """One row per claim; ``tables`` maps the name of a table to it, and some may be missing."""
    for name, check in CHECKS.items():
        if name in tables:
            for claim, measured, limit, kept in check(tables[name]):
                yield {
                    "claim": claim,
                    "limit": limit,
                    "measured": measured,
                    "kept": "yes" if kept else "no",
                    "table": name,
                }


def _objective(table):
    for row in table[table["limit"].notna()].itertuples():
        yield (
            "an evaluation is a small multiple of its five products, "
            f"n {row.n}, d {row.d}, m {row.m}",
            f"{row.over_products:.2f} x",
            f"at most {row.limit:g} x",
            row.over_products <= row.limit,
        )


def _fit(table):
    ours = fit.summary(table).set_index("fit").loc[fit.OURS]
    faster, gap = ours["times_faster"], ours["over_plain_objective"]
    yield (
        "a fit of 400 iterations is faster than one in plain float64",
        f"{faster:.1f} x",
        "at least 8 x",
        faster >= 8,
    )
    yield "its objective is no higher", f"{gap:+.1%}", "at most +1 %", gap <= 0.01
    sooner = ours["times_faster_to_it"]
    yield "it reaches the objective of plain float64 sooner", f"{sooner:.1f} x", "-", sooner > 1


def _scaling(table):
    for row in scaling.slopes(table).itertuples():
        what = f"time of a {row.method} fit is at most linear in {row.along}: log-log slope"
        yield what, f"{row.slope:.2f}", "at most 1.1", row.slope <= 1.1


def _floor(table):
    for row in table.itertuples():
        limit = FLOOR_LIMITS.get(row.data, 5)
        yield (
            f"GraphSieve is a small multiple of its products, {row.data}",
            f"{row.sieve_over_floor:.1f} x",
            f"at most {limit} x",
            row.sieve_over_floor <= limit,
        )
    worst = table["css_over_floor"].max()
    what = "GreedyCSS is a small multiple of its products, largest of all"
    yield what, f"{worst:.1f} x", "at most 3 x", worst <= 3


def _tall(table):
    row = table.loc[table["n"].idxmax()]
    yield (
        f"GraphSieve on {row['n']:,.0f} x {row['d']:.0f}, as a multiple of GreedyCSS",
        f"{row['ratio']:.1f} x",
        "at most 10 x",
        row["ratio"] <= 10,
    )


def _large(table):
    for row in table[table["over_products"].notna()].itertuples():
        what = f"{row.n:,} x {row.d:,} CSR, `{row.method}`"
        ratio, grown = row.over_products, row.grown_mb
        yield (
            f"{what}: time over products of its picks",
            f"{ratio:.1f} x",
            "at most 3 x",
            ratio <= 3,
        )
        yield f"{what}: memory beyond the data", f"{grown:,.0f} MB", "under 3,072 MB", grown < 3072


def _whole_mnist(table):
    row = table.iloc[0]
    seconds, peak = row["seconds"], row["peak_beyond_data_mb"]
    what = f"{row['n']:,.0f} x {row['d']:.0f} MNIST, {row['iterations']:.0f} iterations"
    yield what, f"{seconds:.0f} s", "under 180 s", seconds < 180
    yield f"{what}: memory beyond the data", f"{peak:.0f} MB", "under 1,536 MB", peak < 1536


def _sparse_text(table):
    gafs = table[table["method"] == "gafs"]
    share = (gafs["csr_peak_mb"] / gafs["dense_array_mb"]).max()
    gap = gafs["score_difference"].max()
    yield (
        "GAFS makes no dense copy of CSR text: peak / dense array, largest of all",
        f"{share:.2f}",
        "below 1",
        share < 1,
    )
    yield "GAFS scores CSR and dense text alike", f"{gap:.0e}", "below 1e-8", gap < 1e-8


def _peers(table):
    worst = table.loc[table["ratio"].idxmin()]
    slower = int((table["ratio"] < 1).sum())
    yield (
        "no method is slower than its counterpart in another package",
        f"slower in {slower} of {len(table)}, worst {worst['ratio']:.2f} x ({worst['method']}, "
        f"{worst['data']})",
        "at least 1 x",
        slower == 0,
    )


def _storage(table):
    gap = table.loc[table["dtype"] == "float64", "difference"].max()
    yield "scores from every storage agree, float64", f"{gap:.0e}", "below 1e-6", gap < 1e-6


def _large_map(table):
    for row in table.itertuples():
        what = f"{row.n:,} x {row.d:,} memory map, graph given: memory beyond the data"
        limit = row.data_mb / 2
        yield what, f"{row.grown_mb:.0f} MB", f"under {limit:.0f} MB", row.grown_mb < limit


def _busy(table):
    worst = table.loc[table["ratio"].idxmax()]
    yield (
        "a fit next to two busy processes takes a small multiple of one without them",
        f"{worst['ratio']:.1f} x ({worst['method']})",
        "at most 4 x",
        worst["ratio"] <= 4,
    )


# How many times its products GraphSieve may take; 5 on other data.
FLOOR_LIMITS = {"isolet": 12, "coil20": 12}
CHECKS = {
    "objective": _objective,
    "fit": _fit,
    "floor": _floor,
    "tall": _tall,
    "large": _large,
    "scaling": _scaling,
    "whole_mnist": _whole_mnist,
    "sparse_text": _sparse_text,
    "peers": _peers,
    "storage": _storage,
    "large_map": _large_map,
    "busy": _busy,
}


WRITERS = {
    **{name: partial(recorded_table, name) for name in PATTERNS},
    "claims": claim_table,
    "scaling": scaling_table,
    "methods": methods_table,
    "peer_ratios": peer_table,
}
# Tables made from other recorded tables.
SOURCES = {"claims": "runs", "peer_ratios": "peers"}


def write(tables, name):
    """A recorded table as Markdown; None for the tables of other scripts."""
    known = name in WRITERS and SOURCES.get(name, name) in tables
    return markdown(WRITERS[name](tables)) if known else None


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
        write_page(page, partial(write, tables))


if __name__ == "__main__":
    main()
