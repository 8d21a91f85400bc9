"""Non-convex methods on many seeds: the ranking is that of the data, not that of the start.

The other methods need no such test: RSR, GSRSFS, DFSC, MRSF, JFSSL and the scores are convex or
closed forms; UDFS and NonconvexRSR are not convex but have no random start, and their own tests
compare them with simple starts; SCUFS has clusters to find, with tests of its own on twenty seeds
(``tests/methods/test_scufs.py``). GAFS starts from the principal components, without random
numbers. ``GAFS.paper()`` is left out: the paper's objective has no minimiser, because W_out is not
penalised, and its random start decides where the fit stops.
"""

import itertools

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_digits, load_wine

from graphsieve import AEFS
from graphsieve._rows import RowBlocks
from graphsieve._rows.scaling import column_scaling

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SEEDS = range(5)


def low_rank():
    rng = np.random.default_rng(0)
    signal = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 30))
    return signal * rng.uniform(0.3, 1.5, 30) + rng.normal(size=(60, 30))


TABLES = {"low rank": low_rank(), "wine": load_wine().data[::2], "digits": load_digits().data[::20]}
METHODS = {"AEFS": AEFS(5, n_hidden=32)}
CASES = [*itertools.product(METHODS, TABLES)]
IDS = [f"{name}, {table}" for name, table in CASES]


@pytest.fixture(scope="module")
def fits():
    """The method fitted with every seed, once per case."""
    done = {}

    def fit(name, table):
        if (name, table) not in done:
            method = METHODS[name]
            done[name, table] = [
                clone_with(method, random_state=seed).fit(TABLES[table]) for seed in SEEDS
            ]
        return done[name, table]

    return fit


def clone_with(method, **params):
    return type(method)(**{**method.get_params(), **params})


@pytest.mark.parametrize(("name", "table"), CASES, ids=IDS)
def test_seeds_agree(fits, name, table):
    scores = [method.scores_ for method in fits(name, table)]
    correlation = [spearmanr(one, other)[0] for one, other in itertools.combinations(scores, 2)]
    assert min(correlation) > 0.9


@pytest.mark.parametrize(("name", "table"), CASES, ids=IDS)
def test_no_seed_ends_above_another_or_above_a_cheap_candidate(fits, name, table):
    """The candidates: the start, and zero weights, which predict the mean of every column."""
    ends = [method.objective_trace_[-1] for method in fits(name, table)]
    starts = [method.objective_trace_[0] for method in fits(name, table)]
    data = RowBlocks(TABLES[table])
    scaled = data.scaled(column_scaling(data, "standard"), np.float64).whole()
    assert max(ends) <= 1.02 * min(ends)
    assert max(ends) <= min(starts)
    assert max(ends) <= scaled.var(axis=0).sum() / 2


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("table", ["low rank", "wine"])
def test_the_default_tol_and_max_iter_are_enough(fits, name, table):
    """Many more iterations lower the objective by 3 % at most, and keep the order by and large."""
    method = fits(name, table)[0]
    longer = clone_with(method, max_iter=500, tol=0).fit(TABLES[table])
    assert method.objective_trace_[-1] <= 1.03 * longer.objective_trace_[-1]
    assert spearmanr(method.scores_, longer.scores_)[0] > 0.8
