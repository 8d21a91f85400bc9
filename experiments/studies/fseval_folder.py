"""A folder with results that the dashboard of FSEVAL reads, by its own package.

    python -m pip install sdufseval
    GRAPHSIEVE_DATA=folder python -m experiments.studies.fseval_folder --out fseval

Every method ranks all rows without labels; budgets, repeats, classifiers, metrics and the stability
of the curves are those of sdufseval 1.3.0. ``fseval/runs`` is its folder, in which a run that was
stopped continues; ``fseval/dashboard`` has the same tables under the names that the dashboard
expects. experiments/records/fseval/README.md says how to hand them in, and what it costs.
"""

import argparse
import re
import shutil
import warnings
from importlib import import_module
from pathlib import Path

from threadpoolctl import threadpool_limits

from experiments.baselines import MissingPackage
from experiments.provenance import provenance
from experiments.sources import find
from graphsieve import GAFS, GraphSieve, GreedyCSS

# Names of FSEVAL -> our names, for its data sets that we know.
DATASETS = {
    "ALLAML": "allaml",
    "COIL20": "coil20",
    "Isolet": "isolet",
    "Prostate_GE": "prostate_ge",
    "Yale": "yale",
    "arcene": "arcene",
    "colon": "colon",
    "leukemia": "leukemia",
    "madelon": "madelon",
    "orlraws10P": "orlraws10p",
}
METRICS = {"CLSACC": "unsupervised", "NMI": "unsupervised", "AAD": "model_agnostic"}
METRICS |= {"ACC": "supervised", "AUC": "supervised"}
# The largest budget of the fine grid, up to which the rankings are exact.
EXACT = 0.1


def graph_sieve(X):
    return GraphSieve(EXACT, n_jobs=1, random_state=0).fit(X).scores_


def gafs(X):
    return GAFS(EXACT, n_jobs=1, random_state=0).fit(X).scores_


def greedy_css(X):
    return GreedyCSS(EXACT).fit(X).scores_


METHODS = {"GraphSieve": graph_sieve, "GAFS": gafs, "GreedyCSS": greedy_css}


def run(folder, datasets, methods, metrics, experiments, n_jobs):
    try:
        package = import_module("sdufseval")
    except ModuleNotFoundError as error:
        raise MissingPackage(f"{error}. Run: python -m pip install sdufseval") from error
    data = folder / "datasets"
    data.mkdir(parents=True, exist_ok=True)
    for name in datasets:
        file = find(DATASETS[name])
        if file is None:
            raise ValueError(
                f"{name} has not been downloaded. Run: python -m experiments data fetch "
                f"{DATASETS[name]}"
            )
        link = data / f"{name}.mat"
        link.unlink(missing_ok=True)
        link.symlink_to(Path(file).resolve())
    evaluator = package.FSEVAL(
        output_dir=str(folder / "runs"),
        data_dir=str(data),
        n_jobs=n_jobs,
        metrics=list(metrics),
        eval_type=sorted({METRICS[metric] for metric in metrics}),
        experiments=list(experiments),
    )
    kinds = {"type": "unsupervised", "stochastic": False}
    evaluator.run(
        list(datasets), [{"name": name, "func": METHODS[name], **kinds} for name in methods]
    )
    for_dashboard(folder / "runs", folder / "dashboard")


def for_dashboard(runs, folder):
    """Copy tables of sdufseval under the names of the dashboard, with our commit."""
    folder.mkdir(exist_ok=True)
    (folder / "commit.txt").write_text(provenance()["commit"] + "\n", "utf-8")
    for path in sorted(runs.glob("*.csv")):
        found = re.match(r"(\w+?)_([A-Z]+)(_Stability)?_(\d+Percent)_.*\.csv", path.name)
        if found:
            method, metric, stability, grid = found.groups()
            middle = f"Stability_{metric}" if stability else metric
            shutil.copy(path, folder / f"{method}_{middle}_{grid}.csv")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("fseval"))
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--metrics", default=",".join(METRICS))
    parser.add_argument("--grids", default="10Percent,100Percent")
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lists = (options.datasets, options.methods, options.metrics, options.grids)
    with threadpool_limits(1):
        run(options.out, *(text.split(",") for text in lists), options.jobs)


if __name__ == "__main__":
    main()
