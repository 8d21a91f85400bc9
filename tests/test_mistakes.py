"""Natural mistakes: each gives one line that says what is wrong and what to do."""

import numpy as np
import pandas as pd
import pytest

from graphsieve import GAFS, MCFS, DropRedundant, GreedyCSS, GroupedRanker, Variance
from graphsieve.inspection import compare

COSTS = {"alpha": 5, "beta": 6, "gamma": 7, "delta": 8, "eta": 9}


@pytest.fixture
def X(rng):
    return pd.DataFrame(rng.random((30, 5)) + 1, columns=list(COSTS))


# What a user writes, what the message has to say, and the advice that it has to give.
MISTAKES = {
    "misspelt name": (
        lambda X: GreedyCSS(2, include=["Gamm"]).fit(X),
        "include: there is no column 'Gamm' (did you mean gamma?)",
        "(did you mean gamma?)",
    ),
    "a name for an array": (
        lambda X: GreedyCSS(2, include="gamma").fit(X.to_numpy()),
        "the data have no column names",
        "pass a data frame, or use column positions",
    ),
    "include and exclude overlap": (
        lambda X: GreedyCSS(2, include=["beta"], exclude=["eta", "beta"]).fit(X),
        "column 'beta' is in both include and exclude",
        "remove it from one of them",
    ),
    "more included than asked for": (
        lambda X: GreedyCSS(2, include=["alpha", "beta", "eta"]).fit(X),
        "include has 3 columns, but n_features_to_select=2 keeps 2",
        "use 3 or more",
    ),
    "more features than columns": (
        lambda X: GreedyCSS(50).fit(X),
        "n_features_to_select=50",
        "5 or fewer",
    ),
    "no features": (
        lambda X: GreedyCSS([0]).fit(X),
        "n_features_to_select=0 is not between 1 and the number of features, 5",
        "use 1 or more",
    ),
    "budget below the cheapest": (
        lambda X: GreedyCSS(costs=COSTS, budget=4).fit(X),
        "budget=4 buys no column: the cheapest, 'alpha', costs 5",
        "Increase the budget",
    ),
    "budget without costs": (
        lambda X: GreedyCSS(budget=4).fit(X),
        "budget needs costs",
        "pass the cost of every column",
    ),
    "one cost too few": (
        lambda X: GreedyCSS(2, costs=[1, 2, 3, 4]).fit(X),
        "costs has 4 entries, but the data have 5 columns",
        "pass one cost per column, or a dict",
    ),
    "batches given to the constructor": (
        lambda X: GreedyCSS(2, column_groups=["donor 1", "donor 2"] * 15).fit(X),
        "column_groups has 30 entries, but the data have 5 columns",
        "Batches of samples are passed to fit as groups",
    ),
    "batches of another length": (
        lambda X: GroupedRanker(Variance(2)).fit(X, groups=["a", "b"]),
        "groups has 2 entries, but X has 30 samples",
        "pass one label per sample",
    ),
    "a path": (
        lambda X: GAFS(2).fit("cancer.csv"),
        "X must be a table, got str",
        "read the file first, for example with pandas.read_csv",
    ),
    "nothing": (
        lambda X: GAFS(2).fit(None),
        "X must be a table, got NoneType",
        "pass an array or a data frame",
    ),
    "a dictionary": (
        lambda X: GAFS(2).fit(dict(X)),
        "X must be a table, got dict",
        "pass an array or a data frame",
    ),
    "complex numbers": (
        lambda X: GAFS(2).fit(X + 0j),
        "5 of the 5 columns do not hold numbers: 'alpha' (complex numbers)",
        "Leave them out",
    ),
    "an array of complex numbers": (
        lambda X: GAFS(2).fit(X.to_numpy() + 0j),
        "Complex data not supported",
        "X holds complex128, not real numbers",
    ),
    "a text column": (
        lambda X: GAFS(2).fit(X.assign(site="north")),
        "1 of the 6 columns do not hold numbers: 'site' (text)",
        "Leave them out",
    ),
    "missing values": (
        lambda X: MCFS(2).fit(X.mask(X > 1.9)),
        "X contains NaN",
        "SimpleImputer",
    ),
    "infinite values": (
        lambda X: Variance(2).fit(X.replace(X.iloc[3, 2], np.inf)),
        "1 infinite and 0 missing values, the first infinity at row 3, column 'gamma'",
        "Replace infinite values",
    ),
    "a percentage instead of a fraction": (
        lambda X: DropRedundant(90).fit(X),
        "The 'explained' parameter of DropRedundant must be a float in the range (0.0, 1.0]",
        "Got 90",
    ),
    "more than was computed": (
        lambda X: GreedyCSS(2).fit(X).set_n_features(6),
        "6",
        "not between 1 and 5",
    ),
    "a table without a kept column": (
        lambda X: _selection(X).transform(X.drop(columns="gamma")),
        "gamma",
        "lacks",
    ),
    "a table instead of a feature": (
        lambda X: GreedyCSS(2).fit(X).explain(X, X),
        "explain takes the name or the position of one feature",
        "coverage(X) has all dropped features",
    ),
    "an image of another size": (
        lambda X: GreedyCSS(2).fit(X).plot.mask((2, 3)),
        "shape=2x3 has 6 pixels, but the data have 5 features",
        "",
    ),
    "a table instead of a shape": (
        lambda X: GreedyCSS(2).fit(X).plot.mask(X),
        "shape must be the height and width",
        "such as (28, 28)",
    ),
    "a folder that does not exist": (
        lambda X: GreedyCSS(2).fit(X).save("nowhere/kept.json"),
        "there is no folder",
        "create it first",
    ),
    "one method to compare": (
        lambda X: compare(X, 2, "css"),
        "methods must be a list of names or a dict of selectors",
        "got 'css'",
    ),
}


def _selection(X):
    return Variance(2, include=["gamma"]).fit(X).to_selection()


@pytest.mark.parametrize("name", MISTAKES)
def test_one_line_says_what_to_do(X, name):
    make, problem, advice = MISTAKES[name]
    with pytest.raises((ValueError, TypeError, KeyError, OSError)) as caught:
        make(X)
    message = str(caught.value)
    assert problem in message
    assert advice in message
    assert "\n" not in message
