"""The time left, from the finished cells of the same kind, the same data set, or all."""

from dataclasses import asdict
from pathlib import Path

import pytest

from graphsieve.paper import load_experiment
from graphsieve.paper.cells import Cell, plan
from graphsieve.paper.forecast import Forecast, rough_seconds
from graphsieve.paper.spec import Protocol
from graphsieve.paper.store import read_table

RESULTS = Path(__file__).parents[2] / "results"


def cell(dataset, method, **params):
    return Cell("shares", dataset, 0, method, params, asdict(Protocol()))


def test_cells_of_the_same_kind_count_first():
    forecast = Forecast()
    forecast.finish(cell("yale", "gafs", alpha=1e-3), 4.0)
    forecast.finish(cell("yale", "gafs", alpha=1e-2), 6.0)
    forecast.finish(cell("yale", "random"), 100.0)
    assert forecast.seconds(cell("yale", "gafs", alpha=1.0)) == pytest.approx(5.0)


def test_more_hidden_units_take_more_time():
    forecast = Forecast()
    forecast.finish(cell("yale", "gafs", n_hidden=10), 4.0)
    assert 4.5 < forecast.seconds(cell("yale", "gafs", n_hidden=40)) < 16.0


def test_a_slow_machine_is_slow_on_other_data_sets_too():
    forecast = Forecast()
    new = cell("mnist", "random")
    assert forecast.seconds(new) == rough_seconds(new)
    forecast.finish(cell("yale", "random"), 3 * rough_seconds(cell("yale", "random")))
    assert forecast.seconds(new) == pytest.approx(3 * rough_seconds(new))


def test_stored_cells_of_a_faster_machine():
    """What this run has taken sets the level, stored cells the proportions."""
    forecast = Forecast()
    forecast.learn(cell("yale", "random"), 1.0)
    forecast.learn(cell("yale", "udfs"), 9.0)
    forecast.finish(cell("yale", "random"), 2.0)
    assert forecast.seconds(cell("yale", "random")) == pytest.approx(2.0)
    assert forecast.seconds(cell("yale", "udfs")) == pytest.approx(18.0)


@pytest.mark.parametrize("rows", ["split", "all"])
@pytest.mark.parametrize("dataset", ["cub200", "iris", "planted_30x20"])
def test_every_data_set_has_a_forecast(dataset, rows):
    protocol = asdict(Protocol(rows=rows))
    assert rough_seconds(Cell("shares", dataset, 0, "variance", {}, protocol)) > 0


# Seconds of single cells of the full comparison, measured on one core of 2023.
@pytest.mark.parametrize(
    ("dataset", "method", "params", "seconds"),
    [
        ("yale", "gafs", {"n_hidden": 10, "max_iter": 400}, 1.5),
        ("prostate_ge", "gafs", {"n_hidden": 40, "max_iter": 400}, 7.5),
        ("coil20", "gafs", {"n_hidden": 20, "max_iter": 400}, 5.5),
        ("isolet", "variance", {}, 2.5),
        ("mnist", "random", {}, 60.0),
    ],
)
def test_rough_seconds_are_right_within_a_factor_of_three(dataset, method, params, seconds):
    assert seconds / 3 < rough_seconds(cell(dataset, method, **params)) < 3 * seconds


@pytest.mark.slow
def test_time_left_is_right_within_a_factor_of_two():
    """The recorded run of the first split of the comparison, data set by data set, up to 80 %."""
    table = read_table(RESULTS / "comparison.parquet").drop_duplicates("key")
    seconds = table.set_index("key")["seconds"]
    sets = ["coil20", "yale", "pcmac", "basehock", "relathe", "prostate_ge", "isolet"]
    planned = plan(load_experiment("comparison"), "full", sets, None, 1)
    cells = {cell.key: cell for cell, _, _ in planned}
    forecast, total, done = Forecast(), seconds[[*cells]].sum(), 0.0
    for number, (key, cell) in enumerate(cells.items()):
        if number % 50 == 0 and done < 0.8 * total:
            left = sum(map(forecast.seconds, list(cells.values())[number:]))
            assert 0.5 < left / (total - done) < 2
        forecast.finish(cell, seconds[key])
        done += seconds[key]
