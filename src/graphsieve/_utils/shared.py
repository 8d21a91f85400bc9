"""Parameters that many methods have in common: described and constrained once."""

import inspect
import re
from dataclasses import dataclass
from typing import dataclass_transform

_SHARED = """\
n_features_to_select : int, float, "auto", list or None, default=None
    Number of features to keep, or a fraction in (0, 1] of them. If None, half of the features;
    if "auto", the features whose gain exceeds the gain on permuted columns.
include, exclude : list of str or int, mask or None, default=None
    Features that are always kept, and features that are never kept: names, patterns of names
    (``"^(MT-|RP[SL])"``, ``"MT-*"``), positions or a mask. Included features count as selected.
costs : array-like of shape (n_features,), dict of column to cost or None, default=None
    Cost of every feature, 1 for features that a dict does not have. Features are picked by gain
    per cost.
budget : float or None, default=None
    The most that the selected features may cost together. It determines their number if
    ``n_features_to_select`` is None.
column_groups : array-like of shape (n_features,), dict or None, default=None
    Label of every feature, or a dict from label to features. Features with the same label are
    kept or dropped together, such as the codes of one category or the channels of one sensor.
    Features whose label is None, or that the dict does not have, are on their own.
max_per_group : int or None, default=None
    Keep at most this many features of every group, instead of all or none.
alpha : float or None, default=None
    Weight of the row norms. If None, `0.1 * alpha_max`, where `alpha_max` is the smallest value
    for which all of them are 0.
n_components : int, default
    Number of directions m.
n_neighbors : int, default
    Number of neighbours of a sample in the graph.
affinity : {"cosine", "binary", "heat"}, callable, array or sparse matrix, default="cosine"
    Weights of the edges; a callable gets the scaled data, and a matrix is used as it is.
scale : {"auto", "standard", "minmax", "global"} or None, default="auto"
    Units in which the columns count: their standard deviations ("standard"), their ranges
    ("minmax"), the range of the whole table ("global"), or their own (None, as published).
    "auto" subtracts the median and divides by the range (the standard deviation in GreedyCSS, MCFS,
    MRSF and JFSSL; five of them in GraphSieve if that is more), with outliers moved to five
    standard deviations; of square roots if more than 90 % of the entries are zero and none is
    negative (words, events). Where there is a neighbour graph, it is that of the scaled data.
n_jobs : int or None, default=None
    Number of threads; None uses all cores that OMP_NUM_THREADS and joblib allow.
max_iter : int, default
    Maximum number of iterations.
tol : float, default
    Stop when the relative change of the objective is smaller.
memory : int, default=10
    Number of pairs of vectors that L-BFGS keeps.
dtype : {"float32", "float64"}, default="float32"
    Precision of the matrix products.
random_state : int, RandomState or None, default=None
    Random seed.
verbose : int, default=0
    If positive, show progress, or how long every stage took.
callback : callable(iteration, objective) or None, default=None
    Called after every iteration; returning True stops the fit and keeps the result."""
_OF_ALPHA = """\
alpha_ : float
    The weight ``alpha`` that was used."""
_OF_PICKS = """\
n_exact_ : int
    Number of features that were picked one by one. Up to there the order does not depend on
    ``n_features_to_select``; the others follow in the order of what each would add next.
gains_ : ndarray of shape (n_features,)
    Fraction of the targets that a feature explained when it was picked, on top of those picked
    before it in its layer; for a feature that was not picked, what it would add next.
layers_ : ndarray of shape (n_features,)
    Layer in which a feature was picked, from 1; 0 for one that was not.
stage_seconds_ : dict
    Seconds that every stage of the fit took."""
_OF_ITERATIONS = """\
objective_trace_, n_iter_, converged_
    The objective at every iteration, their number, and whether ``tol`` was met."""


@dataclass_transform(eq_default=False, kw_only_default=True)
def with_shared_parameters(cls):
    """Class decorator that makes a constructor of the parameters that a method declares.

    Its docstring gets their descriptions, in their order and with its defaults, and those of the
    attributes of iterative methods; ``_parameter_constraints`` gets those of the base class.
    """
    cls = dataclass(eq=False, repr=False, kw_only=True)(cls)
    names = inspect.signature(cls).parameters
    inherited = super(cls, cls)
    constraints = {
        **inherited._shared_constraints,
        **inherited._parameter_constraints,
        **vars(cls).get("_parameter_constraints", {}),
    }
    cls._parameter_constraints = _chosen(constraints, names, cls, "_parameter_constraints")
    if cls.__doc__:
        head, text = inspect.cleandoc(cls.__doc__).split("Parameters\n----------\n")
        own, *rest = re.split(r"\n+(?=\w[\w ]*\n---)", text)
        described = {**_by_name(_SHARED), **_by_name(own)}
        described = _chosen(described, names, cls, "the Parameters section of its docstring")
        section = "\n".join(dict.fromkeys(described.values()))
        section = re.sub(
            r"(\w+)( : .*), default$",
            lambda m: f"{m[1]}{m[2]}, default={names[m[1]].default:g}",
            section,
            flags=re.M,
        )
        has_own = bool(rest) and rest[0].startswith("Attributes")
        attributes = [rest.pop(0) if has_own else "Attributes\n----------"]
        if "alpha" in names and names["alpha"].default is None and "alpha_" not in attributes[0]:
            attributes.append(_OF_ALPHA)
        if "max_per_group" in names:
            attributes.append(_OF_PICKS)
        if "max_iter" in names and "objective_trace_" not in text:
            attributes.append(_OF_ITERATIONS)
        if has_own or len(attributes) > 1:
            rest.insert(0, "\n".join(attributes))
        cls.__doc__ = "\n\n".join([f"{head}Parameters\n----------\n{section}", *rest])
    return cls


def _chosen(table, names, cls, where):
    for name in set(names) - set(table):
        raise TypeError(f"{cls.__name__} has the parameter {name!r}: add it to {where}")
    return {name: table[name] for name in names}


def _by_name(section):
    paragraphs = re.split(r"\n(?=\w[\w, ]* : )", section.strip())
    return {name: p for p in paragraphs for name in p.split(" : ")[0].split(", ") if name}
