"""Every method at its defaults, before and after a round of profiling, on the training parts of
three sets.

    python benchmarks/run.py methods

The older package is taken from the history of the project, and its fits and ours take turns. Each
runs in a process of its own, so that one peak of memory does not hide another; the best of 3 fits
counts, or the only one where a fit takes longer than 5 seconds.
"""

import json
import os
import subprocess
import sys
import tarfile
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from graphsieve.methods import REGISTRY

BEFORE = "613548f"
DATASETS = ("coil20", "isolet", "basehock")
# The older package has no GraphSieve.
NAMES = tuple(name for name in REGISTRY if name != "sieve")
FIT = """
import json, sys, warnings
from measure import Peak, timed
from time import process_time
from graphsieve.datasets import load
from graphsieve.evaluation import make_split
from graphsieve.methods import REGISTRY

warnings.simplefilter("ignore")
name, dataset, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = load(dataset)
sizes = {"train_per_class": data.train_per_class, "test_per_class": data.test_per_class}
X = make_split(data.X, data.y, **sizes, random_state=0).X_train
method = REGISTRY[name]()
if hasattr(X, "toarray") and not method.__sklearn_tags__().input_tags.sparse:
    X = X.toarray()
if "random_state" in method.get_params():
    method.set_params(random_state=0)
method.fit(X[:40])  # loads what is loaded on first use
peak = Peak()
fits = []
while len(fits) < repeats and sum(seconds for seconds, _ in fits) < 5:
    worked = process_time()
    seconds = timed(lambda: method.fit(X))[1]
    fits.append((seconds, process_time() - worked))
    grown = peak.grown() if len(fits) == 1 else grown
seconds, worked = map(min, zip(*fits))
objective = float(getattr(method, "objective_trace_", [float("nan")])[-1])
row = {"n": X.shape[0], "d": X.shape[1], "seconds": seconds, "processor_seconds": worked}
print(json.dumps({**row, "peak_mb": grown, "objective": objective}))
"""


@contextmanager
def older_source(commit):
    """The folder ``src`` of an earlier commit; None, the package as it is, for ``commit=None``."""
    if commit is None:
        yield None
        return
    here = Path(__file__).resolve().parents[1]
    command = ["git", "-C", str(here), "archive", commit, "src"]
    archive = subprocess.run(command, capture_output=True, check=False)
    if archive.returncode:
        raise RuntimeError(
            f"the comparison needs commit {commit} of the project: clone it with its history "
            f"({archive.stderr.decode().strip()})"
        )
    with TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        yield str(Path(folder) / "src")


def fit(dataset, name, repeats, source=None):
    """The best of a few fits, by the package in the folder ``source`` or by the installed one."""
    paths = [source, str(Path(__file__).resolve().parent)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-c", FIT, name, dataset, str(repeats)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if run.returncode:
        raise RuntimeError(f"{name} on {dataset} failed:\n{run.stderr}")
    return json.loads(run.stdout)


def rows(datasets=DATASETS, names=NAMES, before=BEFORE, repeats=3):
    with older_source(before) as source:
        for dataset in datasets:
            for name in names:
                old, new = fit(dataset, name, repeats, source), fit(dataset, name, repeats)
                columns = ("seconds", "processor_seconds", "peak_mb")
                yield {
                    "data": dataset,
                    "n": new["n"],
                    "d": new["d"],
                    "method": name,
                    **{f"{column}_before": old[column] for column in columns},
                    **{f"{column}_after": new[column] for column in columns},
                    "ratio": old["processor_seconds"] / new["processor_seconds"],
                    "objective": (new["objective"] - old["objective"]) / abs(old["objective"]),
                }
