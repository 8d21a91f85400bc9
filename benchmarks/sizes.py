"""Every method at four sizes: seconds, peak memory beyond the data, and how it ended.

    python benchmarks/sizes.py                     all cells that results/speed/sizes.csv lacks, or
                                                   that were ended by a shorter limit
    python benchmarks/sizes.py wide css mrsf       one case, some methods; run again
    python benchmarks/sizes.py --table             write the table into docs/scale_one_machine.md

A cell is one method at its defaults on one case, in a process of its own that is ended after 300
processor seconds, which other work on the machine does not change. The limit for its memory is
three times the data plus 500 MB; a method that needs more has to refuse the data before the work
starts, unless the machine has the memory. The data are float64 mixtures of twelve clusters, and
the CSR matrix of benchmarks/large.py in float32.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from large import cells
from measure import Peak

from graphsieve import REGISTRY

FILE = Path(__file__).resolve().parents[1] / "results" / "speed" / "sizes.csv"
PAGE = FILE.parents[2] / "docs" / "scale_one_machine.md"
SECONDS = 300
COLUMNS = ["case", "method", "data_mb", "outcome", "message"]
COLUMNS += ["seconds", "processor_seconds", "grown_mb"]
CASES = {
    "wide": (200, 20_000),
    "tall": (100_000, 100),
    "csr": (8_000, 6_000),
    "large": (20_000, 2_000),
}


def make(case):
    """The data of a case: twelve clusters in ten dimensions and noise."""
    n, d = CASES[case]
    if case == "csr":
        return cells(n, d, 0.048)
    rng = np.random.default_rng(0)
    places = rng.normal(size=(12, 10))[rng.integers(12, size=n)] + 0.3 * rng.normal(size=(n, 10))
    X = rng.normal(size=(n, d))
    X += places @ rng.normal(size=(10, d))
    return X


def fit(case, method):
    """Fit one method, and print first the size of the data and then what the fit took."""
    warnings.simplefilter("ignore")
    X = make(case)
    estimator = REGISTRY[method]()
    given = {"random_state": 0, "verbose": 1}
    estimator.set_params(**{k: v for k, v in given.items() if k in estimator.get_params()})
    n_bytes = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if sp.issparse(X) else X.nbytes
    peak = Peak()
    print(json.dumps({"data_mb": round(n_bytes / 1e6, 1)}), flush=True)
    wall, processor = time.perf_counter(), time.process_time()
    found = {"outcome": "ok", "message": ""}
    try:
        estimator.fit(X)
    except (MemoryError, TypeError, ValueError) as error:
        found = {"outcome": "refused", "message": str(error)}
    found |= {
        "seconds": round(time.perf_counter() - wall, 2),
        "processor_seconds": round(time.process_time() - processor, 2),
        "grown_mb": round(peak.grown(), 1),
    }
    print(json.dumps(found), flush=True)


def measure(case, method, limit=SECONDS):
    """A row of the table, from a process of its own."""
    command = [sys.executable, __file__, "--fit", case, method]
    row = {"case": case, "method": method}
    with tempfile.TemporaryFile("w+") as shown:
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=shown, text=True)
        row |= json.loads(run.stdout.readline())
        before = _memory(run.pid, "VmRSS")
        start, grown = _processor_seconds(run.pid), 0.0
        while run.poll() is None and _processor_seconds(run.pid) - start < limit:
            time.sleep(0.1)
            grown = max(grown, _memory(run.pid, "VmHWM") - before)
        if run.poll() is None:
            run.kill()
            run.wait()
            row |= {
                "outcome": "unfinished",
                "processor_seconds": limit,
                "grown_mb": round(grown, 1),
            }
        elif run.returncode:
            shown.seek(0)
            last = shown.read().strip().splitlines()[-1:]
            row |= {"outcome": "failed", "message": " ".join(last), "grown_mb": round(grown, 1)}
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


def table(frame):
    """The table of the page, as Markdown."""
    lines = ["| method | " + " | ".join(f"{n:,} x {d:,}" for n, d in CASES.values()) + " |"]
    lines[0] = lines[0].replace("8,000 x 6,000", "8,000 x 6,000 CSR")
    lines.append("|---" * (len(CASES) + 1) + "|")
    cell = {(row.case, row.method): _cell(row) for row in frame.itertuples()}
    for method in REGISTRY:
        shown = [cell.get((case, method), "") for case in CASES]
        lines.append(f"| `{method}` | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def _cell(row):
    if row.outcome == "refused":
        return "needs dense data" if "dense data" in row.message else "refused"
    if row.outcome == "failed":
        return "failed"
    more = "> " if row.outcome == "unfinished" else ""
    long = row.processor_seconds >= 100
    seconds = f"{row.processor_seconds:.0f}" if long else f"{row.processor_seconds:.2g}"
    return f"{more}{seconds} s, {row.grown_mb:,.0f} MB"


def write_page(frame):
    before, _, rest = PAGE.read_text().partition("<!-- table: sizes -->\n")
    after = rest.partition("<!-- end -->")[2]
    PAGE.write_text(f"{before}<!-- table: sizes -->\n{table(frame)}\n<!-- end -->{after}")


def main(*arguments):
    frame = pd.read_csv(FILE) if FILE.exists() else pd.DataFrame(columns=COLUMNS)
    if arguments == ("--table",):
        write_page(frame)
        return
    chosen = [arguments[0]] if arguments else CASES
    for case in chosen:
        for method in arguments[1:] or REGISTRY:
            known = frame[(frame["case"] == case) & (frame["method"] == method)]
            if not arguments and is_final(known):
                continue
            row = measure(case, method)
            print(row, flush=True)
            frame = pd.concat([frame.drop(known.index), pd.DataFrame([row])], ignore_index=True)
            frame.to_csv(FILE, index=False)


def is_final(known):
    """Whether a cell, a frame of at most one row, was measured to the end or to the limit."""
    ended_early = (known["outcome"] == "unfinished") & (known["processor_seconds"] < SECONDS)
    return len(known) > 0 and not ended_early.any()


if __name__ == "__main__":
    fit(*sys.argv[2:]) if sys.argv[1:2] == ["--fit"] else main(*sys.argv[1:])
