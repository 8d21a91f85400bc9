"""The time left, from the cells that the run has finished."""

import numpy as np

from experiments.runner import Forecast, sampled_first


def test_mean_of_the_finished_cells_of_the_same_method_and_data_set():
    groups = dict.fromkeys("abcdefg", ("yale", "gafs")) | dict.fromkeys("xy", ("yale", "random"))
    forecast = Forecast(groups)
    for key, seconds in zip("abcdex", [4.0, 5.0, 6.0, 7.0, 8.0, 100.0], strict=True):
        forecast.finish(key, seconds)
    assert forecast.left() is None
    forecast.finish("y", 100.0)
    assert forecast.left() == 2 * 6.0


def test_nothing_is_said_without_evidence():
    groups = {"a": ("yale", "gafs"), "b": ("mnist", "gafs"), "c": ("mnist", "gafs")}
    forecast = Forecast(groups)
    assert forecast.left() is None
    forecast.finish("a", 4.0)
    assert forecast.left() is None
    # A cell of another run, from an older version that stored no time.
    forecast.finish("b", None)
    assert forecast.left() is None
    forecast.finish("c", 7.0)
    assert forecast.left() == 0


def test_a_sample_of_every_method_and_data_set_comes_first():
    places = {
        (split, dataset, method, setting): (split, dataset, method)
        for split in range(2)
        for dataset in ("mnist", "yale")
        for method, n_settings in (("gafs", 10), ("variance", 1))
        for setting in range(n_settings)
    }
    keys = sampled_first(places, seed=0)
    assert sorted(keys) == sorted(places)
    samples, rest = keys[:14], keys[14:]
    # Two splits of the method with one setting per split.
    for dataset in ("mnist", "yale"):
        assert sum(key[1:3] == (dataset, "gafs") for key in samples) == 5
        assert sum(key[1:3] == (dataset, "variance") for key in samples) == 2
    assert [key[:2] for key in rest] == sorted(key[:2] for key in rest), "split by split"
    settings = [key[3] for key in rest if key[:3] == (1, "yale", "gafs")]
    assert settings != sorted(settings), "not in the order of the grid"


def test_time_left_is_right_within_a_factor_of_two():
    """Cells of five methods on two data sets, whose times differ by method and by setting."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        sizes = {"gafs": 100, "random": 100, "udfs": 28, "rsr": 11, "spec": 3}
        places = {
            f"{dataset}-{method}-{setting}": (0, dataset, method)
            for dataset in ("mnist", "yale")
            for method, n_settings in sizes.items()
            for setting in range(n_settings)
        }
        usual = {place: rng.lognormal(0, 1.5) for place in places.values()}
        seconds = {key: usual[place] * rng.lognormal(0, 0.3) for key, place in places.items()}
        ratios = replay(places, seconds, seed)
        assert len(ratios) > 0.25 * len(places)
        assert 0.5 < min(ratios) <= max(ratios) < 2


def replay(places, seconds, seed):
    """Predicted over true time left after every cell, while a fifth of the time is left."""
    forecast = Forecast({key: place[1:] for key, place in places.items()})
    total = left = sum(seconds.values())
    ratios = []
    for key in sampled_first(places, seed):
        forecast.finish(key, seconds[key])
        left -= seconds[key]
        if forecast.left() is not None and left > 0.2 * total:
            ratios.append(forecast.left() / left)
    return ratios
