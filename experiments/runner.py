"""Runs the cells of an experiment that are not stored yet, and assembles its table.

joblib alone runs the cells, but its cache (`joblib.Memory`) does not serve here: it forgets all
results when a function changes, has no record of failures or of the commit behind a number, and two
runs in one folder would do the same work. A Parquet file alone does not either: it is written as a
whole, so that a kill would lose what was not written, or the file. Hence one small file per cell,
replaced atomically, from which the table is assembled.
"""

import os
import random
import threading
import time
from collections import Counter, defaultdict
from contextlib import suppress
from statistics import fmean

import joblib

from graphsieve._utils.messages import warn

from .cells import plan, run_cell
from .provenance import provenance
from .spec import load_experiment
from .store import DamagedRecord, Store, read_table, rows_of

# Cells of every method on every data set that are run before the rest. With three, replays of
# recorded runs are sometimes wrong by more than a factor of two.
_SAMPLE = 5
# Seconds after which a worker notices that the run it belongs to is gone.
_WATCH = 1.0


def run(
    experiment,
    folder,
    *,
    profile="quick",
    datasets=None,
    methods=None,
    n_splits=None,
    n_jobs=1,
    retry=False,
    outdated=False,
    only_stored=False,
    progress=None,
):
    """Run an experiment, or the part of it that is not stored yet.

    Every finished cell is stored at once: after an interruption, even a kill, the same call
    continues and repeats only the cells that were being computed. The table of an earlier run
    serves as well as its cells. A cell that fails is stored with its error, and the run continues.
    A cell whose baseline needs a package that is not installed is skipped, and tried again by the
    next run. Several runs may share a folder.

    Parameters
    ----------
    experiment : str or Experiment
        A name of `experiment_names`, the path of a TOML file, or the experiment itself.
    folder : path-like
        Where results are stored.
    profile : {"quick", "medium", "full"}, default="quick"
        How much of the experiment is run.
    datasets, methods : sequence of str, optional
        Replace those of the profile.
    n_splits : int, optional
        Replaces that of the profile.
    n_jobs : int, default=1
        Number of cells that run in parallel, each on one thread; -1 uses all cores.
    retry : bool, default=False
        Run failed cells again.
    outdated : bool, default=False
        Run cells again that were stored by another commit than that of the current code, or all
        cells if the current commit is unknown.
    only_stored : bool, default=False
        Run nothing, and write the table of the data sets and splits whose cells are all stored: a
        part of a grid would be compared with whole ones. Rows of an earlier table that are not
        planned are dropped; otherwise those of the same profile stay.
    progress : callable, optional
        Called as ``progress(done, total, failed, cell, seconds_left)`` after every cell, and once
        before the first with ``cell=None``. ``seconds_left`` is None until the run has finished a
        few cells of every method on every data set.

    Returns
    -------
    pandas.DataFrame
        The table of the experiment, which is also written to
        ``folder / "<experiment>.parquet"``.
    """
    if isinstance(experiment, (str, os.PathLike)):
        experiment = load_experiment(experiment)
    planned = plan(experiment, profile, datasets, methods, n_splits)
    store = Store(folder)
    before = store.unpack(experiment.name)
    cells = {cell.key: cell for cell, _, _ in planned}
    known = {key: _stored(store, cell, key) for key, cell in cells.items()}
    if only_stored:
        planned = _complete(planned, known)
        cells = {cell.key: cell for cell, _, _ in planned}
        retry = outdated = False
    repeated = {"skipped", "failed"} if retry else {"skipped"}
    commit = provenance()["commit"]

    def waits(record):
        return (
            record is None
            or record["status"] in repeated
            # Code of an unknown commit may have changed.
            or (outdated and not (commit and record["provenance"].get("commit") == commit))
        )

    places = {cell.key: (cell.split, cell.dataset, label) for cell, label, _ in planned}
    places = {key: place for key, place in places.items() if waits(known[key])}
    waiting = {key: cells[key] for key in sampled_first(places)}
    done = len(cells) - len(waiting)
    failed = sum(known[key]["status"] == "failed" for key in cells if key not in waiting)
    forecast = Forecast({key: place[1:] for key, place in places.items()})
    n_workers = 1 if only_stored else joblib.effective_n_jobs(n_jobs)

    def report(cell):
        if progress is not None:
            left = forecast.left()
            left = None if left is None else left / n_workers
            progress(done, len(cells), failed, cell, left)

    kept = None if only_stored else before
    report(None)
    try:
        results = () if only_stored else _results(waiting, store, known, n_jobs)
        for key, record in results:
            _put(store, key, record)
            done += 1
            failed += record["status"] == "failed"
            forecast.finish(key, record.get("seconds"))
            report(cells[key])
    except BaseException:
        # The finished part of an interrupted run can be looked at. What ended the run matters
        # more than a table that cannot be written either.
        with suppress(OSError):
            _write_table(store, experiment, profile, planned, kept)
        raise
    _write_table(store, experiment, profile, planned, kept)
    return read_table(store.table_path(experiment.name))


def _complete(planned, known):
    """Entries of the plan whose data set and split miss no cell."""
    missing = {(cell.dataset, cell.split) for cell, _, _ in planned if known[cell.key] is None}
    complete = [entry for entry in planned if (entry[0].dataset, entry[0].split) not in missing]
    if not complete:
        raise ValueError("no data set is complete yet: wait until all cells of one are stored")
    return complete


def _write_table(store, experiment, profile, planned, before):
    """Write the rows of all stored cells, in the order of the plan, below those of ``before``.

    Of the earlier table of this profile, the data sets, splits and methods stay that have no row
    now.
    """
    rows = []
    for entry in planned:
        # A damaged record stays if the run that would have repeated it was interrupted.
        record = _intact(store, entry[0].key)
        if record is not None:
            rows += rows_of(record, experiment.name, profile, entry)
    if rows and before is not None:
        now = {(row["dataset"], row["split"], row["method"]) for row in rows}
        before = before[before["profile"] == profile]
        places = zip(before["dataset"], before["split"], before["method"], strict=True)
        rows = before[[place not in now for place in places]].to_dict("records") + rows
    if rows:
        store.write_table(experiment.name, rows)


def _intact(store, key):
    """The record of a cell, or None if there is none that can be read."""
    try:
        return store.get(key)
    except DamagedRecord:
        return None


def _stored(store, cell, key):
    """The record of a cell, or None; a damaged one is announced and counts as missing."""
    try:
        return store.get(key)
    except DamagedRecord as error:
        warn(
            f"The stored result of {cell.dataset}, {cell.method}, split {cell.split} is damaged: "
            f"{error}. The cell is run again"
        )
        return None


def _put(store, key, record):
    try:
        store.put(key, record)
    except OSError as error:
        raise OSError(
            f"cannot store a result in {store.cells}: {error}. The results stored so far are "
            "kept: make room and run the same command again"
        ) from error


def _results(cells, store, known, n_jobs):
    """(key, record) of every cell, as they finish."""
    others = []
    # One cell at a time per worker: a batch would be lost as a whole.
    parallel = joblib.Parallel(n_jobs, batch_size=1, return_as="generator_unordered")
    left = _left(cells, store, known, others)
    parent = os.getpid()
    yield from parallel(joblib.delayed(_run_keyed)(key, cell, parent) for key, cell in left)
    yield from others


def _left(cells, store, known, others):
    """Cells that no other run has finished since this one started; those of others are listed.

    joblib asks for the next cell when a worker is free, so that two runs in one folder share the
    work.
    """
    for key, cell in cells.items():
        record = _intact(store, key)
        if record == known[key]:
            yield key, cell
        else:
            others.append((key, record))


def _run_keyed(key, cell, parent):
    if parent != os.getpid():
        _end_with(parent)
    return key, run_cell(cell)


_watched: set[int] = set()


def _end_with(parent):
    """End this worker soon after its parent process has ended, however that came about.

    A worker that waits for work would stay for minutes otherwise, and one that has work until it
    is done.
    """
    if parent in _watched:
        return
    _watched.add(parent)

    def watch():
        while os.getppid() == parent:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def sampled_first(places, seed=None):
    """Order the keys of cells: a sample of every method on every data set, then the rest.

    ``places`` has the split, the data set and the method of every key, in the order of the plan.
    Splits and data sets stay in that order. Within them the order is random: a grid often begins
    with its fastest settings, which say little about the others. Two runs that start together in
    one folder therefore take different cells.
    """
    rng = random.Random(seed)
    blocks = defaultdict(list)
    for key, (split, dataset, _) in places.items():
        blocks[split, dataset].append(key)
    keys = [key for block in blocks.values() for key in rng.sample(block, len(block))]
    groups = defaultdict(list)
    for key in keys:
        groups[places[key][1:]].append(key)
    # In the order of the keys, so that the rows of a data set are loaded once.
    sample = {key for group in groups.values() for key in group[:_SAMPLE]}
    return sorted(keys, key=lambda key: key not in sample)


class Forecast:
    """Predicts the seconds of the waiting cells by the mean of finished ones of the same group.

    ``groups`` has the group of every waiting cell: its data set and method. Only cells that the run
    itself has finished count. Stored ones may come from another machine.
    """

    def __init__(self, groups):
        self._groups = dict(groups)
        self._waiting = Counter(self._groups.values())
        self._needed = {group: min(n, _SAMPLE) for group, n in self._waiting.items()}
        self._seconds = defaultdict(list)

    def finish(self, key, seconds):
        """Take a finished cell into account; ``seconds`` is None if its time is not known."""
        group = self._groups[key]
        self._waiting[group] -= 1
        if seconds is not None:
            self._seconds[group].append(seconds)

    def left(self):
        """Seconds that the waiting cells will take, or None before the sample is finished."""
        waiting = +self._waiting
        if any(len(self._seconds[group]) < self._needed[group] for group in waiting):
            return None
        return sum(n * fmean(self._seconds[group]) for group, n in waiting.items())
