"""All speed benchmarks in one run: tables and pictures land in results/speed/ and in the docs.

    GRAPHSIEVE_DATA=folder make bench
    python benchmarks/run.py [part ...]     some of them; the other tables stay as they are
    python benchmarks/run.py --quick        small sizes, printed only

Every part runs in a process of its own. Ratios within a run mean something; seconds are those of
the machine and of what else it did, which the table ``runs`` says. Should a part fail, the tables
before it are there, and ``python benchmarks/tables.py`` draws them and writes them into the docs.
"""

import argparse
import os
import time
from dataclasses import dataclass, field
from datetime import date
from importlib import import_module
from importlib.metadata import version

import claims
import pandas as pd
import tables
from measure import in_own_process, timed

from graphsieve._utils.threads import count_threads

FOLDER = tables.FOLDER


@dataclass(frozen=True)
class Part:
    """A function that yields the rows of a table, and its arguments for a quick run."""

    module: str
    quick: dict = field(default_factory=dict)
    function: str = "rows"


SMALL = {"datasets": ("digits",), "iterations": 20}
PARTS = {
    "objective": Part("objective", {"sizes": ((1000, 784, 10),), "turns": 1}),
    "fit": Part("fit", {"iterations": 40, "per_class": 20}),
    "scaling": Part(
        "scaling",
        {
            "along_n": ((500, 784, 10), (2_000, 784, 10)),
            "along_d": ((500, 784, 10), (500, 1_568, 10)),
            "along_m": ((500, 784, 10), (500, 784, 20)),
            "neighbors": "exact",
            "iterations": 5,
        },
    ),
    "whole_mnist": Part("whole_mnist", {"n": 3_000, "iterations": 10}),
    "sparse_text": Part("sparse_text", {"datasets": ("pcmac",), "methods": ("sieve", "gafs")}),
    "peers": Part(
        "peers",
        {
            "peers": {
                "peers_skfeature": ("digits",),
                "peers_fastcan": ("digits",),
                "peers_lassonet": ("breast_cancer",),
            },
            "repeats": 1,
            "enough": 0,
        },
    ),
    "methods": Part(
        "methods",
        {"datasets": ("digits",), "names": ("sieve", "gafs", "mcfs"), "before": None, "repeats": 1},
    ),
    "graph_recall": Part(
        "graph_recall", {"sizes": (1_000, 2_000), "searches": ("exact", "scikit-learn")}
    ),
    "storage": Part("storage", {"n": 2_000, "d": 50, "iterations": 3}),
    "large_map": Part(
        "storage", {"n": 5_000, "d": 50, "iterations": 3, "graphs": ("given",)}, "large_map"
    ),
    "cluster": Part("storage", {"n": 5_000, "d": 50, "repeats": 1}, "cluster_overhead"),
    "solver_overhead": Part("solver", {"iterations": 20}, "overhead_rows"),
    "solver_start": Part("solver", SMALL, "start_rows"),
    "solver_coordinates": Part("solver", SMALL, "coordinates_rows"),
    "solver_path": Part("solver", SMALL, "path_rows"),
}


def rows(name, quick):
    part = PARTS[name]
    return list(getattr(import_module(part.module), part.function)(**part.quick if quick else {}))


def record(name, table, seconds, load):
    FOLDER.mkdir(parents=True, exist_ok=True)
    table.to_csv(FOLDER / f"{name}.csv", index=False, float_format="%.5g")
    about = {
        "table": name,
        "date": date.today().isoformat(),
        "cores": os.cpu_count(),
        "threads": count_threads(None),
        "load": load,
        "seconds": seconds,
        **{package: version(package) for package in ("graphsieve", "numpy", "scipy")},
        "sklearn": version("scikit-learn"),
    }
    path = FOLDER / "runs.csv"
    runs = pd.read_csv(path).set_index("table").T.to_dict() if path.exists() else {}
    runs[name] = about
    ordered = [{"table": part, **runs[part]} for part in PARTS if part in runs]
    pd.DataFrame(ordered).to_csv(path, index=False, float_format="%.3g")


def show(title, table):
    text = table.to_string(index=False, float_format="%.3g", max_rows=60)
    print(f"\n{title}\n{text}", flush=True)


def main(names, quick):
    begin = time.perf_counter()
    found = {}
    for number, name in enumerate(names, 1):
        print(f"\n[{number}/{len(names)}] {name} ...", flush=True)
        load = os.getloadavg()[0]
        result, seconds = timed(lambda name=name: in_own_process(rows, name, quick))
        found[name] = pd.DataFrame(result)
        if not quick:
            record(name, found[name], seconds, load)
        summary = getattr(import_module(PARTS[name].module), "summary", lambda table: table)
        show(f"{name} ({seconds:.0f} s)", summary(found[name]))
    checked = pd.DataFrame(claims.rows(found))
    if len(checked):
        show("claims" + " (small sizes: these say nothing)" * quick, checked)
    if not quick:
        tables.main()
    print(f"\n{time.perf_counter() - begin:.0f} s in all")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="small sizes, printed only")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown part {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    main(arguments.parts or list(PARTS), arguments.quick)
