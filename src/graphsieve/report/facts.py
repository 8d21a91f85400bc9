"""What the report takes from a fitted selector."""

from dataclasses import dataclass

import numpy as np

from .._linear.how_many import GainCurve
from ..selection import Selection, settings


@dataclass(frozen=True)
class Facts:
    """A ranking of features, with whatever else the selector knows about it.

    Attributes
    ----------
    method : str
        Name of the method.
    names : list of str
        Names of the features as ``get_feature_names_out`` gives them.
    has_names : bool
        Whether the data had column names.
    order : ndarray of shape (n_features,)
        Features, best first.
    n_selected : int
    scores : ndarray of shape (n_features,)
    gains : ndarray of shape (n_features,) or None
        Explained fraction that a feature added when it was picked.
    gain_curve : GainCurve or None
        Gains along the ranking compared with those of shuffled columns, if the number of features
        was chosen by it.
    n_exact : int
        Number of leading features that were picked one by one, given those before.
    trace : list of float
        Objective after every iteration; empty for methods that do not iterate.
    converged : bool or None
    ranks_by_trace : bool
        Whether the ranking follows from what was iterated. The last network of an elimination
        only encodes.
    frequency : ndarray of shape (n_features,) or None
        Fraction of resampled data sets in which a feature was selected.
    stability : tuple of float or None
        Stability of the selection and its confidence interval.
    is_auto : bool
        Whether the method chose the number of features.
    parameters : dict of str to str
    """

    method: str
    names: list
    has_names: bool
    order: np.ndarray
    n_selected: int
    scores: np.ndarray
    n_exact: int
    is_auto: bool
    parameters: dict
    gains: np.ndarray | None
    gain_curve: GainCurve | None
    trace: list
    converged: bool | None
    ranks_by_trace: bool
    frequency: np.ndarray | None
    stability: tuple | None

    @property
    def n_features(self):
        return len(self.names)


def read_facts(sel):
    """Collect the facts about a fitted selector, or about a Selection that was saved by one."""
    is_saved = isinstance(sel, Selection)
    selection = sel if is_saved else sel.to_selection()
    parameters = selection.parameters if is_saved else settings(sel)
    names, n_features = selection.feature_names_in, selection.n_features_in
    # A saved selection knows neither layers and gains, nor convergence, nor stability.
    stability = getattr(sel, "stability_", None)
    return Facts(
        method=selection.method,
        names=[f"x{j}" for j in range(n_features)] if names is None else names,
        has_names=names is not None,
        order=np.asarray(selection.order),
        n_selected=len(selection.kept),
        scores=np.asarray(selection.scores),
        gains=getattr(sel, "gains_", None),
        gain_curve=getattr(sel, "gain_curve_", None),
        n_exact=getattr(sel, "n_exact_", n_features),
        trace=[float(value) for value in getattr(sel, "objective_trace_", ())],
        converged=getattr(sel, "converged_", None),
        ranks_by_trace=not hasattr(sel, "rounds_"),
        frequency=getattr(sel, "frequency_", None),
        stability=None if stability is None else (stability.value, *stability.interval),
        is_auto=parameters.get("n_features_to_select") == "auto",
        parameters={name: _short(value) for name, value in parameters.items()},
    )


def _short(value, length=80):
    text = repr(value)
    return text if len(text) <= length else text[: length - 1] + "…"
