"""The time left, from the finished cells of the same kind, the same data set, or all."""

from dataclasses import asdict

import pytest

from graphsieve.paper.cells import Cell
from graphsieve.paper.forecast import Forecast, rough_seconds
from graphsieve.paper.spec import Protocol


def cell(dataset, method, **params):
    return Cell("shares", dataset, 0, method, params, asdict(Protocol()))


def test_finished_cells_of_the_same_kind_count_first():
    forecast = Forecast()
    forecast.add(cell("yale", "gafs", alpha=1e-3), 4.0)
    forecast.add(cell("yale", "gafs", alpha=1e-2), 6.0)
    forecast.add(cell("yale", "random"), 100.0)
    assert forecast.seconds(cell("yale", "gafs", alpha=1.0)) == 5.0


def test_a_slow_machine_is_slow_on_other_data_sets_too():
    forecast = Forecast()
    new = cell("mnist", "random")
    assert forecast.seconds(new) == rough_seconds(new)
    forecast.add(cell("yale", "random"), 3 * rough_seconds(cell("yale", "random")))
    assert forecast.seconds(new) == pytest.approx(3 * rough_seconds(new))


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
