"""Comparison of methods without labels."""

import numpy as np
import pytest

from graphsieve import GreedyCSS, LaplacianScore, RandomRanker
from graphsieve.inspection import compare


@pytest.fixture
def groups(rng):
    """Five groups of four nearly equal columns; those of the first group vary most."""
    factors = rng.normal(size=(80, 5)) * [4, 1, 1, 1, 1]
    return np.repeat(factors, 4, axis=1) + 0.05 * rng.normal(size=(80, 20))


@pytest.mark.parametrize("criterion", ["structure", "neighborhood", "reconstruction", "redundancy"])
def test_one_column_per_group_beats_the_baselines(groups, criterion):
    found = compare(groups, 5, ["css"], criterion=criterion, n_repeats=2)
    assert found.table["candidate"].iloc[0] == found.best == "css"
    assert set(found.table["candidate"]) == {"css", "variance", "random"}
    assert found.criterion == criterion
    assert found.n_features == 5


def test_selectors_under_names_of_their_own(groups):
    methods = {"one": GreedyCSS(), "random": RandomRanker()}
    found = compare(groups, 0.25, methods, n_repeats=1)
    assert set(found.table["candidate"]) == {"one", "random", "variance"}


def test_no_better_than_random_is_said(rng):
    found = compare(rng.normal(size=(60, 12)), 4, {"graph": LaplacianScore()}, n_repeats=2)
    assert "not clearly better than a random selection" in found.verdict


def test_it_is_shown_without_its_tables(groups):
    found = compare(groups, 5, ["css"], n_repeats=1)
    assert repr(found) == (
        "Comparison(criterion='structure', n_features=5, n_rows=80, best='css', "
        f"verdict={found.verdict!r})"
    )


def test_same_seed_same_table(groups):
    one, two = (compare(groups, 5, ["css"], n_repeats=1, random_state=s).table for s in (3, 3))
    assert one.drop(columns="seconds").equals(two.drop(columns="seconds"))


def test_mistakes(groups):
    with pytest.raises(ValueError, match="no method 'cs' .did you mean css"):
        compare(groups, 5, ["cs"])
    with pytest.raises(ValueError, match="criterion='accuracy' is unknown: use one of 'struc"):
        compare(groups, 5, ["css"], criterion="accuracy")
    with pytest.raises(ValueError, match="n_features_to_select=21 is not between 1"):
        compare(groups, 21, ["css"])


def test_structure_is_seen_among_noise(rng):
    """The structure is in eight columns; most neighbours by all features are due to noise."""
    clusters = np.repeat(np.eye(4), 40, axis=0)
    signal = np.repeat(clusters, 2, axis=1) + 0.2 * rng.normal(size=(160, 8))
    X = np.column_stack([signal, 0.5 * rng.normal(size=(160, 60))])
    methods = {"signal": RandomRanker(include=range(8)), "noise": RandomRanker(exclude=range(8))}
    found = compare(X, 8, methods, n_repeats=1).table.set_index("candidate")
    ratio = found.loc["signal"] / found.loc["noise"]
    assert ratio["structure"] > 1.5 * ratio["neighborhood"]


def test_random_is_the_mean_of_several_rankings(groups):
    alone = compare(groups, 5, {"random": RandomRanker()}, n_repeats=3).halves
    joined = compare(groups, 5, ["css"], n_repeats=3).halves
    spread = [
        table[table["candidate"] == "random"]["reconstruction"].std() for table in (alone, joined)
    ]
    assert spread[1] < 0.8 * spread[0]


def test_a_candidate_that_selects_fewer_is_left_out(groups):
    dear = GreedyCSS(costs=np.ones(20), budget=3.0)
    with pytest.warns(UserWarning, match="dear is left out .* allow 3 features, .* select 5"):
        found = compare(groups, 5, {"css": GreedyCSS(), "dear": dear}, n_repeats=1)
    assert "dear" not in set(found.table["candidate"])


def test_a_candidate_may_be_called_random_1(groups):
    found = compare(groups, 5, {"random 1": GreedyCSS(), "css": GreedyCSS()}, n_repeats=1).table
    found = found.set_index("candidate")
    assert set(found.index) == {"random 1", "css", "variance", "random"}
    assert found.loc["random 1", "structure"] == found.loc["css", "structure"]
