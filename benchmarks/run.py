"""All speed benchmarks in one run; tables land in results/speed/.

    GRAPHSIEVE_DATA=folder make bench

Ratios within a run mean something; seconds are those of the machine, which the table names.
"""

import os
import platform
from pathlib import Path

import fit
import objective
import pandas as pd
import scaling

import graphsieve

FOLDER = Path(__file__).resolve().parents[1] / "results" / "speed"
TABLES = {"objective": objective.rows, "fit": fit.rows, "scaling": scaling.rows}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    machine = f"graphsieve {graphsieve.__version__}, {os.cpu_count()} cores, {platform.machine()}"
    for name, rows in TABLES.items():
        table = pd.DataFrame(rows())
        table.to_csv(FOLDER / f"{name}.csv", index=False, float_format="%.4g")
        print(
            f"\n{name} ({machine})\n{table.to_string(index=False, float_format='%.3g')}", flush=True
        )


if __name__ == "__main__":
    main()
