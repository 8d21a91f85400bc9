"""solver="minibatch" against L-BFGS: time to come within 2 % of L-BFGS's objective.

    GRAPHSIEVE_DATA=folder python benchmarks/minibatch.py [rows]

Needs mnist.npz, and the extra ``ann`` for more than 50,000 rows (70,000 by default). m 10, alpha
1e-2, one graph for both solvers, 100 iterations of L-BFGS. Processor seconds (of all threads)
stand beside wall-clock seconds. Minibatch evaluates the whole objective after every pass, and its
time includes that.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphsieve import GAFS
from graphsieve.blocks import RowBlocks
from graphsieve.datasets import load
from graphsieve.graphs import build_graph

N_ITER = 100


class Clock:
    """A callback that notes wall-clock and processor time at every iteration."""

    def __init__(self):
        self.start = time.perf_counter(), time.process_time()
        self.seen = []

    def __call__(self, iteration, objective):
        wall, processor = self.start
        now = time.perf_counter() - wall, time.process_time() - processor
        self.seen.append((iteration, objective, *now))

    def first_below(self, objective):
        return next((row for row in self.seen if row[1] <= objective), None)


def fit(X, A, graph_weight, solver, **stop):
    clock = Clock()
    GAFS(
        affinity=A,
        graph_weight=graph_weight,
        scale=None,
        solver=solver,
        random_state=0,
        callback=clock,
        **stop,
    ).fit(X)
    return clock


def main(n):
    warnings.simplefilter("ignore", ConvergenceWarning)
    X = load("mnist").X
    X = X[np.random.default_rng(0).permutation(len(X))[:n]].astype(np.float32) / 255
    A = build_graph(RowBlocks(X))
    row = "{:>12} {:<10} {:<18} {:>10} {:>10.3f} {:>8.1f} {:>10.1f}"
    print("graph weight solver     moment             iteration  objective  seconds  processor")
    # The graph term is a sum over samples: 1e-3 suits about a thousand of them.
    for graph_weight in (1e-3, 1.0 / n):
        lbfgs = fit(X, A, graph_weight, "lbfgs", max_iter=N_ITER, tol=0)
        batches = fit(X, A, graph_weight, "minibatch")
        goal = 1.02 * lbfgs.seen[-1][1]
        for name, clock in (("lbfgs", lbfgs), ("minibatch", batches)):
            for moment, seen in (
                ("within 2 % of lbfgs", clock.first_below(goal)),
                ("end", clock.seen[-1]),
            ):
                if seen is None:
                    print(f"{graph_weight:12.2g} {name:<10} {moment:<18} never")
                else:
                    print(row.format(f"{graph_weight:.2g}", name, moment, *seen), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 70_000)
