"""What graphsieve claims about its speed, and whether the recorded tables bear it out."""

import fit
import scaling


def rows(tables):
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
    slope = scaling.slopes(table).set_index("along").loc["n", "slope"]
    yield "time is linear in n: log-log slope", f"{slope:.2f}", "at most 1.1", slope <= 1.1


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
    torch = table[(table["dtype"] == "float32") & (table["storage"] == "torch")]
    if len(torch):
        gap = torch["difference"].max()
        yield "scores from torch tensors agree, float32", f"{gap:.0e}", "below 1e-5", gap < 1e-5


def _large_map(table):
    for row in table.itertuples():
        what = f"{row.n:,} x {row.d:,} memory map, graph {row.graph}: peak resident memory"
        yield what, f"{row.peak_mb:.0f} MB", "under 700 MB", row.peak_mb < 700


def _cluster(table):
    ratio = table["ratio"].median()
    what = "two workers of a cluster compared with two threads in memory, median"
    yield what, f"{ratio:.2f} x", "at most 1.5 x", ratio <= 1.5


CHECKS = {
    "objective": _objective,
    "fit": _fit,
    "scaling": _scaling,
    "whole_mnist": _whole_mnist,
    "sparse_text": _sparse_text,
    "peers": _peers,
    "storage": _storage,
    "large_map": _large_map,
    "cluster": _cluster,
}
