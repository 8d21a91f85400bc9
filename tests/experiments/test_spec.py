"""Experiments as data: every one that ships can be read, and what is misspelt is named."""

import pytest

from experiments.baselines import BASELINES
from experiments.cells import plan
from experiments.spec import PROFILES, experiment_names, load_experiment, read_experiment
from graphsieve.evaluation import ALL_FEATURES, SHARES
from graphsieve.methods import REGISTRY
from tests.experiments.conftest import SMALL

EIGHT = ("mnist", "coil20", "yale", "pcmac", "basehock", "relathe", "prostate_ge", "isolet")


@pytest.mark.parametrize("name", experiment_names())
def test_every_experiment_has_all_profiles(name):
    experiment = load_experiment(name)
    for profile in PROFILES:
        assert plan(experiment, profile)


@pytest.mark.slow
@pytest.mark.parametrize("name", experiment_names())
def test_every_setting_is_valid(name):
    for cell, _, _ in plan(load_experiment(name), "full"):
        if cell.method != ALL_FEATURES:
            cell.estimator()._validate_params()


def test_comparison_has_the_grids_of_the_paper():
    experiment, profile = load_experiment("comparison").profile("full")
    assert experiment.protocol.shares == SHARES
    assert profile.datasets == EIGHT
    sizes = {method.label: len(method.settings()) for method in experiment.methods}
    assert sizes["gafs"] == 4 * 5 * 5
    assert sizes["udfs"] == 4 * 7
    assert sizes["rsr"] == 10 + 1  # and the default of graphsieve
    assert {"random", "variance"} < set(sizes)


def test_quality_runs_every_method_at_its_defaults():
    cells = plan(load_experiment("quality"), "full")
    assert {label for _, label, _ in cells} == {*REGISTRY, *BASELINES, ALL_FEATURES}
    assert all(cell.params == {} for cell, _, _ in cells)
    assert {cell.split for cell, _, _ in cells} == set(range(5))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("measure", "mesure", "mesure.*measure"),
        ("n_repeats", "repeats", "repeats.*n_repeats"),
        ("n_splits", "splits", "splits.*n_splits"),
        ("n_neighbors", "neighbours", "neighbours.*n_neighbors"),
        ("profiles.quick", "profiles.fast", "fast.*quick, medium, full"),
        ("methods.variance", "methods.varianse", "varianse.*variance"),
        ('"shares"', '"scores"', "scores.*shares, trace"),
        ("n_splits = 2", "methods = ['rsr']", "rsr.*lap_score, variance, random"),
        ("n_splits = 2", "grids = { random = { power = [1] } }", "power"),
        ("n_splits = 2", "protocol = { share = [1] }", "share.*shares"),
    ],
)
def test_unknown_name_is_an_error_that_names_the_known_ones(old, new, message):
    with pytest.raises(ValueError, match=message):
        read_experiment(SMALL.replace(old, new), "small")


def test_unknown_experiment_data_set_and_method(small):
    with pytest.raises(ValueError, match="comparison"):
        load_experiment("comparision")
    with pytest.raises(ValueError, match="iris.*planted_NxD"):
        plan(small, "quick", datasets=["irish"])
    with pytest.raises(ValueError, match="lap_score, variance"):
        plan(small, "quick", methods=["lapscore"])


def test_settings_are_the_fixed_one_and_the_rest_of_the_grid(small):
    settings = small.methods[0].settings()
    assert settings == [{}, {"n_neighbors": 3}, {"n_neighbors": 4}]


def test_profile_narrows_the_grid_and_the_width():
    text = SMALL.replace(
        "n_splits = 2", "grids = { lap_score = {} }\nmax_features = { random = 10 }"
    )
    cells = plan(read_experiment(text, "small"), "quick")
    labels = [(cell.dataset, label) for cell, label, _ in cells]
    assert labels.count(("wine", "lap_score")) == 1
    assert ("wine", "random") not in labels
    assert ("iris", "random") in labels


def test_seed_depends_on_data_set_and_split_alone(small):
    cells = [cell for cell, _, _ in plan(small, "quick")]
    seeds = {(cell.dataset, cell.split): cell.seed for cell in cells}
    assert all(cell.seed == seeds[cell.dataset, cell.split] for cell in cells)
    assert len(set(seeds.values())) == 4


def test_key_depends_on_everything_that_matters(small):
    cells = [cell for cell, _, _ in plan(small, "quick")]
    other = [
        cell for cell, _, _ in plan(read_experiment(SMALL.replace("0.5", "0.6"), "s"), "quick")
    ]
    keys = {cell.key for cell in cells}
    assert len(keys) == len(cells)
    # All features are the same cell whatever the shares are.
    everything = {cell.key for cell in cells if cell.method == ALL_FEATURES}
    assert keys & {cell.key for cell in other} == everything


def test_key_changes_with_a_default(small, monkeypatch):
    def key():
        return next(cell.key for cell, label, _ in plan(small, "quick") if label == "lap_score")

    before = key()
    cls = REGISTRY["lap_score"]
    monkeypatch.setitem(REGISTRY, "lap_score", lambda share: cls(share, n_neighbors=7))
    assert key() != before


def test_first_split_of_a_profile():
    """Splits that were seen when defaults were chosen are left out."""
    splits = [cell.split for cell, _, _ in plan(load_experiment("quality"), "medium", ["colon"])]
    assert (min(splits), max(splits)) == (15, 29)


def test_later_splits_of_large_data_have_fixed_settings_only():
    cells = plan(load_experiment("comparison"), "full", ["mnist"])
    assert {cell.split for cell, _, number in cells if number} == {0}
    assert {cell.split for cell, _, number in cells if not number} == set(range(5))


def test_extended_experiment_keeps_what_it_does_not_replace():
    whole, part = (load_experiment(name) for name in ("comparison", "comparison_sample"))
    assert part.methods == whole.methods
    assert part.choices == whole.choices
    assert part.title != whole.title
    cells = plan(part, "full")
    assert {cell.protocol["max_test_per_class"] for cell, _, _ in cells} == {300}
    assert {cell.split for cell, _, number in cells if number} == {0, 1, 2}
    with pytest.raises(ValueError, match="comparision.*comparison, comparison_sample"):
        read_experiment('extends = "comparision"', "small")
