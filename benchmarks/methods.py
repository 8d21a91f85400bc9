"""Every method at four sizes: processor seconds, peak memory beyond the data, and how it ended.

    python benchmarks/run.py methods
    python benchmarks/methods.py csr mrsf      one cell, printed only

A cell is one method at its defaults on one case, in a process of its own that is ended after 30
processor seconds. The limit for its memory is three times the data plus 500 MB; a method that needs
more has to refuse the data before the work starts, unless the machine has the memory. The data are
float64 mixtures of twelve clusters, and the CSR matrix of ``large.py`` in float32.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from large import cells
from measure import Peak, quiet

from graphsieve import REGISTRY

CASES = {
    "wide": (200, 20_000),
    "tall": (100_000, 100),
    "csr": (8_000, 6_000),
    "large": (20_000, 2_000),
}


def make(n, d, sparse):
    """Twelve clusters in ten dimensions and noise, or sparse counts."""
    if sparse:
        return cells(n, d, 0.048)
    rng = np.random.default_rng(0)
    places = rng.normal(size=(12, 10))[rng.integers(12, size=n)] + 0.3 * rng.normal(size=(n, 10))
    X = rng.normal(size=(n, d))
    X += places @ rng.normal(size=(10, d))
    return X


def fit(X, method):
    """What a fit takes, or why the method refuses the data."""
    estimator = REGISTRY[method]()
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    peak, wall, processor = Peak(), time.perf_counter(), time.process_time()
    found = {"outcome": "ok", "message": ""}
    try:
        with quiet():
            estimator.fit(X)
    except (MemoryError, TypeError, ValueError) as error:
        found = {"outcome": "refused", "message": str(error)}
    return found | {
        "seconds": round(time.perf_counter() - wall, 2),
        "processor_seconds": round(time.process_time() - processor, 2),
        "grown_mb": round(peak.grown(), 1),
    }


def print_cell(case, method, n, d):
    """First the size of the data and then what the fit took, each on a line of its own."""
    X = make(int(n), int(d), case == "csr")
    n_bytes = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if sp.issparse(X) else X.nbytes
    print(json.dumps({"data_mb": round(n_bytes / 1e6, 1)}), flush=True)
    print(json.dumps(fit(X, method)), flush=True)


def measure(case, method, n, d, limit):
    """A row of the table, from a process of its own."""
    row = {"case": case, "method": method, "n": n, "d": d}
    command = [sys.executable, __file__, case, method, str(n), str(d)]
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with tempfile.TemporaryFile("w+") as shown:
        run = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=shown, text=True, env=os.environ | path
        )
        row |= json.loads(run.stdout.readline())
        before, grown = _memory(run.pid, "VmRSS"), 0.0
        start = _processor_seconds(run.pid)
        while run.poll() is None and _processor_seconds(run.pid) - start < limit:
            time.sleep(0.1)
            grown = max(grown, _memory(run.pid, "VmHWM") - before)
        if run.poll() is None:
            run.kill()
            run.wait()
            row |= {"outcome": "unfinished", "processor_seconds": limit, "grown_mb": grown}
        elif run.returncode:
            shown.seek(0)
            last = shown.read().strip().splitlines()[-1:]
            row |= {"outcome": "failed", "message": " ".join(last), "grown_mb": grown}
        else:
            row |= json.loads(run.stdout.read())
        run.stdout.close()
    return row


def _memory(pid, name):
    """A line of the status of a process in MB, 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)


def _processor_seconds(pid):
    """Time of all threads of a process, 0 once it has ended."""
    try:
        values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")


def rows(cases=CASES, methods=tuple(REGISTRY), limit=30):
    for case, (n, d) in cases.items():
        for method in methods:
            yield measure(case, method, n, d, limit)


if __name__ == "__main__":
    print_cell(*sys.argv[1:3], *(sys.argv[3:] or CASES[sys.argv[1]]))
