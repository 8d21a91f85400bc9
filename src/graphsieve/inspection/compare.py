"""Comparison of several methods on one table, without labels."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, islice

from .._utils.names import check_choice, suggestion
from ..methods import REGISTRY
from .decision import choose, difference, ranked_table
from .halves import CRITERIA, judge

# Methods that differ in what they look for, and take seconds.
METHODS = ("sieve", "gafs", "css", "mrsf", "lap_score")
BASELINES = ("variance", "random")
# Random rankings on every half: one alone may be lucky.
_N_DRAWS = 5


@dataclass(frozen=True)
class Comparison:
    """Methods on one table, judged without labels.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per method, the best by ``criterion`` first: ``rank``, ``candidate``; the means of
        the criteria ``structure``, ``neighborhood``, ``reconstruction``, ``stability`` and
        ``redundancy``; ``behind`` and ``behind_error``, the difference to the first method and the
        half-width of its 95 % interval; and ``seconds`` per fit.
    halves : pandas.DataFrame
        One row per method and half of the rows.
    criterion : str
        The criterion that decides.
    n_features : int
        Number of selected features.
    n_rows : int
        Number of rows that were used.
    best : str
        The method to take: the first one given, unless the criterion clearly prefers another.
    verdict : str
        Says which criterion decided, and how clearly.
    """

    table: object = field(repr=False)
    halves: object = field(repr=False)
    criterion: str
    n_features: int
    n_rows: int
    best: str
    verdict: str


def compare(
    X,
    n_features_to_select,
    methods=METHODS,
    *,
    criterion="structure",
    n_repeats=3,
    random_state=0,
    n_jobs=None,
    verbose=0,
):
    """Compare methods on a table without labels.

    Every method selects features on one half of the rows, and the other half says how good they
    are; see the criteria below. The variance and a random ranking are always compared as well: a
    method that is not clearly better than those is not worth its time.

    Parameters
    ----------
    X : container of shape (n_samples, n_features)
        The data; at most 2,000 rows are used, drawn at random. Missing values are replaced by the
        mean of their column.
    n_features_to_select : int or float
        Number or fraction of features that every method selects. A selector whose budget or
        groups of columns allow fewer is left out, with a warning.
    methods : list of str, or dict of str to FeatureRanker
        Names in ``graphsieve.REGISTRY``, or selectors under names of your own. The first one is
        taken unless the criterion clearly prefers another.
    criterion : {"structure", "neighborhood", "reconstruction", "stability", "redundancy"}
        The criterion that decides. All of them are computed on columns scaled to [0, 1]:

        - "structure": fraction of the five nearest neighbours of a held-out row, by its principal
          components that are stronger than those of shuffled columns, that the selected features
          preserve. Agrees best with labels.
        - "neighborhood": the same for the neighbours by all features, noise included.
        - "reconstruction": relative error when all features of held-out rows are predicted from
          the selected ones; smaller is better.
        - "stability": agreement of the selections from different halves (Nogueira et al., 2018).
        - "redundancy": mean absolute correlation among the selected features; smaller is better.
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
    judged = judge(
        candidates,
        X,
        n_features_to_select,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    judged = _join_draws(judged, draws)
    incumbent = next(name for name in candidates if name in judged.stability)
    best, verdict = choose(judged, criterion, incumbent)
    return Comparison(
        table=ranked_table(judged, criterion),
        halves=judged.halves,
        criterion=criterion,
        n_features=judged.n_features,
        n_rows=judged.n_rows,
        best=best,
        verdict=verdict + _against_random(judged, criterion, best),
    )


def _candidates(methods):
    """Selectors by name, with the baselines after them, and the names of the random rankings."""
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
        names = (f"random {number}" for number in count(1))
        draws = list(islice((name for name in names if name not in methods), _N_DRAWS))
        baselines |= dict.fromkeys(draws, baselines.pop("random"))
    return {**methods, **baselines}, draws


def _join_draws(judged, draws):
    """The mean of the random rankings in the place of each of them."""
    halves = judged.halves.replace({"candidate": dict.fromkeys(draws, "random")})
    halves = halves.groupby(["candidate", "half"], sort=False).mean().reset_index()
    stability = dict(judged.stability)
    for name in draws:
        if name in stability:
            stability["random"] = stability.pop(name)
    return replace(judged, halves=halves, stability=stability)


def _against_random(judged, criterion, best):
    """A sentence if the choice is not clearly better than a random one."""
    if best == "random" or "random" not in judged.stability:
        return ""
    gap, half_width = difference(judged, criterion, best, "random")
    if gap > half_width:
        return ""
    return f" It is not clearly better than a random selection ({gap:+.3f} ± {half_width:.3f})."
