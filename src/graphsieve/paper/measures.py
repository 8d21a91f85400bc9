"""What is recorded of a cell: rows of the tidy table, by the name of the measure."""

import time
import warnings

import numpy as np

from .._utils.threads import single_threaded_blas
from ..evaluation import ALL_FEATURES, fit_on, score_order
from .baselines import MissingPackage
from .provenance import provenance


def run_cell(cell):
    """Run a cell; an error of the method is recorded, not raised.

    Returns a dict with ``status`` ("ok", "failed" or "skipped"), ``error``, ``rows``, ``fit``,
    ``seconds`` and ``provenance``.
    """
    record = {"status": "ok", "error": "", "rows": [], "provenance": provenance()}
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(), single_threaded_blas():
            # The table says whether a fit converged.
            warnings.simplefilter("ignore")
            record["fit"], record["rows"] = _run(cell)
    except MissingPackage as error:
        record |= {"status": "skipped", "error": str(error), "rows": [{}]}
    except Exception as error:
        record |= {"status": "failed", "error": f"{type(error).__name__}: {error}", "rows": [{}]}
    return record | {"seconds": time.perf_counter() - start}


def _run(cell):
    split = cell.load_split()
    if cell.method == ALL_FEATURES:
        return {}, _score(cell, split, np.arange(split.X_train.shape[1]), _sizes(cell))
    if cell.measure == "shares":
        return _run_shares(cell, split)
    fitted, fit = _fit(cell.estimator(), split, cell.seed)
    return fit, _MEASURES[cell.measure](split, fitted)


def _run_shares(cell, split):
    """One fit for all fractions, or one for each if the selections of the method are not nested."""
    nested = getattr(cell.estimator(), "nested", True)
    fits, rows = [], []
    for sizes in [_sizes(cell)] if nested else [[size] for size in _sizes(cell)]:
        most = max(count for _, count in sizes)
        fitted, fit = _fit(cell.estimator(most), split, cell.seed)
        fits.append(fit)
        rows += _score(cell, split, fitted.order_, sizes)
    seconds = {name: sum(f[name] for f in fits) for name in ("fit_seconds", "fit_cpu_seconds")}
    return fits[-1] | seconds, rows


def _fit(estimator, split, seed):
    cpu = time.process_time()
    fitted, seconds = fit_on(estimator, split.X_train, seed)
    return fitted, {
        "fit_seconds": seconds,
        "fit_cpu_seconds": time.process_time() - cpu,
        "n_iter": getattr(fitted, "n_iter_", None),
        "converged": getattr(fitted, "converged_", None),
    }


def _sizes(cell):
    """Pairs of the fraction asked for and the number or fraction that is selected."""
    return list(zip(cell.protocol["shares"], cell.counts, strict=True))


def _score(cell, split, order, sizes):
    protocol = cell.protocol
    shares, counts = zip(*sizes, strict=True)
    table = score_order(
        order,
        split,
        shares=counts,
        cluster_on=protocol["cluster_on"],
        n_repeats=protocol["n_repeats"],
        metrics=protocol["metrics"],
        random_state=cell.seed,
        n_jobs=1,
    ).assign(share=shares)
    return table.dropna(axis="columns", how="all").to_dict("records")


def _trace(split, fitted):
    return [
        {"iteration": iteration, "objective": float(value)}
        for iteration, value in enumerate(fitted.objective_trace_)
    ]


def _order(split, fitted):
    return [
        {"position": position, "feature": int(feature)}
        for position, feature in enumerate(fitted.order_)
    ]


def _cost(split, fitted):
    n_samples, n_features = split.X_train.shape
    return [{"n_samples": n_samples, "n_features": n_features}]


_MEASURES = {"trace": _trace, "order": _order, "cost": _cost}
