"""Criteria of selections on halves of the rows, against the measures called by hand."""

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.model_selection import RepeatedKFold
from sklearn.preprocessing import MinMaxScaler, normalize

from graphsieve import GreedyCSS, RandomRanker, StabilitySelection, Variance
from graphsieve._graph.neighborhoods import nearest_rows, neighborhood_preservation
from graphsieve._linear.redundancy import redundancy
from graphsieve._linear.regression import reconstruction_error
from graphsieve._linear.structure import find_structure
from graphsieve.base import FeatureRanker
from graphsieve.inspection.compare import CRITERIA, judge


@pytest.fixture
def table(rng):
    """Two groups of related columns, and columns of noise."""
    factors = rng.normal(size=(60, 2))
    return np.column_stack(
        [factors[:, [0]] + 0.1 * rng.normal(size=(60, 4)), factors[:, [1]], rng.random((60, 3))]
    )


def test_every_criterion_is_that_of_the_other_half(table):
    judged = judge({"css": GreedyCSS()}, table, 3, n_repeats=1)
    rng = np.random.RandomState(0)
    rng.randint(2**31 - 1)
    folds = RepeatedKFold(n_splits=2, n_repeats=1, random_state=rng)
    for (fitted_on, held_out), (_, row) in zip(
        folds.split(table), judged.halves.iterrows(), strict=True
    ):
        selected = GreedyCSS(3).fit(table[fitted_on]).order_[:3]
        scaler = MinMaxScaler(clip=True).fit(table[fitted_on])
        train, test = scaler.transform(table[fitted_on]), scaler.transform(table[held_out])
        kept = neighborhood_preservation(nearest_rows(test), test[:, selected])
        assert row["neighborhood"] == pytest.approx(kept)
        structure = find_structure(train)
        away = normalize(test - train.mean(axis=0))
        scores = away @ structure.axes(structure.n_kept)
        kept = neighborhood_preservation(nearest_rows(scores), test[:, selected])
        assert row["structure"] == pytest.approx(kept)
        error = reconstruction_error(train, test, selected)
        assert row["reconstruction"] == pytest.approx(error)
        assert row["redundancy"] == pytest.approx(redundancy(test[:, selected]))


def test_all_candidates_see_the_same_halves(table):
    alone = judge({"random": RandomRanker()}, table, 3).halves
    together = judge({"css": GreedyCSS(), "random": RandomRanker()}, table, 3).halves
    together = together[together["candidate"] == "random"].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        alone.drop(columns="seconds"), together.drop(columns="seconds"), check_exact=True
    )


def test_random_selections_are_not_stable(table):
    """A fixed seed must not make a random ranking look stable."""
    candidates = {"random": RandomRanker(random_state=0), "variance": Variance()}
    stability = judge(candidates, table * np.geomspace(1, 1e4, 8), 2).stability
    assert stability["random"].value < 0.5
    assert stability["variance"].value > 0.9


@pytest.mark.parametrize("container", [sp.csr_array, pd.DataFrame, np.asfortranarray])
def test_containers_agree(table, container):
    table = np.round(table, 6)
    expected = judge({"css": GreedyCSS()}, table, 3, n_repeats=1).halves
    found = judge({"css": GreedyCSS()}, container(table), 3, n_repeats=1).halves
    np.testing.assert_allclose(found["neighborhood"], expected["neighborhood"])
    np.testing.assert_allclose(found["reconstruction"], expected["reconstruction"])


def test_names_in_constraints(table):
    frame = pd.DataFrame(table, columns=list("abcdefgh"))
    named = judge({"css": GreedyCSS(include=["h"])}, frame, 2, n_repeats=1).halves
    by_position = judge({"css": GreedyCSS(include=[7])}, table, 2, n_repeats=1).halves
    assert named["neighborhood"].tolist() == by_position["neighborhood"].tolist()


def test_parallel_fits_give_the_same(table):
    candidates = {"random": RandomRanker(), "css": GreedyCSS()}
    # Processes give the same and take seconds to start.
    with joblib.parallel_config(backend="threading"):
        one, two = (judge(candidates, table, 3, n_repeats=1, n_jobs=n).halves for n in (None, 2))
    pd.testing.assert_frame_equal(one.drop(columns="seconds"), two.drop(columns="seconds"))


class Picky(FeatureRanker):
    """Accepts no data."""

    def _rank(self, data):
        raise ValueError("not these data")


def test_a_candidate_that_fails_is_left_out(table):
    with pytest.warns(UserWarning, match="picky is left out .* not these data"):
        judged = judge({"picky": Picky(), "css": GreedyCSS()}, table, 3, n_repeats=1)
    assert set(judged.halves["candidate"]) == set(judged.stability) == {"css"}
    with pytest.raises(ValueError, match=r"no candidate could be fitted\. picky: not these data"):
        judge({"picky": Picky()}, table, 3, n_repeats=1)


def test_wrappers_can_be_judged(table):
    wrapped = StabilitySelection(Variance(3), n_resamples=3)
    assert len(judge({"wrapped": wrapped}, table, 3, n_repeats=1).halves) == 2


def test_unusable_tables(table):
    with pytest.raises(ValueError, match="X has 5 rows, which is too few"):
        judge({"css": GreedyCSS()}, table[:5], 3)
    with pytest.raises(ValueError, match="do not hold numbers: 'name'"):
        judge({"css": GreedyCSS()}, pd.DataFrame(table).assign(name="a"), 3)
    table[3, 2] = np.nan
    with pytest.warns(UserWarning, match="1 missing or infinite values were replaced"):
        judge({"css": GreedyCSS()}, table, 3, n_repeats=1)


def test_progress_names_the_candidates(table, capsys):
    judge({"css": GreedyCSS()}, table, 3, n_repeats=1, verbose=1)
    assert "2/2 css" in capsys.readouterr().err


def test_criteria_are_columns_of_the_result(table):
    judged = judge({"css": GreedyCSS()}, table, 0.5, n_repeats=1)
    assert set(CRITERIA) - {"stability"} <= set(judged.halves)
    assert judged.n_features == 4
