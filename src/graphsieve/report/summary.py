"""Selector and data -> summary dict: everything that the page shows."""

from importlib.metadata import version

import numpy as np

from .._linear.how_many import gain_curve
from .._linear.regression import added, coverage_curve
from .._rows.scaling import standardised
from .._utils.names import check_shape
from .._utils.threads import blas_for_table
from ..inspection.coverage import (
    CLOSE,
    closest_kept,
    explained_curves,
    make_grid,
    most_added,
    rows_of,
)
from ..selection import Selection
from .notes import promise, write_notes
from .scatter import color_column, scatter

# Kept features in the correlation map.
_MAP = 60
_TRACE = 200
# Coverage is stored as a byte: 0 to 254, and 255 where it is not defined.
_UNDEFINED = 255
# A curve is below that of random features where it explains so much less.
_BELOW = 0.01
# Images that are shown with their reconstructions, and bytes that these may take in the page.
_EXAMPLES = 6
_IMAGE_BYTES = 1_200_000
# Facts in the summary as they are.
_SHOWN = ("method", "names", "parameters", "n_features", "n_selected", "n_exact", "is_auto")


class Facts:
    """What the page takes from a Selection."""

    def __init__(self, selection, values):
        parameters, fitted = selection.parameters, selection.fitted
        names, self.n_features = selection.feature_names_in, selection.n_features_in
        names = [f"x{j}" for j in range(self.n_features)] if names is None else names
        self.names = [str(name) for name in names]
        self.method = selection.method
        self.order, self.scores = np.asarray(selection.order), np.asarray(selection.scores)
        self.n_selected = len(selection.kept)
        self.is_kept = np.isin(np.arange(self.n_features), self.order[: self.n_selected])
        self.n_batches = selection.fingerprint.get("n_batches", 0)
        self.n_exact = selection.fingerprint.get("n_exact") or self.n_features
        adds = np.asarray(fitted.get("gains_", np.ptp(values, axis=0)))
        if not adds[self.order[self.n_exact :]].any():
            self.n_exact = self.n_features  # the others are constant: they add nothing in any order
        self.is_auto = parameters.get("n_features_to_select") == "auto"
        shown = {name: repr(value) for name, value in parameters.items()}
        self.parameters = {n: v if len(v) <= 80 else f"{v[:79]}…" for n, v in shown.items()}
        self.allowed = fitted.get("allowed", (1, self.n_features))
        predictability = fitted.get("predictability_")
        self.predictability = predictability and np.asarray(predictability)
        self.trace = [float(value) for value in fitted.get("objective_trace_", ())]
        self.converged = fitted.get("converged_")
        # The last network of an elimination only encodes.
        self.ranks_by_trace = parameters.get("elimination") is None
        self.frequency = fitted.get("frequency_")
        found = fitted.get("stability_")
        self.stability = found and [float(number) for number in (found[0], *found[1])]
        self.r2 = fitted.get("r2_") and np.asarray(fitted["r2_"])
        self.least_r2 = parameters.get("explained") if parameters.get("by") == "r2" else None


def summarise(sel, X, *, groups=None, color=None, image_shape=None, title=None, random_state=0):
    """Everything about one selection; the parameters are those of ``make_report``."""
    sample = rows_of(sel, X, groups)
    values = sample.values
    selection = sel if isinstance(sel, Selection) else sel.to_selection()
    facts, rng = Facts(selection, values), np.random.default_rng(random_state)
    shape, order = None, facts.order
    if image_shape is not None:
        shape = check_shape(image_shape, facts.n_features, "image_shape")
    Z = standardised(values)[0]
    grid = make_grid(facts.n_features, facts.n_selected)
    examples = () if shape is None else _choose_examples(values, len(grid), rng)
    steps = np.union1d(grid, np.arange(1, min(facts.n_selected, most_added(values)) + 1))
    curve = coverage_curve(values, order, steps, predict_rows=examples)
    adds = added(curve.coverage)[steps == np.arange(1, len(steps) + 1)]
    on_grid = np.isin(steps, grid)
    coverage = curve.coverage[on_grid]
    closest = closest_kept(Z, order, grid[-1])
    at_selected = int(np.searchsorted(grid, facts.n_selected))
    curves = explained_curves(values, order, grid, coverage, rng)
    above = (curves["this"] - curves["random_mid"])[at_selected:]
    below = grid[at_selected:][(above < -_BELOW) & (above[0] >= 0)]
    # Beyond the exact picks, greedy methods estimate the order.
    chance = getattr(sel, "gain_curve_", None) or gain_curve(
        values, order[: facts.n_exact], predictability=facts.predictability
    )
    suggested = chance.suggested(*facts.allowed)
    or_more = "" if chance.is_complete or facts.is_auto else " or more"
    points, trace = scatter(Z, order, grid, rng), facts.trace
    shown = np.unique(np.linspace(0, len(trace) - 1, min(len(trace), _TRACE)).astype(int))
    return {
        "title": title or f"{facts.method}: {facts.n_selected:,} of {facts.n_features:,} features",
        **{name: getattr(facts, name) for name in _SHOWN},
        "n_samples": sample.n_samples,
        "n_rows": len(sample.rows),
        "order": order.astype(np.uint32),
        "scores": facts.scores.astype(np.float32),
        "adds": adds.astype(np.float32),
        "promise": promise(facts, sample),
        "r2": facts.r2 is not None and facts.r2.astype(np.float32),
        "frequency": facts.frequency and _as_bytes(facts.frequency),
        "stability": facts.stability,
        "grid": grid.tolist(),
        "coverage": _as_bytes(coverage),
        "coverage_selected": coverage[at_selected].astype(np.float32),
        "closest": {
            "start": closest.start.astype(np.uint32),
            "position": closest.position.astype(np.uint32),
            "correlation": _signed(closest.correlation, np.int16),
        },
        "close": CLOSE,
        "curves": curves,
        "below_random": int(below[0]) if below.size else None,
        "chance": {
            "gains": chance.gains[: grid[-1]].astype(np.float32),
            "most": chance.chance[: grid[-1]].astype(np.float32),
            # Fewer features than DropRedundant keeps would break what it promises.
            "suggested": None if facts.r2 is not None else min(suggested, int(grid[-1])),
            "suggested_text": f"{suggested:,}{or_more}",
        },
        "map": _signed(_correlations(Z[:, order[: min(_MAP, grid[-1])]]), np.int16),
        "scatter": {
            "before": _signed(points["before"], np.int8),
            "after": _signed(points["after"], np.int8),
            "distances": points["distances"],
            "n_far": points["n_far"],
            "color": color_column(X, color, sample.rows[points["rows"]]),
        },
        "images": shape and _image_part(values, shape, examples, curve.predictions[on_grid]),
        "notes": write_notes(
            facts,
            sample,
            facts.n_batches > 0 and groups is None,
            coverage[at_selected],
            closest.at(facts.n_selected)[1],
            [float(curves[name][at_selected]) for name in ("this", "random_mid")],
        ),
        "trace": [[int(step), trace[step]] for step in shown],
        "version": version("graphsieve"),
    }


def _as_bytes(fraction):
    scaled = np.round(254 * np.nan_to_num(fraction))
    return np.where(np.isnan(fraction), _UNDEFINED, scaled).astype(np.uint8)


def _signed(values, dtype):
    return np.round(np.iinfo(dtype).max * np.asarray(values)).astype(dtype)


@blas_for_table
def _correlations(Z):
    return np.clip(Z.T @ Z / len(Z), -1, 1)


def _choose_examples(X, n_grid, rng):
    n_examples = int(np.clip(_IMAGE_BYTES // (n_grid * X.shape[1]), 1, min(_EXAMPLES, len(X))))
    candidates = rng.permutation(len(X))[:50]
    chosen = [candidates[0]]
    nearest = np.full(len(candidates), np.inf)
    while len(chosen) < n_examples:
        distance = ((X[candidates] - X[chosen[-1]]) ** 2).sum(axis=1)
        nearest = np.minimum(nearest, distance)
        chosen.append(candidates[nearest.argmax()])
    return np.array(chosen)


def _image_part(X, shape, examples, predictions):
    low, high = X[examples].min(), X[examples].max()
    mean = X.mean(axis=0)
    return {
        "shape": list(shape),
        "mean": _grey(mean, mean.min(), mean.max()),
        "examples": _grey(X[examples], low, high),
        "predictions": _grey(predictions, low, high),
    }


def _grey(values, low, high):
    return np.clip(np.round(255 * (values - low) / ((high - low) or 1)), 0, 255).astype(np.uint8)
