"""What the benchmarks share: clocks, peaks of memory, processes of their own, data."""

import ctypes
import gc
import multiprocessing
import os
import re
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from experiments.data import load
from experiments.protocol import balanced_split


def timed(function):
    """(value, seconds) of one call."""
    start = time.perf_counter()
    value = function()
    return value, time.perf_counter() - start


def best_times(functions, repeats, enough=0.0, limit=np.inf):
    """Smallest time of each function, taken in turn so that all see the same machine.

    Rounds go on until there are ``repeats`` and they together took ``enough`` seconds; none starts
    once they are past ``limit`` seconds.
    """
    rounds = []
    while (len(rounds) < repeats or np.sum(rounds) < enough) and np.sum(rounds) <= limit:
        rounds.append([timed(function)[1] for function in functions])
    return np.min(rounds, axis=0).tolist()


class Clock:
    """A callback of a fit that notes when which objective was reached."""

    def __init__(self):
        self.start = time.perf_counter(), time.process_time()
        self.seen = []

    def __call__(self, iteration, objective):
        self.seen.append((iteration, float(objective), *self.now()))

    def now(self):
        """Wall-clock seconds, and processor seconds of all threads, since the start."""
        wall, processor = self.start
        return time.perf_counter() - wall, time.process_time() - processor

    def rows(self, most=200):
        """What was noted as rows of a table, thinned to about ``most``, with first and last."""
        thinned = self.seen[:: -(-len(self.seen) // most)]
        if thinned[-1] is not self.seen[-1]:
            thinned.append(self.seen[-1])
        names = ("iteration", "objective", "seconds", "processor_seconds")
        return [dict(zip(names, values, strict=True)) for values in thinned]


class Peak:
    """Growth of the resident memory of this process, in MB, from its start to its highest point.

    The kernel's own mark is set back at the start, and what was freed before goes back to the
    system, so that neither an earlier peak nor its leftovers hide anything. Linux only.
    """

    def __init__(self):
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")
        self._start = _status("VmRSS") / 1024

    def highest(self):
        return _status("VmHWM") / 1024

    def grown(self):
        return self.highest() - self._start


def busy_cores(seconds=1.0):
    """Cores that other programs keep busy, while this one waits. Linux only."""
    before = _worked()
    time.sleep(seconds)
    return (_worked() - before) / seconds


def _worked():
    """Processor seconds of everything on the machine, without those that were idle or waiting."""
    times = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _, _, *others = (int(value) for value in times[:8])
    return (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")


def _status(name):
    return int(re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())[1])


def in_own_process(function, *arguments):
    """The value of a module's function, called in a fresh interpreter."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(function, *arguments).result()


@contextmanager
def quiet():
    """Without warnings: a fit with a fixed number of iterations does not converge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def unit_range(name, n_samples=None, seed=0):
    """A data set with all values divided by the largest, or some of its rows, drawn at random."""
    X = load(name).X
    if n_samples is not None and n_samples < len(X):
        X = X[np.random.default_rng(seed).permutation(len(X))[:n_samples]]
    X = X.astype(np.float64)
    X -= min(X.min(), 0.0)
    return X / X.max()


def training_rows(name, per_class, seed=0):
    """As many rows of every class, with all values divided by the largest."""
    data = load(name)
    train, _ = balanced_split(data.y, per_class, 1, random_state=seed)
    return data.X[train].astype(np.float64) / data.X.max()


def log_slope(sizes, seconds):
    """Slope of a line through the logarithms: 1 is linear growth."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def write_walk(path, n, d, block=10_000):
    """A memory map of a walk through a space of eight dimensions, seen through d noisy columns.

    The neighbours of a row are the rows before and after it.
    """
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(8, d)).astype(np.float32)
    X = np.lib.format.open_memmap(path, "w+", np.float32, (n, d))
    position = np.zeros(8)
    for start in range(0, n, block):
        walk = position + np.cumsum(rng.normal(size=(min(block, n - start), 8)), axis=0)
        position = walk[-1]
        noise = rng.standard_normal((len(walk), d), dtype=np.float32)
        X[start : start + block] = np.sin(walk.astype(np.float32) / 20) @ mixing + 0.3 * noise
    X.flush()
    return X
