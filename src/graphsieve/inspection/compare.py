"""Comparison of several methods on one table, without labels."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any
from zlib import crc32

import joblib
import numpy as np
from scipy.stats import t as student
from sklearn.model_selection import RepeatedKFold
from sklearn.utils import check_random_state

from .._graph.neighborhoods import nearest_rows, neighborhood_preservation
from .._linear.redundancy import redundancy
from .._linear.regression import ReconstructionErrors
from .._linear.structure import find_structure
from .._rows import check_columns, is_lazy, known_frame, numeric_frame
from .._rows.samples import read_sample
from .._rows.scaling import to_unit_interval
from .._utils.messages import shown, warn
from .._utils.names import check_choice, count_features, suggestion
from .._utils.threads import single_threaded_blas
from ..base import FeatureRanker
from ..methods import REGISTRY
from .stability import Stability, by_position, fit_reseeded, selection_stability

if TYPE_CHECKING:
    import pandas as pd

# Methods that differ in what they look for, and take seconds.
METHODS = ("sieve", "gafs", "css", "mrsf", "lap_score")
BASELINES = ("variance", "random")
# Random rankings on every half: one alone may be lucky.
_N_DRAWS = 5
# Criteria, and whether larger is better.
CRITERIA = {
    "structure": True,
    "neighborhood": True,
    "reconstruction": False,
    "stability": True,
    "redundancy": False,
}
# In sentences and figures.
TITLES = {
    "structure": "preserved structure",
    "neighborhood": "preserved neighbours",
    "reconstruction": "reconstruction error",
    "stability": "stability",
    "redundancy": "redundancy",
}
# Mean rank correlation over eight methods with the accuracy of a classifier and with the ACC of
# k-means clusters, on fourteen labelled data sets: experiments/studies/label_free.py.
AGREEMENT = {
    "structure": (0.37, 0.28),
    "neighborhood": (0.29, 0.13),
    "reconstruction": (0.28, 0.03),
    "stability": (-0.06, 0.05),
    "redundancy": (0.04, 0.01),
}
# Each half needs three rows for a neighbourhood to mean anything.
_FEWEST_ROWS = 6


@dataclass(frozen=True)
class Comparison:
    """Methods on one table, judged without labels.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per method, the best by ``criterion`` first: ``rank``, ``candidate``, the means of
        the criteria, ``behind`` and ``behind_error``, the difference to the first method and the
        half-width of its 95 % interval, and ``seconds`` per fit.
    halves : pandas.DataFrame
        One row per method and half of the rows.
    criterion : str
        The criterion that decides.
    n_features, n_rows : int
        Number of selected features, and of the rows that were used.
    best : str
        The method to take: the first one given, unless the criterion clearly prefers another.
    verdict : str
        Says which criterion decided, and how clearly.
    """

    table: pd.DataFrame = field(repr=False)
    halves: pd.DataFrame = field(repr=False)
    criterion: str
    n_features: int
    n_rows: int
    best: str
    verdict: str


def compare(
    X: Any,
    n_features_to_select: int | float,
    methods: Iterable[str] | Mapping[str, FeatureRanker] = METHODS,
    *,
    criterion: str = "structure",
    n_repeats: int = 3,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Comparison:
    """Compare methods on a table without labels.

    Every method selects features on one half of the rows, and the other half says how good they
    are. The variance and a random ranking are always compared as well.

    Parameters
    ----------
    X : container of shape (n_samples, n_features)
        The data; at most 2,000 rows are used, and missing values replaced by the mean of their
        column.
    n_features_to_select : int or float
        Number or fraction of features that every method selects. A selector whose constraints
        allow fewer is left out, with a warning.
    methods : list of str, or dict of str to FeatureRanker
        Names in ``graphsieve.REGISTRY``, or selectors by name. The first one is taken unless the
        criterion clearly prefers another.
    criterion : {"structure", "neighborhood", "reconstruction", "stability", "redundancy"}
        The criterion that decides. All of them are computed on columns scaled to [0, 1]:

        - "structure": fraction of the five nearest neighbours of a row, by the principal components
          above those of shuffled columns, that the selected features preserve.
        - "neighborhood": the same for the neighbours by all features, noise included.
        - "reconstruction": relative error of all features predicted from the selected ones.
        - "stability": agreement of the selections from different halves (Nogueira et al., 2018).
        - "redundancy": mean absolute correlation among the selected features.
    n_repeats : int, default=3
        How often the rows are divided into halves; every method is fitted twice as often.
    random_state : int, RandomState or None, default=0
        Random seed.
    n_jobs : int or None, default=None
        Number of fits that run at the same time, as in joblib.
    verbose : int, default=0
        If positive, show progress.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphsieve.inspection import compare
    >>> found = compare(load_wine().data, 4, ["css", "lap_score"])
    >>> sorted(found.table["candidate"])
    ['css', 'lap_score', 'random', 'variance']
    """
    check_choice("criterion", criterion, CRITERIA)
    candidates, draws = _candidates(methods)
    options = {"n_repeats": n_repeats, "random_state": random_state}
    judged = judge(candidates, X, n_features_to_select, **options, n_jobs=n_jobs, verbose=verbose)
    # The mean of the random rankings stands in the place of each of them.
    names = dict.fromkeys(draws, "random")
    halves = judged.halves.replace({"candidate": names})
    halves = halves.groupby(["candidate", "half"], sort=False, as_index=False).mean()
    stability = {names.get(name, name): found for name, found in judged.stability.items()}
    judged = replace(judged, halves=halves, stability=stability)
    incumbent = next(name for name in candidates if name in judged.stability)
    best, verdict = choose(judged, criterion, incumbent)
    table, sizes = ranked_table(judged, criterion), (judged.n_features, judged.n_rows)
    return Comparison(table, halves, criterion, *sizes, best, verdict)


def _candidates(methods):
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        raise TypeError(f"methods must be a list of names or a dict of selectors, got {methods!r}")
    if not isinstance(methods, Mapping):
        for name in methods:
            if name not in REGISTRY:
                raise ValueError(
                    f"there is no method {name!r}{suggestion(name, REGISTRY)}. Use names in "
                    f"REGISTRY ({', '.join(REGISTRY)}), or a dict of selectors"
                )
        methods = {name: REGISTRY[name]() for name in methods}
    baselines = {name: REGISTRY[name]() for name in BASELINES if name not in methods}
    draws = []
    if "random" in baselines:
        names = (f"random {number}" for number in range(1, len(methods) + _N_DRAWS + 1))
        draws = [name for name in names if name not in methods][:_N_DRAWS]
        baselines |= dict.fromkeys(draws, baselines.pop("random"))
    return {**methods, **baselines}, draws


@dataclass(frozen=True)
class Judged:
    """Other criteria and seconds, a row per candidate and half, and the stability of each."""

    halves: pd.DataFrame
    stability: dict[str, Stability]
    n_features: int
    n_rows: int


def judge(candidates, X, n_selected, *, n_repeats=3, random_state=0, n_jobs=None, verbose=0):
    """Judge clones of selectors, a dict by name, on the same halves of rows; see ``compare``."""
    import pandas as pd

    rng = check_random_state(random_state)
    values, labels = _draw(X, rng)
    n_selected = count_features(n_selected, values.shape[1])
    # Integers are positions, not names by which parameters may refer to columns.
    by_number = labels is None or all(isinstance(label, Integral) for label in labels)
    given = values.shape[1], None if by_number else labels, labels
    candidates = {
        name: by_position(estimator, *given).set_params(n_features_to_select=n_selected)
        for name, estimator in candidates.items()
    }
    halves = list(RepeatedKFold(n_splits=2, n_repeats=n_repeats, random_state=rng).split(values))
    seeds = rng.randint(2**31, size=len(halves), dtype=np.int64)
    jobs = [(half, name) for half in range(len(halves)) for name in candidates]
    # The seed of a candidate does not depend on the others.
    fits = joblib.Parallel(n_jobs, return_as="generator")(
        joblib.delayed(_select)(
            candidates[name], values[halves[half][0]], (seeds[half] + crc32(name.encode())) % 2**31
        )
        for half, name in jobs
    )
    names = [name for _, name in jobs]
    fits = shown(fits, "Fitting on halves of the rows", len(jobs), verbose, names)
    rows, supports, failed, judging = [], {}, {}, None
    for (half, name), (selected, outcome) in zip(jobs, fits, strict=True):
        if selected is None:
            failed.setdefault(name, outcome)
            continue
        if judging != half:
            judging, other = half, _OtherHalf(values, *halves[half])
        measured = other.measure(selected)
        rows.append({"candidate": name, "half": half, **measured, "seconds": outcome})
        supports.setdefault(name, []).append(np.isin(np.arange(values.shape[1]), selected))
    rows = [row for row in rows if row["candidate"] not in failed]
    for name, message in failed.items():
        if not rows:
            raise ValueError(f"no candidate could be fitted. {name}: {message}")
        warn(f"{name} is left out of the comparison because it could not be fitted: {message}")
    stability = {
        name: selection_stability(masks) for name, masks in supports.items() if name not in failed
    }
    return Judged(pd.DataFrame(rows), stability, n_selected, len(values))


def _draw(X, rng):
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
            f"{sample.n_filled:,} missing or infinite values were replaced by the mean of their "
            "column for the comparison; impute them before if there are many"
        )
    return sample.values, None if names is None else np.asarray(names, dtype=object)


def _select(estimator, X, seed):
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

    def __init__(self, values, fitted_on, held_out):
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


def ranked_table(judged, criterion):
    """The table of a Comparison."""
    table = judged.halves.groupby("candidate", sort=False).mean().drop(columns="half")
    table["stability"] = {name: found.value for name, found in judged.stability.items()}
    table = table.sort_values(criterion, ascending=not CRITERIA[criterion], kind="stable")
    gaps = [difference(judged, criterion, table.index[0], name) for name in table.index]
    table["behind"], table["behind_error"] = zip(*gaps, strict=True)
    table["rank"] = np.arange(1, len(table) + 1)
    columns = ["rank", "candidate", *CRITERIA, "behind", "behind_error", "seconds"]
    return table.reset_index()[columns]


def difference(judged, criterion, better, worse):
    """How much better one candidate is than another, half by half, and the 95 % half-width.

    Halves overlap: the standard error is corrected as by Nadeau and Bengio ("Inference for the
    generalization error", Machine Learning 52, 2003), with as many rows to judge as to fit.
    """
    if criterion == "stability":
        first, second = judged.stability[better], judged.stability[worse]
        # The two values come from the same halves; taking them as independent is cautious.
        widths = [found.value - found.interval[0] for found in (first, second)]
        return first.value - second.value, float(np.hypot(*widths)) if better != worse else 0.0
    values = judged.halves.pivot(index="half", columns="candidate", values=criterion)
    gaps = (values[better] - values[worse]) * (1 if CRITERIA[criterion] else -1)
    error = gaps.std(ddof=1) * np.sqrt(1 / len(gaps) + 1)
    return float(gaps.mean()), float(student.ppf(0.975, len(gaps) - 1) * error)


def trust(criterion):
    """A sentence about how well a criterion agrees with labels."""
    accuracy, clusters = AGREEMENT[criterion]
    return (
        f"Trust: on fourteen labelled data sets, ranking methods by {TITLES[criterion]} had a rank "
        f"correlation of {accuracy:.2f} with their accuracy and {clusters:.2f} with the quality of "
        "their clusters (1: the same order, 0: unrelated)."
    )


def choose(judged, criterion, incumbent):
    """The incumbent, unless the criterion clearly prefers another candidate, and a verdict."""
    best = first = ranked_table(judged, criterion)["candidate"].iloc[0]
    verdict = f"Decided by {TITLES[criterion]}: {first} is "
    if first == incumbent:
        verdict += "best."
    else:
        gap, half_width = difference(judged, criterion, first, incumbent)
        by = f"by {gap:.3f} ± {half_width:.3f}"
        if gap > half_width:
            verdict += f"clearly better than {incumbent}, {by}."
        else:
            best = incumbent
            verdict += f"better than {best} {by}, which is not clear, so {best} is preferred."
    if best != "random" and "random" in judged.stability:
        gap, half_width = difference(judged, criterion, best, "random")
        if gap <= half_width:
            by = f"{gap:+.3f} ± {half_width:.3f}"
            verdict += f" It is not clearly better than a random selection ({by})."
    return best, verdict
