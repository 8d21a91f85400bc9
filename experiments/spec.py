"""Experiments as data: TOML to frozen dataclasses, with every key and every name checked."""

import inspect
import tomllib
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path

from graphsieve._rows.scaling import SCALES
from graphsieve.methods import REGISTRY

from .baselines import BASELINES, ranker
from .protocol import SCORES, SHARES

MEASURES = ("shares", "trace", "order", "cost")
PROFILES = ("quick", "medium", "full")
_SPECS = Path(__file__).with_name("specs")
GROUPS = {"registry": REGISTRY, "baselines": BASELINES}


@dataclass(frozen=True)
class Protocol:
    """How a ranking is scored; see `graphsieve.evaluation.evaluate`."""

    shares: tuple[float, ...] = SHARES
    metrics: tuple[str, ...] = ("accuracy", "clustering")
    # "none" leaves the data as they are.
    scale: str = "minmax"
    cluster_on: str = "test"
    n_repeats: int = 20
    # Largest number of test rows per class.
    max_test_per_class: int | None = None
    # Largest number of training rows, and of test rows.
    max_rows: int | None = None
    # "split": balanced training and test rows. "all": rank and score on all rows.
    rows: str = "split"
    # How a fraction of the features becomes a number: "nearest" or "up".
    rounding: str = "nearest"


@dataclass(frozen=True)
class Method:
    """A method under a label of its own, with one fixed setting and a grid around it."""

    label: str
    method: str
    fixed: dict = field(default_factory=dict)
    grid: dict = field(default_factory=dict)

    def settings(self):
        """Parameters of the fixed setting, then of the other settings of the grid."""
        combinations = product(*self.grid.values())
        grid = [self.fixed | dict(zip(self.grid, values, strict=True)) for values in combinations]
        return [self.fixed, *(setting for setting in grid if setting != self.fixed)]


@dataclass(frozen=True)
class Profile:
    """How much of an experiment is run."""

    datasets: tuple[str, ...]
    n_splits: int = 1
    # The splits before it were seen when defaults were chosen.
    first_split: int = 0
    # By data set: later splits have the fixed settings only.
    grid_splits: dict = field(default_factory=dict)
    # Labels; empty means all.
    methods: tuple[str, ...] = ()
    # Replaces fields of the protocol.
    protocol: dict = field(default_factory=dict)
    # By label: replaces parameters of the grid. An empty grid leaves the fixed setting.
    grids: dict = field(default_factory=dict)
    # By label: the method skips data with more features.
    max_features: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """Description of an experiment: what is fitted, on which data, and what is recorded.

    Parameters
    ----------
    name, title : str
        Name of the table and title of the section in the report.
    measure : {"shares", "trace", "order", "cost"}
        What is recorded of every fit: scores at fractions of the features, the objective by
        iteration, the ranking, or the time.
    methods : tuple of Method
        What is fitted.
    profiles : dict of str to Profile
        How much is run.
    protocol : Protocol
        How rankings are scored.
    choices : tuple of str
        Notes for the report, such as choices that the paper leaves open.
    """

    name: str
    title: str
    measure: str
    methods: tuple[Method, ...]
    profiles: dict
    protocol: Protocol = Protocol()
    choices: tuple[str, ...] = ()

    def profile(self, name):
        """The experiment as a profile runs it, and the profile."""
        profile = self.profiles[_known("profile", name, self.profiles)]
        labels = profile.methods or [method.label for method in self.methods]
        methods = [
            replace(method, grid=_narrowed(method.grid, profile.grids.get(method.label)))
            for method in self.methods
            if method.label in labels
        ]
        protocol = replace(self.protocol, **_tuples(profile.protocol))
        return replace(self, methods=tuple(methods), protocol=protocol), profile


def experiment_names():
    """Names of the experiments in ``specs/``, sorted."""
    return sorted(path.stem for path in _SPECS.glob("*.toml"))


def load_experiment(name):
    """Load an experiment: a name of `experiment_names`, or the path of a TOML file."""
    path = Path(name)
    path = path if path.suffix == ".toml" else _path(name)
    return read_experiment(path.read_text("utf-8"), path.stem)


def _path(name):
    return _SPECS / f"{_known('experiment', name, experiment_names())}.toml"


def read_experiment(text, name):
    """Read an experiment from TOML; an unknown key or name is an error that lists those known.

    With ``extends``, an experiment has the keys of another one that it does not have itself.
    """
    content = tomllib.loads(text)
    if "extends" in content:
        content = tomllib.loads(_path(content.pop("extends")).read_text("utf-8")) | content
    methods = _methods(content.pop("groups", ()), content.pop("methods", {}))
    profiles = content.pop("profiles", {})
    protocol = content.pop("protocol", {})
    experiment = _build(
        Experiment,
        f"experiment {name}",
        content
        | {
            "name": name,
            "protocol": _build(Protocol, f"protocol of {name}", protocol),
            "methods": methods,
            "profiles": {
                _known("profile", key, PROFILES): _build(Profile, f"profile {key} of {name}", table)
                for key, table in profiles.items()
            },
        },
    )
    _known("measure", experiment.measure, MEASURES)
    for profile in experiment.profiles.values():
        _check_profile(experiment, profile)
    for key in experiment.profiles:
        _check_protocol(experiment.profile(key)[0].protocol)
    return experiment


def _methods(groups, tables):
    """Methods of whole groups at their defaults, and those with tables of their own."""
    labels = [label for group in groups for label in GROUPS[_known("group", group, GROUPS)]]
    tables = {label: {} for label in labels} | tables
    return tuple(_method(label, table) for label, table in tables.items())


def _method(label, table):
    table = {"label": label, "method": label} | table
    method = _build(Method, f"method {label}", table)
    # TOML has no None.
    fixed = {name: None if value == "none" else value for name, value in method.fixed.items()}
    method = replace(method, fixed=fixed)
    known = [*REGISTRY, *BASELINES]
    parameters = inspect.signature(ranker(_known("method", method.method, known))).parameters
    for name in (*method.fixed, *method.grid):
        _known(f"parameter of {label}", name, parameters)
    return method


def _check_profile(experiment, profile):
    grids = {method.label: method.grid for method in experiment.methods}
    for label in (*profile.methods, *profile.grids, *profile.max_features):
        _known("method", label, grids)
    for label, grid in profile.grids.items():
        for name in grid:
            _known(f"parameter in the grid of {label}", name, grids[label])
    for name in profile.protocol:
        _known("key of the protocol", name, [f.name for f in fields(Protocol)])


def _check_protocol(protocol):
    for name in protocol.metrics:
        _known("metric", name, SCORES)
    _known("scale", protocol.scale, (*SCALES, "none"))
    _known("choice of rows", protocol.rows, ("split", "all"))
    _known("rounding", protocol.rounding, ("nearest", "up"))


def _build(cls, what, table):
    """A frozen dataclass from a table of TOML."""
    known = [f.name for f in fields(cls)]
    for key in table:
        _known(f"key of {what}", key, known)
    return cls(**_tuples(table))


def _tuples(table):
    return {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}


def _known(what, name, known):
    if name not in known:
        raise ValueError(f"there is no {what} called {name!r}: use one of {', '.join(known)}")
    return name


def _narrowed(grid, replacement):
    """The grid with some parameters replaced, or none at all."""
    if replacement is None:
        return grid
    return grid | replacement if replacement else {}
