"""Representative work next to two busy processes, as a multiple of the same work without them.

    python benchmarks/run.py busy

Random factors and noise, 1,000 x 1,000, float32, seed 0; every method at its defaults in a process
of its own, with as many threads as it likes, the best of three fits. GraphSieve is fitted to the
words of PCMAC as well. The reports are the pages about selections from 300 x 80 and 1,000 x 2,000.
On two cores a fair share of the machine is a ratio of about 2; threads of BLAS that wait for each
other make it 10 to 40.
"""

import subprocess
import sys
from contextlib import ExitStack, contextmanager

import numpy as np
from measure import best_times, in_own_process, quiet

from experiments.data import load
from graphsieve import Variance
from graphsieve.methods import REGISTRY
from graphsieve.report import make_report

METHODS = ("sieve", "gafs", "css", "mcfs", "rsr", "lap_score")
SIZE = 1_000, 1_000
OTHERS = (("sieve", "pcmac"), ("report", (300, 80)), ("report", (1_000, 2_000)))
CASES = (*((name, SIZE) for name in METHODS), *OTHERS)


def rows(cases=CASES, n_busy=2, repeats=3):
    """``cases`` are methods, or "report", and shapes of random data or names of data sets."""
    for name, data in cases:
        n, d = load(data).X.shape if isinstance(data, str) else data
        alone = in_own_process(seconds, name, data, repeats)
        with busy_processes(n_busy):
            beside = in_own_process(seconds, name, data, repeats)
        yield {"method": name, "n": n, "d": d, "busy": n_busy, "ratio": beside / alone}


@contextmanager
def busy_processes(count):
    """Processes that compute all the time."""
    with ExitStack() as stack:
        for _ in range(count):
            process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def seconds(name, data, repeats):
    """Wall-clock seconds of a fit, or of a report."""
    X = load(data).X if isinstance(data, str) else random_factors(*data)
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


def random_factors(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20)) @ rng.normal(size=(20, d)) + rng.normal(size=(n, d))
    return X.astype(np.float32)
