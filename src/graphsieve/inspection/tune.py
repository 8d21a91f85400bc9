"""Choice of parameters without labels."""

from dataclasses import dataclass, field

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from .._utils.names import check_choice
from .decision import choose, ranked_table
from .halves import CRITERIA, judge


@dataclass(frozen=True)
class Tuning:
    """Settings of a selector, judged without labels.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per setting, the best by ``criterion`` first: one column per parameter, then those
        of the table of ``compare``.
    halves : pandas.DataFrame
        One row per setting and half of the rows.
    criterion : str
        The criterion that decides.
    verdict : str
        Says how clearly it decided.
    best_params_ : dict
        The chosen setting.
    best_estimator_ : FeatureRanker
        The selector with this setting, fitted on all rows.
    """

    table: object = field(repr=False)
    halves: object = field(repr=False)
    criterion: str
    verdict: str
    best_params_: dict
    best_estimator_: object = field(repr=False)


def tune(
    estimator,
    X,
    grid,
    *,
    criterion="structure",
    n_repeats=3,
    random_state=0,
    n_jobs=None,
    verbose=0,
):
    """Choose parameters of a selector without labels.

    Every setting selects features on one half of the rows, and the other half says how good they
    are. The setting that ``estimator`` has is always among the candidates, and stays unless the
    criterion clearly prefers another one.

    Parameters
    ----------
    estimator : FeatureRanker
        The selector, with its number of features. It is cloned.
    X : container of shape (n_samples, n_features)
        The data; at most 2,000 rows are used to judge, drawn at random.
    grid : dict of str to list, or list of such dicts
        Parameters and their values, as for ``sklearn.model_selection.ParameterGrid``.
    criterion : {"structure", "neighborhood", "reconstruction", "stability", "redundancy"}
        The criterion that decides; see `compare`.
    n_repeats : int, default=3
        How often the rows are divided into halves; every setting is fitted twice as often.
    random_state : int, RandomState or None, default=0
        Random seed of rows, halves and fits.
    n_jobs : int or None, default=None
        Number of fits that run at the same time, as in joblib.
    verbose : int, default=0
        If positive, show progress.

    Returns
    -------
    Tuning

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphsieve import MCFS
    >>> from graphsieve.inspection import tune
    >>> found = tune(MCFS(4), load_wine().data, {"n_components": [2, 3, 5]})
    >>> list(found.best_params_)
    ['n_components']
    """
    check_choice("criterion", criterion, CRITERIA)
    _check_count(estimator, grid)
    settings = _settings(estimator, grid)
    candidates = {name: clone(estimator).set_params(**s) for name, s in settings.items()}
    judged = judge(
        candidates,
        X,
        estimator.n_features_to_select,
        n_repeats=n_repeats,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    incumbent = next(name for name in settings if name in judged.stability)
    best, verdict = choose(judged, criterion, incumbent)
    return Tuning(
        table=_with_parameters(ranked_table(judged, criterion), settings),
        halves=judged.halves,
        criterion=criterion,
        verdict=verdict,
        best_params_=settings[best],
        best_estimator_=clone(candidates[best]).fit(X),
    )


def _check_count(estimator, grid):
    """Settings are compared for one number of features: more features are always better."""
    if any("n_features_to_select" in setting for setting in ParameterGrid(grid)):
        raise ValueError(
            "grid must not vary n_features_to_select: more features preserve more. Set it in the "
            'estimator, or use n_features_to_select="auto" without tuning'
        )
    if isinstance(estimator.n_features_to_select, str | list | tuple):
        raise ValueError(
            "tuning compares settings for one number of features: set n_features_to_select to a "
            f"number or fraction instead of {estimator.n_features_to_select!r}"
        )


def _settings(estimator, grid):
    """Settings by name, that of the estimator first."""
    varied = list(dict.fromkeys(name for setting in ParameterGrid(grid) for name in setting))
    own = estimator.get_params()
    unknown = [name for name in varied if name not in own]
    if unknown:
        raise ValueError(
            f"{type(estimator).__name__} has no parameter {unknown[0]!r}: it has {', '.join(own)}"
        )
    complete = [{name: own[name] for name in varied}]
    complete += [complete[0] | setting for setting in ParameterGrid(grid)]
    return {_name(setting): setting for setting in complete}


def _name(setting):
    return ", ".join(f"{name}={value!r}" for name, value in setting.items())


def _with_parameters(table, settings):
    """The table with one column per parameter in front."""
    for place, name in enumerate(next(iter(settings.values()))):
        values = [settings[candidate][name] for candidate in table["candidate"]]
        table.insert(1 + place, name, values)
    return table.drop(columns="candidate")
