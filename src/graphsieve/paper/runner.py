"""Runs the cells of an experiment that are not stored yet, and puts its table together."""

import json
from contextlib import nullcontext

import joblib

from .cells import plan
from .measures import run_cell
from .spec import load_experiment
from .store import Store

BACKENDS = ("loky", "dask")


def run(
    experiment,
    folder,
    *,
    profile="quick",
    datasets=None,
    methods=None,
    n_splits=None,
    n_jobs=1,
    backend="loky",
    retry=False,
    progress=None,
):
    """Run an experiment, or what is left of it.

    Every finished cell is stored at once: a run that was stopped, however harshly, goes on where
    it was and loses the cells in hand. A cell that fails is stored with its error, and the run
    goes on.

    Parameters
    ----------
    experiment : str or Experiment
    folder : path
        Where results are kept.
    profile : {"quick", "medium", "full"}, default "quick"
    datasets, methods : sequence of str, optional
        Instead of those of the profile.
    n_splits : int, optional
        Instead of that of the profile.
    n_jobs : int, default 1
        Cells that run side by side, each on one thread; -1 is one per core.
    backend : {"loky", "dask"}, default "loky"
        Processes of this machine, or the workers of the current Dask client.
    retry : bool, default False
        Run failed cells again.
    progress : callable, optional
        ``progress(done, total, failed, cell)`` after every cell, and once before the first with
        ``cell=None``.

    Returns
    -------
    pandas.DataFrame
        The table of the experiment, which is also in ``folder / "<experiment>.parquet"``.
    """
    if isinstance(experiment, str):
        experiment = load_experiment(experiment)
    planned = plan(experiment, profile, datasets, methods, n_splits)
    store = Store(folder)
    cells = {cell.key: cell for cell, _, _ in planned}
    known = {key: store.get(key) for key in cells}
    waiting = {
        key: cell
        for key, cell in cells.items()
        if known[key] is None or (retry and known[key]["status"] == "failed")
    }
    done = len(cells) - len(waiting)
    failed = sum(known[key]["status"] == "failed" for key in cells if key not in waiting)
    report = progress or (lambda *_: None)
    report(done, len(cells), failed, None)
    try:
        for key, record in _results(waiting, n_jobs, backend):
            store.put(key, record)
            done += 1
            failed += record["status"] == "failed"
            report(done, len(cells), failed, cells[key])
    finally:
        # Also of a run that is stopped: what there is can be looked at.
        store.write_table(experiment.name, _rows(store, experiment, profile, planned))
    return read_table(store, experiment.name)


def read_table(store, name):
    """The table of one experiment."""
    import pandas as pd

    return pd.read_parquet(store.folder / f"{name}.parquet")


def _results(cells, n_jobs, backend):
    """(key, record) of every cell, as they finish."""
    if backend not in BACKENDS:
        raise ValueError(f"backend={backend!r} is unknown: use one of {', '.join(BACKENDS)}")
    # joblib has Dask's workers only through its configuration.
    context = joblib.parallel_config("dask") if backend == "dask" else nullcontext()
    with context:
        # One cell at a time to every worker: a batch would be lost as a whole.
        parallel = joblib.Parallel(n_jobs, batch_size=1, return_as="generator_unordered")
        yield from parallel(joblib.delayed(_keyed)(key, cell) for key, cell in cells.items())


def _keyed(key, cell):
    return key, run_cell(cell)


def _rows(store, experiment, profile, planned):
    """Tidy rows of all stored cells, in the order of the plan."""
    rows = []
    for cell, label, setting in planned:
        record = store.get(cell.key)
        if record is None:
            continue
        about = {
            "experiment": experiment.name,
            "profile": profile,
            "dataset": cell.dataset,
            "split": cell.split,
            "method": label,
            "setting": setting,
            "params": json.dumps(cell.params, sort_keys=True),
        }
        origin = {
            "status": record["status"],
            "error": record["error"],
            "seed": cell.seed,
            "protocol": json.dumps(cell.protocol, sort_keys=True),
            "key": cell.key,
            **record["provenance"],
        }
        rows += [about | row | record.get("fit", {}) | origin for row in record["rows"]]
    return rows
