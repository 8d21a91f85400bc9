"""Draws the tables of results/speed/ and writes them into the pages of docs/, where marks are.

    python benchmarks/tables.py

A mark is ``<!-- table: NAME -->``, and the table ends at ``<!-- end -->``.
"""

import re
from io import BytesIO
from pathlib import Path

import claims
import fit
import minibatch
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


def size(table):
    return [f"{r.n:,} x {r.d:,}" for r in table.itertuples()]


def claim_table(tables):
    found = pd.DataFrame(claims.rows(tables))
    return found[["claim", "limit", "measured", "kept"]]


def objective_table(tables):
    table = tables["objective"]
    return pd.DataFrame(
        {
            "n, d, m": [f"{r.n}, {r.d}, {r.m}" for r in table.itertuples()],
            "five products, float32": ms(table["products_ms"]),
            "graphsieve, float32": ms(table["float32_ms"]),
            "ratio": form(table["over_products"], "{:.2f}"),
            "limit": form(table["limit"], "{:g}"),
            "graphsieve, float64": ms(table["float64_ms"]),
            "plain float64": ms(table["plain_float64_ms"]),
        }
    )


def fit_table(tables):
    table = fit.summary(tables["fit"])
    return pd.DataFrame(
        {
            "fit": table["fit"],
            "seconds": form(table["seconds"], "{:.1f}"),
            "objective": form(table["objective"], "{:.2f}"),
            "times faster": form(table["times_faster"], "{:.1f}"),
            "seconds to the objective of the plain fit": form(
                table["seconds_to_plain_objective"], "{:.1f}", "never"
            ),
            "times faster to it": form(table["times_faster_to_it"], "{:.1f}"),
        }
    )


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


def whole_mnist_table(tables):
    table = tables["whole_mnist"]
    return pd.DataFrame(
        {
            "rows": form(table["n"], "{:,}"),
            "iterations": table["iterations"],
            "seconds": form(table["seconds"], "{:.0f}"),
            "processor seconds": form(table["processor_seconds"], "{:.0f}"),
            "peak memory beyond the data": form(table["peak_beyond_data_mb"], "{:.0f} MB"),
            "data": form(table["data_mb"], "{:.0f} MB"),
        }
    )


def sparse_text_table(tables):
    table = tables["sparse_text"]
    return pd.DataFrame(
        {
            "data": [f"{r.data}, {r.n} x {r.d}" for r in table.itertuples()],
            "method": [f"`{name}`" for name in table["method"]],
            "dense array": form(table["dense_array_mb"], "{:.0f} MB"),
            "peak, CSR": form(table["csr_peak_mb"], "{:.0f} MB"),
            "peak, dense": form(table["dense_peak_mb"], "{:.0f} MB"),
            "seconds, CSR": form(table["csr_seconds"], "{:.2f}"),
            "seconds, dense": form(table["dense_seconds"], "{:.2f}"),
            "difference of scores": form(table["score_difference"], "{:.0e}"),
        }
    )


def peers_table(tables):
    table = tables["peers"]
    return pd.DataFrame(
        {
            "method": table["method"],
            "peer": table["peer"],
            "data": [f"{r.data}, {r.n} x {r.d}" for r in table.itertuples()],
            "graphsieve": form(table["our_seconds"], "{:.3g} s"),
            "the peer": form(table["peer_seconds"], "{:.3g} s"),
            "ratio": form(table["ratio"], "{:.2g}"),
            "k": table["k"],
            "shared": form(table["overlap"], "{:.0%}"),
            "error: graphsieve": form(table["ours_error"], "{:.3f}"),
            "the peer ": form(table["peer_error"], "{:.3f}"),
            "variance": form(table["variance_error"], "{:.3f}"),
            "random": form(table["random_error"], "{:.3f}"),
        }
    )


def methods_table(tables):
    table = tables["methods"]
    return pd.DataFrame(
        {
            "data": [f"{r.data}, {r.n} x {r.d}" for r in table.itertuples()],
            "method": [f"`{name}`" for name in table["method"]],
            "before": form(table["processor_seconds_before"], "{:.3g} s"),
            "after": form(table["processor_seconds_after"], "{:.3g} s"),
            "ratio": form(table["ratio"], "{:.1f}"),
            "wall clock before": form(table["seconds_before"], "{:.3g} s"),
            "after ": form(table["seconds_after"], "{:.3g} s"),
            "memory before": form(table["peak_mb_before"], "{:.0f} MB"),
            "after  ": form(table["peak_mb_after"], "{:.0f} MB"),
            "objective": form(table["objective"], "{:+.0e}"),
        }
    )


def graph_recall_table(tables):
    table = tables["graph_recall"]
    return pd.DataFrame(
        {
            "rows": form(table["n"], "{:,}"),
            "search": table["search"],
            "seconds": form(table["seconds"], "{:.1f}"),
            "processor seconds": form(table["processor_seconds"], "{:.1f}"),
            "recall": form(table["recall"], "{:.3f}"),
        }
    )


def minibatch_table(tables):
    table = minibatch.summary(tables["minibatch"])
    return pd.DataFrame(
        {
            "graph weight": table["graph_weight"],
            "solver": table["solver"],
            "within 2 % of L-BFGS's last objective": [
                f"iteration {r.near_iteration:.0f}, {r.near_seconds:.1f} s"
                if r.near_seconds == r.near_seconds
                else "never"
                for r in table.itertuples()
            ],
            "at the end": [
                f"{r.objective:.2f} after {r.iterations} iterations, {r.seconds:.1f} s"
                for r in table.itertuples()
            ],
        }
    )


def storage_table(tables):
    table = tables["storage"]
    return pd.DataFrame(
        {
            "storage": table["storage"],
            "precision": table["dtype"],
            "seconds": form(table["seconds"], "{:.1f}"),
            "peak memory": form(table["peak_mb"], "{:.0f} MB"),
            "grown by the fit": form(table["grown_mb"], "{:.0f} MB"),
            "largest difference of scores": form(table["difference"], "{:.0e}"),
        }
    )


def large_map_table(tables):
    table = tables["large_map"]
    return pd.DataFrame(
        {
            "rows x columns": size(table),
            "data": form(table["data_mb"], "{:,.0f} MB"),
            "graph": table["graph"],
            "iterations": table["iterations"],
            "seconds": form(table["seconds"], "{:.0f}"),
            "peak resident memory": form(table["peak_mb"], "{:.0f} MB"),
        }
    )


def cluster_table(tables):
    table = tables["cluster"]
    return pd.DataFrame(
        {
            "run": table["repeat"] + 1,
            "two threads in memory": form(table["memory_s"], "{:.1f} s"),
            "two workers": form(table["dask_s"], "{:.1f} s"),
            "ratio": form(table["ratio"], "{:.2f}"),
        }
    )


def solver_overhead_table(tables):
    table = tables["solver_overhead"]
    return pd.DataFrame(
        {
            "solver": table["solver"],
            "one evaluation": ms(table["evaluation_ms"]),
            "the solver, per iteration": ms(table["overhead_ms_per_iteration"]),
            "share of an evaluation": form(table["share_of_evaluation"], "{:.2f}"),
        }
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


def runs_table(tables):
    table = tables["runs"]
    return pd.DataFrame(
        {
            "table": [f"`{name}`" for name in table["table"]],
            "date": table["date"],
            "cores": table["cores"],
            "threads": table["threads"],
            "load at the start": form(table["load"], "{:.1f}"),
            "took": form(table["seconds"], "{:.0f} s"),
            "NumPy, SciPy, scikit-learn": [
                f"{r.numpy}, {r.scipy}, {r.sklearn}" for r in table.itertuples()
            ],
        }
    )


WRITERS = {
    "claims": claim_table,
    "objective": objective_table,
    "fit": fit_table,
    "scaling": scaling_table,
    "whole_mnist": whole_mnist_table,
    "sparse_text": sparse_text_table,
    "peers": peers_table,
    "methods": methods_table,
    "graph_recall": graph_recall_table,
    "minibatch": minibatch_table,
    "storage": storage_table,
    "large_map": large_map_table,
    "cluster": cluster_table,
    "solver_overhead": solver_overhead_table,
    "solver_start": solver_start_table,
    "solver_coordinates": solver_coordinates_table,
    "solver_path": solver_path_table,
    "runs": runs_table,
}


def ms(values):
    return form(values, "{:.3g} ms")


def form(values, how, missing="-"):
    return [how.format(value) if value == value else missing for value in values]


def markdown(table):
    lines = [list(table.columns), ["---"] * len(table.columns), *table.astype(str).to_numpy()]
    return "\n".join("| " + " | ".join(map(str.strip, line)) + " |" for line in lines)


def update(text, tables):
    """The text of a page with every marked table replaced by the recorded one."""

    def fill(mark):
        name = mark["name"]
        if name not in tables and name != "claims":
            return mark[0]
        return f"<!-- table: {name} -->\n{markdown(WRITERS[name](tables))}\n<!-- end -->"

    return re.sub(r"<!-- table: (?P<name>\w+) -->\n.*?<!-- end -->", fill, text, flags=re.S)


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
