"""solver="minibatch" against L-BFGS: time to come within 2 % of L-BFGS's objective.

    python benchmarks/run.py minibatch

20,000 rows of MNIST drawn with seed 0, m 10, alpha 1e-2, seed 0, one graph (exact, outside the
clock) for both solvers, one run. L-BFGS makes 100 iterations; minibatch runs until its ``tol`` is
met. Minibatch evaluates the whole objective after every pass, and its time includes that. The
graph term is a sum over the samples: a weight of 1e-3 suits about a thousand, 1/n any number n.
"""

import pandas as pd
from measure import Clock, quiet, unit_range

from graphsieve import GAFS
from graphsieve._graph.affinity import build_graph
from graphsieve._rows import RowBlocks

SOLVERS = ("lbfgs", "minibatch")


def rows(dataset="mnist", n=20_000, iterations=100, passes=400):
    X = unit_range(dataset, n).astype("float32")
    A = build_graph(RowBlocks(X), neighbors="exact")
    stops = {"lbfgs": {"max_iter": iterations, "tol": 0.0}, "minibatch": {"max_iter": passes}}
    for name, graph_weight in (("1e-3", 1e-3), ("1/n", 1.0 / n)):
        for solver in SOLVERS:
            clock = Clock()
            method = GAFS(
                affinity=A,
                graph_weight=graph_weight,
                scale=None,
                solver=solver,
                random_state=0,
                callback=clock,
                **stops[solver],
            )
            with quiet():
                method.fit(X)
            for row in clock.rows():
                yield {"n": n, "graph_weight": name, "solver": solver, **row}


def summary(table):
    """When each solver came within 2 % of the last objective of L-BFGS, and where it ended."""
    found = []
    for weight, fits in table.groupby("graph_weight", sort=False):
        goal = 1.02 * fits.loc[fits["solver"] == "lbfgs", "objective"].iloc[-1]
        for solver, trace in fits.groupby("solver", sort=False):
            near = trace[trace["objective"] <= goal]
            columns = ["iteration", "seconds"]
            first = near[columns].iloc[0] if len(near) else pd.Series(index=columns, dtype=float)
            found.append(
                {
                    "graph_weight": weight,
                    "solver": solver,
                    "near_iteration": first["iteration"],
                    "near_seconds": first["seconds"],
                    "iterations": trace["iteration"].iloc[-1],
                    "seconds": trace["seconds"].iloc[-1],
                    "objective": trace["objective"].iloc[-1],
                }
            )
    return pd.DataFrame(found)
