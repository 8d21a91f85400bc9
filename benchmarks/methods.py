"""Seconds and peak memory of every method, at its defaults, on the training parts of three sets.

    GRAPHSIEVE_DATA=folder python benchmarks/methods.py
    GRAPHSIEVE_DATA=folder python benchmarks/methods.py --before ../older/src --methods rsr jfssl

Each fit runs in a process of its own, so that one peak does not hide another. ``--before`` names
an older source tree: its fits and ours then take turns, and the rows make a table to compare.
"""

import argparse
import json
import os
import subprocess
import sys

from graphsieve.methods import REGISTRY

DATASETS = ("coil20", "isolet", "basehock")
FIT = """
import json, resource, sys, time, warnings
from graphsieve.datasets import load
from graphsieve.evaluation import make_split
from graphsieve.methods import REGISTRY

warnings.simplefilter("ignore")
name, dataset = sys.argv[1:]
data = load(dataset)
sizes = {"train_per_class": data.train_per_class, "test_per_class": data.test_per_class}
X = make_split(data.X, data.y, **sizes, random_state=0).X_train
method = REGISTRY[name]()
if hasattr(X, "toarray") and not method.__sklearn_tags__().input_tags.sparse:
    X = X.toarray()
if "random_state" in method.get_params():
    method.set_params(random_state=0)
method.fit(X[:40])  # loads what is loaded on first use
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start, worked = time.perf_counter(), time.process_time()
method.fit(X)
seconds, worked = time.perf_counter() - start, time.process_time() - worked
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024
row = {"n": X.shape[0], "d": X.shape[1], "seconds": seconds, "peak_mb": grown}
row["processor_seconds"] = worked
row["objective"] = float(getattr(method, "objective_trace_", [float("nan")])[-1])
print(json.dumps(row))
"""


def fit(dataset, name, source=None):
    """One fit, by the package in the folder ``source`` or by the installed one."""
    environment = dict(os.environ)
    if source is not None:
        environment["PYTHONPATH"] = os.path.abspath(source)
    command = [sys.executable, "-c", FIT, name, dataset]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(run.stdout)


def rows():
    for dataset in DATASETS:
        for name in REGISTRY:
            yield {"dataset": dataset, "method": name, **fit(dataset, name)}


def comparison(before, names, datasets):
    """Lines of a table: processor seconds and objective of an older source tree and of ours."""
    heads = ("data", "method", "before", "after", "ratio", "wall before", "wall after", "objective")
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for dataset in datasets:
        for name in names:
            old, new = fit(dataset, name, before), fit(dataset, name)
            change = (new["objective"] - old["objective"]) / abs(old["objective"])
            yield (
                f"| {dataset} | {name} | {old['processor_seconds']:.2f} "
                f"| {new['processor_seconds']:.2f} "
                f"| {old['processor_seconds'] / new['processor_seconds']:.1f} "
                f"| {old['seconds']:.2f} | {new['seconds']:.2f} "
                f"| {'' if change != change else f'{change:.0e}'} |"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", help="folder with the older package")
    parser.add_argument("--methods", nargs="+", default=list(REGISTRY), choices=list(REGISTRY))
    parser.add_argument("--datasets", nargs="+", default=DATASETS, choices=DATASETS)
    options = parser.parse_args()
    if options.before:
        lines = comparison(options.before, options.methods, options.datasets)
    else:
        lines = map(str, rows())
    for line in lines:
        print(line, flush=True)
