"""Blocks of CSR rows as views, compared with SciPy's slices, which are copies.

    python benchmarks/csr_views.py

Random CSR matrices in float32. Processor seconds, the best of several turns, of cutting a matrix
into the blocks of a pass, of a whole pass (column moments), and of one evaluation of the
autoencoder's objective, and the memory that the parts of the objective take.
"""

import time
from contextlib import contextmanager

import numpy as np
import scipy.sparse as sp
from measure import Peak

from graphsieve._network.objective import Objective
from graphsieve._rows import RowBlocks, memory
from graphsieve._utils.threads import Workers

SIZES = ((8_000, 6_000, 0.05), (60_000, 2_000, 0.02))


@contextmanager
def scipy_slices():
    ours = memory._slice_csr
    memory._slice_csr = lambda X, rows: X[rows]
    try:
        yield
    finally:
        memory._slice_csr = ours


@contextmanager
def views():
    yield


def cut(X):
    for _ in RowBlocks(X):
        pass


def moments(X):
    RowBlocks(X).column_moments()


def make_objective(X, workers):
    return Objective(RowBlocks(X), None, workers, n_hidden=10, alpha=1e-2)


def processor_seconds(function, *args):
    start = time.process_time()
    function(*args)
    return time.process_time() - start


def rows(sizes=SIZES, turns=5):
    """Seconds and megabytes of both ways, taken in turn."""
    for n, d, density in sizes:
        X = sp.random_array((n, d), density=density, format="csr", dtype=np.float32, rng=0)
        found = {}
        for _ in range(turns):
            for way in (views, scipy_slices):
                with way(), Workers(1) as workers:
                    peak = Peak()
                    objective = make_objective(X, workers)
                    grown = peak.grown()
                    z = objective.start(np.random.RandomState(0))
                    seconds = [processor_seconds(cut, X), processor_seconds(moments, X)]
                    seconds.append(processor_seconds(objective.value_and_grad, z))
                    found.setdefault(way.__name__, []).append([*seconds, grown])
        for way, values in found.items():
            best = np.min(values, axis=0)
            names = ("blocks", "moments", "objective", "MB")
            yield {"n": n, "d": d, "way": way, **dict(zip(names, best.tolist(), strict=True))}


if __name__ == "__main__":
    for row in rows():
        print(
            "{n:>7} x {d:<6} {way:<13} blocks {blocks:.4f} s, moments {moments:.4f} s, "
            "objective {objective:.4f} s, parts {MB:.0f} MB".format(**row)
        )
