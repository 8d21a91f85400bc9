"""Selector and data -> summary dict: everything that the page shows."""

from importlib.metadata import version

import numpy as np

from .._linear.how_many import gain_curve
from .._rows.samples import read_sample
from .._rows.scaling import standardised
from .._utils.names import check_shape
from .._utils.threads import blas_for_table
from ..inspection import (
    coverage_curve,
    explained_curves,
    make_grid,
    representatives,
)
from ..selection import Selection
from .facts import read_facts
from .images import choose_examples, image_part
from .notes import write_notes
from .scatter import color_column, scatter

# Kept features in the correlation map.
_MAP = 60
_TRACE = 200
# Coverage is stored as a byte: 0 to 254, and 255 where it is not defined.
_UNDEFINED = 255


def summarise(sel, X, *, groups=None, color=None, image_shape=None, title=None, random_state=0):
    """Everything about one selection, as dicts, lists, numbers, strings and arrays.

    The parameters are those of ``make_report``.
    """
    facts = read_facts(sel)
    shape = None
    if image_shape is not None:
        shape = check_shape(image_shape, facts.n_features, "image_shape")
    rng = np.random.default_rng(random_state)
    sample = _read(sel, X, facts, groups)
    values, order = sample.values, facts.order
    grid = make_grid(facts.n_features, facts.n_selected)
    examples = () if shape is None else choose_examples(values, len(grid), rng)
    curve = coverage_curve(values, order, grid, predict_rows=examples)
    closest = representatives(values, order, grid[-1])
    at_selected = int(np.searchsorted(grid, facts.n_selected))
    constant = np.isnan(curve.coverage[0])
    curves = explained_curves(values, order, grid, curve.coverage, rng)
    explained = [float(curves[name][at_selected]) for name in ("this", "random_mid")]
    chance, suggested, suggested_text = _suggest(sel, facts, values)
    points = scatter(values, order, grid, rng)
    return {
        "title": title or f"{facts.method}: {facts.n_selected:,} of {facts.n_features:,} features",
        "method": facts.method,
        "n_samples": sample.n_samples,
        "n_rows": len(sample.rows),
        "n_features": facts.n_features,
        "n_selected": facts.n_selected,
        "is_auto": facts.is_auto,
        "names": facts.names,
        "order": order.astype(np.uint32),
        "scores": facts.scores.astype(np.float32),
        "gains": None if facts.gains is None else np.asarray(facts.gains, dtype=np.float32),
        "frequency": None if facts.frequency is None else _as_bytes(facts.frequency),
        "stability": facts.stability,
        "grid": grid.tolist(),
        "coverage": _as_bytes(curve.coverage),
        "coverage_selected": curve.coverage[at_selected].astype(np.float32),
        "closest": {
            "start": closest.start.astype(np.uint32),
            "position": closest.position.astype(np.uint32),
            "correlation": _signed_bytes(closest.correlation),
        },
        "curves": curves,
        "chance": {
            "gains": chance.gains[: grid[-1]].astype(np.float32),
            "most": chance.chance[: grid[-1]].astype(np.float32),
            "suggested": min(suggested, int(grid[-1])),
            "suggested_text": suggested_text,
        },
        "map": _signed_bytes(_correlations(values[:, order[: min(_MAP, grid[-1])]])),
        "scatter": {
            "before": _signed_bytes(points["before"]),
            "after": _signed_bytes(points["after"]),
            "distances": points["distances"],
            "n_far": points["n_far"],
            "color": color_column(X, color, sample.rows[points["rows"]]),
        },
        "images": None if shape is None else image_part(values, shape, examples, curve.predictions),
        "notes": write_notes(
            facts,
            sample,
            constant,
            curve.coverage[at_selected],
            closest.at(facts.n_selected),
            explained,
        ),
        "trace": _thinned(facts.trace),
        "parameters": facts.parameters,
        "version": version("graphsieve"),
    }


def _read(sel, X, facts, groups):
    """The rows that the page is about, for a selector or a saved selection."""
    if isinstance(sel, Selection):
        names = facts.names if facts.has_names else None
        return read_sample(X, facts.n_features, names, groups=groups)
    return sel._sample(X, groups)


def _suggest(sel, facts, values):
    """GainCurve, and the number of features that "auto" selects, as a number and in words."""
    if isinstance(sel, Selection):
        # It does not know how many of its features were picked one by one.
        chance = gain_curve(values, facts.order[: facts.n_selected])
        number = facts.n_selected if facts.is_auto else chance.suggested
    else:
        # Beyond the exact picks, greedy methods estimate the order.
        chance = facts.gain_curve or gain_curve(values, facts.order[: facts.n_exact])
        number = sel._suggested(chance)
    return (
        chance,
        number,
        f"{number:,}" + ("" if chance.is_complete or facts.is_auto else " or more"),
    )


def _as_bytes(fraction):
    scaled = np.round(254 * np.nan_to_num(fraction))
    return np.where(np.isnan(fraction), _UNDEFINED, scaled).astype(np.uint8)


def _signed_bytes(values):
    """Values between -1 and 1 as -127 to 127."""
    return np.round(127 * np.asarray(values)).astype(np.int8)


@blas_for_table
def _correlations(columns):
    Z = standardised(columns)[0]
    return np.clip(Z.T @ Z / len(Z), -1, 1)


def _thinned(trace):
    """At most 200 (iteration, value) pairs, the first and last among them."""
    chosen = np.unique(np.linspace(0, len(trace) - 1, min(len(trace), _TRACE)).astype(int))
    return [[int(step), trace[step]] for step in chosen]
