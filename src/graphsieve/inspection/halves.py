"""Selections from one half of the rows, judged on the other half without labels."""

import time
from dataclasses import dataclass
from numbers import Integral
from zlib import crc32

import joblib
import numpy as np
from sklearn.model_selection import RepeatedKFold
from sklearn.utils import check_random_state

from .._graph.neighborhoods import nearest_rows, neighborhood_preservation
from .._linear.redundancy import redundancy
from .._linear.regression import ReconstructionErrors
from .._linear.structure import find_structure
from .._rows import check_columns, is_lazy, known_frame, numeric_frame
from .._rows.samples import read_sample
from .._rows.scaling import to_unit_interval
from .._utils.order import count_features
from .._utils.progress import shown
from .._utils.threads import single_threaded_blas
from .._utils.warn import warn
from .stability import fit_reseeded, selection_stability
from .wrapping import by_position

# Criteria, and whether larger is better.
CRITERIA = {
    "structure": True,
    "neighborhood": True,
    "reconstruction": False,
    "stability": True,
    "redundancy": False,
}
# Each half needs three rows for a neighbourhood to mean anything.
_FEWEST_ROWS = 6


@dataclass(frozen=True)
class Judged:
    """What is known about every candidate.

    Attributes
    ----------
    halves : pandas.DataFrame
        One row per candidate and half: ``candidate``, ``half``, the criteria of one selection
        (all but the stability) and the ``seconds`` of the fit.
    stability : dict of str to Stability
        Agreement of the selections of every candidate.
    n_features : int
        Number of selected features.
    n_rows : int
        Number of rows that were used.
    """

    halves: object
    stability: dict
    n_features: int
    n_rows: int


def judge(
    candidates,
    X,
    n_features_to_select,
    *,
    n_repeats=3,
    random_state=0,
    n_jobs=None,
    verbose=0,
):
    """Judge selectors by halves of the rows, without labels.

    The rows are divided into two halves at random, ``n_repeats`` times. Every candidate selects
    features on each half, and the other half says how good they are. All candidates see the same
    halves. At most 2,000 rows are used, drawn at random; ``n_features_to_select`` replaces that of
    the candidates, a dict from names to selectors, which are cloned. One that raises a ValueError,
    or whose constraints allow fewer features, is left out, with a warning. The other parameters
    are those of ``compare``.
    """
    rng = check_random_state(random_state)
    values, names = _draw(X, rng)
    count = count_features(n_features_to_select, values.shape[1])
    candidates = {
        name: by_position(estimator, values.shape[1], *_find_by(names))
        for name, estimator in candidates.items()
    }
    for estimator in candidates.values():
        estimator.set_params(n_features_to_select=count)
    halves = list(RepeatedKFold(n_splits=2, n_repeats=n_repeats, random_state=rng).split(values))
    seeds = rng.randint(2**31, size=len(halves), dtype=np.int64)
    jobs = [(half, name) for half in range(len(halves)) for name in candidates]
    fits = joblib.Parallel(n_jobs, return_as="generator")(
        joblib.delayed(_select)(
            candidates[name], values[halves[half][0]], _seed_of(name, seeds[half])
        )
        for half, name in jobs
    )
    names = [name for _, name in jobs]
    fits = shown(fits, "Fitting on halves of the rows", len(jobs), verbose, names)
    return _judge_selections(zip(jobs, fits, strict=True), values, halves, count)


def _judge_selections(selections, values, halves, count):
    """Collect the criteria of the selections, which come half by half."""
    import pandas as pd

    rows, supports, failed, other = [], {}, {}, None
    for (half, name), (selected, outcome) in selections:
        if selected is None:
            failed.setdefault(name, outcome)
            continue
        if other is None or other.number != half:
            other = _OtherHalf(half, values, *halves[half])
        measured = other.measure(selected)
        rows.append({"candidate": name, "half": half, **measured, "seconds": outcome})
        supports.setdefault(name, []).append(np.isin(np.arange(values.shape[1]), selected))
    rows = [row for row in rows if row["candidate"] not in failed]
    _warn_about(failed, nothing_left=not rows)
    stability = {
        name: selection_stability(masks) for name, masks in supports.items() if name not in failed
    }
    return Judged(pd.DataFrame(rows), stability, count, len(values))


def _find_by(labels):
    """Names by which parameters may refer to columns, and names of any type; see by_position."""
    if labels is None or all(isinstance(label, Integral) for label in labels):
        return None, labels
    return labels, labels


def _draw(X, rng):
    """Some or all rows as a dense array, and the names of the columns or None."""
    if is_lazy(X):
        n_features, names = check_columns(X)
    else:
        X = numeric_frame(known_frame(X))
        n_features, names = np.shape(X)[1], getattr(X, "columns", None)
    sample = read_sample(X, n_features, rng=np.random.default_rng(rng.randint(2**31 - 1)))
    if len(sample.values) < _FEWEST_ROWS:
        raise ValueError(
            f"X has {len(sample.values)} rows, which is too few for selections on halves of them: "
            f"at least {_FEWEST_ROWS} are needed"
        )
    if sample.n_filled:
        warn(
            f"{sample.n_filled} missing or infinite values were replaced by the mean of their "
            "column for the comparison. Impute them yourself if there are many"
        )
    return sample.values, None if names is None else np.asarray(names, dtype=object)


def _seed_of(name, seed):
    """A seed for one candidate on one half, whatever other candidates there are."""
    return (seed + crc32(name.encode())) % 2**31


def _select(estimator, X, seed):
    """(selected features, seconds), or (None, message) if the data do not suit the candidate."""
    start = time.perf_counter()
    try:
        fitted = fit_reseeded(estimator, X, seed)
    except ValueError as error:
        return None, str(error)
    wanted = estimator.n_features_to_select
    if fitted.n_features_ < wanted:
        return None, (
            f"its constraints allow {fitted.n_features_} features, and the others select {wanted}. "
            "Compare it with others under the same constraints, or select fewer features"
        )
    return fitted.order_[: fitted.n_features_], time.perf_counter() - start


class _OtherHalf:
    """The half that judges, with everything that does not depend on the selection."""

    def __init__(self, number, values, fitted_on, held_out):
        self.number = number
        train, self._test = to_unit_interval(values[fitted_on], values[held_out])
        with single_threaded_blas():
            self._errors = ReconstructionErrors(train, self._test)
            structure = find_structure(train)
        self._in_structure = nearest_rows(
            structure.projection(structure.axes(structure.n_kept))(self._test)
        )
        self._neighbors = nearest_rows(self._test)

    def measure(self, selected):
        kept = self._test[:, selected]
        with single_threaded_blas():
            return {
                "structure": neighborhood_preservation(self._in_structure, kept),
                "neighborhood": neighborhood_preservation(self._neighbors, kept),
                "reconstruction": float(self._errors.path(selected, [len(selected)])[0]),
                "redundancy": redundancy(kept),
            }


def _warn_about(failed, nothing_left):
    for name, message in failed.items():
        if nothing_left:
            raise ValueError(f"no candidate could be fitted. {name}: {message}")
        warn(f"{name} is left out of the comparison because it could not be fitted: {message}")
