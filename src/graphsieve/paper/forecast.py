"""The order in which cells are run, and the time that the remaining ones will take."""

import random
from collections import Counter, defaultdict
from statistics import fmean

# Cells of every method on every data set that are run before the rest. With three, replays of
# recorded runs are sometimes wrong by more than a factor of two (tests/paper/test_forecast.py).
_SAMPLE = 5


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
