"""All speed benchmarks in one run: tables and figures land in benchmarks/results/ and in the docs.

    GRAPHSIEVE_DATA=folder make bench
    python benchmarks/run.py NAME ...       some of them; the other tables stay as they are
    python benchmarks/run.py --quick        small sizes, printed only

Every part runs in a process of its own. Ratios within a run mean something; seconds are those of
the machine, so that nothing is measured while other programs are busy. A part whose packages are
not installed is skipped. All parts but ``large`` and ``methods``, which take longer than the others
together, take about 17 minutes on two cores. Should a part fail, the tables before it are there,
and ``python benchmarks/tables.py`` draws them and writes them into the docs.
"""

import argparse
import os
from dataclasses import dataclass, field
from datetime import date
from importlib import import_module
from importlib.metadata import version

import pandas as pd
from measure import busy_cores, in_own_process, timed

from graphsieve._utils.threads import count_threads

# Cores that other programs may use while something is measured.
QUIET = 0.2


@dataclass(frozen=True)
class Part:
    """A function that yields the rows of a table, and its arguments for a quick run."""

    module: str
    function: str = "rows"
    quick: dict = field(default_factory=dict)


FEW_METHODS = {"cases": {"wide": (50, 200), "csr": (100, 80)}, "methods": ("css", "udfs")}
ONE_PAIR = {"skfeature": ("digits",), "fastcan": ("digits",), "lassonet": ("breast_cancer",)}
SMALL_SCALING = {"along_n": ((500, 784), (1_500, 784)), "along_d": ((500, 784), (500, 1_568))}
SMALL_GENES = {"n": 2_000, "d": 300, "n_genes": 20, "repeats": 1}
QUICK_BUSY = ("sieve", (200, 100)), ("css", (200, 100))
SMALL_MAP = {"n": 5_000, "d": 50, "iterations": 3}
PARTS = {
    "objective": Part("fit", "objective_rows", {"sizes": ((1000, 784, 10),), "turns": 1}),
    "fit": Part("fit", "fit_rows", {"iterations": 40, "per_class": 20}),
    "solver_overhead": Part("fit", "solver_rows", {"iterations": 20}),
    "floor": Part("floor", quick={"datasets": ("isolet",), "repeats": 1}),
    "elimination": Part(
        "floor", "elimination_rows", {"cases": (("dense", 300, 200, 10),), "repeats": 1}
    ),
    "tall": Part("floor", "tall_rows", {"sizes": ((30_000, 20),), "repeats": 1}),
    "methods": Part("methods", quick=FEW_METHODS),
    "peers": Part("peers", quick={"peers": ONE_PAIR, "repeats": 1, "enough": 0}),
    "scaling": Part("scaling", quick=SMALL_SCALING),
    "whole_mnist": Part("scaling", "whole_rows", {"n": 3_000, "iterations": 10}),
    "storage": Part("storage", quick={"n": 2_000, "d": 50, "iterations": 3}),
    "sparse_text": Part(
        "storage", "text_rows", {"datasets": ("pcmac",), "methods": ("css", "gafs")}
    ),
    "large": Part("large", quick={"shapes": {"csr": (500, 400), "map": (5_000, 120)}}),
    "picks": Part("large", "pick_rows", {"nonzeros": (10**6,), "repeats": 1}),
    "large_map": Part("large", "map_rows", SMALL_MAP),
    "cluster": Part("large", "cluster_rows", {**SMALL_MAP, "repeats": 1}),
    "genes": Part("genes", quick=SMALL_GENES),
    "report": Part("report", quick={"sizes": ((200, 100),), "n_steps": 5}),
    "busy": Part("busy", quick={"cases": QUICK_BUSY, "repeats": 1}),
}


def rows(name, quick):
    part = PARTS[name]
    return list(getattr(import_module(part.module), part.function)(**part.quick if quick else {}))


def record(name, table, seconds, load):
    from tables import FOLDER

    table.to_csv(FOLDER / f"{name}.csv", index=False, float_format="%.5g")
    about = {
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
    for number, name in enumerate(names, 1):
        load = busy_cores()
        if load > QUIET and not quick:
            raise SystemExit(
                f"Other programs keep {load:.1f} cores busy: {name} was not measured, nor what "
                "comes after it. Run it again when they have ended."
            )
        print(f"\n[{number}/{len(names)}] {name} ...", flush=True)
        try:
            result, seconds = timed(lambda name=name: in_own_process(rows, name, quick))
        except ModuleNotFoundError as error:
            print(f"skipped: {error.name} is not installed", flush=True)
            continue
        table = pd.DataFrame(result)
        show(f"{name} ({seconds:.0f} s)", table)
        if not quick:
            record(name, table, seconds, load)
    if not quick:
        import tables

        tables.main()
        show("claims", tables.claim_table(tables.read_tables()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="small sizes, printed only")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown part {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    main(arguments.parts or list(PARTS), arguments.quick)
