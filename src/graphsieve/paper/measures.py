"""What is written down of a cell: rows of the tidy table, by the name of the measure."""

import time
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from ..evaluation import ALL_FEATURES, fit_on, score_order
from .provenance import provenance


def run_cell(cell):
    """The record of a cell: its rows, times and origin, or the error that it ended with."""
    record = {"status": "ok", "error": "", "rows": [], "provenance": provenance()}
    try:
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            # Whether a fit converged is in the table.
            warnings.simplefilter("ignore")
            record["fit"], record["rows"] = _run(cell)
    except Exception as error:
        record |= {"status": "failed", "error": f"{type(error).__name__}: {error}", "rows": [{}]}
    return record


def _run(cell):
    split = cell.load_split()
    if cell.method == ALL_FEATURES:
        return {}, _score_shares(cell, split, np.arange(split.X_train.shape[1]))
    cpu = time.process_time()
    fitted, seconds = fit_on(cell.estimator(), split.X_train, cell.seed)
    fit = {
        "fit_seconds": seconds,
        "fit_cpu_seconds": time.process_time() - cpu,
        "n_iter": getattr(fitted, "n_iter_", None),
        "converged": getattr(fitted, "converged_", None),
    }
    return fit, _MEASURES[cell.measure](cell, split, fitted)


def _score_shares(cell, split, order):
    protocol = cell.protocol
    table = score_order(
        order,
        split,
        shares=protocol["shares"],
        cluster_on=protocol["cluster_on"],
        n_repeats=protocol["n_repeats"],
        metrics=protocol["metrics"],
        random_state=cell.seed,
        n_jobs=1,
    )
    return table.dropna(axis="columns", how="all").to_dict("records")


def _trace(cell, split, fitted):
    return [
        {"iteration": iteration, "objective": float(value)}
        for iteration, value in enumerate(fitted.objective_trace_)
    ]


def _order(cell, split, fitted):
    return [
        {"position": position, "feature": int(feature)}
        for position, feature in enumerate(fitted.order_)
    ]


def _cost(cell, split, fitted):
    n_samples, n_features = split.X_train.shape
    return [{"n_samples": n_samples, "n_features": n_features}]


_MEASURES = {
    "shares": lambda cell, split, fitted: _score_shares(cell, split, fitted.order_),
    "trace": _trace,
    "order": _order,
    "cost": _cost,
}
