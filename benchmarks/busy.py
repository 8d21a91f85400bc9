"""Representative work next to two busy processes, as a multiple of the same work without them.

    python benchmarks/run.py busy

Random factors and noise, 1,000 x 1,000, float32, seed 0; every method at its defaults in a process
of its own, with as many threads as it likes, the best of three fits. The report is the page about a
selection from 300 x 80. On two cores a fair share of
the machine is a ratio of about 2; threads of BLAS that wait for each other make it 10 to 40.
"""

import subprocess
import sys
from contextlib import ExitStack, contextmanager

import numpy as np
from measure import best_times, in_own_process, quiet

from graphsieve import Variance
from graphsieve.methods import REGISTRY
from graphsieve.report import make_report

METHODS = ("sieve", "gafs", "css", "mcfs", "rsr", "lap_score", "report")
REPORT = 300, 80


def rows(methods=METHODS, n=1_000, d=1_000, n_busy=2, repeats=3):
    for name in methods:
        size = REPORT if name == "report" else (n, d)
        alone = in_own_process(seconds, name, *size, repeats)
        with busy_processes(n_busy):
            beside = in_own_process(seconds, name, *size, repeats)
        yield {"method": name, "n": size[0], "d": size[1], "busy": n_busy, "ratio": beside / alone}


@contextmanager
def busy_processes(count):
    """Processes that compute all the time."""
    with ExitStack() as stack:
        for _ in range(count):
            process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def seconds(name, n, d, repeats):
    """Wall-clock seconds of a fit, or of a report."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20)) @ rng.normal(size=(20, d)) + rng.normal(size=(n, d))
    X = X.astype(np.float32)
    if name == "report":
        sel = Variance(20).fit(X)
        with quiet():
            return best_times([lambda: make_report(sel, X)], repeats)[0]
    method = REGISTRY[name]()
    if "random_state" in method.get_params():
        method.set_params(random_state=0)
    with quiet():
        method.fit(X[:50])  # loads what is loaded on first use
        return best_times([lambda: method.fit(X)], repeats)[0]
