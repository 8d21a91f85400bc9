"""Seconds and peak memory of every method, at its defaults, on the training parts of three sets.

    GRAPHSIEVE_DATA=folder python benchmarks/methods.py

Each fit runs in a process of its own, so that one peak does not hide another.
"""

import json
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
start = time.perf_counter()
method.fit(X)
seconds = time.perf_counter() - start
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) / 1024
print(json.dumps({"n": X.shape[0], "d": X.shape[1], "seconds": seconds, "peak_mb": grown}))
"""


def rows():
    for dataset in DATASETS:
        for name in REGISTRY:
            run = subprocess.run(
                [sys.executable, "-c", FIT, name, dataset],
                capture_output=True,
                text=True,
                check=True,
            )
            yield {"dataset": dataset, "method": name, **json.loads(run.stdout)}


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
