"""Run stored cells of an experiment again, and compare their scores with those of the current code.

    python benchmarks/recheck.py comparison 2

Takes the given number of cells of every method and data set at random, without MNIST unless it is
named after the number, and prints how many have the same scores, and how much the others differ.
"""

import sys
from collections import defaultdict

import numpy as np

from graphsieve.paper.cells import plan
from graphsieve.paper.measures import run_cell
from graphsieve.paper.spec import load_experiment
from graphsieve.paper.store import read_table

SCORES = ("accuracy", "acc", "nmi")


def main(name, n_each, datasets):
    table = read_table(f"results/{name}.parquet")
    table = table[table["dataset"].isin(datasets or set(table["dataset"]) - {"mnist"})]
    n_splits = 1 + table["split"].max()
    sets = list(table["dataset"].unique())
    planned = plan(load_experiment(name), table["profile"].iloc[0], sets, None, n_splits)
    cells = {cell.key: cell for cell, _, _ in planned}
    current = table[table["key"].isin(cells.keys())]
    print(
        f"{current['key'].nunique()} of {table['key'].nunique()} stored cells belong to the "
        "current plan"
    )
    # One data set after the other, so that their cells share the split.
    shuffled = current.drop_duplicates("key").sample(frac=1, random_state=0)
    drawn = shuffled.groupby(["dataset", "method"]).head(n_each).sort_index()
    differences = defaultdict(list)
    for key, method in drawn[["key", "method"]].to_numpy():
        old = table[table["key"] == key].drop_duplicates(["share"])
        new = run_cell(cells[key])["rows"]
        scores = [score for score in SCORES if score in old]
        change = old[scores].to_numpy() - [[row[score] for score in scores] for row in new]
        differences[method].append(np.abs(change))
    for method, changes in differences.items():
        # Tables have five decimals.
        n_equal = sum(change.max() < 1e-5 for change in changes)
        mean, largest = np.mean([c.mean() for c in changes]), max(c.max() for c in changes)
        print(
            f"{method}: {n_equal} of {len(changes)} equal, mean absolute difference {mean:.2g}, "
            f"largest {largest:.2g}"
        )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
